"""Deals played to their end in place, for players that try out thousands of them.

A :class:`Position` is where a deal stands, as everybody at the table sees it.
:meth:`Position.finish` plays it out from hands that the four might have; a :class:`Policy` chooses
the cards. A player that weighs its legal cards makes the position after each of them once, and
plays every one out from the same hands::

    position = Position.of(deal)  # or Position.seen(rules, turn, table, taken)
    after = {card: position.play(card) for card in cards_in(legal)}
    for world in worlds:  # each four masks
        hands = by_suits(world)
        for card, position in after.items():
            points, shooter = position.finish(hands, policy)

In a playout a hand is four masks of ranks, clubs to hearts (bit 0 a two, bit 12 an ace), and a
policy is three functions. One that leads its lowest heart or else its lowest card, follows as high
as it can without taking the trick, and throws its highest heart or else its highest card::

    def lead(table, seat, legal):
        suit = next(suit for suit in (3, 2, 1, 0) if legal[suit])
        return suit * 13 + (legal[suit] & -legal[suit]).bit_length() - 1

    def follow(table, seat, suit, held, best, winner, score):
        under = held & ((1 << best) - 1)
        if under:
            return under.bit_length() - 1
        last = seat == table.last
        return (held if last else held & -held).bit_length() - 1

    def discard(table, seat, legal, winner, score):
        suit = next(suit for suit in (3, 2, 1, 0) if legal[suit])
        return suit * 13 + legal[suit].bit_length() - 1

    policy = Policy(lead, follow, discard)

Nothing is checked: the position, the hands and the policy's cards must be good. Tests hold what is
legal and what it scores to :meth:`Deal.play <hearts_net.rules.deal.Deal.play>`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Final, NamedTuple, TypeAlias

from hearts_net.rules.cards import (
    DECK_SIZE,
    DIAMONDS,
    DRAW_BITS,
    FULL_DECK,
    HAND_SIZE,
    HEARTS,
    JACK_MASK,
    JACK_OF_DIAMONDS,
    QUEEN_MASK,
    QUEEN_OF_SPADES,
    SEATS,
    SPADES,
    TWO_OF_CLUBS,
    Card,
    Hands,
    Mask,
    mask_of,
)
from hearts_net.rules.deal import Deal, Rules, finished_trick
from hearts_net.rules.legal import Restrictions
from hearts_net.rules.scoring import JACK_POINTS, MOON_POINTS, Scores, points_of

Ranks: TypeAlias = int
"""A set of cards of one suit: bit 0 the two, bit 12 the ace."""
Suits: TypeAlias = Sequence[Ranks]
"""A hand, or what is legal of it: its clubs, diamonds, spades, hearts."""


class Table:
    """A playout while it goes on: what a policy may look at, and must not change."""

    __slots__ = ("first_trick", "hands", "last", "points", "unplayed")

    first_trick: bool
    last: int
    """Who plays last to this trick."""
    unplayed: list[Ranks]
    """The cards in all hands now, by suits."""

    def __init__(self, hands: list[list[Ranks]], points: list[int]) -> None:
        self.hands = hands
        """The cards in each hand now."""
        self.points = points
        """What each seat has scored so far, the trick on the table not counted."""


Lead: TypeAlias = Callable[[Table, int, Suits], Card]
"""Called with the table, the seat to lead, and what it may lead; returns one of these cards."""
Follow: TypeAlias = Callable[[Table, int, int, Ranks, int, int, int], int]
"""Chooses among the cards of the suit led, where there is more than one; returns a rank.

