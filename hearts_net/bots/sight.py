"""A seat's view read into masks: everything that its player may know, and nothing more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from hearts_net.bots.player import BotCode, BotError
from hearts_net.protocol.messages import OptionValue, View
from hearts_net.rules.cards import (
    FULL_DECK,
    JACK_MASK,
    QUEEN_MASK,
    SUITS,
    mask_of_texts,
    parse_card,
)
from hearts_net.rules.options import OPTION_SPECS, Options

OPTION_NAMES: Final = tuple(spec.name for spec in OPTION_SPECS)


class FinishedTrick(NamedTuple):
    """Four cards, from the leader on clockwise."""

    leader: int
    cards: tuple[int, ...]
    winner: int


@dataclass(frozen=True, slots=True)
class Sight:
    """What one seat can work out from its view; cards are numbers, sets of cards are masks."""

    seat: int
    hand: int
    legal: int
    direction: str
    passed: int
    """What this seat passed on in this deal."""
    received: int
    tricks: tuple[FinishedTrick, ...]
    """The finished tricks of the deal, in order."""
    trick: tuple[tuple[int, int], ...]
    """Seat and card, as played, of the trick on the table."""
    unseen: int
    """Cards that are in the other three hands."""
    taken: tuple[int, int, int, int]
    voids: tuple[frozenset[int], frozenset[int], frozenset[int], frozenset[int]]
    """Suits that each seat has shown not to hold."""
    left: tuple[int, int, int, int]
    """Cards still in each hand."""
    totals: tuple[int, int, int, int]
    hearts_broken: bool
    jack: bool
    """The jack of diamonds counts."""
    queen_rule: str
    passing: bool
    """Cards are still being passed."""
    options: Options

    @property
    def counting(self) -> int:
        """Single cards that are unlike their neighbours: the queen of spades, and the jack."""
        return QUEEN_MASK | (JACK_MASK if self.jack else 0)

    @property
    def table(self) -> tuple[int, ...]:
        """The cards on the table in the order played."""
        return tuple(card for _, card in self.trick)

    @property
    def rounds(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """Leader and cards, in order, of every trick, the one on the table included."""
        rounds = [(done.leader, done.cards) for done in self.tricks]
        if self.trick:
            rounds.append((self.trick[0][0], self.table))
        return tuple(rounds)

    @property
    def led(self) -> int | None:
        """The suit to follow; None for the leader."""
        return self.trick[0][1] // 13 if self.trick else None

    @property
    def winning(self) -> tuple[int, int] | None:
        """Seat and card that would take the trick on the table now."""
        if not self.trick:
            return None
        suit = self.trick[0][1] // 13
        return max((pair for pair in self.trick if pair[1] // 13 == suit), key=lambda pair: pair[1])


def read_sight(view: View) -> Sight:
    """Read what the seat of ``view`` knows; raises :class:`BotError` for a view without a seat."""
    own, public = view.own, view.public
    if own is None:
        raise BotError(BotCode.NO_SEAT)
    hand = mask_of_texts(own.hand)
    trick = tuple((laid.seat, parse_card(laid.card)) for laid in public.trick)
    seen = [parse_card(card) for card in public.seen]
    finished = len(seen) // 4 * 4
    leader = public.leader if public.leader is not None else own.seat
    tricks = _finished_tricks(seen[:finished], leader)
    taken = [0, 0, 0, 0]
    for done in tricks:
        one, two, three, four = done.cards
        taken[done.winner] |= 1 << one | 1 << two | 1 << three | 1 << four
    played = 0
    for card in seen:
        played |= 1 << card
    voids = [frozenset(map(SUITS.index, suits)) for suits in public.shown_voids]
    a, b, c, d = (seat.cards for seat in public.seats)
    return Sight(
        seat=own.seat,
        hand=hand,
        legal=mask_of_texts(own.legal),
        direction=public.direction,
        passed=mask_of_texts(own.passed),
        received=mask_of_texts(own.received),
        tricks=tricks,
        trick=trick,
        unseen=FULL_DECK & ~hand & ~played,
        taken=(taken[0], taken[1], taken[2], taken[3]),
        voids=(voids[0], voids[1], voids[2], voids[3]),
        left=(a, b, c, d),
        totals=_four([seat.total for seat in public.seats]),
        hearts_broken=public.hearts_broken,
        jack=public.rules.get("jack_of_diamonds") is True,
        queen_rule=str(public.rules.get("queen_of_spades", "always")),
        passing=public.phase == "passing",
        options=_options(public.rules),
    )  # fmt: skip


def _options(rules: Mapping[str, OptionValue]) -> Options:
    """Return the rules of a view, without those that this version does not know."""
    return Options.from_dict({name: rules[name] for name in OPTION_NAMES if name in rules})


def _four(numbers: list[int]) -> tuple[int, int, int, int]:
    a, b, c, d = numbers
    return a, b, c, d


def _finished_tricks(cards: list[int], leader_now: int) -> tuple[FinishedTrick, ...]:
    """Put the cards seen back into tricks; ``leader_now`` is who leads after the last of them.

    A view says in which order cards fell, not who played them. But each trick's winner sits a known
    number of seats after its leader and leads the next, so the leader now gives all earlier ones.
    """
    steps = []
    for start in range(0, len(cards), 4):
        four = cards[start : start + 4]
        suit = four[0] // 13
        best = max(card for card in four if card // 13 == suit)
        steps.append((tuple(four), four.index(best)))
    leader = (leader_now - sum(step for _, step in steps)) % 4
    tricks = []
    for four_cards, step in steps:
        winner = (leader + step) % 4
        tricks.append(FinishedTrick(leader, four_cards, winner))
        leader = winner
    return tuple(tricks)
