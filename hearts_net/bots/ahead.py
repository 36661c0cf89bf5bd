"""Looking one own choice further ahead than the card that is tried out.

By the rule of thumb alone, a player would be taken to go on after its card as anybody does. But it
will search again at its next choice. So what a card is worth in a world is what the best of the
cards is worth that the player can go on with there: the playout is repeated, alike up to that
choice, once for each of them.

To be alike, playouts draw their random numbers from a tape that is rewound. All cards that are
tried in a world begin at the same place of it, so that luck touches them alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from hearts_net.bots.thumb import COUNT, QUEEN, Draw
from hearts_net.rules.cards import HAND_SIZE, QUEEN_OF_SPADES, SPADES, Card
from hearts_net.rules.playout import PlayedOut, Policy, Position, Ranks, Suits, Table

STARTS: Final = 512
"""From how many places a tape may be played."""
LONGEST: Final = 128
"""More numbers than any playout draws: two for each card."""
QUEEN_RANK: Final = QUEEN_OF_SPADES % HAND_SIZE


class Tape:
    """Random numbers that can be drawn again in the same order."""

    __slots__ = ("_at", "_numbers", "_start")

    def __init__(self, draw: Draw) -> None:
        """Record the numbers that ``draw`` gives."""
        self._numbers = [draw() for _ in range(STARTS + LONGEST)]
        self._start = self._at = 0

    def __call__(self) -> float:
        """Return the next number, from 0 up to but not 1."""
        number = self._numbers[self._at]
        self._at += 1
        return number

    def wind(self, draw: Draw) -> None:
        """Go to another place."""
        self._start = self._at = int(draw() * STARTS)

    def rewind(self) -> None:
        """Go back to that place."""
        self._at = self._start


class Ahead:
    """Plays out what comes after a card with each of the cards that its player may go on with."""

    __slots__ = ("_cards", "_open", "_policies", "_seat", "_tape", "_wanted")

    def __init__(self, seat: int, tape: Tape) -> None:
        """``seat`` is the player; the policies played by must draw from the tape."""
        self._seat, self._tape = seat, tape
        self._policies: dict[Policy, Policy] = {}
        self._open = False
        self._cards: Sequence[Card] = ()
        self._wanted = 0

    def best(
        self,
        after: Position,
        hands: Sequence[Suits],
        policy: Policy,
        worth: Callable[[PlayedOut], float],
    ) -> float:
        """Return what a position is worth to the player, who goes on as well as it can."""
        asking = self._policies.get(policy)
        if asking is None:
            asking = self._policies[policy] = self._asking(policy)
        self._cards, self._wanted = (), 0
        best = self._played(after, hands, asking, worth)
        for number in range(1, len(self._cards)):
            self._wanted = number
            best = max(best, self._played(after, hands, asking, worth))
        return best

    def _played(
        self,
        after: Position,
        hands: Sequence[Suits],
        policy: Policy,
        worth: Callable[[PlayedOut], float],
    ) -> float:
        self._open = True
        self._tape.rewind()
        return worth(after.finish(hands, policy))

    def _asking(self, policy: Policy) -> Policy:
        """Return the policy with the player's first choice made here."""
        me, (lead, follow, discard) = self._seat, policy

        def lead_or_ask(table: Table, seat: int, legal: Suits) -> Card:
            if self._open and seat == me:
                return self._chosen(lambda: leads(legal, table.unplayed, table.hands[me]))
            return lead(table, seat, legal)

        def follow_or_ask(
            table: Table, seat: int, suit: int, held: Ranks, best: int, winner: int, score: int
        ) -> int:
            if self._open and seat == me:
                return self._chosen(lambda: follows(held, suit, best))
            return follow(table, seat, suit, held, best, winner, score)

        def discard_or_ask(table: Table, seat: int, legal: Suits, winner: int, score: int) -> Card:
            if self._open and seat == me:
                return self._chosen(lambda: discards(legal))
            return discard(table, seat, legal, winner, score)

        return Policy(lead_or_ask, follow_or_ask, discard_or_ask)

    def _chosen(self, choices: Callable[[], list[int]]) -> int:
        self._open = False
        if not self._cards:
            self._cards = choices()
        return self._cards[self._wanted]


def leads(legal: Suits, unplayed: Suits, hand: Suits) -> list[Card]:
    """Return the leads worth a look: of each suit the lowest card, and the highest if it differs.

    Two cards do not differ if nobody else has one between them.
    """
    cards = []
    for suit, held in enumerate(legal):
        if held:
            low, top = (held & -held).bit_length() - 1, held.bit_length() - 1
            cards.append(suit * HAND_SIZE + low)
            between = (1 << top) - (2 << low)
            queen = suit == SPADES and top == QUEEN_RANK
            if top != low and (queen or (unplayed[suit] ^ hand[suit]) & between):
                cards.append(suit * HAND_SIZE + top)
    return cards


def follows(held: Ranks, suit: int, best: int) -> list[int]:
    """Return the ranks worth a look to follow with.

    They are the highest that does not take the trick, the highest and the lowest that may, and the
    queen of spades where she does not.
    """
    under = held & ((1 << best) - 1)
    over = held ^ under
    ranks = [under.bit_length() - 1] if under else []
    if suit == SPADES and under & QUEEN and ranks[0] != QUEEN_RANK:
        ranks.append(QUEEN_RANK)
    if over:
        ranks.append(over.bit_length() - 1)
        if COUNT[over] > 1:
            ranks.append((over & -over).bit_length() - 1)
    return ranks


def discards(legal: Suits) -> list[Card]:
    """Return the cards worth a look to throw off: the highest of each suit, and the queen."""
    cards = [suit * HAND_SIZE + held.bit_length() - 1 for suit, held in enumerate(legal) if held]
    if legal[SPADES] & QUEEN and QUEEN_OF_SPADES not in cards:
        cards.append(QUEEN_OF_SPADES)
    return cards
