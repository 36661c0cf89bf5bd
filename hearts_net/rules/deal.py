"""One deal: passing, thirteen tricks, and what everybody has taken (rules 2 to 6).

A :class:`Deal` never changes; :meth:`Deal.pass_cards`, :meth:`Deal.play` and :meth:`Deal.claim`
give the next one. It is a named tuple because a new state is made for each of 52 plays: of the
immutable values that Python offers, a tuple is made, taken apart and compared fastest. What stays
the same while cards are played is in one :class:`Start` that all the states share, so the new
state holds little: a hand, for instance, is what its player started with less everything that has
been played.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

from hearts_net.rules.cards import (
    ACE_OF_SUIT,
    FULL_DECK,
    HAND_SIZE,
    QUEEN_OF_SPADES,
    SEATS,
    SUIT_MASK_OF,
    TWO_OF_CLUBS_MASK,
    Card,
    Hands,
    Mask,
    card_text,
    mask_of,
)
from hearts_net.rules.errors import RuleCode, RuleError
from hearts_net.rules.legal import Restrictions, outranks_the_rest
from hearts_net.rules.options import Options, PassingRule
from hearts_net.rules.scoring import (
    Scores,
    card_points,
    counting_cards,
    points_of,
)

TableCard: TypeAlias = tuple[int, Card]
"""A seat and the card that it has played."""

_state = tuple.__new__
"""Makes a named tuple without its Python-level constructor, which takes as long as a play."""

NOTHING: Final[Hands] = (0, 0, 0, 0)
PASS_SIZE: Final = 3
TRICKS: Final = 13


class Direction(StrEnum):
    """Where three cards are passed (rule 2)."""

    LEFT = "left"
    RIGHT = "right"
    ACROSS = "across"
    HOLD = "hold"


_STEPS: Final = {Direction.LEFT: 1, Direction.ACROSS: 2, Direction.RIGHT: 3, Direction.HOLD: 0}
"""Seats to the left that each direction goes."""

_CYCLES: Final = {
    PassingRule.LEFT_RIGHT_ACROSS_HOLD: (
        Direction.LEFT,
        Direction.RIGHT,
        Direction.ACROSS,
        Direction.HOLD,
    ),
    PassingRule.LEFT_RIGHT_ACROSS: (Direction.LEFT, Direction.RIGHT, Direction.ACROSS),
    PassingRule.LEFT: (Direction.LEFT,),
    PassingRule.NONE: (Direction.HOLD,),
}


def direction_of(number: int, options: Options) -> Direction:
    """Return where the cards go in deal ``number`` (from 1)."""
    cycle = _CYCLES[options.passing]
    return cycle[(number - 1) % len(cycle)]


class Trick(NamedTuple):
    """A finished trick."""

    leader: int
    order: tuple[Card, ...]
    """The four cards in the order played."""
    winner: int
    """Who has taken it and leads the next one."""
    points: int

    @property
    def mask(self) -> Mask:
        """The four cards as a set."""
        return mask_of(self.order)

    @property
    def cards(self) -> tuple[TableCard, ...]:
        """The four cards in the order played, each with the seat that played it."""
        return _seated(self.leader, self.order)


def finished_trick(leader: int, order: tuple[Card, ...], points: tuple[int, ...]) -> Trick:
    """Return a full trick: the highest card of the suit led takes it (rule 4).

    ``points`` has what each of the 52 cards scores.
    """
    first, second, third, fourth = order
    ace = ACE_OF_SUIT[first]  # cards of the suit led that beat one are above it, up to the ace
    place, best = 0, first
    if best < second <= ace:
        place, best = 1, second
    if best < third <= ace:
        place, best = 2, third
    if best < fourth <= ace:
        place = 3
    score = points[first] + points[second] + points[third] + points[fourth]
    return _state(Trick, (leader, order, (leader + place) & 3, score))


def _seated(leader: int, order: tuple[Card, ...]) -> tuple[TableCard, ...]:
    """Return cards played in turn from the leader on, each with its seat."""
    return tuple(((leader + place) % len(SEATS), card) for place, card in enumerate(order))


@dataclass(frozen=True, slots=True)
class Rules:
    """What the options of a game come to, worked out once."""

    options: Options
    restrictions: Restrictions
    card_points: tuple[int, ...]
    """What each card scores."""
    early_end: Mask
    """The cards that end the deal when all are taken (``finish_early``); 0: it is played out."""

    @classmethod
    def of(cls, options: Options) -> Rules:
        """Work them out."""
        return cls(
            options=options,
            restrictions=Restrictions.of(options),
            card_points=card_points(options),
            early_end=counting_cards(options) if options.finish_early else 0,
        )


@dataclass(frozen=True, slots=True)
class Start:
    """What stays the same while the cards of a deal are played."""

    rules: Rules
    direction: Direction
    shuffle: str | None
    """What is needed to check that the deal was fair, if anything was given."""
    dealt: Hands
    """The hands before passing."""
    passes: Hands
    """The three cards that each seat has passed; 0 for a seat that has not."""
    hands: Hands
    """The hands at the first trick; before everybody has passed, as dealt."""


class Deal(NamedTuple):
    """The state of one deal; make one with :func:`new_deal`."""

    start: Start
    tricks: tuple[Trick, ...]
    """The finished tricks."""
    table: tuple[Card, ...]
    """The cards on the table in the order played; empty between tricks."""
    turn: int | None
    """Who is to play; None while cards are being passed and when the deal is over."""
    unplayed: Mask
    """The cards that have not been played."""
    playable: Mask
    """The legal cards of the player to move."""
    bot_cards: Mask
    """The cards that a bot has played for somebody absent."""
    claimed_by: int | None
    """Who has claimed the rest."""

    # ---- what the table sees --------------------------------------------------------------------

    @property
    def options(self) -> Options:
        """The rules of the game."""
        return self.start.rules.options

    @property
    def direction(self) -> Direction:
        """Where three cards are passed in this deal."""
        return self.start.direction

    @property
    def dealt(self) -> Hands:
        """The hands before passing."""
        return self.start.dealt

    @property
    def passes(self) -> Hands:
        """The three cards that each seat has passed, 0 for a seat that has not."""
        return self.start.passes

    @property
    def received(self) -> Hands:
        """The three cards that each seat has received: none until all four have passed (rule 2)."""
        if self.passing or self.direction is Direction.HOLD:
            return NOTHING
        return _handed_on(self.passes, self.direction)

    @property
    def hands(self) -> Hands:
        """The cards in each hand now.

        Cards to be passed stay in the hand until all four have passed; cards that a claim or an
        early end left unplayed stay in the hands.
        """
        first, second, third, fourth = self.start.hands
        unplayed = self.unplayed
        return first & unplayed, second & unplayed, third & unplayed, fourth & unplayed

    @property
    def passing(self) -> bool:
        """Whether somebody has still to pass."""
        return self.direction is not Direction.HOLD and 0 in self.passes

    @property
    def over(self) -> bool:
        """Whether the deal has ended: played out, claimed or settled."""
        return self.turn is None and not self.passing

    @property
    def settled(self) -> bool:
        """Whether the deal ended early: every card that counts was taken (``finish_early``)."""
        return self.over and self.claimed_by is None and len(self.tricks) < TRICKS

    @property
    def trick_number(self) -> int:
        """The number of the trick being played, or of the deal's last one: 1 to 13."""
        return max(len(self.tricks), 1) if self.over else len(self.tricks) + 1

    @property
    def leader(self) -> int | None:
        """Who leads the trick being played."""
        return None if self.turn is None else (self.turn - len(self.table)) % len(SEATS)

    @property
    def trick(self) -> tuple[TableCard, ...]:
        """The cards on the table in the order played, each with its seat; empty between tricks."""
        return _seated((self.turn or 0) - len(self.table), self.table)

    @property
    def played(self) -> Mask:
        """The cards that have been played, those on the table included."""
        return FULL_DECK & ~self.unplayed

    @property
    def hearts_broken(self) -> bool:
        """Whether hearts may be led: one has been played, or what else breaks them (rule 5)."""
        return self.start.rules.restrictions.broken(self.unplayed)

    @property
    def taken(self) -> Hands:
        """All the cards that each seat has taken, a claim's included."""
        taken = [0, 0, 0, 0]
        for trick in self.tricks:
            taken[trick.winner] |= trick.mask
        if self.claimed_by is not None:
            taken[self.claimed_by] |= self.unplayed
        first, second, third, fourth = taken
        return first, second, third, fourth

    @property
    def last_trick(self) -> Trick | None:
        """The trick finished last."""
        return self.tricks[-1] if self.tricks else None

    @property
    def plays(self) -> tuple[tuple[int, Card, bool], ...]:
        """Every play in order: seat, card, and whether a bot played it for somebody absent."""
        finished = [play for trick in self.tricks for play in trick.cards]
        return tuple(
            (seat, card, bool(self.bot_cards >> card & 1))
            for seat, card in [*finished, *self.trick]
        )

    @property
    def queen_taker(self) -> int | None:
        """Who has taken the queen of spades."""
        return next((seat for seat in SEATS if self.taken[seat] >> QUEEN_OF_SPADES & 1), None)

    def points(self) -> Scores:
        """Return what each seat has scored so far, the jack included, a moon not."""
        points = [0, 0, 0, 0]
        for trick in self.tricks:
            points[trick.winner] += trick.points
        if self.claimed_by is not None:
            points[self.claimed_by] += points_of(self.unplayed, self.options)
        first, second, third, fourth = points
        return first, second, third, fourth

    def opening(self) -> Deal:
        """Return this deal as it was after passing, before its first card."""
        return _begin_play(self.start)

    # ---- what may be done -----------------------------------------------------------------------

    def legal(self) -> Mask:
        """Return the legal cards of the player to move; none when nobody is."""
        return self.playable

    def legal_for(self, seat: int) -> Mask:
        """Return the legal cards of a seat: none unless it is to play."""
        return self.playable if seat == self.turn else 0

    def can_claim(self, seat: int) -> bool:
        """Whether a seat may claim the rest: it is on lead and has nothing but winning cards."""
        if seat != self.turn or self.table:
            return False
        return outranks_the_rest(self.hands[seat], self.unplayed)

    def refusal(self, seat: int, card: Card) -> RuleError | None:
        """Return why a seat may not play a card now, or None when it may."""
        if seat != self.turn:
            return RuleError(RuleCode.NOT_YOUR_TURN, seat=seat)
        hand = self.start.hands[seat] & self.unplayed
        if card < 0 or not hand >> card & 1:
            return RuleError(RuleCode.NOT_IN_HAND, card=card)
        if self.playable >> card & 1:
            return None
        return RuleError(self._why_barred(card), card=card_text(card))

    def _why_barred(self, card: Card) -> RuleCode:
        """Return why a card of the player to move, which is not legal, is not."""
        if not self.tricks and not self.table:
            return RuleCode.LEAD_TWO_OF_CLUBS
        if self.table and self.playable & SUIT_MASK_OF[self.table[0]]:
            return RuleCode.MUST_FOLLOW
        if not self.tricks and self.start.rules.restrictions.first_trick >> card & 1:
            return RuleCode.NO_POINTS_FIRST_TRICK
        return RuleCode.QUEEN_BARRED if card == QUEEN_OF_SPADES else RuleCode.HEARTS_NOT_BROKEN

    # ---- doing it -------------------------------------------------------------------------------

    def pass_cards(self, seat: int, cards: Mask) -> Deal:
        """Pass three cards; with the fourth pass all twelve change hands and play begins (rule 2).

        Raises :class:`RuleError`: ``hold-deal``, ``wrong-phase``, ``wrong-seat``,
        ``already-passed``, ``pass-three``, ``not-in-hand``.
        """
        start = self.start
        if start.direction is Direction.HOLD:
            raise RuleError(RuleCode.HOLD_DEAL)
        if seat not in SEATS:
            raise RuleError(RuleCode.WRONG_SEAT, seat=seat)
        if not self.passing:
            raise RuleError(RuleCode.WRONG_PHASE)
        if start.passes[seat]:
            raise RuleError(RuleCode.ALREADY_PASSED, seat=seat)
        if cards.bit_count() != PASS_SIZE:
            raise RuleError(RuleCode.PASS_THREE, cards=cards.bit_count())
        if cards & ~start.dealt[seat]:
            raise RuleError(RuleCode.NOT_IN_HAND, seat=seat)
        start = replace(start, passes=_with(start.passes, seat, cards))
        if 0 in start.passes:
            return self._replace(start=start)
        return _begin_play(replace(start, hands=_exchanged(start)))

    def play(self, card: Card, by_bot: bool = False) -> Deal:
        """Play a card of the player to move; a trick's fourth card ends the trick.

        Raises :class:`RuleError`: ``wrong-phase`` when nobody is to play, else what :meth:`refusal`
        says.
        """
        start, tricks, table, seat, unplayed, playable, bot_cards, _ = self
        bit = 1 << card
        if not playable & bit:
            raise self._refused(card)
        assert seat is not None
        unplayed ^= bit
        if by_bot:
            bot_cards |= bit
        table += (card,)
        turn: int | None
        if len(table) < 4:
            turn = (seat + 1) & 3
            hand = start.hands[turn] & unplayed
            playable = hand & SUIT_MASK_OF[table[0]]
            if not playable:
                playable = start.rules.restrictions.discards(hand, unplayed, not tricks)
        else:
            rules = start.rules
            trick = finished_trick((seat + 1) & 3, table, rules.card_points)
            tricks += (trick,)
            table = ()
            turn = winner = trick.winner
            playable = rules.restrictions.leads(start.hands[winner] & unplayed, unplayed)
            if not playable or (rules.early_end and not rules.early_end & unplayed):
                turn = None  # all cards are played, or all that count are taken
                playable = 0
        return _state(Deal, (start, tricks, table, turn, unplayed, playable, bot_cards, None))

    def claim(self, seat: int) -> Deal:
        """Claim the rest: the deal is over, every card not taken yet counts as taken by ``seat``.

        Raises :class:`RuleError`: ``wrong-phase``, ``not-on-lead``, ``claim-refused``.
        """
        if self.turn is None:
            raise RuleError(RuleCode.WRONG_PHASE)
        if seat != self.turn or self.table:
            raise RuleError(RuleCode.NOT_ON_LEAD, seat=seat)
        if not self.can_claim(seat):
            raise RuleError(RuleCode.CLAIM_REFUSED, seat=seat)
        return self._replace(turn=None, playable=0, claimed_by=seat)

    def _refused(self, card: Card) -> RuleError:
        """Return the error for a card that is not legal."""
        if self.turn is None:
            return RuleError(RuleCode.WRONG_PHASE)
        refusal = self.refusal(self.turn, card)
        assert refusal is not None
        return refusal


