"""Deals played to their end in place, for players that try out thousands of them.

:class:`Playout` asks a policy for every card. :class:`RandomPlayer` plays every legal card with
the same chance and is faster still. Neither checks what it is told: both begin from a good
:class:`~hearts_net.rules.deal.Deal` or deck. Tests hold both to what :meth:`Deal.play` allows and
scores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Final, NamedTuple, TypeAlias

from hearts_net.rules.cards import (
    ACE_OF_SUIT,
    CLUBS,
    DECK_SIZE,
    HAND_SIZE,
    QUEEN_MASK,
    QUEEN_OF_SPADES,
    SEATS,
    SUIT_MASK_OF,
    TWO_OF_CLUBS,
    TWO_OF_CLUBS_MASK,
    Card,
    Mask,
    cards_in,
)
from hearts_net.rules.deal import Deal
from hearts_net.rules.legal import Restrictions
from hearts_net.rules.options import Options
from hearts_net.rules.scoring import Scores, card_points


class Playout:
    """A deal in play that changes in place; its attributes are what a policy may look at."""

    __slots__ = (
        "_card_points",
        "_first_trick",
        "_laid",
        "_restrictions",
        "best",
        "hands",
        "led",
        "on_table",
        "points",
        "turn",
        "unplayed",
        "winning",
    )

    def __init__(self, deal: Deal, hands: Sequence[Mask] | None = None) -> None:
        """Begin where ``deal`` is, in play; ``hands`` may be what a player takes them to be."""
        self._restrictions = deal.start.rules.restrictions
        self._card_points = deal.start.rules.card_points
        self.hands = list(deal.hands if hands is None else hands)
        """The cards in each hand."""
        self.unplayed = deal.unplayed
        self.points = list(deal.points())
        """What each seat has scored, a moon not regarded."""
        assert deal.turn is not None
        self.turn = deal.turn
        """Who is to play."""
        self._first_trick = not deal.tricks
        self._laid = 0
        self.led: Card = TWO_OF_CLUBS
        """The card led to this trick; for a leader, to the one before."""
        self.best: Card = TWO_OF_CLUBS
        """The card that takes that trick so far."""
        self.winning = self.turn
        """Who has played that."""
        self.on_table = 0
        """What the cards on the table score."""
        for seat, card in deal.trick:
            self._lay(seat, card)

    def legal(self) -> Mask:
        """Return the legal cards of the player to move."""
        hand = self.hands[self.turn]
        if self._laid:
            follow = hand & SUIT_MASK_OF[self.led]
            return follow or self._restrictions.discards(hand, self.unplayed, self._first_trick)
        if self._first_trick:
            return TWO_OF_CLUBS_MASK
        return self._restrictions.leads(hand, self.unplayed)

    def play(self, card: Card) -> None:
        """Play a legal card of the player to move."""
        seat = self.turn
        bit = 1 << card
        self.hands[seat] ^= bit
        self.unplayed ^= bit
        self._lay(seat, card)
        if self._laid < len(SEATS):
            self.turn = (seat + 1) & 3
            return
        self.turn = self.winning
        self.points[self.winning] += self.on_table
        self.on_table = self._laid = 0
        self._first_trick = False

    def _lay(self, seat: int, card: Card) -> None:
        if not self._laid:
            self.led = card
        if not self._laid or self.best < card <= ACE_OF_SUIT[card] == ACE_OF_SUIT[self.led]:
            self.best = card
            self.winning = seat
        self.on_table += self._card_points[card]
        self._laid += 1

    def finish(self, policy: Policy) -> Scores:
        """Play all that is left as ``policy`` says; return the points, a moon not regarded."""
        while self.unplayed:
            self.play(policy(self, self.legal()))
        first, second, third, fourth = self.points
        return first, second, third, fourth


Policy: TypeAlias = Callable[[Playout, Mask], Card]
"""Chooses one of the legal cards for the player to move."""


class PlayedOut(NamedTuple):
    """What a random playout has come to."""

    points: Scores
    """A moon not regarded."""
    order: list[Card]
    """The cards in the order played, from the trick's lead on where it began in one."""


Holdings: TypeAlias = tuple[list[Card], list[Card], list[Card], list[Card]]
"""A hand by suits, each suit's cards in random order."""

