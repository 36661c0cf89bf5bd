"""Players that need no thought: any legal card, and a beginner who knows the rules."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

from hearts_net.bots.moon import moon_choice
from hearts_net.bots.player import BotCode, BotError
from hearts_net.protocol.messages import View
from hearts_net.rules.cards import QUEEN_OF_SPADES, Card, card_text, parse_card

HIGH_SPADES: Final = range(QUEEN_OF_SPADES, QUEEN_OF_SPADES + 3)
"""The queen of spades, and the king and ace that she falls on."""
SLIP: Final = 0.15
"""How often a beginner plays whatever comes to hand."""


def may_play(view: View) -> list[str]:
    """Return the legal cards of a view; raises :class:`BotError` when it does not ask for one."""
    if view.own is None or not view.own.legal:
        raise BotError(BotCode.NOTHING_TO_CHOOSE)
    return view.own.legal


def may_pass(view: View) -> list[str]:
    """Return the hand to pass from; raises :class:`BotError` when it has not three cards."""
    if view.own is None or len(view.own.hand) < 3:
        raise BotError(BotCode.NOTHING_TO_CHOOSE)
    return view.own.hand


@dataclass(frozen=True, slots=True)
class RandomPlayer:
    """Any legal card: the floor under every other player, and no level of the game."""

    def choose_pass(self, view: View, rng: random.Random) -> list[str]:
        """Return any three cards."""
        return rng.sample(may_pass(view), 3)

    def choose_play(self, view: View, rng: random.Random) -> str:
        """Return any legal card."""
        return rng.choice(may_play(view))

    def choose_moon(self, view: View, rng: random.Random) -> str:  # noqa: ARG002 - every player is asked alike
        """Return what the rules say for bots."""
        return moon_choice(view)


@dataclass(frozen=True, slots=True)
class EasyPlayer:
    """A beginner: passes high cards, plays low, throws off the queen, and slips now and then.

    It counts nothing, knows nobody's voids and does not see a moon coming.
    """

    slip: float = SLIP
    heart_ranks: int = 13
    """Ranks that a heart counts more when a card is thrown off; 13: hearts go first."""

    def choose_pass(self, view: View, rng: random.Random) -> list[str]:
        """Return the queen of spades and the highest cards."""
        hand = [parse_card(card) for card in may_pass(view)]
        rng.shuffle(hand)
        hand.sort(key=lambda card: (card != QUEEN_OF_SPADES, -(card % 13)))
        return [card_text(card) for card in hand[:3]]

    def choose_play(self, view: View, rng: random.Random) -> str:
        """Return a low card when following or leading, a bad one when throwing off."""
        cards = _not_absurd(view, [parse_card(card) for card in may_play(view)])
        if rng.random() < self.slip:
            return card_text(rng.choice(cards))
        rng.shuffle(cards)
        trick = view.public.trick
        if trick and cards[0] // 13 != parse_card(trick[0].card) // 13:
            return card_text(max(cards, key=self._worth_throwing))
        return card_text(min(cards, key=_rank_but_not_the_queen))

    def choose_moon(self, view: View, rng: random.Random) -> str:  # noqa: ARG002 - every player is asked alike
        """Return what the rules say for bots."""
        return moon_choice(view)

    def _worth_throwing(self, card: int) -> tuple[bool, int]:
        extra = self.heart_ranks if card // 13 == 3 else 0
        return (card == QUEEN_OF_SPADES, card % 13 + extra)


def _not_absurd(view: View, legal: list[Card]) -> list[Card]:
    """Return what even a beginner considers: no high spade is led while the queen may catch it."""
    if view.public.trick or card_text(QUEEN_OF_SPADES) in view.public.seen:
        return legal
    return [card for card in legal if card not in HIGH_SPADES] or legal


def _rank_but_not_the_queen(card: int) -> tuple[bool, int]:
    return (card == QUEEN_OF_SPADES, card % 13)
