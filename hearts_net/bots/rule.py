"""A sound player by rules of thumb: it counts cards and voids, ducks, sheds risk and stops moons.

Every legal card gets an estimate of what playing it costs: the chance of taking the trick with it,
times what the trick will hold by then, less the trouble of keeping the card for later. The cheapest
card is played.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

from hearts_net.bots.moon import moon_choice
from hearts_net.bots.passing import choose_three
from hearts_net.bots.sight import Sight, read_sight
from hearts_net.bots.simple import may_pass, may_play
from hearts_net.protocol.messages import View
from hearts_net.rules.cards import (
    DIAMONDS,
    HEARTS,
    HEARTS_MASK,
    JACK_MASK,
    JACK_OF_DIAMONDS,
    PENALTY_MASK,
    QUEEN_MASK,
    QUEEN_OF_SPADES,
    SPADES,
    SUIT_MASKS,
    card_text,
    cards_in,
    hand_texts,
)  # fmt: skip
from hearts_net.rules.scoring import JACK_POINTS, MOON_POINTS, QUEEN_POINTS, penalty_of

EAGER: Final = 0.1
"""How often a player who need not take a pointless trick takes it all the same."""
SHARE: Final = 0.1
"""What a point given to another is worth to oneself."""
LEAD_COST: Final = 0.25
"""What having to lead to the next trick costs."""
QUEEN_BARE: Final = 6.0
"""The trouble of keeping the queen of spades with few lower spades, and with enough of them."""
QUEEN_GUARDED: Final = 3.5
ENOUGH_GUARDS: Final = 3
HIGH_SPADE: Final = 3.0
"""The trouble of keeping a bare ace or king of spades while another has the queen."""
LOW_SPADE: Final = 0.3
"""What a spade below the queen is worth keeping for while she is out."""
JACK_KEPT: Final = 4.0
"""What the jack of diamonds is worth keeping for where it counts."""
HIGH_HEART: Final = 1.6
"""The trouble of keeping a heart that every other heart is below, without any guard."""
HIGH_CARD: Final = 1.1
"""The same for any other card."""
GUARD: Final = 0.35
"""How much each lower card of its suit takes from the trouble of a high one."""
ALONE: Final = 0.3
"""The trouble of keeping a card of a suit that nobody else has."""
FEAR: Final = 24.0
"""Points that a moon costs; it seems nearer with the cube of what one seat alone has taken."""
QUEEN_FALLS: Final = 0.8
"""How likely the queen of spades, while she is out, falls on a trick from a seat that is void."""


@dataclass(frozen=True, slots=True)
class RulePlayer:
    """The level ``medium``."""

    fear: float = FEAR
    """How much it fears other people's moons."""

    def choose_pass(self, view: View, rng: random.Random) -> list[str]:  # noqa: ARG002 - every player is asked alike
        """Return the three cards whose loss leaves the least risk in the hand."""
        may_pass(view)
        return hand_texts(choose_three(read_sight(view)))

    def choose_play(self, view: View, rng: random.Random) -> str:
        """Return the legal card that is estimated to cost least; ``rng`` decides between equals."""
        legal = may_play(view)
        if len(legal) == 1:
            return legal[0]
        judge = Judge(read_sight(view), self.fear)
        cards = cards_in(judge.sight.legal)
        rng.shuffle(cards)
        return card_text(min(cards, key=judge.cost))

    def choose_moon(self, view: View, rng: random.Random) -> str:  # noqa: ARG002 - every player is asked alike
        """Return what the rules say for bots."""
        return moon_choice(view)


