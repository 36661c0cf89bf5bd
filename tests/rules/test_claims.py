"""Claiming the rest: exactly when the rule says, and never with another outcome than play."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from hearts_net.rules.cards import SEATS, SUIT_MASKS, Hands, cards_in, mask_of_texts, random_card
from hearts_net.rules.deal import Deal, new_deal
from hearts_net.rules.errors import RuleCode, RuleError
from hearts_net.rules.legal import outranks_the_rest
from hearts_net.rules.options import Options, QueenRule
from hearts_net.rules.scoring import points_of
from hearts_net.rules.shuffle import deal_hands

RULES = [
    Options(),
    Options(queen_of_spades=QueenRule.AFTER_HEARTS, first_trick_points=False),
    Options(queen_of_spades=QueenRule.NO_LEAD, jack_of_diamonds=True),
]


def endings(options: Options, tricks_left: int, count: int) -> Iterator[Deal]:
    """Yield deals played at random until so many tricks are left, somebody on lead."""
    for number in range(count):
        rng = Random(number)
        deal = new_deal(options, 4, deal_hands(b"%d" % number))
        while len(deal.tricks) < 13 - tricks_left:
            deal = deal.play(random_card(deal.legal(), rng))
        yield deal


def outcomes(deal: Deal) -> set[Hands]:
    """Return everything that seats may have taken in the end, over every legal line of play."""
    if deal.over:
        return {deal.taken}
    found: set[Hands] = set()
    for card in cards_in(deal.legal()):
        found |= outcomes(deal.play(card))
    return found


def rule_says(deal: Deal, seat: int) -> bool:
    """Say the rule word for word, card by card."""
    hand = cards_in(deal.hands[seat])
    return all(
        card // 13 != other // 13 or card > other
        for card in hand
        for other in range(52)
        if other not in hand and not deal.played >> other & 1
    )


@pytest.mark.parametrize("options", RULES)
def test_an_accepted_claim_never_changes_who_takes_what(options: Options) -> None:
    accepted = 0
    for tricks_left in (1, 2, 3):
        for deal in endings(options, tricks_left, 60):
            seat = deal.turn
            assert seat is not None
            if deal.can_claim(seat):
                accepted += 1
                claimed = deal.claim(seat)
                assert outcomes(deal) == {claimed.taken}
                points = tuple(points_of(cards, options) for cards in claimed.taken)
                assert claimed.points() == points
    assert accepted > 15


@pytest.mark.parametrize("options", RULES)
def test_a_claim_stands_exactly_when_the_rule_says(options: Options) -> None:
    decisions = {True: 0, False: 0}
    for tricks_left in range(1, 9):
        for deal in endings(options, tricks_left, 25):
            seat = deal.turn
            assert seat is not None
            stands = rule_says(deal, seat)
            decisions[stands] += 1
            assert deal.can_claim(seat) == stands
            if stands:
                assert deal.claim(seat).claimed_by == seat
            else:
                with pytest.raises(RuleError) as refusal:
                    deal.claim(seat)
                assert refusal.value.code == RuleCode.CLAIM_REFUSED
                assert refusal.value.detail == {"seat": seat}
            for other in set(SEATS) - {seat}:
                assert not deal.can_claim(other)
                with pytest.raises(RuleError) as refusal:
                    deal.claim(other)
                assert refusal.value.code == RuleCode.NOT_ON_LEAD
                assert refusal.value.detail == {"seat": other}
    assert min(decisions.values()) > 10


def test_no_claim_in_the_middle_of_a_trick() -> None:
    hands = (SUIT_MASKS[0], SUIT_MASKS[1], SUIT_MASKS[2], SUIT_MASKS[3])
    deal = new_deal(Options(), 4, hands)
    assert deal.can_claim(0)
    deal = deal.play(0)
    for seat in SEATS:
        assert not deal.can_claim(seat)
        with pytest.raises(RuleError) as refusal:
            deal.claim(seat)
        assert refusal.value.code == RuleCode.NOT_ON_LEAD


def test_what_a_claim_leaves() -> None:
    hands = (SUIT_MASKS[0], SUIT_MASKS[1], SUIT_MASKS[2], SUIT_MASKS[3])
    deal = new_deal(Options(), 4, hands)
    for card in (0, 13, 26, 39):
        deal = deal.play(card)
    claimed = deal.claim(0)
    assert claimed.over
    assert claimed.turn is None
    assert claimed.legal() == 0
    assert not claimed.settled
    assert claimed.hands == deal.hands
    assert claimed.taken == (sum(SUIT_MASKS), 0, 0, 0)
    assert claimed.points() == (26, 0, 0, 0)
    assert claimed.queen_taker == 0
    assert claimed.trick_number == 1
    assert len(claimed.plays) == 4


@pytest.mark.parametrize(
    ("hand", "others", "stands"),
    [
        ("AC", "KC QD", True),
        ("KC", "AC", False),
        ("KC", "QC", True),
        ("AC KC QC", "JC", True),
        ("AC KC JC", "QC", False),
        ("2C", "AD", True),
        ("AS AH", "KS KH", True),
        ("AS KH", "KS AH", False),
        ("2D 3D", "", True),
    ],
)
def test_each_card_outranks_what_the_others_hold(hand: str, others: str, stands: bool) -> None:
    mine, theirs = mask_of_texts(hand.split()), mask_of_texts(others.split())
    assert outranks_the_rest(mine, mine | theirs) == stands