Called with the table, the seat, the suit led, the seat's ranks of it, the rank that takes the trick
so far, who has played that, and what the cards on the table score.
"""
Discard: TypeAlias = Callable[[Table, int, Suits, int, int], Card]
"""Called with the table, a seat that cannot follow suit, what it may play, who takes the trick so
far, and what the cards on the table score; returns one of these cards."""


class Policy(NamedTuple):
    """How the four play; functions or bound methods, closures being the fastest."""

    lead: Lead
    follow: Follow
    discard: Discard


class PlayedOut(NamedTuple):
    """What a playout has come to."""

    points: list[int]
    """A moon not regarded."""
    shooter: int | None
    """Who has taken all 26 penalty points."""


_ALL_RANKS: Final[Ranks] = (1 << HAND_SIZE) - 1
_RANK_BIT: Final = tuple(1 << card % HAND_SIZE for card in range(DECK_SIZE))
"""For each card its mask among its suit; for 0 to 12 also a rank's."""
_SUIT_OF: Final = tuple(card // HAND_SIZE for card in range(DECK_SIZE))
_ONLY: Final = tuple(
    ranks.bit_length() - 1 if ranks.bit_count() == 1 else -1 for ranks in range(_ALL_RANKS + 1)
)
"""For each set of ranks: the rank, if there is but one, else -1."""
_COUNT: Final = tuple(ranks.bit_count() for ranks in range(_ALL_RANKS + 1))
"""For each set of ranks: how many."""
_QUEEN: Final[Ranks] = 1 << QUEEN_OF_SPADES % HAND_SIZE
_JACK: Final[Ranks] = 1 << JACK_OF_DIAMONDS % HAND_SIZE
_FOLLOWERS: Final = ((1, 2, 3), (2, 3, 0), (3, 0, 1), (0, 1, 2))
"""For each leader, the others in turn."""


def by_suits(hands: Hands) -> tuple[Suits, Suits, Suits, Suits]:
    """Return four hands as playouts take them."""
    first, second, third, fourth = [  # written out, for it is done for every world
        (hand & _ALL_RANKS, hand >> 13 & _ALL_RANKS, hand >> 26 & _ALL_RANKS, hand >> 39)
        for hand in hands
    ]
    return first, second, third, fourth


def _by_suits(hand: Mask) -> Suits:
    return (
        hand & _ALL_RANKS,
        hand >> HAND_SIZE & _ALL_RANKS,
        hand >> 2 * HAND_SIZE & _ALL_RANKS,
        hand >> 3 * HAND_SIZE,
    )


class _Terms(NamedTuple):
    """The rules of a game as playouts need them, worked out once for a position."""

    restrictions: Restrictions
    values: tuple[int, ...]
    """What each card scores."""
    worths: tuple[tuple[int, ...], ...]
    """The same by suits."""
    jack: bool
    """The jack of diamonds counts."""
    leads: Suits
    """What may be led before hearts are broken."""
    discards: Suits | None
    """What may be discarded before hearts are broken; None: anything, as after that."""
    first_discards: tuple[Suits | None, Suits | None]
    """What may be discarded on the first trick before hearts are broken, and after."""

    @classmethod
    def of(cls, rules: Rules) -> _Terms:
        """Work them out."""
        bars, values = rules.restrictions, rules.card_points
        return cls(
            bars,
            values,
            tuple(values[two : two + HAND_SIZE] for two in range(0, DECK_SIZE, HAND_SIZE)),
            values[JACK_OF_DIAMONDS] != 0,
            _by_suits(FULL_DECK & ~bars.unbroken_lead),
            _all_but(bars.unbroken_discard),
            (_all_but(bars.unbroken_discard | bars.first_trick), _all_but(bars.first_trick)),
        )


class _Outset(NamedTuple):
    """How things are where playouts begin, worked out once for a position."""

    tricks: int
    """Left to be finished."""
    unplayed: Suits
    """The cards in all hands."""
    first_trick: bool
    broken: bool
    """Hearts are."""
    allowed: Suits | None
    """What may be discarded; None: anything."""
    due: int
    """What the cards that have not been taken score."""
    jack_due: bool
    """The jack of diamonds counts and has not been taken."""

    @classmethod
    def of(
        cls, terms: _Terms, laid: int, unplayed: Mask, points: Scores, jack_taker: int | None
    ) -> _Outset:
        """Work it out; ``laid`` cards are on the table."""
        tricks = (unplayed.bit_count() + laid) // len(SEATS)
        first_trick, broken = tricks == HAND_SIZE, terms.restrictions.broken(unplayed)
        later = None if broken else terms.discards
        return cls(
            tricks,
            _by_suits(unplayed),
            first_trick,
            broken,
            terms.first_discards[broken] if first_trick else later,
            sum(terms.values) - sum(points),
            terms.jack and jack_taker is None,
        )


def _all_but(barred: Mask) -> Suits | None:
    return _by_suits(FULL_DECK & ~barred) if barred else None


@dataclass(frozen=True, slots=True)
class Position:
    """Where a deal in play stands, as far as everybody at the table can see."""

    rules: Rules
    turn: int
    """Who is to play."""
    table: tuple[Card, ...]
    """The cards on the table in the order played; empty between tricks."""
    unplayed: Mask
    """The cards that have not been played."""
    points: Scores
    """What each seat has scored, a moon not regarded."""
    jack_taker: int | None
    """Who has taken the jack of diamonds."""
    laid: tuple[tuple[int, Card], ...]
    """The cards that :meth:`play` has played, each with its seat."""
    _terms: _Terms
    _outset: _Outset

    @classmethod
    def of(cls, deal: Deal) -> Position:
        """Return where a deal in play stands."""
        assert deal.turn is not None
        return cls.seen(deal.start.rules, deal.turn, deal.table, deal.taken)

    @classmethod
    def seen(cls, rules: Rules, turn: int, table: tuple[Card, ...], taken: Hands) -> Position:
        """Return where a deal stands in which seat ``turn`` is to play.

        ``table`` are the cards on the table in the order played, ``taken`` the cards that each
        seat has taken.
        """
        first, second, third, fourth = taken
        unplayed = FULL_DECK & ~(first | second | third | fourth | mask_of(table))
        one, two, three, four = (points_of(cards, rules.options) for cards in taken)
        jack_taker = next((seat for seat in SEATS if taken[seat] & JACK_MASK), None)
        points, terms = (one, two, three, four), _Terms.of(rules)
        outset = _Outset.of(terms, len(table), unplayed, points, jack_taker)
        return cls(rules, turn, table, unplayed, points, jack_taker, (), terms, outset)

    def play(self, card: Card) -> Position:
        """Return the position after the player to move has played a card."""
        turn, table = (self.turn + 1) & 3, (*self.table, card)
        points, jack_taker = self.points, self.jack_taker
        if len(table) == len(SEATS):
            trick = finished_trick(turn, table, self.rules.card_points)
            turn, table = trick.winner, ()
            first, second, third, fourth = (
                scored + (trick.points if seat == turn else 0) for seat, scored in enumerate(points)
            )
            points = (first, second, third, fourth)
            if trick.mask & JACK_MASK:
                jack_taker = turn
        unplayed = self.unplayed ^ 1 << card
        return replace(
            self,
            turn=turn,
            table=table,
            unplayed=unplayed,
            points=points,
            jack_taker=jack_taker,
            laid=(*self.laid, (self.turn, card)),
            _outset=_Outset.of(self._terms, len(table), unplayed, points, jack_taker),
        )

    def finish(
        self, hands: Sequence[Suits], policy: Policy, *, every_card: bool = False
    ) -> PlayedOut:
        """Play out what is left as ``policy`` says; ``hands`` stay as they are.

        ``hands`` are four hands, by suits, as they might be here; cards that :meth:`play` has
        played may still be in them. Who has one card of the suit led plays it unasked. When every
        card that counts has been taken the playout ends, since the rest decides nothing, unless
        ``every_card`` is to be played.
        """
        first, second, third, fourth = hands
        held = [[*first], [*second], [*third], [*fourth]]
        for seat, card in self.laid:
            held[seat][_SUIT_OF[card]] &= ~_RANK_BIT[card]
        points = [*self.points]
        jack_taker = self._run(Table(held, points), policy, every_card)
        if self._terms.jack:
            return PlayedOut(points, _shooter_with_jack(points, jack_taker))
        return PlayedOut(points, points.index(MOON_POINTS) if MOON_POINTS in points else None)

    def _run(self, table: Table, policy: Policy, every_card: bool) -> int | None:
        """Play and score what is left; return who has taken the jack of diamonds.

        Players that search spend their time here: one loop, and all that it needs in local names.
        """
        lead, follow, discard = policy
        held, points, terms, jack_taker = table.hands, table.points, self._terms, self.jack_taker
        restrictions, values, worths, _, leads, discards, first_discards = terms
        tricks, in_hands, first_trick, broken, allowed, due, jack_due = self._outset
        unplayed = table.unplayed = [*in_hands]
        breakers, begun = restrictions.breakers, self.table
        leader = (self.turn - len(begun)) & 3
        only, suit_of, bit_of = _ONLY, _SUIT_OF, _RANK_BIT
        table.first_trick = first_trick
        for _ in range(tricks):
            seats: tuple[int, ...] = _FOLLOWERS[leader]
            table.last = seats[2]
            if begun:
                suit, best, winner, score = _standing(leader, begun, values)
                worth = worths[suit]
                seats = seats[len(begun) - 1 :]
                begun = ()
            else:
                hand = held[leader]
                if broken:
                    card = lead(table, leader, hand)
                elif first_trick:
                    card = TWO_OF_CLUBS
                else:
                    card = lead(table, leader, _within(hand, leads))
                    if breakers >> card & 1:
                        broken, allowed = True, None
                suit, bit = suit_of[card], bit_of[card]
                hand[suit] ^= bit
                unplayed[suit] ^= bit
                worth = worths[suit]
                best, winner = card - suit * HAND_SIZE, leader
                score = worth[best]
            for seat in seats:
                hand = held[seat]
                ranks = hand[suit]
                if ranks:
                    rank = only[ranks]
                    if rank < 0:
                        rank = follow(table, seat, suit, ranks, best, winner, score)
                        bit = bit_of[rank]
                        hand[suit] = ranks ^ bit
                        unplayed[suit] ^= bit
                    else:
                        hand[suit] = 0
                        unplayed[suit] ^= ranks
                    if rank > best:
                        best, winner = rank, seat
                    score += worth[rank]
                else:
                    legal = hand if allowed is None else _within(hand, allowed)
                    card = discard(table, seat, legal, winner, score)
                    thrown, bit = suit_of[card], bit_of[card]
                    hand[thrown] ^= bit
                    unplayed[thrown] ^= bit
                    score += values[card]
                    if not broken and breakers >> card & 1:
                        broken = True
                        allowed = first_discards[True] if first_trick else None
            if first_trick:
                first_trick = table.first_trick = False
                allowed = None if broken else discards
            leader = winner
            if score:
                points[winner] += score
                due -= score
                if not broken and breakers & QUEEN_MASK and not unplayed[SPADES] & _QUEEN:
                    broken, allowed = True, None  # she followed suit
                if jack_due and not unplayed[DIAMONDS] & _JACK:
                    jack_due, jack_taker = False, winner
                if not due and not jack_due and not every_card:
                    break
        return jack_taker


def _within(hand: Suits, allowed: Suits) -> Suits:
    """Return what is allowed of a hand, or the whole hand if that is nothing."""
    clubs, diamonds, spades, hearts = hand
    spades &= allowed[SPADES]
    hearts &= allowed[HEARTS]
    if clubs or diamonds or spades or hearts:
        return clubs, diamonds, spades, hearts
    return hand


def _standing(
    leader: int, begun: tuple[Card, ...], values: tuple[int, ...]
) -> tuple[int, int, int, int]:
    """Return of a trick on the table: its suit, who takes it so far with which rank, its score."""
    suit = _SUIT_OF[begun[0]]
    best = max(card for card in begun if _SUIT_OF[card] == suit)
    winner = (leader + begun.index(best)) & 3
    return suit, best - suit * HAND_SIZE, winner, sum(values[card] for card in begun)


def _shooter_with_jack(points: list[int], jack_taker: int | None) -> int | None:
    """Return who has taken all 26 penalty points, of which the jack's taker has ten less."""
    for seat, scored in enumerate(points):
        if scored - (JACK_POINTS if seat == jack_taker else 0) == MOON_POINTS:
            return seat
    return None


def random_policy(rng: Random) -> Policy:
    """Return the policy that plays every legal card with the same chance."""
    # a remainder of random bits is had in less time than a part of ``rng.random()``; and a function
    # that names what it is given is called faster than one that takes ``*rest``
    bits, count, ranks_of = rng.getrandbits, _COUNT, _ranks_of()

    def any_card(
        _: Table, __: int, legal: Suits, ___: int | None = None, ____: int | None = None
    ) -> Card:
        clubs, diamonds, spades, hearts = legal
        one, two, three = count[clubs], count[diamonds], count[spades]
        place = bits(DRAW_BITS) % (one + two + three + count[hearts])
        if place < one:
            return ranks_of[clubs][place]
        place -= one
        if place < two:
            return ranks_of[diamonds][place] + HAND_SIZE
        place -= two
        if place < three:
            return ranks_of[spades][place] + 2 * HAND_SIZE
        return ranks_of[hearts][place - three] + 3 * HAND_SIZE

    def follow(_: Table, __: int, ___: int, held: Ranks, ____: int, _____: int, ______: int) -> int:
        ranks = ranks_of[held]
        return ranks[bits(DRAW_BITS) % len(ranks)]

    return Policy(any_card, follow, any_card)


@cache
def _ranks_of() -> list[tuple[int, ...]]:
    """Return the ranks in every set of them."""
    return [
        tuple(rank for rank in range(HAND_SIZE) if ranks >> rank & 1) for ranks in range(len(_ONLY))
    ]
