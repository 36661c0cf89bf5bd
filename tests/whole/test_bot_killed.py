"""Four bot processes; one is killed in the middle of a deal, comes back, and nobody is replaced."""

from __future__ import annotations

import contextlib
import json
import signal
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.whole.conftest import Players

NAMES = ("Asha", "Bram", "Chloe", "Dewi")


def cards_played(home: Path) -> int:
    """Count the cards in the store, reading beside the host."""
    (path,) = home.rglob("table.sqlite3")
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as store:
        bodies = store.execute("SELECT body FROM entries").fetchall()
    facts = [fact for (body,) in bodies for fact in json.loads(body)["facts"]]
    return sum(fact["fact"] == "played" for fact in facts)


@pytest.mark.timeout(120)
def test_a_killed_bot_comes_back_to_its_own_seat(
    players: Players, record: Callable[[str], list[dict[str, Any]]]
) -> None:
    host, table = players.host("--bots", "0", "--set", "target=50", "--exit-when-done")
    invite = table["invite"]
    bots = {
        name: players.start(name, "bot", invite, "--name", name, "--profile", "evening")
        for name in NAMES
    }
    deadline = time.monotonic() + 30
    while cards_played(players.home("host")) < 60:  # in the middle of the second deal
        assert time.monotonic() < deadline, players.said("host")
        time.sleep(0.005)

    bots["Bram"].send_signal(signal.SIGKILL)
    bots["Bram"].wait()
    bots["Bram"] = players.start("Bram", "bot", invite, "--name", "Bram", "--profile", "evening")

    assert host.wait(timeout=60) == 0, players.said("host")
    assert {name: bot.wait(timeout=10) for name, bot in bots.items()} == dict.fromkeys(NAMES, 0)

    lines = record(players.run("host", "export", "--last").stdout)
    assert sorted(player["name"] for player in lines[0]["players"]) == sorted(NAMES)
    assert lines[-1]["kind"] == "game-end"
    assert not any(line.get("by") == "bot" for line in lines), "a deputy played"
