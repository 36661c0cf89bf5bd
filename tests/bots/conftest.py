"""Deals, other worlds and whole matches for the tests of computer players."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import pytest

from hearts_net.bots.from_deal import plain_rules, view_of
from hearts_net.bots.player import Player
from hearts_net.protocol.messages import View
from hearts_net.rules.cards import (
    FULL_DECK,
    SUIT_MASKS,
    SUITS,
    cards_in,
    mask_of,
    mask_of_texts,
    parse_card,
)
from hearts_net.rules.deal import Deal, Direction, direction_of, new_deal
from hearts_net.rules.errors import RuleCode, RuleError
from hearts_net.rules.options import MoonRule, Options
from hearts_net.rules.scoring import Scores, deal_points
from hearts_net.rules.shuffle import deal_hands
from hearts_net.testing.options import random_options

Watch: TypeAlias = Callable[[Deal, int, View], None]


def other_world(deal: Deal, seat: int, rng: random.Random) -> Deal | None:
    """Return a deal that has gone the same way with other cards in the hands ``seat`` cannot see.

    It is dealt, passed and played anew, so it is a game that could have been; None where none was
    found in a few attempts.
    """
    for _ in range(20):
        hands = _other_hands(deal, seat, rng)
        if hands is not None:
            try:
                return _replayed(deal, seat, hands, rng)
            except RuleError:  # somebody could not have played so from that hand
                continue
    return None


def _other_hands(deal: Deal, seat: int, rng: random.Random) -> list[int] | None:
    """Deal the unseen cards anew; what the seat passed stays where it sent it."""
    hands = [hand if who == seat else 0 for who, hand in enumerate(deal.hands)]
    room = [0 if who == seat else hand.bit_count() for who, hand in enumerate(deal.hands)]
    voids = [mask_of_suits(shown) for shown in view_of(deal, seat).public.shown_voids]
    played = mask_of(card for _, card, _ in deal.plays)
    sent = deal.passes[seat] & ~played & ~hands[seat] if not deal.passing else 0
    hands[taker_of(seat, deal)] |= sent
    room[taker_of(seat, deal)] -= sent.bit_count()
    unseen = cards_in(FULL_DECK & ~(played | hands[seat] | sent))
    rng.shuffle(unseen)
    for card in unseen:
        able = [who for who in range(4) if room[who] and not voids[who] >> card & 1]
        if not able:
            return None
        who = rng.choice(able)
        hands[who] |= 1 << card
        room[who] -= 1
    return hands


def taker_of(giver: int, deal: Deal) -> int:
    """Return the seat that gets a seat's cards; on a hold deal the seat itself."""
    steps = {Direction.LEFT: 1, Direction.ACROSS: 2, Direction.RIGHT: 3, Direction.HOLD: 0}
    return (giver + steps[deal.direction]) % 4


def mask_of_suits(suits: str) -> int:
    return sum(SUIT_MASKS[SUITS.index(suit)] for suit in suits)


def _replayed(deal: Deal, seat: int, hands: list[int], rng: random.Random) -> Deal:
    for who, card, _ in deal.plays:
        hands[who] |= 1 << card
    passes = [0, 0, 0, 0]
    for giver in range(4):
        taker = taker_of(giver, deal)
        if deal.passing:
            made = deal.passes[giver]
            passes[giver] = made if giver == seat or not made else some(hands[giver], rng)
        elif taker != giver:
            known = giver == seat or taker == seat
            passes[giver] = deal.passes[giver] if known else some(hands[taker], rng)
    if not deal.passing and deal.direction is not Direction.HOLD:
        received = [0, 0, 0, 0]
        for giver in range(4):
            received[taker_of(giver, deal)] = passes[giver]
        hands = [hands[who] & ~received[who] | passes[who] for who in range(4)]
    first, second, third, fourth = hands
    number = next(n for n in range(1, 5) if direction_of(n, deal.options) is deal.direction)
    world = new_deal(deal.options, number, (first, second, third, fourth))
    for giver, cards in enumerate(passes):
        if cards:
            world = world.pass_cards(giver, cards)
    for who, card, _ in deal.plays:
        if world.turn != who:  # another world's leader held the two of clubs
            raise RuleError(RuleCode.NOT_YOUR_TURN)
        world = world.play(card)
    return world


def some(hand: int, rng: random.Random) -> int:
    return mask_of(rng.sample(cards_in(hand), 3))


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
