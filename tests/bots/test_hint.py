"""Hints: a legal choice and the reason that fits it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from hearts_net.bots.from_deal import view_of
from hearts_net.bots.hint import Hint, Reason, hint_for
from hearts_net.bots.player import BotError
from hearts_net.bots.rule import RulePlayer
from hearts_net.protocol.messages import View
from hearts_net.rules.cards import QUEEN_OF_SPADES, card_text
from hearts_net.rules.deal import Deal
from hearts_net.rules.options import Options

if TYPE_CHECKING:
    from tests.bots.conftest import Kitchen


def test_a_hint_is_something_that_may_be_done(kitchen: Kitchen) -> None:
    reasons: Counter[Reason] = Counter()

    def ask(_deal: Deal, _seat: int, view: View) -> None:
        assert view.own is not None
        hint = hint_for(view)
        if view.public.phase == "passing":
            assert len(set(hint.cards)) == 3
            assert set(hint.cards) <= set(view.own.hand)
        else:
            (card,) = hint.cards
            assert card in view.own.legal
            if hint.reason is Reason.SHED_QUEEN:
                assert card == card_text(QUEEN_OF_SPADES)
        reasons[hint.reason] += 1

    deal = kitchen.deal(Options(aids=True), 1, "hints")
    assert kitchen.play([RulePlayer()] * 4, deal, "hints", ask).over
    assert reasons[Reason.PASS] == 4
    assert len(reasons) >= 5


def test_the_same_view_gives_the_same_hint(kitchen: Kitchen) -> None:
    deal = kitchen.deal(Options(aids=True), 4, "same hint")
    assert deal.turn is not None
    deal = deal.play(0)
    assert deal.turn is not None
    view = view_of(deal, deal.turn)
    assert hint_for(view) == hint_for(view)


def test_without_a_question_there_is_no_hint(kitchen: Kitchen) -> None:
    deal = kitchen.deal(Options(aids=True), 4, "no hint")
    assert deal.turn is not None
    with pytest.raises(BotError) as caught:
        hint_for(view_of(deal, (deal.turn + 1) % 4))
    assert caught.value.code == "nothing-to-choose"


def test_the_only_card_needs_no_thought(kitchen: Kitchen) -> None:
    deal = kitchen.deal(Options(aids=True), 4, "only")
    assert deal.turn is not None
    assert hint_for(view_of(deal, deal.turn)) == Hint(("2C",), Reason.ONLY_CARD)
