"""The game record: a finished or running game as lines of JSON, one thing that happened a line.

This module writes records from the states of a game; :mod:`hearts_net.rules.reading` reads their
lines and :mod:`hearts_net.rules.check` replays them. A record ends with the last finished deal:
the cards of a running deal are nobody else's business.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from hearts_net.rules.cards import CARD_TEXTS, SEATS, hand_texts
from hearts_net.rules.deal import Deal, Direction
from hearts_net.rules.game import DealResult, Game
from hearts_net.rules.options import Options

FORMAT: Final = 1
"""The version of the record's form, in its first line."""


class Kind(StrEnum):
    """What a line tells."""

    GAME = "game"
    DEAL = "deal"
    PASS = "pass"  # noqa: S105 - no password
    PLAY = "play"
    CLAIM = "claim"
    SETTLED = "settled"
    MOON = "moon"
    DEAL_END = "deal-end"
    GAME_END = "game-end"


class PlayerType(StrEnum):
    """Who sits there."""

    HUMAN = "human"
    BOT = "bot"


@dataclass(frozen=True, slots=True)
class Player:
    """One seat's player."""

    name: str
    type: PlayerType
    level: str = ""
    """A bot's; empty for a person."""
    is_host: bool = False
    """Whether this was the host's player, at the machine that dealt, as the game began."""


@dataclass(frozen=True, slots=True)
class Header:
    """The first line: the game, its rules, and who plays."""

    game: str
    """The game's id."""
    started: str
    """ISO 8601, UTC."""
    options: Options
    players: tuple[Player, Player, Player, Player]


def record_lines(header: Header, states: Iterable[Game], *, legal: bool = False) -> Iterator[str]:
    """Yield a game's record, a line (without its end) at a time, as the states of the game come.

    ``states`` are the game's states in order; every deal's last one must be among them (for a
    moon that is chosen, the one after the choice), others may be left out. A deal is told when it
    has ended, so a running deal is not told at all. With ``legal`` every play lists all the legal
    cards.
    """
    yield header_line(header)
    told = 0
    for game in states:
        if game.finished_deals == told:
            continue
        assert game.deal is not None
        told = game.finished_deals
        yield from deal_lines(game.deal, game.results[-1], legal=legal)
        if game.winner is not None:
            yield _line(Kind.GAME_END, totals=list(game.totals), winner=game.winner)


def header_line(header: Header) -> str:
    """Return a record's first line."""
    return _line(
        Kind.GAME,
        format=FORMAT,
        game=header.game,
        started=header.started,
        rules=header.options.to_dict(),
        players=[_player(player) for player in header.players],
    )


def _player(player: Player) -> dict[str, str | bool]:
    about: dict[str, str | bool] = {"name": player.name, "type": player.type.value}
    if player.type is PlayerType.BOT:
        about["level"] = player.level
    return {**about, "host": True} if player.is_host else about


def deal_lines(deal: Deal, result: DealResult, *, legal: bool) -> Iterator[str]:
    """Yield the lines of one finished deal."""
    shuffle = {} if deal.start.shuffle is None else {"shuffle": _shuffle(deal.start.shuffle)}
    yield _line(
        Kind.DEAL,
        deal=result.number,
        **{"pass": deal.direction.value},
        hands=[hand_texts(hand) for hand in deal.dealt],
        **shuffle,
    )
    if deal.direction is not Direction.HOLD:
        for seat in SEATS:
            yield _line(Kind.PASS, seat=seat, cards=hand_texts(deal.passes[seat]))
    yield from _play_lines(deal, legal=legal)
    if deal.claimed_by is not None:
        yield _line(Kind.CLAIM, seat=deal.claimed_by)
    if deal.settled:
        yield _line(Kind.SETTLED)
    if result.choice is not None:
        yield _line(Kind.MOON, seat=result.moon, choice=result.choice.value)
    yield _line(
        Kind.DEAL_END,
        deal=result.number,
        points=list(result.points),
        totals=list(result.totals),
        moon=result.moon,
    )


def _shuffle(text: str) -> object:
    """Return an object where the text is one in JSON, so that no JSON stands inside a string."""
    if not text.startswith("{"):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _play_lines(deal: Deal, *, legal: bool) -> Iterator[str]:
    state = deal.opening()
    for seat, card, by_bot in deal.plays:
        facts: dict[str, object] = {"seat": seat, "card": CARD_TEXTS[card]}
        if legal:
            facts["legal"] = hand_texts(state.legal())
            state = state.play(card)
        if by_bot:
            facts["by"] = "bot"
        yield _line(Kind.PLAY, **facts)


def _line(kind: Kind, **facts: object) -> str:
    return json.dumps({"kind": kind.value, **facts}, ensure_ascii=False, separators=(",", ":"))
