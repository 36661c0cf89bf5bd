"""Why a card may not be played: always the code that the rules themselves would give."""

from __future__ import annotations

import random

import pytest

from hearts_client.full.why import why_not
from hearts_net.bots.from_deal import view_of
from hearts_net.rules.cards import CARD_TEXTS, cards_in
from hearts_net.rules.deal import Deal, new_deal
from hearts_net.rules.errors import RuleError
from hearts_net.rules.options import Options, PassingRule, QueenRule
from hearts_net.rules.shuffle import deal_hands


def refusal(deal: Deal, seat: int, card: int) -> str:
    error: RuleError | None = deal.refusal(seat, card)
    return "" if error is None else error.code


@pytest.mark.parametrize("seed", range(12))
def test_it_agrees_with_the_rules(seed: int) -> None:
    rng = random.Random(seed)
    options = Options(
        passing=PassingRule.NONE,
        queen_of_spades=rng.choice(list(QueenRule)),
        first_trick_points=rng.random() < 0.5,
    )
    deal = new_deal(options, 1, deal_hands(bytes([seed]) * 32))
    while deal.turn is not None:
        for seat in range(4):
            view = view_of(deal, seat)
            for card in range(52):
                code = why_not(view, CARD_TEXTS[card])
                said = "" if code is None else code.value
                wanted = refusal(deal, seat, card)
                if wanted in ("not-your-turn", "not-in-hand"):
                    assert said in ("not-your-turn", "not-in-hand")
                else:
                    assert said == wanted
        deal = deal.play(rng.choice(cards_in(deal.legal())))
