"""Whole games among choosers, with no network and no table: the same seed gives the same games."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, Protocol

from hearts_net.rules.actions import ChooseMoon, DealCards, PassCards, PlayCard
from hearts_net.rules.cards import SEATS, Card, Mask, cards_in, mask_of, random_card
from hearts_net.rules.deal import PASS_SIZE, Deal
from hearts_net.rules.game import Game, Phase
from hearts_net.rules.options import Options
from hearts_net.rules.record import Header, Player, PlayerType, record_lines
from hearts_net.rules.shuffle import deal_hands

RANDOM_LEVEL: Final = "random"


class Chooser(Protocol):
    """Somebody who decides for a seat.

    It gets the whole game, which has the current deal and the totals in it, and must itself look at
    nothing but what the seat can see. All its randomness comes from ``rng``.
    """

    def choose_pass(self, game: Game, seat: int, rng: Random) -> Mask:
        """Return the three cards to pass."""
        ...

    def choose_play(self, game: Game, seat: int, rng: Random) -> Card:
        """Return a legal card."""
        ...


class RandomChooser:
    """Passes any three cards and plays any legal one."""

    def choose_pass(self, game: Game, seat: int, rng: Random) -> Mask:
        """Return three cards of the hand."""
        return mask_of(rng.sample(cards_in(_deal(game).hands[seat]), PASS_SIZE))

    def choose_play(self, game: Game, seat: int, rng: Random) -> Card:
        """Return a legal card."""
        return random_card(_deal(game).legal_for(seat), rng)


@dataclass(frozen=True, slots=True)
class SimulatedGame:
    """One game: its header, and its record's lines, which play the game as they are asked for."""

    header: Header
    lines: Iterator[str]


def simulate(
    games: int,
    seed: int | str,
    options: Options,
    choosers: Sequence[Chooser],
    levels: Sequence[str],
    *,
    started: str,
    legal: bool = False,
) -> Iterator[SimulatedGame]:
    """Play games among four choosers, one a seat; ``levels`` name them in the record.

    The same arguments give the same lines. A moon is chosen as the rules say for bots.
    ``started`` is the time (ISO 8601, UTC) that the records bear.
    """
    if len(choosers) != len(SEATS) or len(levels) != len(SEATS):
        raise ValueError("a game needs four choosers and four levels")
    for index in range(games):
        secret = hashlib.sha256(f"hearts-net simulate {seed} {index}".encode()).digest()
        header = Header(secret[:8].hex(), started, options, _players(levels))
        states = play_game(options, choosers, secret)
        yield SimulatedGame(header, record_lines(header, states, legal=legal))


def play_game(options: Options, choosers: Sequence[Chooser], secret: bytes) -> Iterator[Game]:
    """Play one game and yield every state of it; ``secret`` decides everything left to chance."""
    rng = Random(secret)  # noqa: S311 - play, not secrets
    game = Game.start(options)
    while game.phase is not Phase.OVER:
        game = _next(game, choosers, rng)
        yield game


def _next(game: Game, choosers: Sequence[Chooser], rng: Random) -> Game:
    match game.phase:
        case Phase.DEALING:
            key = rng.randbytes(32)
            return game.apply(DealCards(deal_hands(key), shuffle=key.hex()))
        case Phase.PASSING:
            seat = _deal(game).passes.index(0)
            return game.apply(PassCards(seat, choosers[seat].choose_pass(game, seat, rng)))
        case Phase.MOON:
            assert game.shooter is not None
            return game.apply(ChooseMoon(game.shooter, game.default_moon_choice()))
        case _:
            turn = _deal(game).turn
            assert turn is not None
            return game.apply(PlayCard(turn, choosers[turn].choose_play(game, turn, rng)))


def _players(levels: Sequence[str]) -> tuple[Player, Player, Player, Player]:
    first, second, third, fourth = (
        Player(f"{levels[seat]} {seat}", PlayerType.BOT, levels[seat]) for seat in SEATS
    )
    return first, second, third, fourth


def _deal(game: Game) -> Deal:
    assert game.deal is not None
    return game.deal
