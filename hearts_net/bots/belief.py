"""How well imagined hands explain what their holders have played.

A world in which somebody held the queen of spades and did not throw her off, or ducked higher than
it could have, is possible but not likely. So more worlds are imagined than are needed, and those
that explain the cards played best are chosen more often.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import exp
from typing import Final, NamedTuple

from hearts_net.bots.sight import Sight
from hearts_net.bots.thumb import Draw, followed, led, spread, thrown
from hearts_net.rules.cards import (
    FULL_DECK,
    QUEEN_OF_SPADES,
    SUIT_MASK_OF,
    SUIT_MASKS,
    Card,
    Hands,
    Mask,
)
from hearts_net.rules.legal import Restrictions
from hearts_net.rules.playout import Suits
from hearts_net.rules.scoring import card_points

FOLLOWED: Final = 1.0
"""How unlikely, in powers of e, it is that somebody follows suit otherwise than by the rule."""
THROWN: Final = 0.6
"""The same for throwing off another card."""
LED: Final = 0.4
"""The same for leading another card."""
QUEEN_KEPT: Final = 3.0
"""The same for keeping the queen of spades when she could have been got rid of."""


class Deed(NamedTuple):
    """One card that another seat has played, and what was on the table."""

    seat: int
    card: Card
    later: Mask
    """What the seat has played from this card on, this one included."""
    suit: int
    """The suit led; -1 for a leader."""
    best: int
    """The rank that took the trick before it."""
    score: int
    laid: int
    unplayed: Mask
    first: bool
    """It was the first trick."""


def deeds_of(sight: Sight) -> list[Deed]:
    """Return what the other seats have played, but the first lead, which is no choice."""
    found: list[Deed] = []
    points, unplayed, later = card_points(sight.options), FULL_DECK, [0, 0, 0, 0]
    for leader, order in sight.rounds:
        for place, card in enumerate(order):
            later[(leader + place) & 3] |= 1 << card
    for number, (leader, order) in enumerate(sight.rounds):
        suit, best, score, first = -1, 0, 0, not number
        for place, card in enumerate(order):
            seat = (leader + place) & 3
            if seat != sight.seat and (place or number):
                found.append(
                    Deed(seat, card, later[seat], suit, best, score, place, unplayed, first)
                )
            later[seat] ^= 1 << card
            unplayed ^= 1 << card
            score += points[card]
            if not place:
                suit, best = divmod(card, 13)
            elif card // 13 == suit and card % 13 > best:
                best = card % 13
    return found


def surprise(
    deeds: Sequence[Deed], hands: Sequence[Mask], rules: Restrictions, jack: bool
) -> float:
    """Return how unlikely these deeds are if these are the hands now: 0 if all go by the rule."""
    total = 0.0
    for deed in deeds:
        hand = hands[deed.seat] | deed.later
        unplayed = spread(deed.unplayed)
        if deed.suit < 0:
            legal = spread(rules.leads(hand, deed.unplayed))
            right, price = led(legal, spread(hand), unplayed), LED
        elif hand & SUIT_MASKS[deed.suit]:
            right, price = _followed(deed, hand, unplayed)
        else:
            cards = rules.discards(hand, deed.unplayed, deed.first)
            right, price = thrown(spread(cards), spread(hand), unplayed, jack), THROWN
        if right != deed.card and not _alike(deed.card, right, deed.unplayed & ~hand):
            total += QUEEN_KEPT if right == QUEEN_OF_SPADES else price
    return total


def _followed(deed: Deed, hand: Mask, unplayed: Suits) -> tuple[Card, float]:
    base, after = deed.suit * 13, 3 - deed.laid
    held = hand >> base & 8191
    if not held & (held - 1):
        return base + held.bit_length() - 1, FOLLOWED
    rank = followed(held, unplayed, deed.suit, deed.best, after, deed.score, deed.first)
    return base + rank, FOLLOWED


def _alike(one: Card, other: Card, others: Mask) -> bool:
    """Say whether two cards of a hand do the same: one suit, and nobody's card between them."""
    low, high = (one, other) if one < other else (other, one)
    return SUIT_MASK_OF[low] == SUIT_MASK_OF[high] and not others & ((1 << high) - (2 << low))


def likely(
    worlds: Sequence[Hands], surprises: Sequence[float], count: int, draw: Draw
) -> list[Hands]:
    """Return ``count`` worlds chosen by how little surprise they hold; some may come twice."""
    least = min(surprises)
    heights = list(accumulate(exp(least - surprise) for surprise in surprises))
    step = heights[-1] / count
    at, place = draw() * step, 0
    chosen: list[Hands] = []
    for _ in range(count):
        while heights[place] < at and place < len(heights) - 1:
            place += 1
        chosen.append(worlds[place])
        at += step
    order = sorted(range(count), key=lambda _: draw())
    return [chosen[index] for index in order]
