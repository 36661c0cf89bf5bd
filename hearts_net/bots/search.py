"""Choosing a card by trying each out in many imagined worlds (determinised Monte Carlo).

Every legal card is played in the same sampled worlds, and the rest of the deal is played out by the
rule. Each is tried twice where a moon is still possible: once to duck on, once to shoot, with
opponents that defend; the better of the two counts. Cards that are clearly worse drop out early, so
the last worlds go to the choice that is close; there the level ``expert`` adds what
:mod:`hearts_net.bots.hindsight` knows of a card.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from operator import attrgetter
from typing import Final

from hearts_net.bots.hindsight import REACH, underrated
from hearts_net.bots.sight import Sight
from hearts_net.bots.stakes import Stakes
from hearts_net.bots.thumb import Draw, Thumb
from hearts_net.bots.worlds import know
from hearts_net.rules.cards import PENALTY_MASK, SUIT_MASK_OF, Card, Hands, Mask, cards_in
from hearts_net.rules.deal import Rules
from hearts_net.rules.playout import Position, by_suits
from hearts_net.rules.scoring import MOON_POINTS, penalty_of

CLEARLY: Final = 1.6
"""Standard errors by which an arm is behind when it drops out."""
FEWEST: Final = 4
"""Worlds that a batch looks at in any case."""
FEW: Final = 6
"""So many arms may all stay; of more, half at most, where a batch was cut short."""
SUSPICION: Final = 0.8
"""The greatest share of worlds in which an opponent with all points so far shoots the moon."""


@dataclass(slots=True)
class Arm:
    """One card, and whether to duck or to shoot with it."""

    card: Card
    shooting: bool
    after: Position
    """Where the deal stands with the card played."""
    bonus: float = 0.0
    """Points that it seems to be worth besides."""
    worths: list[float] = field(default_factory=list)
    moons: int = 0

    @property
    def played_out(self) -> float:
        """What playing so has been worth on average in playouts."""
        return sum(self.worths) / len(self.worths) if self.worths else 0.0

    @property
    def mean(self) -> float:
        """What playing so seems worth, all told."""
        return self.played_out + self.bonus


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a search has found."""

    card: Card
    shooting: bool
    """The card is best as part of a moon."""
    arms: tuple[Arm, ...]
    """Every way that was looked at, the best first."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How many worlds a search looks at, in batches; arms drop out between two."""

    batches: tuple[int, ...]
    most: int
    """Tricks that one batch may play out in all: with many cards to choose from early in a deal its
    worlds are fewer, so that no choice takes much longer than the others."""
    hindsight: bool = False
    """Choose among cards that are close by what playouts are known to get wrong."""


class Table:
    """The moment of one choice, ready to be searched."""

    __slots__ = ("_knowledge", "position", "seat", "sight", "stakes", "threat")

    def __init__(self, sight: Sight) -> None:
        rules = Rules.of(sight.options)
        self.sight, self.seat = sight, sight.seat
        self.stakes = Stakes(sight.options, sight.totals, sight.seat)
        self.position = Position.seen(rules, sight.seat, sight.table, sight.taken)
        self.threat = threat_to(sight)
        self._knowledge = know(sight, rules.restrictions)

    def worlds(self, count: int, draw: Draw) -> list[Hands]:
        """Return so many sets of four hands as they may be."""
        return [self._knowledge.sample(draw) for _ in range(count)]

    def moon_is_open(self) -> bool:
        """Say whether no opponent has taken a penalty card yet."""
        return not any(
            taken & PENALTY_MASK for seat, taken in enumerate(self.sight.taken) if seat != self.seat
        )


