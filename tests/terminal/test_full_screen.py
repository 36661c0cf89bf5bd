"""The full screen in a pseudo-terminal: whatever ends it, the terminal is as it was before."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")

Open = Callable[..., Any]
SWITCHED_BACK, SHOWN, HIDDEN = b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?25l"


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGTERM,
        pytest.param(signal.SIGHUP, marks=pytest.mark.long),
        pytest.param(signal.SIGQUIT, marks=pytest.mark.long),
    ],
)
def test_a_signal_restores_the_terminal(in_game: Open, number: signal.Signals) -> None:
    at = in_game()
    at.kill(number)
    result = at.result()
    assert result["restored"]
    assert result["code"] == 143
    assert "Traceback" not in at.text()
    if number != signal.SIGHUP:  # with which the terminal is gone
        assert "You have left the table." in at.text()


def test_ctrl_c_asks_and_leaving_restores_the_terminal(in_game: Open) -> None:
    at = in_game()
    at.type("\x03", "Leave the table in the middle of a deal?")
    at.type("n", "0 of 3 marked", without="Leave the table")
    at.type("\x03", "[ Stay ]")
    at.leave()
    left = at.raw.rindex(SWITCHED_BACK)
    assert SHOWN in at.raw[left:] or at.raw.rindex(SHOWN) > at.raw.rindex(HIDDEN)


def test_a_shrunk_window_recovers(in_game: Open) -> None:
    at = in_game()
    hand = at.screen.display[21]
    at.resize(20, 5)
    at.until("hearts-net needs", "40x12")
    at.resize(80, 24)
    at.until_so(lambda: at.screen.display[21] == hand)
    at.until("0 of 3 marked", "Your hand, 13 cards")
    at.resize(120, 40)
    at.until("┌───┐", "Your hand, 13 cards")
    at.resize(80, 24)
    at.type("qy")
    assert at.result()["restored"]


@pytest.mark.long
def test_an_idle_screen_writes_nothing(in_game: Open) -> None:
    at = in_game()
    at.until_so(lambda: at.text().count("has passed.") == 3)
    at.read(1.0)
    written = len(at.raw)
    at.read(2.5)
    assert len(at.raw) == written
    at.type("qy")
    assert at.result()["restored"]


def test_a_host_that_dies_is_told_and_left(in_game: Open) -> None:
    at = in_game()
    (running,) = (at.folder / "home").rglob("running.json")
    os.kill(json.loads(running.read_text())["pid"], signal.SIGKILL)
    at.until("RECONNECTING")
    at.type("q", "[ Stay ]")
    at.type("y")
    result = at.result()
    assert result["restored"]
    assert "Traceback" not in at.text()


@pytest.mark.long
def test_the_start_screen_opens_a_table_and_comes_back(terminal: Open) -> None:
    at = terminal()
    at.until("Good to see you, Asha.", "> Play now")
    at.type("\r", "PASS 3 LEFT")
    at.type("q", "[ Stay ]")
    at.type("y", "> Play now")
    at.type("q", "Leave hearts-net?")
    at.leave()


@pytest.mark.long
@pytest.mark.timeout(240)
def test_a_whole_deal_is_played(in_game: Open) -> None:
    at = in_game(HEARTS_NET_PAUSE="0")
    at.type("1", "1 of 3 marked")
    at.type("2", "2 of 3 marked")
    at.type("3", "3 of 3 marked")
    at.type("\r", "Trick 1/13")
    for held in range(13, 0, -1):
        at.until_so(lambda: "YOUR TURN" in at.text() or "Deal 1 is over." in at.text(), within=60)
        if "Deal 1 is over." in at.text():
            break
        fewer = f"Your hand, {held - 1} card" if held > 1 else "Deal 1 is over."
        while fewer not in at.text() and "Deal 1 is over." not in at.text():
            at.read(0.4)  # the time after which a key counts as meant for this turn
            at.type("\r")
            at.read(0.4)
    at.until("Deal 1 is over.", "Enter: next deal.")
    at.type("\r", "PASS 3 RIGHT")
    at.type("qy")
    assert at.result()["restored"]
