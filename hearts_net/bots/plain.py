"""The plain rule player: the rule that playouts go by, with no slips, and three risks passed.

It is no level of the game but a fixed point to measure levels by, besides a random player.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

from hearts_net.bots.moon import moon_choice
from hearts_net.bots.sight import Sight, read_sight
from hearts_net.bots.simple import may_pass, may_play
from hearts_net.bots.thumb import followed, led, spread, thrown
from hearts_net.protocol.messages import View
from hearts_net.rules.cards import (
    DIAMONDS,
    HEARTS,
    JACK_OF_DIAMONDS,
    QUEEN_MASK,
    QUEEN_OF_SPADES,
    SPADES,
    SUIT_MASKS,
    Card,
    Mask,
    card_text,
    cards_in,
    hand_texts,
)
from hearts_net.rules.scoring import card_points

GUARDS: Final = 4
"""So many spades below the queen make the high ones safe to keep."""


def three_risks(hand: Mask, jack: bool) -> Mask:
    """Return the three cards of a hand that it is most risky to keep, each looked at by itself."""
    guarded = (hand & SUIT_MASKS[SPADES] & (QUEEN_MASK - 1)).bit_count() >= GUARDS
    sizes = [(hand & suit).bit_count() for suit in SUIT_MASKS]

    def risk(card: Card) -> float:
        suit, rank = divmod(card, 13)
        if suit == SPADES:
            return -1.0 if guarded or card < QUEEN_OF_SPADES else 30.0 - abs(card - QUEEN_OF_SPADES)
        if suit == DIAMONDS and jack and card >= JACK_OF_DIAMONDS:
            return -1.0
        return rank + (2.0 if suit == HEARTS else 0.0) + (4 - sizes[suit] if rank > 3 else 0)

    first, second, third = sorted(cards_in(hand), key=risk)[-3:]
    return 1 << first | 1 << second | 1 << third


def plain_choice(sight: Sight) -> Card:
    """Return the card that the rule of playouts gives."""
    legal, hand = spread(sight.legal), spread(sight.hand)
    unplayed = spread(sight.unseen | sight.hand)
    winning = sight.winning
    if winning is None:
        return led(legal, hand, unplayed)
    suit, best = divmod(winning[1], 13)
    held = legal[suit]
    if not held:
        return thrown(legal, hand, unplayed, sight.jack)
    if not held & (held - 1):
        return suit * 13 + held.bit_length() - 1
    points = card_points(sight.options)
    score = sum(points[card] for card in sight.table)
    after, first = 3 - len(sight.trick), not sight.tricks
    return suit * 13 + followed(held, unplayed, suit, best, after, score, first)


@dataclass(frozen=True, slots=True)
class PlainPlayer:
    """The fixed point ``rule``."""

    def choose_pass(self, view: View, rng: random.Random) -> list[str]:  # noqa: ARG002 - every player is asked alike
        """Return the three most risky cards."""
        may_pass(view)
        sight = read_sight(view)
        return hand_texts(three_risks(sight.hand, sight.jack))

    def choose_play(self, view: View, rng: random.Random) -> str:  # noqa: ARG002 - every player is asked alike
        """Return what the rule says."""
        may_play(view)
        return card_text(plain_choice(read_sight(view)))

    def choose_moon(self, view: View, rng: random.Random) -> str:  # noqa: ARG002 - every player is asked alike
        """Return what the rules say for bots."""
        return moon_choice(view)
