"""The rules against OpenSpiel's Hearts: the same deals, card by card.

At every one of the 52 plays both must offer the same legal cards, both must pass the same cards,
and the points must agree. Every setting that both games have is compared. What has been reached
is counted, and a comparison that has not met every kind of position fails.
``HEARTS_NET_ORACLE_DEALS`` sets the number of deals.
"""

from __future__ import annotations

import os
from collections import Counter
from itertools import product
from random import Random
from typing import Any

import pytest

from hearts_net.rules.cards import (
    ACE_OF_SUIT,
    CLUBS,
    HEARTS_MASK,
    PENALTY_MASK,
    QUEEN_MASK,
    SEATS,
    SUIT_MASKS,
    Card,
    Hands,
    Mask,
    cards_in,
    mask_of,
    random_card,
)
from hearts_net.rules.deal import Deal, Direction, new_deal
from hearts_net.rules.options import MoonRule, Options
from hearts_net.rules.scoring import deal_points, moon_shooter

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed: group oracle")

DEALS = int(os.environ.get("HEARTS_NET_ORACLE_DEALS", "2400"))
SETTINGS = list(product([False, True], repeat=3))
"""No points on the first trick; the queen breaks hearts; the jack of diamonds counts."""

THEIR_SUITS = (0, 1, 3, 2)
"""Theirs are clubs, diamonds, hearts, spades."""
THEIR_CARD = tuple(card % 13 * 4 + THEIR_SUITS[card // 13] for card in range(52))
BIT_OF_THEIRS = {theirs: 1 << ours for ours, theirs in enumerate(THEIR_CARD)}
THEIR_DIRECTION = {Direction.HOLD: 0, Direction.LEFT: 1, Direction.ACROSS: 2, Direction.RIGHT: 3}


def ours_of(actions: list[int]) -> Mask:
    """Return the cards that some of their actions play."""
    return sum(BIT_OF_THEIRS[action] for action in actions)


class Comparison:
    """Deals under one setting, and how often each kind of position has been met."""

    def __init__(self, no_points: bool, queen_breaks: bool, jack: bool, rng: Random) -> None:
        self.options = Options(
            first_trick_points=not no_points,
            queen_breaks_hearts=queen_breaks,
            jack_of_diamonds=jack,
        )
        parameters = {
            "no_pts_on_first_trick": no_points,
            "qs_breaks_hearts": queen_breaks,
            "jd_bonus": jack,
        }
        self.theirs = pyspiel.load_game("hearts", parameters)
        self.rng = rng
        self.met: Counter[str] = Counter()

    def run(self, number: int, hands: Hands) -> None:
        """Play one deal in both; ``number`` decides the direction."""
        ours = new_deal(self.options, number, hands)
        theirs = self.theirs.new_initial_state()
        theirs.apply_action(THEIR_DIRECTION[ours.direction])
        for row in zip(*(cards_in(hand) for hand in hands), strict=True):
            for card in row:
                theirs.apply_action(THEIR_CARD[card])
        ours = self._pass(ours, theirs)
        bold = self.rng.randrange(5)  # this seat, if it is one, takes what it can: moons happen
        while ours.turn is not None:
            card = self._choose(ours, bold)
            self._compare(ours, theirs)
            theirs.apply_action_with_legality_check(THEIR_CARD[card])
            ours = ours.play(card)
        assert theirs.is_terminal()
        points = deal_points(ours.taken, self.options, MoonRule.OTHERS_GAIN)
        assert points == tuple(26 - value for value in theirs.returns())
        self.met["deals"] += 1
        self.met["moons"] += moon_shooter(ours.taken) is not None

    def _pass(self, ours: Deal, theirs: Any) -> Deal:
        if ours.direction is Direction.HOLD:
            return ours
        for seat in SEATS:
            cards = self.rng.sample(cards_in(ours.dealt[seat]), 3)
            kept = ours.dealt[seat]
            for card in cards:
                assert theirs.current_player() == seat
                assert ours_of(theirs.legal_actions()) == kept
                kept ^= 1 << card
                theirs.apply_action_with_legality_check(THEIR_CARD[card])
                self.met["passes"] += 1
            ours = ours.pass_cards(seat, mask_of(cards))
        return ours

    def _choose(self, deal: Deal, bold: int) -> Card:
        legal = deal.legal()
        return cards_in(legal)[-1] if deal.turn == bold else random_card(legal, self.rng)

    def _compare(self, ours: Deal, theirs: Any) -> None:
        assert theirs.current_player() == ours.turn
        assert ours_of(theirs.legal_actions()) == ours.legal()
        self._count(ours)

    def _count(self, deal: Deal) -> None:
        assert deal.turn is not None
        hand: Mask = deal.hands[deal.turn]
        self.met["plays"] += 1
        led = SUIT_MASKS[deal.trick[0][1] // 13] if deal.trick else 0
        if deal.legal() == QUEEN_MASK and hand != QUEEN_MASK:
            self.met["forced queens"] += 1
            if not led:
                self.met["queens led with hearts unbroken"] += 1
        if led and not hand & led:
            self.met["discards"] += 1
            if not deal.tricks and not hand & ~PENALTY_MASK:
                self.met["first tricks with penalty cards alone"] += 1
            elif not deal.tricks and hand & PENALTY_MASK:
                self.met["first tricks with a void"] += 1
        if not led and deal.tricks and not deal.hearts_broken:
            self.met["leads before hearts are broken"] += 1
            if hand == hand & HEARTS_MASK:
                self.met["leads with hearts alone"] += 1


def random_hands(rng: Random) -> Hands:
    deck = rng.sample(range(52), 52)
    return (mask_of(deck[:13]), mask_of(deck[13:26]), mask_of(deck[26:39]), mask_of(deck[39:]))


def hands_with(held: Mask, rng: Random) -> Hands:
    """Return a deal in which some seat has these 13 cards."""
    others = rng.sample(cards_in((1 << 52) - 1 & ~held), 39)
    hands = [held, mask_of(others[:13]), mask_of(others[13:26]), mask_of(others[26:])]
    rng.shuffle(hands)
    return (hands[0], hands[1], hands[2], hands[3])


def rare_hands(number: int, rng: Random) -> Hands:
    """Return a deal of a kind that chance hardly ever gives."""
    first, second = (1 << card for card in rng.sample(cards_in(HEARTS_MASK), 2))
    ace_of_clubs = 1 << ACE_OF_SUIT[CLUBS]
    kinds = [
        HEARTS_MASK,  # nothing but penalty cards on the first trick
        HEARTS_MASK ^ first | QUEEN_MASK,
        HEARTS_MASK ^ first | ace_of_clubs,  # on lead with nothing but hearts
        HEARTS_MASK ^ first ^ second | ace_of_clubs | QUEEN_MASK,  # or the queen besides
        SUIT_MASKS[number % 3],
    ]
    return hands_with(kinds[number % len(kinds)], rng)


EVERY_KIND = (
    "plays",
    "passes",
    "moons",
    "forced queens",
    "queens led with hearts unbroken",
    "discards",
    "first tricks with penalty cards alone",
    "first tricks with a void",
    "leads before hearts are broken",
    "leads with hearts alone",
)


@pytest.mark.parametrize(("no_points", "queen_breaks", "jack"), SETTINGS)
def test_the_same_as_open_spiel(no_points: bool, queen_breaks: bool, jack: bool) -> None:
    rng = Random(f"{no_points} {queen_breaks} {jack}")
    comparison = Comparison(no_points, queen_breaks, jack, rng)
    for number in range(1, DEALS // len(SETTINGS) + 1):
        comparison.run(number, random_hands(rng))
    for number in range(60):
        comparison.run(4, rare_hands(number, rng))  # a hold deal: the hands stay as they are
    met = comparison.met
    print(f"{no_points=} {queen_breaks=} {jack=}: {dict(met)}")
    assert met["plays"] == 52 * met["deals"]
    assert [kind for kind in EVERY_KIND if not met[kind]] == []
