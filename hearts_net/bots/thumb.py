"""The rule of thumb by which deals are played out: what every search here rests on.

All four seats play by the same sound rule, with a slip now and then, so that no single line of play
is taken for certain. Playouts with a uniformly random player are worse than no search at all;
these are worth their time. Cards are as :mod:`hearts_net.rules.playout` has them: a hand is four
sets of ranks, clubs to hearts.

A seat can be taken to be shooting the moon: it then plays to take everything, and the others defend
until a point goes elsewhere. They also defend against whoever has taken every point so far, once
these are many; else the player would count on moons that nobody lets through.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from hearts_net.rules.cards import (
    DIAMONDS,
    HEARTS,
    JACK_OF_DIAMONDS,
    QUEEN_OF_SPADES,
    SPADES,
    Card,
    Mask,
)
from hearts_net.rules.playout import Policy, Ranks, Suits, Table
from hearts_net.rules.scoring import QUEEN_POINTS

Draw: TypeAlias = Callable[[], float]

SLIP: Final = 0.12
"""How often a playout takes any legal card instead of what the rule says."""
ALARM: Final = 9
"""So many points may one seat alone have taken before the others defend."""

QUEEN: Final[Ranks] = 1 << QUEEN_OF_SPADES % 13
JACK: Final[Ranks] = 1 << JACK_OF_DIAMONDS % 13
ABOVE_QUEEN: Final[Ranks] = 0b1100000000000
COUNT: Final = bytes(ranks.bit_count() for ranks in range(1 << 13))
"""How many cards a set of ranks has."""
WHOLE_HAND: Final = 13

HEART_EXTRA: Final = 4.0
"""Ranks that a heart counts more when a card is thrown off."""
LENGTH_LESS: Final = 0.5
"""Ranks that a card counts less for each card of its suit in the hand."""
SPADE_EXTRA: Final = 8.0
"""Ranks that king and ace of spades count more while another has the queen, and others less."""
LONG_LEAD: Final = 0.1
"""What each card of a suit adds to the risk of leading it: short suits go first."""
SAFE_SPADE: Final = 0.5
"""How much better than any other a lead is that can only drive the queen out."""
OWN_QUEEN: Final = 1.1
"""The risk that leading spades adds for whoever has the queen."""


def spread(hand: Mask) -> Suits:
    """Return a set of cards by suits."""
    return hand & 8191, hand >> 13 & 8191, hand >> 26 & 8191, hand >> 39 & 8191


def led(legal: Suits, hand: Suits, others: Suits) -> Card:
    """Return what a sound player leads; ``others`` are the cards of all other hands."""
    queen_out = others[SPADES] & QUEEN
    best, least = 0, 99.0
    for suit in (0, 1, 2, 3):
        held = legal[suit]
        if not held:
            continue
        out = others[suit]
        risk = LONG_LEAD * COUNT[hand[suit]]
        if suit == SPADES and queen_out and not hand[SPADES] & ABOVE_QUEEN:
            rank = held.bit_length() - 1
            risk -= SAFE_SPADE
        else:
            low = held & -held
            if suit == SPADES:
                if low == QUEEN and held != QUEEN:
                    low = (held ^ QUEEN) & -(held ^ QUEEN)
                if queen_out:
                    risk += 0.5
                elif hand[SPADES] & QUEEN:
                    risk += OWN_QUEEN + (5.0 if low == QUEEN else 0.0)
            rank = low.bit_length() - 1
            risk += COUNT[out & (low - 1)] / COUNT[out] if out else 1.5
        if risk < least:
            best, least = suit * 13 + rank, risk
    return best


def followed(
    held: Ranks, out: Ranks, suit: int, best: int, last: bool, score: int, first: bool
) -> int:
    """Return the rank that a sound player follows with, of more than one.

    ``out`` are the ranks that others hold, ``best`` the rank that takes the trick so far.
    """
    under = held & ((1 << best) - 1)
    if suit == SPADES:
        if under & QUEEN:
            return QUEEN_OF_SPADES % 13
        held &= ~QUEEN
    if last:
        if under and score:
            return under.bit_length() - 1
        return held.bit_length() - 1
    if first:
        return held.bit_length() - 1
    if under:
        return under.bit_length() - 1
    if suit == SPADES and out & QUEEN:
        return ((held & ~ABOVE_QUEEN).bit_length() or (held & -held).bit_length()) - 1
    return (held & -held).bit_length() - 1


def thrown(legal: Suits, hand: Suits, others: Suits, jack: bool) -> Card:
    """Return what a sound player throws off who is void in the suit led."""
    spades = legal[SPADES]
    if spades & QUEEN:
        return QUEEN_OF_SPADES
    best, most = -1, -99.0
    for suit in (0, 1, 2, 3):
        held = legal[suit]
        if not held:
            continue
        if suit == DIAMONDS and jack and held & JACK:
            held ^= JACK
            if not held:
                best = JACK_OF_DIAMONDS if best < 0 else best
                continue
        top = held.bit_length() - 1
        worth = top - LENGTH_LESS * COUNT[hand[suit]]
        if suit == HEARTS:
            worth += HEART_EXTRA
        elif suit == SPADES and others[SPADES] & QUEEN:
            worth += SPADE_EXTRA if top > 10 else -SPADE_EXTRA
        if worth > most:
            best, most = suit * 13 + top, worth
    return best


class Thumb:
    """Makes policies for playouts: everybody ducks, or one seat shoots the moon."""

    __slots__ = ("_draw", "_jack", "_policies")

    def __init__(self, draw: Draw, jack: bool) -> None:
        """``draw`` gives random numbers; ``jack``: the jack of diamonds counts."""
        self._draw, self._jack = draw, jack
        self._policies: dict[int | None, Policy] = {}

    def policy(self, shooter: int | None) -> Policy:
        """Return how the four play when ``shooter`` shoots the moon; None: nobody does."""
        if shooter not in self._policies:
            self._policies[shooter] = _policy(self._draw, self._jack, shooter)
        return self._policies[shooter]


def _policy(draw: Draw, jack: bool, shooter: int | None) -> Policy:
    """Make the three functions of a policy; what they need often is in their closure."""

    def watched(points: Sequence[int]) -> int:
        """Return the seat whose moon is to be stopped, or -1."""
        if shooter is not None:
            suspect = shooter
        elif max(points) > ALARM:
            suspect = points.index(max(points))
        else:
            return -1
        for seat in (0, 1, 2, 3):
            if points[seat] > 0 and seat != suspect:
                return -1
        return suspect

    def lead(table: Table, seat: int, legal: Suits) -> Card:
        if seat == shooter and watched(table.points) == seat:
            return _led_for_moon(legal, _others(table, seat))
        if draw() < SLIP:
            return any_card(legal, draw)
        return led(legal, table.hands[seat], _others(table, seat))

    def follow(
        table: Table, seat: int, suit: int, held: Ranks, best: int, winner: int, score: int
    ) -> int:
        suspect = watched(table.points)
        if suspect >= 0:
            if seat == suspect:
                if seat == shooter:
                    return _followed_for_moon(held, best, seat == table.last)
            else:
                beyond = (suspect - seat) & 3 <= (table.last - seat) & 3
                if winner == suspect or beyond:
                    against = _against_moon(held, suit, best, seat == table.last, score)
                    if against >= 0:
                        return against
        if draw() < SLIP:
            return any_rank(held, draw)
        if jack and suit == DIAMONDS:
            taken = _for_jack(held, best, seat == table.last, score)
            if taken >= 0:
                return taken
            held &= ~JACK
        one, two, three = table.hands[seat - 1], table.hands[seat - 2], table.hands[seat - 3]
        out = one[suit] | two[suit] | three[suit]
        first = not suit and sum(COUNT[ranks] for ranks in table.hands[seat]) == WHOLE_HAND
        return followed(held, out, suit, best, seat == table.last, score, first)

    def discard(table: Table, seat: int, legal: Suits, winner: int, _: int) -> Card:
        suspect = watched(table.points)
        hand = table.hands[seat]
        if suspect >= 0:
            if seat == suspect:
                if seat == shooter:
                    return _loser(legal, jack)
            else:
                beyond = (suspect - seat) & 3 <= (table.last - seat) & 3
                return _kept_from_moon(
                    legal, hand, _others(table, seat), winner == suspect or beyond, jack
                )
        if draw() < SLIP:
            return any_card(legal, draw)
        return thrown(legal, hand, _others(table, seat), jack)

    return Policy(lead, follow, discard)


def _others(table: Table, seat: int) -> Suits:
    """Return all cards of the other three hands."""
    one, two, three = table.hands[seat - 1], table.hands[seat - 2], table.hands[seat - 3]
    return (
        one[0] | two[0] | three[0],
        one[1] | two[1] | three[1],
        one[2] | two[2] | three[2],
        one[3] | two[3] | three[3],
    )


def _led_for_moon(legal: Suits, others: Suits) -> Card:
    """Return a card that none can beat, of the longest such suit; else the one fewest can beat."""
    best, most = 0, -999
    for suit in (0, 1, 2, 3):
        held = legal[suit]
        if held:
            top = held.bit_length() - 1
            worth = COUNT[held] - 8 * COUNT[others[suit] >> top]
            if worth > most:
                best, most = suit * 13 + top, worth
    return best


def _followed_for_moon(held: Ranks, best: int, last: bool) -> int:
    """Follow suit as the shooter: take the trick, or give up the lowest card."""
    above = held >> best + 1 << best + 1
    if not above:
        return (held & -held).bit_length() - 1
    return ((above & -above).bit_length() if last else above.bit_length()) - 1


def _against_moon(held: Ranks, suit: int, best: int, last: bool, score: int) -> int:
    """Take a point from a shooter who would get it; -1 where that is not to be done."""
    above = held >> best + 1 << best + 1
    if not above or not (score > 0 or suit == HEARTS):
        return -1
    return ((above & -above).bit_length() if last else above.bit_length()) - 1


def _loser(legal: Suits, jack: bool) -> Card:
    """Return the lowest card that a shooter can do without."""
    clubs, diamonds, spades, _ = legal
    diamonds &= ~JACK if jack else 8191
    spades &= ~QUEEN
    harmless = (clubs, diamonds, spades, 0)
    best, least = 0, 99
    for suit, held in enumerate(harmless if clubs or diamonds or spades else legal):
        if held and (held & -held).bit_length() < least:
            least = (held & -held).bit_length()
            best = suit * 13 + least - 1
    return best


def _kept_from_moon(legal: Suits, hand: Suits, others: Suits, his: bool, jack: bool) -> Card:
    """Throw off nothing that counts on a shooter's trick, and a low heart on anybody else's."""
    clubs, diamonds, spades, hearts = legal
    if his:
        spades &= ~QUEEN
        if clubs or diamonds or spades:
            return thrown((clubs, diamonds, spades, 0), hand, others, jack)
    if hearts:
        return 3 * 13 + (hearts & -hearts).bit_length() - 1
    return thrown(legal, hand, others, jack)


def _for_jack(held: Ranks, best: int, last: bool, score: int) -> int:
    """Take the jack of diamonds with a card above it, or a trick with the jack itself; else -1."""
    above = held >> best + 1 << best + 1
    if last and above & JACK and score < QUEEN_POINTS:
        return JACK_OF_DIAMONDS % 13
    above &= ~JACK
    if score < 0 and above:
        return ((above & -above).bit_length() if last else above.bit_length()) - 1
    return -1


def any_rank(held: Ranks, draw: Draw) -> int:
    """Return any rank of a set."""
    skipped = int(draw() * COUNT[held])
    while skipped:
        held &= held - 1
        skipped -= 1
    return (held & -held).bit_length() - 1


def any_card(legal: Suits, draw: Draw) -> Card:
    """Return any card of a hand."""
    place = int(draw() * sum(COUNT[ranks] for ranks in legal))
    for suit in (0, 1, 2, 3):
        count = COUNT[legal[suit]]
        if place < count:
            held = legal[suit]
            while place:
                held &= held - 1
                place -= 1
            return suit * 13 + (held & -held).bit_length() - 1
        place -= count
    raise ValueError("no card")