_FOLLOWERS: Final = ((1, 2, 3), (2, 3, 0), (3, 0, 1), (0, 1, 2))
"""For each leader, the others in turn."""
_SUIT_OF: Final = tuple(card // HAND_SIZE for card in range(DECK_SIZE))


class RandomPlayer:
    """Plays deals of one set of options, every legal card with the same chance.

    The suits of each hand are lists in random order. Whoever can follow suit plays the last of
    the list: any of them is there with the same chance, and the order of the others stays as
    random as it was. Only the choice of a suit, by somebody who leads or is void, needs a random
    number.
    """

    def __init__(self, options: Options) -> None:
        restrictions = Restrictions.of(options)
        self._card_points = card_points(options)
        self._breakers = frozenset(cards_in(restrictions.breakers))
        self._no_blood = restrictions.first_trick != 0
        self._queen_not_led = restrictions.unbroken_lead & QUEEN_MASK != 0
        self._queen_not_discarded = restrictions.unbroken_discard != 0

    def deal(self, deck: Sequence[Card], rng: Random) -> PlayedOut:
        """Deal a shuffled deck, the first 13 cards to seat 0 and so on, and play it; nobody passes.

        The deck's order must be random: it is what decides which card of a suit falls.
        """
        hands = [_by_suit(deck[at : at + HAND_SIZE]) for at in range(0, DECK_SIZE, HAND_SIZE)]
        leader = next(seat for seat in SEATS if TWO_OF_CLUBS in hands[seat][CLUBS])
        hands[leader][CLUBS].remove(TWO_OF_CLUBS)
        return self._run(hands, leader, (TWO_OF_CLUBS,), [0, 0, 0, 0], False, HAND_SIZE, rng)

    def rest(self, deal: Deal, rng: Random) -> PlayedOut:
        """Play what is left of a deal in play."""
        assert deal.leader is not None
        hands = [_by_suit(_in_random_order(hand, rng)) for hand in deal.hands]
        left = HAND_SIZE - len(deal.tricks)
        begun = deal.table
        if not deal.tricks and not begun:
            hands[deal.leader][CLUBS].remove(TWO_OF_CLUBS)
            begun = (TWO_OF_CLUBS,)
        return self._run(
            hands, deal.leader, begun, list(deal.points()), deal.hearts_broken, left, rng
        )

    def _run(
        self,
        hands: list[Holdings],
        leader: int,
        begun: tuple[Card, ...],
        points: list[int],
        broken: bool,
        left: int,
        rng: Random,
    ) -> PlayedOut:
        """Play ``left`` tricks; of the first of them the cards ``begun`` are on the table."""
        random, values, breakers = rng.random, self._card_points, self._breakers
        first_trick = left == HAND_SIZE and self._no_blood
        order = list(begun)
        for _ in range(left):
            if begun:
                led = begun[0]
                best, winner, score = _standing(leader, begun, values)
                seats = _FOLLOWERS[leader][len(begun) - 1 :]
                begun = ()
            else:
                led = _drawn(hands[leader], not broken, not broken and self._queen_not_led, random)
                order.append(led)
                best, winner, score = led, leader, values[led]
                seats = _FOLLOWERS[leader]
                broken = broken or led in breakers
            suit = _SUIT_OF[led]
            for seat in seats:
                hand = hands[seat]
                if hand[suit]:
                    card = hand[suit].pop()
                    if card > best:
                        best, winner = card, seat
                else:
                    no_queen = first_trick or (not broken and self._queen_not_discarded)
                    card = _drawn(hand, first_trick, no_queen, random)
                if not broken:
                    broken = card in breakers
                score += values[card]
                order.append(card)
            points[winner] += score
            leader = winner
            first_trick = False
        first, second, third, fourth = points
        return PlayedOut((first, second, third, fourth), order)


def _by_suit(cards: Sequence[Card]) -> Holdings:
    holdings: Holdings = ([], [], [], [])
    for card in cards:
        holdings[_SUIT_OF[card]].append(card)
    return holdings


def _in_random_order(hand: Mask, rng: Random) -> list[Card]:
    cards = cards_in(hand)
    rng.shuffle(cards)
    return cards


def _standing(
    leader: int, begun: tuple[Card, ...], values: tuple[int, ...]
) -> tuple[Card, int, int]:
    """Return the card that takes a trick so far, its player, and what the cards score."""
    best = max(card for card in begun if _SUIT_OF[card] == _SUIT_OF[begun[0]])
    return best, (leader + begun.index(best)) & 3, sum(values[card] for card in begun)


def _drawn(hand: Holdings, no_hearts: bool, no_queen: bool, random: Callable[[], float]) -> Card:
    """Take any card out of a hand but what is barred, or any at all when everything is barred."""
    clubs, diamonds, spades, hearts = hand
    low = len(clubs)
    middle = low + len(diamonds)
    no_queen = no_queen and QUEEN_OF_SPADES in spades
    high = middle + len(spades) - no_queen
    count = high if no_hearts else high + len(hearts)
    if not count:
        no_queen = False
        high = len(spades)
        count = high + len(hearts)
    place = int(random() * count)
    if place < low:
        return clubs.pop()
    if place < middle:
        return diamonds.pop()
    if place >= high:
        return hearts.pop()
    return _spade_but_queen(spades, random) if no_queen else spades.pop()


def _spade_but_queen(spades: list[Card], random: Callable[[], float]) -> Card:
    """Take a spade but not the queen, which then is at any place of the list alike."""
    card = spades.pop()
    if card == QUEEN_OF_SPADES:
        card = spades.pop()
        spades.insert(int(random() * (len(spades) + 1)), QUEEN_OF_SPADES)
    return card
