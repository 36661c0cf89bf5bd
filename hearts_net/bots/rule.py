"""A sound player by rules of thumb: it counts cards, ducks, sheds risk and stops moons.

It passes the three cards whose loss leaves the least risk, and plays by the rule that playouts go
by, without their slips. So the searching levels imagine opponents that are as good as this one.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from hearts_net.bots.moon import moon_choice
from hearts_net.bots.passing import choose_three
from hearts_net.bots.sight import Sight, read_sight
from hearts_net.bots.simple import may_pass, may_play
from hearts_net.bots.thumb import Thumb, spread
from hearts_net.protocol.messages import View
from hearts_net.rules.cards import HAND_SIZE, Card, card_text, hand_texts
from hearts_net.rules.playout import Table
from hearts_net.rules.scoring import card_points, points_of


@dataclass(frozen=True, slots=True)
class RulePlayer:
    """The level ``medium``."""

    fear: float = 1.0
    """How much more it fears other people's moons than playouts do."""

    def choose_pass(self, view: View, rng: random.Random) -> list[str]:  # noqa: ARG002 - every player is asked alike
        """Return the three cards whose loss leaves the least risk in the hand."""
        may_pass(view)
        return hand_texts(choose_three(read_sight(view)))

    def choose_play(self, view: View, rng: random.Random) -> str:  # noqa: ARG002 - every player is asked alike
        """Return the legal card that the rule gives."""
        legal = may_play(view)
        if len(legal) == 1:
            return legal[0]
        return card_text(rule_choice(read_sight(view), self.fear))

    def choose_moon(self, view: View, rng: random.Random) -> str:  # noqa: ARG002 - every player is asked alike
        """Return what the rules say for bots."""
        return moon_choice(view)


def rule_choice(sight: Sight, fear: float = 1.0) -> Card:
    """Return the card that the rule of playouts gives, moons regarded, among several."""
    lead, follow, discard = Thumb(_no_slip, sight.jack, fear).policy(None)
    seat, table, winning = sight.seat, _table(sight), sight.winning
    legal = spread(sight.legal)
    if winning is None:
        return lead(table, seat, legal)
    winner, (suit, best) = winning[0], divmod(winning[1], 13)
    points = card_points(sight.options)
    score = sum(points[card] for card in sight.table)
    if not legal[suit]:
        return discard(table, seat, legal, winner, score)
    if not legal[suit] & (legal[suit] - 1):
        return suit * 13 + legal[suit].bit_length() - 1
    return suit * 13 + follow(table, seat, suit, legal[suit], best, winner, score)


def _no_slip() -> float:
    return 1.0


def _table(sight: Sight) -> Table:
    """Return a playout's table as one seat sees it: the others' hands are in none but the whole."""
    hands = [[0, 0, 0, 0] for _ in range(4)]
    hands[sight.seat] = list(spread(sight.hand))
    table = Table(hands, [points_of(taken, sight.options) for taken in sight.taken])
    table.unplayed = list(spread(sight.hand | sight.unseen))
    table.first_trick = sight.hand.bit_count() == HAND_SIZE
    table.last = (sight.seat + 3 - len(sight.trick)) & 3
    return table
