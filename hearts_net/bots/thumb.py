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
from hearts_net.rules.scoring import MOON_POINTS, QUEEN_POINTS

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
SEATS_AFTER: Final = 4
"""Up to three seats play after one."""

HIGH_HEART: Final = 1.6
"""The trouble of keeping a heart that every other heart is below, without any guard."""
HIGH_CARD: Final = 1.1
"""The same for a club, a diamond or a spade."""
HIGH_SPADE: Final = 3.0
"""The trouble of keeping king or ace of spades, without any guard, while another has the queen."""
LOW_SPADE: Final = -0.3
"""What keeping a lower spade is worth then, as trouble."""
ALONE: Final = 0.3
"""The trouble of keeping a card of a suit that nobody else has."""
GUARD: Final = 0.35
"""How much each lower card of its suit takes from the trouble of a high one."""
HEART_THROWN: Final = 0.1
"""What a point that another gets is worth."""
HEART_TAKEN: Final = 1 + HEART_THROWN
"""What one's own point costs more than another's."""
LEADING: Final = 0.25
"""What having to lead to the next trick costs."""
EAGER: Final = (0.05, 0.1)
"""How often somebody who need not take a trick does: one with points, and one without."""
QUEEN_FALLS: Final = 0.8
"""How likely a seat that is void throws the queen of spades, or else a heart, if they are out."""
FEAR_OF_MOON: Final = 24.0
"""Points that a moon costs; it seems nearer with the cube of what one seat alone has taken."""
ALERT: Final = 1.1
"""From this fear on, points are kept from a shooter when a card is thrown off."""
QUEEN_TO_SHOOTER: Final = 7.0
"""Up to this fear the queen of spades is thrown off all the same."""
LONG_LEAD: Final = 0.1
"""What each card of a suit adds to the risk of leading it: short suits go first."""
SAFE_SPADE: Final = 0.5
"""How much better than any other a lead is that can only drive the queen out."""
OWN_QUEEN: Final = 1.1
"""The risk that leading spades adds for whoever has the queen."""


def spread(hand: Mask) -> Suits:
    """Return a set of cards by suits."""
    return hand & 8191, hand >> 13 & 8191, hand >> 26 & 8191, hand >> 39 & 8191


def _trouble(high: float) -> Sequence[Sequence[Sequence[float]]]:
    """Tabulate the trouble of keeping a card.

    By how many others of its suit are out, how many of these are below it, and its guards.
    """
    return [
        [
            [high * below / out / (1 + GUARD * guards) if out else ALONE for guards in range(13)]
            for below in range(out + 1)
        ]
        for out in range(14)
    ]


def _chances(after: int, eager: float) -> Sequence[Sequence[float]]:
    """Tabulate how likely a card takes the trick that would take it now.

    By how many others of the suit led are out, and how many of these are below it. Each is in any
    of the other hands alike; a seat to come takes the trick when it must, and now and then besides.
    """
    table = []
    for out in range(14):
        row = []
        for below in range(out + 1):
            must_not, higher = _nowhere(below) - _nowhere(out), 1 - _nowhere(out - below)
            row.append((1 - must_not - eager * max(0.0, higher - must_not)) ** after)
        table.append(row)
    return table


def _nowhere(cards: int) -> float:
    """Return how likely one of three hands has none of so many cards."""
    return float((2 / 3) ** cards)


def _falling(after: int, thrown_off: float, followed_with: float) -> Sequence[float]:
    """Tabulate the points to be expected from the seats to come, by the cards of the suit out."""
    return [
        after * (_nowhere(out) * thrown_off + (1 - _nowhere(out)) * followed_with)
        for out in range(14)
    ]


_TROUBLE_OF_HEART: Final = _trouble(HIGH_HEART)
_TROUBLE: Final = _trouble(HIGH_CARD)
_TROUBLE_OF_SUIT: Final = (_TROUBLE, _TROUBLE, _TROUBLE, _TROUBLE_OF_HEART)
_SPADE_TROUBLE: Final = tuple(HIGH_SPADE / (1 + guards) for guards in range(13))
_CHANCES: Final = tuple(
    tuple(_chances(after, eager) for eager in EAGER) for after in range(SEATS_AFTER)
)
"""By the seats to come, and whether the trick is worth nothing so far."""
_FALLING: Final = tuple(
    tuple(
        tuple(
            tuple(
                _falling(after, QUEEN_FALLS * (hearts + QUEEN_POINTS * queen), followed_with)
                for followed_with in (0.0, 1.0, QUEEN_POINTS / 3)
            )
            for hearts in (0, 1)
        )
        for queen in (0, 1)
    )
    for after in range(SEATS_AFTER)
)
"""By the seats to come, whether the queen is out, whether hearts are, and what is followed with:
nothing, a heart, or the queen if she is there."""
_FEAR: Final = (
    *(FEAR_OF_MOON * (points / MOON_POINTS) ** 3 for points in range(MOON_POINTS + 1)),
    *(0.0,) * MOON_POINTS,
)
"""What the moon of a seat is feared for that has so many points; less than none are at the end."""
_SHARES: Final = tuple(
    tuple(part / whole if whole else 1.5 for part in range(14)) for whole in range(14)
)
"""How large a part is of a whole; of nothing, more than all."""


