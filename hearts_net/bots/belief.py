"""How well imagined hands explain what their holders have passed and played.

Players pass so as to be rid of a suit, and seldom keep the queen of spades on two or three small
ones; they throw her off when they can, and duck no higher than they must. A world in which somebody
did otherwise is possible but not likely. So more worlds are imagined than are needed, and those
that explain best what was seen are chosen more often.

A hand's surprise is in powers of e, and adds up over the hands of a world. The figures are those
that tell the hands which searching players truly had from others as they may have been.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import exp
from typing import Final, NamedTuple

from hearts_net.bots.sight import Sight
from hearts_net.bots.thumb import (
    ABOVE_QUEEN,
    COUNT,
    QUEEN,
    Draw,
    followed,
    led,
    spread,
    thrown,
)
from hearts_net.rules.cards import (
    FULL_DECK,
    QUEEN_OF_SPADES,
    SEATS,
    SPADES,
    SUIT_MASK_OF,
    SUIT_MASKS,
    Card,
    Hands,
    Mask,
)
from hearts_net.rules.deal import Direction
from hearts_net.rules.legal import Restrictions
from hearts_net.rules.playout import Suits
from hearts_net.rules.scoring import card_points

LED: Final = 0.8
"""How unlikely it is that somebody leads another card than the rule of playouts says."""
FOLLOWED: Final = 0.45
"""The same for following suit while others are still to play."""
FOLLOWED_LAST: Final = 0.65
"""The same for the last to play."""
THROWN: Final = 0.65
"""The same for throwing off another card."""
QUEEN_KEPT: Final = 1.5
"""The same for keeping the queen of spades when she could have been thrown off."""
QUEEN_HELD_BACK: Final = 2.0
"""The same for not playing her under a higher spade."""
LENGTHS: Final = (-3.0, -1.4, 0.0, 0.8, 1.1, 1.2, *(1.3,) * 8)
"""How unlikely it is that somebody is left with so many clubs, or diamonds, after passing."""
HEARTS_LENGTHS: Final = (-2.0, -0.9, 0.0, 0.5, *(0.8,) * 10)
"""The same for hearts."""
WITH_QUEEN: Final = (-1.2, -0.4, 0.5, 0.9, 0.4, *(-0.1,) * 9)
"""The same for the queen of spades with so many other spades."""
WITH_HIGHER: Final = (0.2, 1.0, 0.7, 0.3, *(-0.1,) * 10)
"""The same for king or ace of spades without the queen, by the spades below her."""
LOW_SPADES: Final = (-0.9, -0.3, -0.3, *(-0.1,) * 11)
"""The same for so many spades below the queen alone."""


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


def played_by(sight: Sight) -> list[Mask]:
    """Return what each seat has played."""
    played = [0, 0, 0, 0]
    for leader, order in sight.rounds:
        for place, card in enumerate(order):
            played[(leader + place) & 3] |= 1 << card
    return played


def deeds_of(sight: Sight) -> list[Deed]:
    """Return what the other seats have played, but the first lead, which is no choice."""
    found: list[Deed] = []
    points, unplayed, later = card_points(sight.options), FULL_DECK, played_by(sight)
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


class Belief:
    """What one seat makes of what the others have done."""

    __slots__ = ("_deeds", "_jack", "_known", "_others", "_passed", "_played", "_rules")

    def __init__(self, sight: Sight, rules: Restrictions) -> None:
        self._rules, self._jack = rules, sight.jack
        self._passed = sight.direction != Direction.HOLD.value
        self._others = [seat for seat in SEATS if seat != sight.seat]
        self._deeds: list[list[Deed]] = [[], [], [], []]
        for deed in deeds_of(sight):
            self._deeds[deed.seat].append(deed)
        self._played = played_by(sight)
        self._known: list[dict[Mask, float]] = [{}, {}, {}, {}]

    def surprise(self, hands: Hands) -> float:
        """Return how unlikely all that was seen is if these are the hands now."""
        total = 0.0
        for seat in self._others:
            hand, known = hands[seat], self._known[seat]
            surprise = known.get(hand)
            if surprise is None:
                surprise = known[hand] = self._surprise(seat, hand)
            total += surprise
        return total

    def _surprise(self, seat: int, hand: Mask) -> float:
        total = _left_after_passing(spread(hand | self._played[seat])) if self._passed else 0.0
        for deed in self._deeds[seat]:
            total += _odd(deed, hand | deed.later, self._rules, self._jack)
        return total


def _left_after_passing(hand: Suits) -> float:
    clubs, diamonds, spades, hearts = hand
    low = COUNT[spades & (QUEEN - 1)]
    if spades & QUEEN:
        guarded = WITH_QUEEN[COUNT[spades] - 1]
    else:
        guarded = WITH_HIGHER[low] if spades & ABOVE_QUEEN else LOW_SPADES[low]
    return (
        guarded + LENGTHS[COUNT[clubs]] + LENGTHS[COUNT[diamonds]] + HEARTS_LENGTHS[COUNT[hearts]]
    )


def _odd(deed: Deed, hand: Mask, rules: Restrictions, jack: bool) -> float:
    """Return how unlikely a deed is with this hand: 0 if the rule of playouts does the same."""
    card, unplayed = deed.card, spread(deed.unplayed)
    if deed.suit < 0:
        legal = spread(rules.leads(hand, deed.unplayed))
        right, price = led(legal, spread(hand), unplayed), LED
    elif hand & SUIT_MASKS[deed.suit]:
        right, price = _followed(deed, hand, unplayed)
    else:
        legal = spread(rules.discards(hand, deed.unplayed, deed.first))
        right = thrown(legal, spread(hand), unplayed, jack)
        price = QUEEN_KEPT if right == QUEEN_OF_SPADES else THROWN
    return 0.0 if right == card or _alike(card, right, deed.unplayed & ~hand) else price


def _followed(deed: Deed, hand: Mask, unplayed: Suits) -> tuple[Card, float]:
    suit, after = deed.suit, 3 - deed.laid
    held = hand >> suit * 13 & 8191
    if not held & (held - 1):
        return deed.card, 0.0
    rank = followed(held, unplayed, suit, deed.best, after, deed.score, deed.first)
    if suit == SPADES and 1 << rank == QUEEN:
        return QUEEN_OF_SPADES, QUEEN_HELD_BACK
    return suit * 13 + rank, FOLLOWED if after else FOLLOWED_LAST


def _alike(one: Card, other: Card, others: Mask) -> bool:
    """Say whether two cards of a hand do the same: one suit, and nobody's card between them."""
    if QUEEN_OF_SPADES in (one, other):
        return False
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
