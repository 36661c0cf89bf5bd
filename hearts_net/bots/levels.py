"""The levels of computer players, by name: the one place where a level is added."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from hearts_net.bots.player import BotCode, BotError, Player
from hearts_net.bots.rule import RulePlayer
from hearts_net.bots.simple import EasyPlayer

LEVELS: Final[Mapping[str, Callable[[], Player]]] = MappingProxyType(
    {"easy": EasyPlayer, "medium": RulePlayer}
)
"""Weakest first."""
DEFAULT_LEVEL: Final = "medium"


def level_names() -> tuple[str, ...]:
    """Return the names of all levels, weakest first."""
    return tuple(LEVELS)


def make_player(level: str) -> Player:
    """Return a player of that level; raises :class:`BotError` ``unknown-level``."""
    player = LEVELS.get(level)
    if player is None:
        raise BotError(BotCode.UNKNOWN_LEVEL, level=level[:16], levels=", ".join(LEVELS))
    return player()