class Judge:
    """Weighs the cards of one seat at one moment."""

    __slots__ = ("_after", "_discards", "_winning", "fear", "shooter", "sight", "stakes")

    def __init__(self, sight: Sight, fear: float = FEAR) -> None:
        self.sight = sight
        laid = 0
        for _, card in sight.trick:
            laid |= 1 << card
        self.stakes = self.worth(laid)
        """Points in the trick on the table."""
        self.shooter, self.fear = _shooter(sight, fear)
        """Another seat that has taken every point so far, and the points to be feared from it."""
        self._winning = sight.winning
        self._after = [(sight.seat + step) % 4 for step in range(1, 4 - len(sight.trick))]
        self._discards = sight.led is not None and not sight.hand & SUIT_MASKS[sight.led]

    def worth(self, cards: int) -> int:
        """Return the points in a set of cards."""
        return penalty_of(cards) + (JACK_POINTS if self.sight.jack and cards & JACK_MASK else 0)

    def cost(self, card: int) -> float:
        """Return what playing ``card`` is estimated to cost, in points."""
        own, later = self.worth(1 << card), self.burden(card)
        if self._discards:
            fed = self._feeding(own + self.stakes)
            return -SHARE * own + fed + self._stopper(card) - later
        chance, coming = self._take(card)
        points = self.stakes + own + coming
        mine = points + LEAD_COST + (0.0 if points > 0 else self._stopper(card))
        theirs = -SHARE * points + self._feeding(points) + self._stopper(card)
        return chance * mine + (1 - chance) * theirs - later

    def burden(self, card: int) -> float:
        """Return the points that keeping ``card`` for later is expected to cost."""
        sight, suit = self.sight, card // 13
        lower = SUIT_MASKS[suit] & ((1 << card) - 1)
        out = sight.unseen & SUIT_MASKS[suit]
        guards = (sight.hand & lower).bit_count()
        if sight.jack and card == JACK_OF_DIAMONDS:
            return -JACK_KEPT
        if card == QUEEN_OF_SPADES:
            return QUEEN_BARE if guards < ENOUGH_GUARDS else QUEEN_GUARDED
        if suit == SPADES and sight.unseen & QUEEN_MASK:
            return HIGH_SPADE / (1 + guards) if card > QUEEN_OF_SPADES else -LOW_SPADE
        if not out:
            return ALONE
        risk = (out & lower).bit_count() / out.bit_count()
        return (HIGH_HEART if suit == HEARTS else HIGH_CARD) * risk / (1 + GUARD * guards)

    def _stopper(self, card: int) -> float:
        """Return what it costs to part with a heart that could still stop a moon."""
        higher = self.sight.unseen & HEARTS_MASK & ~((1 << card) - 1)
        return self.fear if card // 13 == HEARTS and not higher else 0.0

    def _feeding(self, points: float) -> float:
        """Return what ``points`` cost when they go to a seat that may be shooting the moon."""
        if self.shooter is None or points <= 0:
            return 0.0
        takes = self._winning is not None and self._winning[0] == self.shooter
        later = self.shooter in self._after
        return self.fear if takes else self.fear / 2 if later else 0.0

    def _take(self, card: int) -> tuple[float, float]:
        """Return the chance that ``card`` takes the trick, and the points then still to fall."""
        sight, suit = self.sight, card // 13
        if self._winning is not None and (suit != sight.led or card < self._winning[1]):
            return 0.0, self._falling(card, suit)
        if not self._after:
            return 1.0, 0.0
        out = sight.unseen & SUIT_MASKS[suit]
        below, above = (out & ((1 << card) - 1)).bit_count(), out.bit_count()
        holders = [
            seat for seat in range(4) if seat != sight.seat and suit not in sight.voids[seat]
        ]
        miss = 1 - 1 / len(holders) if len(holders) > 1 else 0.0
        eager = EAGER if self.stakes <= 0 and suit != HEARTS else 0.05
        chance = 1.0
        for seat in self._after:
            if suit in sight.voids[seat]:
                continue
            void = miss**above
            forced = miss**below - void
            higher = 1 - miss ** (above - below)
            chance *= 1 - forced - eager * max(0.0, higher - forced)
        return chance, self._falling(card, suit)

    def _falling(self, card: int, suit: int) -> float:
        """Return the points expected from the seats to come, if ``card`` should win."""
        sight = self.sight
        out = sight.unseen & SUIT_MASKS[suit]
        holders = max(
            1, sum(suit not in sight.voids[seat] for seat in range(4) if seat != sight.seat)
        )
        miss = (1 - 1 / holders) ** out.bit_count() if holders > 1 else float(not out)
        thrown = self._thrown()
        followed = 1.0 if suit == HEARTS else 0.0
        if suit == SPADES and sight.unseen & QUEEN_MASK and card > QUEEN_OF_SPADES:
            followed = QUEEN_POINTS / holders
        if suit == DIAMONDS and sight.jack and sight.unseen & JACK_MASK and card > JACK_OF_DIAMONDS:
            followed = JACK_POINTS / 8
        total = 0.0
        for seat in self._after:
            void = 1.0 if suit in sight.voids[seat] else miss
            total += void * thrown + (1 - void) * followed
        return total

    def _thrown(self) -> float:
        """Return what a seat that is void may be expected to throw on a trick."""
        sight = self.sight
        hearts = 0.8 if sight.unseen & HEARTS_MASK else 0.0
        return hearts + (QUEEN_POINTS * QUEEN_FALLS if sight.unseen & QUEEN_MASK else 0.0)


def _shooter(sight: Sight, fear: float) -> tuple[int | None, float]:
    """Return the seat, if any, whose moon is to be feared, and what that fear is worth."""
    takers = [seat for seat in range(4) if sight.taken[seat] & PENALTY_MASK]
    if len(takers) != 1 or takers[0] == sight.seat:
        return None, 0.0
    return takers[0], fear * (penalty_of(sight.taken[takers[0]]) / MOON_POINTS) ** 3