def choose_card(table: Table, effort: Effort, draw: Draw, boldness: float = 0.0) -> Verdict:
    """Search the legal cards of a table."""
    arms = _arms(table, boldness, effort.hindsight)
    dropped: list[Arm] = []
    if len(arms) == 1:
        return Verdict(arms[0].card, False, (arms[0],))
    trial = _Trial(table, draw)
    tricks = table.sight.hand.bit_count()
    for batch in effort.batches:
        if len(arms) == 1:
            break
        count = min(batch, max(FEWEST, effort.most // (len(arms) * tricks)))
        ducking_first = sorted(arms, key=attrgetter("shooting"))
        for hands in table.worlds(count, draw):
            trial.in_one_world(ducking_first, hands)
        if effort.hindsight:
            arms, far = _in_reach(arms)
            dropped = far + dropped
        arms, out = _kept(arms, max(FEW, len(arms) // 2) if count < batch else len(arms))
        dropped = out + dropped
    best = arms[0]
    return Verdict(best.card, best.shooting, (*arms, *dropped))


def _arms(table: Table, boldness: float, hindsight: bool) -> list[Arm]:
    sight = table.sight
    arms = [Arm(card, False, table.position.play(card)) for card in distinct(sight.legal, sight)]
    if table.moon_is_open():
        arms += [Arm(arm.card, True, arm.after, boldness) for arm in arms]
    if hindsight:
        for arm in arms:
            arm.bonus += underrated(sight, arm.card)
    return arms


class _Trial:
    """Plays arms out in one world after another."""

    def __init__(self, table: Table, draw: Draw) -> None:
        self._table, self._draw = table, draw
        self._thumb = Thumb(draw, table.sight.jack)

    def in_one_world(self, arms: Sequence[Arm], world: Hands) -> None:
        """Add one world's worth to each arm; those that duck come first.

        A moon that fails is worth no more than ducking with the same card.
        """
        hands, seat, worth = by_suits(world), self._table.seat, self._table.stakes.worth
        threat, chance = self._table.threat
        ducking = self._thumb.policy(threat if chance and self._draw() < chance else None)
        shooting = self._thumb.policy(seat)
        ducked: dict[Card, float] = {}
        for arm in arms:
            played = arm.after.finish(hands, shooting if arm.shooting else ducking)
            result = worth(played)
            if not arm.shooting:
                ducked[arm.card] = result
            elif played.shooter == seat:
                arm.moons += 1
            else:
                result = min(result, ducked.get(arm.card, result))
            arm.worths.append(result)


def _in_reach(arms: Sequence[Arm]) -> tuple[list[Arm], list[Arm]]:
    """Return the arms that playouts put near the best, and the others."""
    least = max(arm.played_out for arm in arms) - REACH
    near: list[Arm] = []
    far: list[Arm] = []
    for arm in arms:
        (near if arm.played_out >= least else far).append(arm)
    return near, far


def _kept(arms: list[Arm], most: int) -> tuple[list[Arm], list[Arm]]:
    """Return the arms that may still be the best, best first, and those that drop out."""
    arms.sort(key=lambda arm: -arm.mean)
    leader, stay = arms[0], [arms[0]]
    out: list[Arm] = []
    for arm in arms[1:]:
        drops = len(stay) == most or _is_clearly_behind(arm, leader)
        (out if drops else stay).append(arm)
    return stay, out


def _is_clearly_behind(arm: Arm, leader: Arm) -> bool:
    count = len(arm.worths)
    less = [one - other for one, other in zip(leader.worths, arm.worths, strict=True)]
    mean = sum(less) / count
    square = sum(points * points for points in less) / count - mean * mean
    gap = mean + leader.bonus - arm.bonus
    return gap * sqrt(count) > CLEARLY * sqrt(square + 1e-9)


def distinct(legal: Mask, sight: Sight) -> list[Card]:
    """Return one of each run of legal cards that are worth the same: nobody else's lie between."""
    others = sight.unseen
    for _, card in sight.trick:
        others |= 1 << card
    kept: list[Card] = []
    for card in cards_in(legal):
        if kept and _same(kept[-1], card, others, sight):
            kept[-1] = card
        else:
            kept.append(card)
    return kept


def _same(low: Card, high: Card, others: Mask, sight: Sight) -> bool:
    if SUIT_MASK_OF[low] != SUIT_MASK_OF[high]:
        return False
    between = (1 << high) - (2 << low)
    counts = sight.counting
    return not (others & between or counts >> low & 1 or counts >> high & 1)


def threat_to(sight: Sight) -> tuple[int | None, float]:
    """Return the seat that has taken every point so far, and how likely it shoots the moon."""
    takers = [seat for seat in range(4) if sight.taken[seat] & PENALTY_MASK]
    if len(takers) != 1 or takers[0] == sight.seat:
        return None, 0.0
    return takers[0], SUSPICION * penalty_of(sight.taken[takers[0]]) / MOON_POINTS