def led(legal: Suits, hand: Suits, unplayed: Suits) -> Card:
    """Return what a sound player leads; ``unplayed`` are the cards of all hands, its own too."""
    clubs, diamonds, spades, hearts = legal
    best, least = 0, 99.0
    if clubs:
        low, held = clubs & -clubs, hand[0]
        out = unplayed[0] ^ held
        least = LONG_LEAD * COUNT[held] + _SHARES[COUNT[out]][COUNT[out & (low - 1)]]
        best = low.bit_length() - 1
    if diamonds:
        low, held = diamonds & -diamonds, hand[1]
        out = unplayed[1] ^ held
        risk = LONG_LEAD * COUNT[held] + _SHARES[COUNT[out]][COUNT[out & (low - 1)]]
        if risk < least:
            best, least = 12 + low.bit_length(), risk
    if spades:
        held = hand[2]
        card, risk = _spade_led(spades, held, unplayed[2] ^ held)
        if risk < least:
            best, least = card, risk
    if hearts:
        low, held = hearts & -hearts, hand[3]
        out = unplayed[3] ^ held
        risk = LONG_LEAD * COUNT[held] + _SHARES[COUNT[out]][COUNT[out & (low - 1)]]
        if risk < least:
            best = 38 + low.bit_length()
    return best


def _spade_led(legal: Ranks, held: Ranks, out: Ranks) -> tuple[Card, float]:
    """Return the spade to lead, and the risk of that."""
    risk = LONG_LEAD * COUNT[held]
    if out & QUEEN:
        if not held & ABOVE_QUEEN:
            return 25 + legal.bit_length(), risk - SAFE_SPADE
        low = legal & -legal
        risk += 0.5
    else:
        low = legal & -legal
        if low == QUEEN and legal != QUEEN:
            low = (legal ^ QUEEN) & -(legal ^ QUEEN)
        if held & QUEEN:
            risk += OWN_QUEEN + (5.0 if low == QUEEN else 0.0)
    return 25 + low.bit_length(), risk + _SHARES[COUNT[out]][COUNT[out & (low - 1)]]


def followed(
    held: Ranks, unplayed: Suits, suit: int, best: int, after: int, score: int, first: bool
) -> int:
    """Return the rank that a sound player follows with, of more than one.

    ``unplayed`` are the cards of all hands, its own too, ``best`` is the rank that takes the trick
    so far, ``after`` says how many are still to play, ``score`` what is on the table.
    """
    under = held & ((1 << best) - 1)
    out = unplayed[suit]
    if suit == SPADES:
        if under & QUEEN:
            return QUEEN_OF_SPADES % 13
        out ^= held
        held &= ~QUEEN
    else:
        out ^= held
    if not after:
        return (under if under and score else held).bit_length() - 1
    if first or held == under:
        return held.bit_length() - 1
    return _least_trouble(held, under, out, unplayed, suit, after, score)


def _least_trouble(
    held: Ranks, under: Ranks, out: Ranks, unplayed: Suits, suit: int, after: int, score: int
) -> int:
    """Weigh the highest rank that ducks, and the highest and lowest that may take the trick."""
    count = COUNT[out]
    queen = unplayed[SPADES] & QUEEN if suit != SPADES else out & QUEEN
    falling = _FALLING[after][queen > 0][unplayed[HEARTS] > 0]
    if suit == SPADES and queen:
        return _about_queen(held, under, out, falling, after, score)
    if suit == HEARTS:
        at_stake = score + 1 + falling[1][count]
        chances = _CHANCES[after][0][count]
    else:
        at_stake = score + falling[0][count]
        chances = _CHANCES[after][score <= 0][count]
    trouble = _TROUBLE_OF_SUIT[suit][count]
    choice, least = -1, 99.0
    if under:
        choice = under.bit_length() - 1
        less = (1 << choice) - 1
        least = -trouble[COUNT[out & less]][COUNT[held & less]] - HEART_THROWN * at_stake
    over = held ^ under
    rank, low = over.bit_length() - 1, (over & -over).bit_length() - 1
    while True:
        less = (1 << rank) - 1
        below = COUNT[out & less]
        cost = (
            chances[below] * (HEART_TAKEN * at_stake + LEADING)
            - HEART_THROWN * at_stake
            - trouble[below][COUNT[held & less]]
        )
        if cost < least:
            choice, least = rank, cost
        if rank == low:
            return choice
        rank = low


