"""The levels of computer players, by name: the one place where a level is added."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from hearts_net.bots.player import BotCode, BotError, Player

# A client needs the names alone, and at once: each player is imported by what makes it.

STEADY: Final = "steady"
BOLD: Final = "bold"
CAUTIOUS: Final = "cautious"
TEMPERAMENTS: Final = (STEADY, BOLD, CAUTIOUS)
"""How players of one level differ. A bold one is quicker to shoot the moon, a cautious one ducks
and fears other people's moons more; the level is what is measured, with the steady one."""


def _easy(temperament: str) -> Player:
    from hearts_net.bots.simple import SLIP, EasyPlayer

    slip = {BOLD: 0.18, CAUTIOUS: 0.12}.get(temperament, SLIP)
    return EasyPlayer(slip, heart_ranks=5 if temperament == BOLD else 13)


def _medium(temperament: str) -> Player:
    from hearts_net.bots.rule import RulePlayer

    return RulePlayer(fear={BOLD: 0.5, CAUTIOUS: 2.0}.get(temperament, 1.0))


def _hard(temperament: str) -> Player:
    from hearts_net.bots.searching import HARD, HARD_PASS, SearchingPlayer

    return SearchingPlayer(HARD, HARD_PASS, boldness=_BOLDNESS.get(temperament, 0.0))


def _expert(temperament: str) -> Player:
    from hearts_net.bots.searching import EXPERT, EXPERT_PASS, SearchingPlayer

    return SearchingPlayer(EXPERT, EXPERT_PASS, boldness=_BOLDNESS.get(temperament, 0.0))


def _random() -> Player:
    from hearts_net.bots.simple import RandomPlayer

    return RandomPlayer()


def _rule() -> Player:
    from hearts_net.bots.plain import PlainPlayer

    return PlainPlayer()


_BOLDNESS: Final = {BOLD: 2.0, CAUTIOUS: -2.0}
"""Points by which a moon seems worth more, or less, than it is."""
LEVELS: Final[Mapping[str, Callable[[str], Player]]] = MappingProxyType(
    {"easy": _easy, "medium": _medium, "hard": _hard, "expert": _expert}
)
"""Weakest first."""
FIXED_POINTS: Final[Mapping[str, Callable[[], Player]]] = MappingProxyType(
    {"random": _random, "rule": _rule}
)
"""Players that are no levels, but that levels are measured by."""
DEFAULT_LEVEL: Final = "medium"


def level_names() -> tuple[str, ...]:
    """Return the names of all levels, weakest first."""
    return tuple(LEVELS)


def make_player(level: str, temperament: str = STEADY) -> Player:
    """Return a player of that level; raises :class:`BotError` ``unknown-level``."""
    player = LEVELS.get(level)
    if player is None:
        raise BotError(BotCode.UNKNOWN_LEVEL, level=level[:16], levels=", ".join(LEVELS))
    return player(temperament)


def temperament_of(seat: int) -> str:
    """Return the temperament of the bot on a seat, so that three at a table differ."""
    return TEMPERAMENTS[seat % len(TEMPERAMENTS)]


def thinks_long(level: str) -> bool:
    """Say whether a level takes more than a few milliseconds for a choice."""
    return level in ("hard", "expert")


def make_any_player(name: str) -> Player:
    """Return a player of a level or a fixed point; raises :class:`BotError` ``unknown-level``."""
    fixed = FIXED_POINTS.get(name)
    return fixed() if fixed is not None else make_player(name)