def new_deal(
    options: Options | Rules, number: int, hands: Hands, shuffle: str | None = None
) -> Deal:
    """Deal the hands of deal ``number`` (from 1); who deals often gives :class:`Rules`.

    Raises :class:`RuleError` ``bad-deal`` unless they are the deck, 13 cards each.
    """
    if [hand.bit_count() for hand in hands] != [HAND_SIZE] * len(SEATS):
        raise RuleError(RuleCode.BAD_DEAL)
    first, second, third, fourth = hands
    if first | second | third | fourth != FULL_DECK:
        raise RuleError(RuleCode.BAD_DEAL)
    rules = options if isinstance(options, Rules) else Rules.of(options)
    direction = direction_of(number, rules.options)
    start = Start(rules, direction, shuffle, hands, NOTHING, hands)
    if direction is Direction.HOLD:
        return _begin_play(start)
    return Deal(start, (), (), None, FULL_DECK, 0, 0, None)


def _begin_play(start: Start) -> Deal:
    """Return the deal before its first card: who holds the two of clubs now leads it (rule 3)."""
    leader = [hand & TWO_OF_CLUBS_MASK for hand in start.hands].index(TWO_OF_CLUBS_MASK)
    return _state(Deal, (start, (), (), leader, FULL_DECK, TWO_OF_CLUBS_MASK, 0, None))


def _exchanged(start: Start) -> Hands:
    """Return the hands after all four have passed at once (rule 2)."""
    received = _handed_on(start.passes, start.direction)
    first, second, third, fourth = (
        start.dealt[seat] & ~start.passes[seat] | received[seat] for seat in SEATS
    )
    return first, second, third, fourth


def _handed_on(passes: Hands, direction: Direction) -> Hands:
    """Return what each seat gets when these cards are passed."""
    step = _STEPS[direction]
    first, second, third, fourth = (passes[(seat - step) % len(SEATS)] for seat in SEATS)
    return first, second, third, fourth


def _with(values: Hands, seat: int, value: Mask) -> Hands:
    """Return four values with one of them replaced."""
    changed = list(values)
    changed[seat] = value
    first, second, third, fourth = changed
    return first, second, third, fourth
