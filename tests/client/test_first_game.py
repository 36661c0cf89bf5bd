"""A first game teaches, in both clients, and only until it is over or switched off."""

from __future__ import annotations

import io
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hearts_client.full.intents import Want
from hearts_client.full.model import GameOver
from hearts_client.plain import PlainClient, PlainManner
from hearts_client.plain_output import LineWriter
from hearts_client.preferences import Preferences
from hearts_client.settings import ClientSettings
from hearts_client.teaching import lesson
from hearts_client.testing.sitting import Sitting
from hearts_net.peer.home import find_home
from hearts_net.protocol.messages import AnyAct, View
from hearts_net.protocol.peer_outputs import LinkChanged, NewView
from hearts_net.protocol.peer_states import LinkState
from hearts_net.rules.options import Options

FIRST = ClientSettings(name="Asha", first_game=True)


@pytest.fixture
def preferences(tmp_path: Path) -> Preferences:
    return Preferences(find_home({"HEARTS_NET_HOME": str(tmp_path)}))


# ---- the full screen -----------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (60, 18), (40, 12)])
def test_the_lesson_is_on_the_screen_while_nothing_else_is_said(size: tuple[int, int]) -> None:
    table = Sitting(settings=FIRST).until_my_turn(trick=3)
    table.now += 2000
    words = "You lead: any card"
    assert words in " ".join(table.text(*size).split())
    table.press(Want.BELL)
    assert words not in table.text(*size)


def test_how_to_switch_it_off_is_said_once_at_the_start() -> None:
    table = Sitting(settings=FIRST)
    table.step()
    text = " ".join(table.text().split())
    assert "A heart costs 1 point, Q♠ 13." in text
    assert "hints off" in text


def test_without_hints_nothing_is_taught() -> None:
    table = Sitting().until_my_turn(trick=3)
    table.now += 2000
    assert "You lead: any card" not in table.text()


def test_the_first_game_ends_with_its_hints_and_is_remembered() -> None:
    table = Sitting(settings=FIRST, options=Options(target=10))
    table.until(lambda at: at.game.winner is not None)
    assert table.effects.count(GameOver()) == 1
    assert not table.model.settings.explains
    wished = ClientSettings(name="Asha", hints=True)
    table = Sitting(settings=wished, options=Options(target=10))
    table.until(lambda at: at.game.winner is not None)
    assert table.model.settings.explains


# ---- plain words ---------------------------------------------------------------------------------


class Seat:
    """A plain client at a table of :class:`Sitting`."""

    def __init__(self, table: Sitting, manner: PlainManner, preferences: Preferences) -> None:
        self.table = table
        self.out = io.StringIO()
        writer = LineWriter(self.out, terminal=False)
        self.client = PlainClient(writer, manner, lambda: table.now, preferences)
        self.client.attach(Link())
        self.client.on_event(NewView(self._view(), False))
        self.client.on_event(LinkChanged(LinkState.LIVE, 0))

    def _view(self) -> View:
        view = self.table.model.table.view
        assert view is not None
        return view

    def until(self, reached: Callable[[Sitting], bool]) -> None:
        while not reached(self.table):
            self.table.step()
            self.client.on_event(NewView(self._view(), False))

    def told(self) -> str:
        text = self.out.getvalue()
        self.out.seek(0)
        self.out.truncate()
        return text


class Link:
    """Sends nothing: these tests only listen."""

    async def run(self) -> None:
        """Not run here."""

    def do(self, act: AnyAct) -> int:
        raise AssertionError(act)

    def give_code(self, text: str) -> None:
        raise AssertionError(text)

    def fetch(self, what: str, after: int) -> None:
        """What is missing stays so."""

    def leave(self) -> None:
        """Nobody is told."""


def my_turn(at: Any) -> bool:
    return bool(at.game.phase == "playing" and at.game.deal.turn == 0)


def test_a_plain_client_says_why_with_each_question(preferences: Preferences) -> None:
    table = Sitting()
    table.step()
    seat = Seat(table, PlainManner(explains=True), preferences)
    assert "A heart costs 1 point, queen of spades 13." in seat.told()
    seat.until(my_turn)
    view = table.model.table.view
    assert lesson(view, PlainManner().style) in seat.told()


def test_hints_are_switched_off_for_good_and_on_again(
    preferences: Preferences, tmp_path: Path
) -> None:
    table = Sitting()
    table.step()
    seat = Seat(table, PlainManner(explains=True), preferences)
    seat.told()
    seat.client.type_line("hints")
    assert "hints on, or hints off" in seat.told()
    seat.client.type_line("hints off")
    assert "Hints off: " in seat.told()
    kept = tmp_path / "config" / "config.toml"
    assert tomllib.loads(kept.read_text()) == {"hints": False}
    seat.until(my_turn)
    words = lesson(table.model.table.view, PlainManner().style)
    assert words not in seat.told()
    seat.client.type_line("why")
    assert words in seat.told()
    seat.client.type_line("hints on")
    assert words in seat.told()
    assert tomllib.loads(kept.read_text()) == {"hints": True}


def test_a_plain_first_game_is_remembered_once_it_is_over(preferences: Preferences) -> None:
    table = Sitting(options=Options(target=10))
    table.step()
    seat = Seat(table, PlainManner(explains=True), preferences)
    assert preferences.is_first_game
    seat.until(lambda at: at.game.winner is not None)
    assert not preferences.is_first_game


def test_a_plain_game_ends_with_its_final_table(preferences: Preferences) -> None:
    table = Sitting(options=Options(target=10))
    table.step()
    seat = Seat(table, PlainManner(), preferences)
    seat.until(lambda at: at.game.winner is not None)
    seat.told()
    seat.client.type_line("score")
    said = seat.told()
    totals = sorted(table.game.totals)
    assert said.splitlines()[-2].startswith("Final table: 1. ")
    assert f"{totals[0]}; " in said
    assert "you " in said.splitlines()[-2]
