"""Two people who know nothing but the lines host, join, chat, play a game and look back on it.

Every move follows from what was told and from nothing else, as with a screen reader.
"""

from __future__ import annotations

import json
import re
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.whole.conftest import Players

WITHIN = 240.0
MOST_HEARD = 2000
"""Cards that a game takes at most, and some."""


class Listener:
    """Somebody who hears lines and types others."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: list[str] = []
        self.hand: list[str] = []
        self._read = 0
        self._reader = threading.Thread(target=self._hear, daemon=True)
        self._reader.start()

    def _hear(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    def next(self, wanted: Callable[[str], object], within: float = WITHIN) -> str:
        """Hear on up to a line."""
        deadline = time.monotonic() + within
        while True:
            while self._read < len(self.lines):
                line = self.lines[self._read]
                self._read += 1
                if found := re.fullmatch(r"Your hand: (.*)\.", line):
                    self.hand = cards_in(found[1])
                if wanted(line):
                    return line
            assert time.monotonic() < deadline, self.lines[-12:]
            assert self.process.poll() is None or self._reader.is_alive(), self.lines[-12:]
            time.sleep(0.01)

    def type(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def ask(self, question: str, pattern: str) -> str:
        """Type a question and hear up to the line that answers it."""
        self.type(question)
        return self.next(lambda line: re.search(pattern, line), 30)

    def play(self) -> None:
        """Answer every prompt until the game is over."""
        legal: list[str] = []
        for _ in range(MOST_HEARD):
            line = self.next(lambda line: line.endswith(">") or "You may play: " in line)
            if found := re.search(r"You may play: (.*)\.", line):
                legal = choices_in(found[1])
                continue
            match line:
                case "pass>":
                    self.type(", ".join(self.hand[:3]))
                case "play>":
                    self.type(legal[0])
                case "moon>":
                    self.type("moon others")
                case "next>":
                    self.type("next")
                case "again>":
                    return
        raise AssertionError("the game does not end")


def cards_in(hand: str) -> list[str]:
    """Read `clubs 3 5; hearts ace` as cards."""
    return [
        f"{rank} of {group.split()[0]}" for group in hand.split("; ") for rank in group.split()[1:]
    ]


def choices_in(words: str) -> list[str]:
    """Read `3 or 5 of clubs; ace of hearts` as cards."""
    return [
        f"{rank} of {group.rsplit(' of ', 1)[1]}"
        for group in words.split("; ")
        for rank in re.split(", | or ", group.rsplit(" of ", 1)[0])
    ]


@pytest.mark.long
@pytest.mark.timeout(300)
def test_a_game_is_hosted_joined_played_and_looked_back_on_by_ear(
    players: Players, tmp_path: Path
) -> None:
    ria = Listener(
        players.start(
            "Ria",
            "host",
            "--plain",
            "--name",
            "Ria",
            "--table",
            "attic",
            "--port",
            "0",
            "--pause",
            "0",
        )
    )
    invite = ria.next(lambda line: "hearts://" in line).rsplit(" ", 1)[1]
    ria.ask("set target=1", r"the game ends at 1 point")
    ria.ask("bots easy", "takes seat 4")
    ria.ask("remove 2", "leaves seat 2")
    sam = Listener(players.start("Sam", "join", "--plain", "--name", "Sam", invite))
    sam.ask("rules", r"ends at 1 point")
    ria.next(lambda line: "Sam" in line)
    sam.ask("seats", r"Ria, the host's player")
    sam.type("say hello by ear")
    ria.next(lambda line: line == "Sam says: hello by ear")
    ria.type("say welcome")
    sam.next(lambda line: line == "Ria says: welcome")
    ria.type("ready")
    sam.type("ready")
    playing = [threading.Thread(target=each.play, daemon=True) for each in (ria, sam)]
    for thread in playing:
        thread.start()
    for thread in playing:
        thread.join(WITHIN)
        assert not thread.is_alive(), "\n".join([*ria.lines, "", *sam.lines])
    for each in (ria, sam):
        over = [line for line in each.lines if line.startswith("The game is over")]
        assert len(over) == 1
        totals = re.search(r"Totals: (.*)\.", each.ask("deals", r"^Totals: "))
        assert totals is not None
        assert each.ask("tricks 1", r"^Trick 1: ")
        assert each.ask("last", r"^Trick \d+: ")
        assert each.ask("log 3", r"game is over")
        assert each.ask("score", r"^Totals: ")
    sam.type("quit")
    assert sam.process.wait(20) == 0
    assert ria.ask("close", r"[Tt]able has ended")
    assert ria.process.wait(20) == 0
    record = tmp_path / "game.hearts.jsonl"
    assert players.run("Ria", "export", "--last", "--out", str(record)).returncode == 0
    kinds = [json.loads(line)["kind"] for line in record.read_text().splitlines()]
    assert kinds[-1] == "game-end"
    told = [line for line in ria.lines if re.search(r"(plays?|leads?) (\w+) of \w+", line)]
    assert len(told) >= kinds.count("play")
    assert players.run("Ria", "check", str(record)).returncode == 0