def _about_queen(
    held: Ranks,
    under: Ranks,
    out: Ranks,
    falling: Sequence[Sequence[float]],
    after: int,
    score: int,
) -> int:
    """Do the same with spades while another has the queen: king and ace are the ones that lose."""
    count = COUNT[out]
    chances = _CHANCES[after][score <= 0][count]
    choice, least = -1, 99.0
    if under:
        choice = under.bit_length() - 1
        kept = _SPADE_TROUBLE[COUNT[held & (1 << choice) - 1]] if choice > 10 else LOW_SPADE
        least = -kept - HEART_THROWN * (score + falling[0][count])
    over = held ^ under
    high, low = over.bit_length() - 1, (over & -over).bit_length() - 1
    for rank in (high, low):
        less = (1 << rank) - 1
        if rank > 10:
            kept, points = _SPADE_TROUBLE[COUNT[held & less]], score + falling[2][count]
        else:
            kept, points = LOW_SPADE, score + falling[0][count]
        chance = chances[COUNT[out & less]]
        cost = chance * (HEART_TAKEN * points + LEADING) - HEART_THROWN * points - kept
        if cost < least:
            choice, least = rank, cost
    return choice


def thrown(legal: Suits, hand: Suits, unplayed: Suits, jack: bool) -> Card:
    """Return what a sound player throws off who is void in the suit led.

    ``unplayed`` are the cards of all hands, its own too.
    """
    clubs, diamonds, spades, hearts = legal
    if spades & QUEEN:
        return QUEEN_OF_SPADES
    best, most = -1, -99.0
    if clubs:
        best, held = clubs.bit_length() - 1, hand[0]
        less, out = (1 << best) - 1, unplayed[0] ^ held
        most = _TROUBLE[COUNT[out]][COUNT[out & less]][COUNT[held & less]]
    if diamonds:
        if jack and diamonds & JACK:
            diamonds ^= JACK
            best = JACK_OF_DIAMONDS if best < 0 else best
        if diamonds:
            top, held = diamonds.bit_length() - 1, hand[1]
            less, out = (1 << top) - 1, unplayed[1] ^ held
            trouble = _TROUBLE[COUNT[out]][COUNT[out & less]][COUNT[held & less]]
            if trouble > most:
                best, most = 13 + top, trouble
    if spades:
        top, held = spades.bit_length() - 1, hand[2]
        less, out = (1 << top) - 1, unplayed[2] ^ held
        if not out & QUEEN:
            trouble = _TROUBLE[COUNT[out]][COUNT[out & less]][COUNT[held & less]]
        else:
            trouble = _SPADE_TROUBLE[COUNT[held & less]] if top > 10 else LOW_SPADE
        if trouble > most:
            best, most = 26 + top, trouble
    if hearts:
        top, held = hearts.bit_length() - 1, hand[3]
        less, out = (1 << top) - 1, unplayed[3] ^ held
        if (
            HEART_THROWN + _TROUBLE_OF_HEART[COUNT[out]][COUNT[out & less]][COUNT[held & less]]
            > most
        ):
            best = 39 + top
    return best


class Thumb:
    """Makes policies for playouts: everybody ducks, or one seat shoots the moon."""

    __slots__ = ("_draw", "_fear", "_jack", "_policies")

    def __init__(self, draw: Draw, jack: bool, fear: float = 1.0) -> None:
        """``draw`` gives random numbers; ``jack``: the jack of diamonds counts.

        ``fear`` says how many times as much as usual moons are feared.
        """
        self._draw, self._jack, self._fear = draw, jack, fear
        self._policies: dict[int | None, Policy] = {}

    def policy(self, shooter: int | None) -> Policy:
        """Return how the four play when ``shooter`` shoots the moon; None: nobody does."""
        if shooter not in self._policies:
            self._policies[shooter] = _policy(self._draw, self._jack, shooter, self._fear)
        return self._policies[shooter]


