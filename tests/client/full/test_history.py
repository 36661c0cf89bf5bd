"""The page of every trick: this deal's and those before it, fetched where they are not known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hearts_client.full.intents import Want
from hearts_client.full.model import FetchPage, Page
from hearts_client.past import Past
from hearts_client.speech import Style, card_name
from hearts_client.testing.sitting import Sitting
from hearts_net.protocol import messages as m
from hearts_net.protocol import peer_session as news
from hearts_net.protocol.limits import PAGE


def late(deals: int = 1, trick: int = 4) -> Sitting:
    table = Sitting().until(lambda at: len(at.game.results) == deals).until_my_turn(trick)
    table.now += 2000
    return table


def test_it_is_scrolled_to_the_deals_before() -> None:
    table = late(deals=2)
    table.press(Want.HISTORY)
    assert "Deal 3, passed across" in table.text()
    table.press(Want.LAST)
    assert "Deal 1, passed to the left" in table.text(80, 30)


def answer(table: Sitting, log: list[m.AnyEvent], effects: list[Any]) -> list[Any]:
    """Answer what is asked for from a host's log; give what is asked for next."""
    asked: list[Any] = []
    for effect in effects:
        assert isinstance(effect, FetchPage)
        page = [event for event in log if event.n > effect.after][:PAGE]
        table.effects.clear()
        table.told(news.LogArrived(m.LogPage(page, bool(page and page[-1] is not log[-1]))))
        asked += table.effects
    return asked


def test_who_came_late_has_it_fetched_while_the_page_is_open() -> None:
    table = late(deals=2)
    whole = table.model.table.past
    log = [*table.model.table.log]
    assert log[0].n == 1
    table.model = replace(table.model, table=replace(table.model.table, past=Past()))
    asked = table.press(Want.HISTORY)
    assert asked == [FetchPage("log", log[-1].n - PAGE)]
    assert "being fetched" in table.text()
    pages = 0
    while asked:
        asked = answer(table, log, asked)
        pages += 1
    assert pages == -(-len(log) // PAGE)
    assert table.model.table.past.events == whole.events
    table.press(Want.LAST)
    assert "being fetched" not in table.text()


def test_a_closed_page_asks_for_nothing_more() -> None:
    table = late(deals=2)
    log = [*table.model.table.log]
    table.model = replace(table.model, table=replace(table.model.table, past=Past()))
    asked = table.press(Want.HISTORY)
    table.press(Want.BACK)
    assert table.model.page is None
    assert answer(table, log, asked) == []


def test_the_page_is_there_before_any_trick() -> None:
    table = Sitting()
    table.step()
    table.press(Want.HISTORY)
    assert table.model.page is Page.HISTORY
    assert "Deal 1, passed to the left" in table.text()


def test_what_was_passed_is_shown_for_the_whole_deal_and_not_after_it() -> None:
    table = Sitting().until_my_turn(trick=1)
    received = table.model.table.received
    assert len(received) == 3
    table.until_my_turn(trick=9)
    assert table.model.table.view is not None
    assert table.model.table.view.own is not None
    table.own_changes = {"received": []}
    table.show()
    table.press(Want.HISTORY)
    shown = table.text().split("\n")
    got = next(line for line in shown if "You received:" in line)
    for card in received:
        assert card_name(card, Style.SYMBOLS) in got
    assert any("You passed on:" in line for line in shown)
    table.until(lambda at: at.game.number == 2)
    assert table.model.table.received == ()
