"""One full-screen client, one plain client and two bots, four processes, play a whole game.

The store, the exported record and both screens must agree on every deal and on the winner.
"""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pexpect
import pyte
import pytest

if TYPE_CHECKING:
    from tests.whole.conftest import Players

COLUMNS, LINES = 80, 24
NAMES = ("Fern", "Pia", "Bo", "Bim")  # full screen, plain, two bots
GUARD = 0.3
"""Seconds that a person takes at least; a key that comes sooner after the turn is dropped."""
RANKS = {"jack": "j", "queen": "q", "king": "k", "ace": "a"}


class FullScreen:
    """A person at a terminal: looks at the screen and presses keys."""

    def __init__(self, players: Players, *arguments: str) -> None:
        self.screen = pyte.Screen(COLUMNS, LINES)
        self.deals: dict[int, tuple[int, ...]] = {}
        self.names: tuple[str, ...] = ()
        self.winner = ""
        self._stream = pyte.Stream(self.screen)
        self._child: pexpect.spawn[str] = pexpect.spawn(
            sys.executable,
            ["-m", "hearts_client", *arguments],
            env={**players.environment("Fern"), "TERM": "xterm-256color"},
            dimensions=(LINES, COLUMNS),
            encoding="utf-8",
        )

    @property
    def text(self) -> str:
        """What is on the screen."""
        return "\n".join(self.screen.display)

    def look(self) -> None:
        """Read what is drawn within a tenth of a second, if anything is."""
        with contextlib.suppress(pexpect.TIMEOUT):
            self._stream.feed(self._child.read_nonblocking(65536, timeout=0.1))

    def press(self, keys: str) -> None:
        """Press keys and wait until the screen has changed (2 s at most)."""
        before = self.text
        self._child.send(keys)
        deadline = time.monotonic() + 2
        while self.text == before and time.monotonic() < deadline:
            self.look()

    def note_sheet(self) -> None:
        """Take the score sheet off the screen, where it is shown."""
        header = re.search(r"^ +Deal +(\S+) +(\S+) +(\S+) +([^\s│]+)", self.text, re.MULTILINE)
        if not header:
            return
        self.names = header.groups()
        for number, row in re.findall(
            r"^ +(\d+)((?: +-?\d+★?){4}) *(?:│|$)", self.text, re.MULTILINE
        ):
            self.deals[int(number)] = tuple(int(cell) for cell in re.findall(r"-?\d+", row))

    def play(self, deadline: float) -> None:
        """Play to the end of the game, the first cards that may be passed or played."""
        asked = 0.0
        while not self.winner:
            assert time.monotonic() < deadline, self.text
            self.look()
            self.note_sheet()
            won = re.search(r"(\S+) wins? the game", self.text)
            marked = re.search(r"PASS 3 .*: (\d) of 3 marked", self.text)
            if won:
                self.winner = won.group(1)
                self.see_last_deal(deadline)
            elif marked:
                self.press("\r" if marked.group(1) == "3" else " \x1b[C")
            elif "YOUR TURN" in self.text:
                asked = asked or time.monotonic()
                if time.monotonic() > asked + GUARD:
                    self.press("1\r")
                    asked = 0.0
            elif "Enter: next deal" in self.text or re.search(r"\(you\).*not ready", self.text):
                self.press("\r")

    def see_last_deal(self, deadline: float) -> None:
        """Open the sheet, since the end of a game shows the totals alone."""
        self.press("\t")
        while "Score sheet" not in self.text:
            assert time.monotonic() < deadline, self.text
            self.look()
        self.note_sheet()

    def leave(self) -> int:
        """Leave the table, which has ended, and give the exit code."""
        deadline = time.monotonic() + 10
        with contextlib.suppress(pexpect.EOF):
            while "Leave the table" not in self.text:
                assert time.monotonic() < deadline, self.text
                self.press("q")
            self.press("y")
            while time.monotonic() < deadline:
                self.look()
        self._child.close()
        assert self._child.exitstatus is not None, self._child.signalstatus
        return int(self._child.exitstatus)


