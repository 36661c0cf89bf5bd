"""Imagined worlds agree with everything that a seat has seen."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from hearts_net.bots.belief import Belief, deeds_of, likely
from hearts_net.bots.from_deal import view_of
from hearts_net.bots.player import Player
from hearts_net.bots.rule import RulePlayer
from hearts_net.bots.sight import read_sight
from hearts_net.bots.simple import RandomPlayer
from hearts_net.bots.worlds import know
from hearts_net.protocol.messages import View
from hearts_net.rules.cards import FULL_DECK, SEATS, SUIT_MASKS
from hearts_net.rules.deal import Deal, Direction
from hearts_net.rules.legal import Restrictions
from hearts_net.rules.options import Options, PassingRule

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
            hands = knowledge.sample(random.Random(1).random)
            for deed in deeds_of(sight):
                if deed.suit >= 0 and not (hands[deed.seat] | deed.later) & SUIT_MASKS[deed.suit]:
                    legal = rules.discards(hands[deed.seat] | deed.later, deed.unplayed, deed.first)
                    assert legal >> deed.card & 1
                    found += 1

    for number in range(10):
        deal = kitchen.deal(options, number % 4 + 1, f"barred {number}")
        kitchen.play([RandomPlayer()] * 4, deal, f"barred {number}", look)
    assert found > 500


def test_worlds_that_explain_the_play_are_chosen_more_often() -> None:
    surprises = [0.0, 2.0, 9.0]
    worlds = [(1, 0, 0, 0), (2, 0, 0, 0), (4, 0, 0, 0)]
    chosen = likely(worlds, surprises, 1000, random.Random(2).random)
    counts = [chosen.count(world) for world in worlds]
    assert counts[0] > 5 * counts[1] > 25 * counts[2]
    assert sum(counts) == 1000


def count_surprises(kitchen: Kitchen, player: Player, tricks: range, name: str) -> tuple[int, int]:
    """Say how often the true hands are less, and more, surprising than imagined ones."""
    less = more = 0
    rng = random.Random(6)

    def compare(deal: Deal, _seat: int, view: View) -> None:
        nonlocal less, more
        if deal.passing or len(deal.tricks) not in tricks:
            return
        sight, rules = read_sight(view), Restrictions.of(deal.options)
        belief = Belief(sight, rules)
        true = belief.surprise(deal.hands)
        other = belief.surprise(know(sight, rules).sample(rng.random))
        less += true < other
        more += true > other

    for number in range(8):
        deal = kitchen.deal(Options(), number % 4 + 1, f"{name} {number}")
        kitchen.play([player] * 4, deal, f"{name} {number}", compare)
    return less, more


def test_true_hands_explain_what_was_played(kitchen: Kitchen) -> None:
    less, more = count_surprises(kitchen, RulePlayer(), range(4, 10), "played")
    assert less > 5 * more


def test_true_hands_explain_what_was_passed(kitchen: Kitchen) -> None:
    """On the first trick little has been played; what tells hands apart is how they are shaped."""
    less, more = count_surprises(kitchen, RulePlayer(), range(1), "passed")
    assert less > 1.5 * more


def test_a_hand_that_was_not_passed_from_is_of_no_shape(kitchen: Kitchen) -> None:
    deal = kitchen.deal(Options(passing=PassingRule.NONE), 1, "hold")
    assert deal.turn is not None
    sight = read_sight(view_of(deal, deal.turn))
    rules = Restrictions.of(deal.options)
    belief, knowledge = Belief(sight, rules), know(sight, rules)
    rng = random.Random(8)
    assert all(belief.surprise(knowledge.sample(rng.random)) == 0 for _ in range(20))
