"""Deals, other worlds and whole matches for the tests of computer players."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import pytest

from hearts_net.bots.from_deal import plain_rules, view_of
from hearts_net.bots.player import Player
from hearts_net.protocol.messages import View
from hearts_net.rules.cards import FULL_DECK, Hands, cards_in, mask_of, mask_of_texts, parse_card
from hearts_net.rules.deal import Deal, new_deal
from hearts_net.rules.options import MoonRule, Options, PassingRule, QueenRule
from hearts_net.rules.scoring import Scores, deal_points
from hearts_net.rules.shuffle import deal_hands

Watch: TypeAlias = Callable[[Deal, int, View], None]


def random_options(rng: random.Random) -> Options:
    return Options(
        target=rng.choice((50, 100, 150)),
        queen_of_spades=rng.choice(list(QueenRule)),
        queen_breaks_hearts=rng.random() < 0.5,
        first_trick_points=rng.random() < 0.5,
        moon=rng.choice(list(MoonRule)),
        jack_of_diamonds=rng.random() < 0.5,
        passing=rng.choice(list(PassingRule)),
        finish_early=rng.random() < 0.3,
    )


def other_world(deal: Deal, seat: int, rng: random.Random) -> Deal:
    """Deal the cards that ``seat`` has not seen anew among the other three hands."""
    start = deal.start
    known = start.hands[seat] | deal.played
    unseen = cards_in(FULL_DECK & ~known)
    rng.shuffle(unseen)
    hands = list(start.hands)
    for other in range(4):
        if other != seat:
            count = (hands[other] & ~deal.played).bit_count()
            hands[other] = hands[other] & deal.played | mask_of(unseen[:count])
            unseen = unseen[count:]
    assert not unseen
    first, second, third, fourth = hands
    changed: Hands = (first, second, third, fourth)
    if deal.passing:
        passes = [
            made if who == seat or not made else mask_of(rng.sample(cards_in(changed[who]), 3))
            for who, made in enumerate(start.passes)
        ]
        one, two, three, four = passes
        start = replace(start, dealt=changed, passes=(one, two, three, four))
    return deal._replace(start=replace(start, hands=changed))


@dataclass(frozen=True, slots=True)
class Match:
    """How one player did against three of another."""

    points: float
    difference: float
    """The others' mean points less one's own, each deal played from all four seats."""


class Kitchen:
    """Plays deals among players in memory."""

    def deal(self, options: Options, number: int, seed: str) -> Deal:
        return new_deal(options, number, deal_hands(seed.encode().ljust(32, b".")))

    def play(
        self, players: list[Player], deal: Deal, seed: str, watch: Watch | None = None
    ) -> Deal:
        """Play a deal to its end; ``watch`` sees each deal, seat and view before the choice."""
        rules, rng = plain_rules(deal.options), random.Random(seed)
        while not deal.over:
            seat = deal.turn if deal.turn is not None else deal.passes.index(0)
            view = view_of(deal, seat, rules=rules)
            if watch is not None:
                watch(deal, seat, view)
            if deal.passing:
                cards = mask_of_texts(players[seat].choose_pass(view, rng))
                deal = deal.pass_cards(seat, cards)
            else:
                deal = deal.play(parse_card(players[seat].choose_play(view, rng)))
        return deal

    def points(self, players: list[Player], deal: Deal, seed: str) -> Scores:
        end = self.play(players, deal, seed)
        return deal_points(end.taken, end.options, MoonRule.OTHERS_GAIN)

    def match(self, one: Player, three: Player, deals: int, options: Options) -> Match:
        mine = others = 0
        for number in range(deals):
            for seat in range(4):
                players = [three] * 4
                players[seat] = one
                deal = self.deal(options, number % 4 + 1, f"match {number}")
                points = self.points(players, deal, f"{number} {seat}")
                mine += points[seat]
                others += sum(points) - points[seat]
        count = deals * 4
        return Match(mine / count, (others / 3 - mine) / count)

    options = staticmethod(random_options)
    other_world = staticmethod(other_world)


@pytest.fixture
def kitchen() -> Kitchen:
    return Kitchen()
