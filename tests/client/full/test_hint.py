"""The key h: a hint where the table is played with aids, and why not where it is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hearts_client.full.at_hand import with_hint
from hearts_client.full.intents import Want
from hearts_client.full.model import ThinkOfHint
from hearts_net.bots.hint import hint_for
from hearts_net.rules.options import Options

Sit = Callable[..., Any]


def test_without_aids_there_are_no_hints(sitting: Sit) -> None:
    table = sitting().until_my_turn(2)
    assert table.press(Want.HINT) == []
    assert "without aids" in table.text()


def test_a_hint_is_worked_out_and_shown(sitting: Sit) -> None:
    table = sitting(options=Options(aids=True)).until_my_turn(2)
    (effect,) = table.press(Want.HINT)
    assert isinstance(effect, ThinkOfHint)
    hint = hint_for(effect.view)
    table.model = with_hint(table.model, effect.view, hint)
    assert table.model.chosen == hint.cards[0]
    assert "Hint:" in table.text()


def test_a_hint_that_comes_too_late_is_not_shown(sitting: Sit) -> None:
    table = sitting(options=Options(aids=True)).until_my_turn(2)
    (effect,) = table.press(Want.HINT)
    hint = hint_for(effect.view)
    table.until_my_turn(3)
    table.model = with_hint(table.model, effect.view, hint)
    assert "Hint:" not in table.text()
