"""Help lists the keys of the place it was opened in, and those keys work from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from hearts_client.full.intents import Intent, Want
from hearts_client.full.keys import rows_for
from hearts_client.full.layout import Size
from hearts_client.full.model import Page, Where, explained, where
from hearts_client.full.screens.draw import draw
from hearts_client.full.steps import press, press_listed
from hearts_client.settings import ClientSettings
from hearts_client.testing.screens import SCREENS

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
    assert "by number; again: not" in table.text()
    assert "again: play" not in table.text()


def test_help_opens_everywhere_and_closes_to_where_it_was() -> None:
    for name, case in SCREENS.items():
        model, now = case(ClientSettings(name="Asha"))
        if where(model, now) in (Where.FIELD, Where.ENDED) or model.page is Page.HELP:
            continue
        opened, _ = press(model, Intent(Want.HELP), now)
        assert opened.page is Page.HELP, name
        row = draw(opened, Size(80, 24), now).text().splitlines()[-1]
        assert "? help" in row, name
        closed, _ = press(opened, Intent(Want.HELP), now)
        assert (closed.page, closed.choice, closed.draft) == (
            model.page,
            model.choice,
            model.draft,
        ), name


@pytest.mark.parametrize("ascii_only", [False, True])
def test_help_is_one_page_at_the_usual_size(ascii_only: bool) -> None:
    for name, case in SCREENS.items():
        model, now = case(ClientSettings(name="Asha", ascii=ascii_only, preselect=True))
        if where(model, now) in (Where.FIELD, Where.ENDED) or model.page is Page.HELP:
            continue
        opened, _ = press(model, Intent(Want.HELP), now)
        screen = draw(opened, Size(80, 24), now)
        assert screen.furthest == 0, name
        assert "…" not in "".join(screen.text().splitlines()[3:21]), name
        for row in rows_for(where(explained(opened), now), watching=opened.watches):
            assert " ".join(row.help.split()[:2]) in screen.text(), (name, row.help)


def test_help_in_a_form_lists_the_keys_of_the_form(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    table.press(Want.SETTINGS, Want.DOWN, Want.HELP)
    assert "change this line" in table.text()
    listed = press_listed(table.model, "right", table.now)
    assert listed is not None
    assert listed[0].page is Page.SETTINGS
    table.press(Want.BACK)
    assert (table.model.page, table.model.choice) == (Page.SETTINGS, 1)


def test_help_lists_for_a_watcher_only_what_a_watcher_can_do(sitting: Sit) -> None:
    for until in ("lobby", "passing", "playing"):
        table = sitting(me=None)
        if until == "lobby":
            table.lobby()
            view = table.model.table.view
            table.hear(msgspec.structs.replace(view, seq=view.seq + 1, role="watcher", may=[]))
        elif until == "passing":
            table.step()
        else:
            table.until_my_turn(trick=2)
        table.press(Want.HELP)
        place = where(explained(table.model), table.now)
        everything = {row.intent.want: row.help for row in rows_for(place)}
        listed = {row.intent.want for row in rows_for(place, watching=True)}
        text = table.text()
        assert listed >= {Want.SCORES, Want.LOG, Want.HELP, Want.LEAVE}
        for want, words in everything.items():
            assert (" ".join(words.split()[:3]) in text) is (want in listed), (until, words)
        table.press(Want.HELP)
        for want in everything.keys() - listed:
            assert table.press(want) == []
            assert "You are watching" in table.model.notice.text, want
