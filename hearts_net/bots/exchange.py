"""Choosing the three cards to pass by playing deals out with them gone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

from hearts_net.bots.passing import suit_risk
from hearts_net.bots.plain import three_risks
from hearts_net.bots.sight import Sight
from hearts_net.bots.stakes import Stakes
from hearts_net.bots.thumb import Draw, Thumb
from hearts_net.rules.cards import (
    FULL_DECK,
    HAND_SIZE,
    SUIT_MASKS,
    TWO_OF_CLUBS_MASK,
    Mask,
    cards_in,
)
from hearts_net.rules.deal import NOTHING, Rules
from hearts_net.rules.playout import Position, by_suits

STEPS: Final = {"left": 1, "across": 2, "right": 3}
SEATS_LEFT: Final = 3
CAUTION: Final = 4.0
"""What a moon planned before the cards are seen is worth less than playouts say."""


@dataclass(slots=True)
class Triple:
    """Three cards to pass, and whether to duck or to shoot with what is left."""

    cards: Mask
    shooting: bool
    prior: float
    """What passing them seems worth at a glance, times the worlds that the glance counts for."""
    discount: float
    """Points that it is worth less than playouts say."""
    worths: list[float] = field(default_factory=list)

    @property
    def mean(self) -> float:
        """What passing them has been worth on average, the glance counting as some worlds."""
        return (sum(self.worths) + self.prior) / len(self.worths) - self.discount


@dataclass(frozen=True, slots=True)
class PassEffort:
    """How many triples are tried, and in how many worlds; after each batch half of them go."""

    ducking: int
    shooting: int
    batches: tuple[int, ...]
    glance: int = 200
    """How many worlds the first glance at a triple counts for: playouts overrate passes."""


def choose_triple(sight: Sight, effort: PassEffort, draw: Draw, boldness: float = 0.0) -> Mask:
    """Return the three cards whose passing turns out best."""
    triples = _candidates(sight, effort, CAUTION - boldness)
    exchange = _Exchange(sight, draw)
    for batch in effort.batches:
        for _ in range(batch):
            exchange.try_in_one_world(triples)
        triples.sort(key=lambda triple: -triple.mean)
        del triples[max(2, len(triples) // 2) :]
    return triples[0].cards


def _candidates(sight: Sight, effort: PassEffort, caution: float) -> list[Triple]:
    """Return the triples that leave the least risk, and those that leave the strongest hand."""
    hand = sight.hand
    risks: dict[tuple[int, Mask], float] = {}

    def risk(kept: Mask) -> float:
        total = 0.0
        for suit, mask in enumerate(SUIT_MASKS):
            held = kept & mask
            if (suit, held) not in risks:
                risks[suit, held] = suit_risk(suit, held, sight.jack, sight.queen_rule)
            total += risks[suit, held]
        return total

    every = [1 << a | 1 << b | 1 << c for a, b, c in combinations(cards_in(hand), 3)]
    left = {three: risk(hand & ~three) for three in every}
    by_risk = sorted(every, key=left.__getitem__)[: effort.ducking]
    mean = sum(left[three] for three in by_risk) / len(by_risk)
    by_power = sorted(every, key=lambda three: -_power(hand & ~three))[: effort.shooting]
    ducking = [Triple(cards, False, effort.glance * (mean - left[cards]), 0.0) for cards in by_risk]
    return ducking + [Triple(cards, True, 0.0, caution) for cards in by_power]


def _power(kept: Mask) -> int:
    """Return how well a hand takes tricks: high cards, and long suits headed by them."""
    power = 0
    for suit in SUIT_MASKS:
        held = kept & suit
        top = held >> (suit.bit_length() - HAND_SIZE) >> 9  # jack to ace
        power += (3, 0)[not held] + 4 * top.bit_count() * held.bit_count()
        low = held & -held
        if held and (low.bit_length() - 1) % HAND_SIZE < 6 and held.bit_count() < 4:
            power -= 6
    return power


class _Exchange:
    """Deals the unseen cards, passes for everybody, and plays out."""

    def __init__(self, sight: Sight, draw: Draw) -> None:
        self._sight, self._seat = sight, sight.seat
        self._step = STEPS.get(sight.direction, 0)
        self._draw, self._thumb = draw, Thumb(draw, sight.jack)
        rules = Rules.of(sight.options)
        self._starts = [Position.seen(rules, leader, (), NOTHING) for leader in range(4)]
        self._stakes = Stakes(sight.options, sight.totals, sight.seat)
        self._unseen = cards_in(FULL_DECK & ~sight.hand)

    def try_in_one_world(self, triples: list[Triple]) -> None:
        """Add one world's worth to each triple."""
        seat, jack = self._seat, self._sight.jack
        hands, passed = [0, 0, 0, 0], [0, 0, 0, 0]
        shuffled = sorted(self._unseen, key=lambda _: self._draw())
        for place in range(SEATS_LEFT):
            other = (seat + 1 + place) & 3
            for card in shuffled[place * HAND_SIZE : (place + 1) * HAND_SIZE]:
                hands[other] |= 1 << card
            passed[other] = three_risks(hands[other], jack)
        hands[seat] = self._sight.hand
        for giver in range(4):
            taker = (giver + self._step) & 3
            hands[giver] &= ~passed[giver]
            if giver != seat:
                hands[taker] |= passed[giver]
        taker = (seat + self._step) & 3
        for triple in triples:
            held = hands[:]
            held[seat] &= ~triple.cards
            held[taker] |= triple.cards
            triple.worths.append(self._worth(held, triple.shooting))

    def _worth(self, hands: Sequence[Mask], shooting: bool) -> float:
        """Return what these hands are worth; a moon that fails is worth no more than ducking."""
        leader = next(seat for seat in range(4) if hands[seat] & TWO_OF_CLUBS_MASK)
        first, second, third, fourth = hands
        start, suits = self._starts[leader], by_suits((first, second, third, fourth))
        ducking = self._thumb.policy(None)
        if not shooting:
            return self._stakes.worth(start.finish(suits, ducking))
        played = start.finish(suits, self._thumb.policy(self._seat))
        worth = self._stakes.worth(played)
        if played.shooter == self._seat:
            return worth
        return min(worth, self._stakes.worth(start.finish(suits, ducking)))
