"""Imagined worlds agree with everything that a seat has seen."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from hearts_net.bots.sight import read_sight
from hearts_net.bots.simple import RandomPlayer
from hearts_net.bots.worlds import know
from hearts_net.protocol.messages import View
from hearts_net.rules.cards import FULL_DECK, SEATS, SUIT_MASK_OF, SUIT_MASKS
from hearts_net.rules.deal import Deal, Direction
from hearts_net.rules.legal import Restrictions
from hearts_net.rules.options import Options

if TYPE_CHECKING:
    from tests.bots.conftest import Kitchen


def test_a_world_has_the_right_cards_in_the_right_numbers(kitchen: Kitchen) -> None:
    looked = passed_on = 0

    def imagine(deal: Deal, seat: int, view: View) -> None:
        nonlocal looked, passed_on
        if deal.passing:
            return
        sight = read_sight(view)
        hands = know(sight, Restrictions.of(deal.options)).sample(rng.random)
        assert hands[seat] == deal.hands[seat]
        assert [hand.bit_count() for hand in hands] == [hand.bit_count() for hand in deal.hands]
        assert sum(hands) == FULL_DECK & ~deal.played
        for other, voids in enumerate(sight.voids):
            assert not any(hands[other] & SUIT_MASKS[suit] for suit in voids)
        if deal.direction is not Direction.HOLD:
            sent = deal.passes[seat] & deal.unplayed
            taker = next(one for one in SEATS if deal.received[one] == deal.passes[seat])
            assert hands[taker] & sent == sent
            passed_on += sent.bit_count()
        looked += 1

    rng = random.Random(4)
    for number in range(25):
        deal = kitchen.deal(kitchen.options(rng), rng.randint(1, 4), f"imagine {number}")
        kitchen.play([RandomPlayer()] * 4, deal, f"imagine {number}", imagine)
    assert looked > 25 * 40
    assert passed_on > 100


def test_who_throws_a_barred_card_has_nothing_else(kitchen: Kitchen) -> None:
    """Without points on the first trick, a heart thrown on it shows a hand of penalty cards."""
    options = Options(first_trick_points=False)
    rules = Restrictions.of(options)
    hand = sum(1 << card for card in range(39, 52))
    assert rules.discards(hand, FULL_DECK, True) == hand
    found = 0

    def look(deal: Deal, _seat: int, view: View) -> None:
        nonlocal found
        if deal.passing:
            return
        sight = read_sight(view)
        knowledge = know(sight, rules)
        for _ in range(3):
            hands = list(knowledge.sample(random.Random(1).random))
            for leader, cards in sight.rounds:
                for place, card in enumerate(cards):
                    hands[(leader + place) % 4] |= 1 << card
            unplayed, (leader, cards) = FULL_DECK, sight.rounds[0] if sight.rounds else (0, ())
            for place, card in enumerate(cards):
                hand = hands[(leader + place) % 4]
                if place and not hand & SUIT_MASK_OF[cards[0]]:
                    assert rules.discards(hand, unplayed, True) >> card & 1
                    found += 1
                unplayed ^= 1 << card

    for number in range(10):
        deal = kitchen.deal(options, number % 4 + 1, f"barred {number}")
        kitchen.play([RandomPlayer()] * 4, deal, f"barred {number}", look)
    assert found > 100, found