def _policy(draw: Draw, jack: bool, shooter: int | None, much: float) -> Policy:
    """Make the three functions of a policy; what they need often is in their closure."""
    shooting = shooter is not None

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
        hand, unplayed = table.hands[seat], table.unplayed
        if seat == shooter and watched(table.points) == seat:
            return _led_for_moon(legal, hand, unplayed)
        if draw() < SLIP:
            return any_card(legal, draw)
        return led(legal, hand, unplayed)

    def follow(
        table: Table, seat: int, suit: int, held: Ranks, best: int, winner: int, score: int
    ) -> int:
        after = (table.last - seat) & 3
        if seat == shooter:
            if watched(table.points) == seat:
                return _followed_for_moon(held, best, not after)
        elif score > 0 or suit == HEARTS:
            points = table.points
            suspect = watched(points) if shooting or max(points) > ALARM else -1
            if suspect >= 0 and seat != suspect:
                fear = much * _FEAR[points[suspect]]
                if winner != suspect:
                    fear *= 0.5 if (suspect - seat) & 3 <= after else 0.0
                against = _against_moon(held, suit, best, after, score, fear)
                if against >= 0:
                    return against
        if draw() < SLIP:
            return any_rank(held, draw)
        if jack and suit == DIAMONDS:
            taken = _for_jack(held, best, not after, score)
            if taken >= 0:
                return taken
            if held & JACK and held != JACK:
                held ^= JACK
        return followed(held, table.unplayed, suit, best, after, score, table.first_trick)

    def discard(table: Table, seat: int, legal: Suits, winner: int, _: int) -> Card:
        hand, unplayed, points = table.hands[seat], table.unplayed, table.points
        suspect = watched(points) if shooting or max(points) > ALARM else -1
        if suspect >= 0:
            if seat == suspect:
                if seat == shooter:
                    return _loser(legal, jack)
            else:
                fear, his = much * _FEAR[points[suspect]], winner == suspect
                if not his and (suspect - seat) & 3 <= (table.last - seat) & 3:
                    fear, his = 0.5 * fear, True
                if fear > ALERT:
                    return _kept_from_moon(legal, hand, unplayed, his, fear, jack)
        if draw() < SLIP:
            return any_card(legal, draw)
        return thrown(legal, hand, unplayed, jack)

    return Policy(lead, follow, discard)


def _led_for_moon(legal: Suits, hand: Suits, unplayed: Suits) -> Card:
    """Return a card that none can beat, of the longest such suit; else the one fewest can beat."""
    best, most = 0, -999
    for suit in (0, 1, 2, 3):
        held = legal[suit]
        if held:
            top = held.bit_length() - 1
            worth = COUNT[held] - 8 * COUNT[(unplayed[suit] ^ hand[suit]) >> top]
            if worth > most:
                best, most = suit * 13 + top, worth
    return best


def _followed_for_moon(held: Ranks, best: int, last: bool) -> int:
    """Follow suit as the shooter: take the trick, or give up the lowest card."""
    above = held >> best + 1 << best + 1
    if not above:
        return (held & -held).bit_length() - 1
    return ((above & -above).bit_length() if last else above.bit_length()) - 1


def _against_moon(held: Ranks, suit: int, best: int, after: int, score: int, fear: float) -> int:
    """Take a point from a shooter who would get it, if that is worth it; else -1."""
    above = held >> best + 1 << best + 1
    own = 1 if suit == HEARTS else 0
    if not above or not (score > 0 or own) or fear <= score + own + LEADING:
        return -1
    return (above.bit_length() if after else (above & -above).bit_length()) - 1


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


def _kept_from_moon(
    legal: Suits, hand: Suits, unplayed: Suits, his: bool, fear: float, jack: bool
) -> Card:
    """Throw off nothing that counts on a shooter's trick, and a low heart on anybody else's."""
    clubs, diamonds, spades, hearts = legal
    if his:
        if spades & QUEEN and fear < QUEEN_TO_SHOOTER:
            return QUEEN_OF_SPADES
        spades &= ~QUEEN
        if clubs or diamonds or spades:
            return thrown((clubs, diamonds, spades, 0), hand, unplayed, jack)
    elif spades & QUEEN:
        return QUEEN_OF_SPADES
    if hearts:
        return 3 * 13 + (hearts & -hearts).bit_length() - 1
    return thrown(legal, hand, unplayed, jack)


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
