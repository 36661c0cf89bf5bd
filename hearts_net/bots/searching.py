"""Players that search: the levels ``hard`` and ``expert``."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

from hearts_net.bots.exchange import PassEffort, choose_triple
from hearts_net.bots.moon import moon_choice
from hearts_net.bots.search import Effort, Table, Verdict, choose_card
from hearts_net.bots.sight import read_sight
from hearts_net.bots.simple import may_pass, may_play
from hearts_net.protocol.messages import View
from hearts_net.rules.cards import card_text, hand_texts

HARD: Final = Effort((12, 16, 24, 32), most=400)
HARD_PASS: Final = PassEffort(ducking=20, shooting=6, batches=(8, 14, 30))
EXPERT: Final = Effort((24, 40, 80, 120), most=1800, hindsight=True)
EXPERT_PASS: Final = PassEffort(ducking=20, shooting=6, batches=(12, 24, 56))


@dataclass(frozen=True, slots=True)
class SearchingPlayer:
    """Tries cards and passes out in imagined worlds."""

    effort: Effort = HARD
    passing: PassEffort = HARD_PASS
    boldness: float = 0.0
    """Points by which a moon seems worth more than it is."""

    def choose_pass(self, view: View, rng: random.Random) -> list[str]:
        """Return the three cards whose passing turned out best."""
        may_pass(view)
        return hand_texts(choose_triple(read_sight(view), self.passing, rng.random, self.boldness))

    def choose_play(self, view: View, rng: random.Random) -> str:
        """Return the card that turned out best."""
        legal = may_play(view)
        if len(legal) == 1:
            return legal[0]
        return card_text(self.verdict(view, rng).card)

    def verdict(self, view: View, rng: random.Random) -> Verdict:
        """Return all that the search for a card has found."""
        may_play(view)
        return choose_card(Table(read_sight(view)), self.effort, rng.random, self.boldness)

    def choose_moon(self, view: View, rng: random.Random) -> str:  # noqa: ARG002 - every player is asked alike
        """Return what the rules say for bots."""
        return moon_choice(view)