class Plain:
    """A script that answers the plain client's prompts."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._in = process.stdin
        self._out = process.stdout
        self.lines: list[str] = []
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._thread.start()

    def _play(self) -> None:
        hand: list[str] = []
        legal = ""
        for raw in self._out:
            line = raw.rstrip("\n")
            self.lines.append(line)
            if said := re.search(r"Your hand: (.*)\.", line):
                hand = cards_of(said.group(1))
            if said := re.search(r"You may play: (.*)\.", line):
                legal = said.group(1)
            answer = {
                "ready>": "ready",
                "next>": "next",
                "pass>": " ".join(hand[:3]),
                "play>": first_choice(legal),
            }.get(line)
            if answer:
                with contextlib.suppress(BrokenPipeError):
                    self._in.write(answer + "\n")
                    self._in.flush()

    def finish(self) -> int:
        """Wait for its end, and give the exit code."""
        code = self._process.wait(timeout=20)
        self._thread.join(timeout=5)
        return code


def cards_of(spoken: str) -> list[str]:
    """Read ``clubs 5 queen; hearts ace`` as typed cards."""
    cards = []
    for part in spoken.split("; "):
        suit, *ranks = part.split()
        cards += [f"{RANKS.get(rank, rank)}{suit[0]}" for rank in ranks]
    return cards


def first_choice(spoken: str) -> str:
    """Read the first card of ``5, 9 or ace of hearts; 2 of spades``."""
    said = re.match(r"(\w+)(?:,? \w+)*? of (\w+)", spoken)
    return f"{RANKS.get(said.group(1), said.group(1))}{said.group(2)[0]}" if said else ""


@pytest.mark.timeout(240)
def test_four_processes_finish_a_game_and_agree(
    players: Players, record: Callable[[str], list[dict[str, Any]]]
) -> None:
    host, table = players.host("--bots", "0", "--set", "target=50", "--exit-when-done")
    invite = table["invite"]
    plain = Plain(players.start("Pia", "join", invite, "--name", "Pia", "--plain"))
    bots = [
        players.start(name, "bot", invite, "--name", name, "--pause", "0") for name in NAMES[2:]
    ]
    full = FullScreen(players, "join", invite, "--name", "Fern", "--speed", "0")
    full.play(time.monotonic() + 200)

    assert host.wait(timeout=30) == 0, players.said("host")
    assert full.leave() == 0
    assert plain.finish() == 0, players.said("Pia")
    assert [bot.wait(timeout=10) for bot in bots] == [0, 0]

    lines = record(players.run("host", "export", "--last").stdout)
    names = [player["name"] for player in lines[0]["players"]]
    assert sorted(names) == sorted(NAMES)
    ends = [line for line in lines if line["kind"] == "deal-end"]
    winner = names[lines[-1]["winner"]]

    # the full screen's sheet, its columns put in the order of the seats
    columns = [full.names.index("You" if name == "Fern" else name) for name in names]
    shown = {deal: [row[column] for column in columns] for deal, row in full.deals.items()}
    assert shown == {end["deal"]: end["points"] for end in ends}
    assert full.winner == ("You" if winner == "Fern" else winner)

    # the plain client's sentences
    told = {}
    for line in plain.lines:
        if said := re.search(r"Deal (\d+) is over\. Points: (.*)\. Totals", line):
            points = dict(part.rsplit(" ", 1) for part in said.group(2).split(", "))
            told[int(said.group(1))] = [
                int(points["you" if name == "Pia" else name]) for name in names
            ]
    assert told == {end["deal"]: end["points"] for end in ends}
    over = next(line for line in plain.lines if "The game is over" in line)
    assert ("you win" if winner == "Pia" else f"{winner} wins") in over
