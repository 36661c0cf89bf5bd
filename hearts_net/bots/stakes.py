"""What the end of a deal is worth to a seat: points, and ever more the game as its end comes near.

Away from the target a deal is worth the others' mean points less one's own. Near it that is
replaced by the chance of winning the game, in such a unit that a point is worth the same where the
two meet: so a player who leads plays safe, and one who cannot win by ducking tries the moon.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import Final

from hearts_net.rules.options import MoonRule, Options
from hearts_net.rules.playout import PlayedOut
from hearts_net.rules.scoring import MOON_POINTS, Scores, added, winner_of

SPREAD_AT_END: Final = 2.5
"""Points of lead that multiply the odds of winning by e when the target is reached."""
SPREAD_PER_POINT: Final = 0.19
"""How much that grows for every point that the highest total is short of the target."""
WIDEST: Final = 20.0
WEIGHT_POWER: Final = 1.5
"""How late the game outweighs the deal: the power of the highest total's share of the target."""


class Stakes:
    """What points are worth to one seat at the totals of one moment."""

    __slots__ = ("_known", "_moon", "_now", "_seat", "_target", "_totals", "_unit", "_weight")

    def __init__(self, options: Options, totals: Scores, seat: int) -> None:
        self._seat, self._totals = seat, totals
        self._moon, self._target = options.moon, options.target
        self._weight: float = min(1.0, max(0.0, max(totals) / options.target)) ** WEIGHT_POWER
        self._now = self._chance(totals)
        self._unit = 4 * _spread(totals, options.target)
        self._known: dict[tuple[int | None, ...], float] = {}

    def worth(self, played: PlayedOut) -> float:
        """Return what a deal is worth that ends so."""
        key = (*played.points, played.shooter)
        worth = self._known.get(key)
        if worth is None:
            scores = _four(played.points)
            if played.shooter is not None:
                scores = self._with_moon(scores, played.shooter)
            worth = self._known[key] = self._worth(scores)
        return worth

    def _worth(self, scores: Scores) -> float:
        own = scores[self._seat]
        relative = (sum(scores) - own) / 3 - own
        if not self._weight:
            return relative
        gain = self._unit * (self._chance(added(self._totals, scores)) - self._now)
        return (1 - self._weight) * relative + self._weight * gain

    def _with_moon(self, points: Scores, shooter: int) -> Scores:
        """Return what the deal scores when ``shooter`` has all 26 of these points."""
        others_gain = _four(
            [
                p + (-MOON_POINTS if seat == shooter else MOON_POINTS)
                for seat, p in enumerate(points)
            ]
        )
        shooter_loses = _four(
            [p - (2 * MOON_POINTS if seat == shooter else 0) for seat, p in enumerate(points)]
        )
        if self._moon is MoonRule.OTHERS_GAIN:
            return others_gain
        if self._moon is MoonRule.SHOOTER_LOSES:
            return shooter_loses
        winner = winner_of(added(self._totals, others_gain), self._target)
        return others_gain if winner in (None, shooter) else shooter_loses

    def _chance(self, totals: Scores) -> float:
        """Estimate the chance of winning the game with these totals after a deal."""
        fewest, mine = min(totals), totals[self._seat]
        if max(totals) >= self._target:
            return 1 / totals.count(fewest) if mine == fewest else 0.0
        spread = _spread(totals, self._target)
        weights = [exp((fewest - total) / spread) for total in totals]
        return weights[self._seat] / sum(weights)


def _spread(totals: Scores, target: int) -> float:
    left = max(0, target - max(totals))
    return min(WIDEST, SPREAD_AT_END + SPREAD_PER_POINT * left)


def _four(numbers: Sequence[int]) -> Scores:
    first, second, third, fourth = numbers
    return first, second, third, fourth
