"""Help lists the keys of the place it was opened in, and those keys work from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hearts_client.full.intents import Want
from hearts_client.full.model import Page
from hearts_client.full.steps import press_listed

Sit = Callable[..., Any]


def test_a_listed_key_closes_help_and_does_what_it_says(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    assert press_listed(table.model, "l", table.now) is None
    table.press(Want.HELP)
    listed = press_listed(table.model, "l", table.now)
    assert listed is not None
    assert listed[0].page is Page.LAST_TRICK
    assert press_listed(table.model, "f5", table.now) is None
    table.press(Want.SCORES)
    assert press_listed(table.model, "l", table.now) is None


def test_help_while_passing_says_that_a_number_marks(sitting: Sit) -> None:
    table = sitting()
    table.step()
    table.press(Want.HELP)
    assert "mark a card by its number" in table.text()
    assert "pick a legal card" not in table.text()
    assert "pressed again plays it" not in table.text(80, 60)
