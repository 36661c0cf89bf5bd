"""The real command in a pseudo-terminal, its screen read by pyte."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pexpect
import pyte
import pytest

from hearts_net.testing.leftovers import stop_leftovers

DEADLINE = 30.0
RUNNER = """
import json, os, signal, subprocess, sys, time
where, command = sys.argv[1], sys.argv[2:]
ignored = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTTOU)
for number in ignored:
    signal.signal(number, signal.SIG_IGN)
def begin():
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpid())
    for number in ignored:
        signal.signal(number, signal.SIG_DFL)
def stty():
    return subprocess.run(["stty", "-a"], capture_output=True, text=True, check=True).stdout
def tell(name, what):
    with open(where + "/" + name + ".tmp", "w") as file:
        json.dump(what, file)
    os.rename(where + "/" + name + ".tmp", where + "/" + name)
before = stty()
child = subprocess.Popen(command, preexec_fn=begin)
tell("pid", child.pid)
while True:
    _, status = os.waitpid(child.pid, os.WUNTRACED)
    os.tcsetpgrp(0, os.getpgrp())
    if not os.WIFSTOPPED(status):
        break
    tell("stopped", {"before": before, "after": stty()})
    while not os.path.exists(where + "/go-on"):
        time.sleep(0.02)
    os.unlink(where + "/go-on")
    os.unlink(where + "/stopped")
    os.tcsetpgrp(0, child.pid)
    os.killpg(child.pid, signal.SIGCONT)
code = os.waitstatus_to_exitcode(status)
tell("result", {"code": code, "before": before, "after": stty()})
"""
"""Runs the command as a shell with job control would; keeps how the terminal was set around it."""
MAIN = "import sys; from hearts_client.__main__ import main; sys.exit(main(sys.argv[1:]))"


class Terminal:
    """A person's terminal with the program in it."""

    def __init__(
        self,
        folder: Path,
        arguments: list[str],
        columns: int,
        rows: int,
        broken: str,
        **changes: str,
    ) -> None:
        self.folder = folder
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        environment = {
            **os.environ,
            "HEARTS_NET_HOME": str(folder / "home"),
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "HEARTS_NET_NAME": "Asha",
            **changes,
        }
        for name in ("NO_COLOR", "LANGUAGE", "COLORFGBG"):
            environment.pop(name, None)
        self.child = pexpect.spawn(
            sys.executable,
            ["-c", RUNNER, str(folder), sys.executable, "-c", f"{broken}\n{MAIN}", *arguments],
            env=environment,
            dimensions=(rows, columns),
            timeout=DEADLINE,
        )

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display)

    def read(self, seconds: float = 0.05) -> None:
        """Take in what the program writes within so long."""
        try:
            data = self.child.read_nonblocking(65536, timeout=seconds)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return
        self.raw += data
        self.stream.feed(data)

    def rest(self, seconds: float) -> None:
        """Type nothing for so long."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.read(0.05)

    def until_so(self, condition: Callable[[], bool], within: float = DEADLINE) -> None:
        deadline = time.monotonic() + within
        while not condition():
            assert time.monotonic() < deadline, self.text()
            ended = (self.folder / "result").exists()
            self.read()
            assert not ended or condition(), self.text()

    def until(self, *words: str, without: str = "") -> None:
        """Wait until all these words are on the screen."""

        def shown() -> bool:
            text = self.text()
            return all(word in text for word in words) and not (without and without in text)

        self.until_so(shown)

    def type(self, keys: str, *words: str, without: str = "") -> None:
        self.child.send(keys)
        if words:
            self.until(*words, without=without)

    def pour(self, keys: str) -> None:
        """Write many keys as fast as the program takes them, and take in what it writes."""
        left = keys.encode()
        os.set_blocking(self.child.child_fd, False)
        try:
            while left:
                try:
                    left = left[os.write(self.child.child_fd, left[:4096]) :]
                except BlockingIOError:
                    self.read(0.01)
        finally:
            os.set_blocking(self.child.child_fd, True)

    def resize(self, columns: int, rows: int) -> None:
        self.screen.resize(rows, columns)
        self.child.setwinsize(rows, columns)

    def kill(self, number: signal.Signals) -> None:
        os.kill(int((self.folder / "pid").read_text()), number)

    def when_stopped(self) -> dict[str, Any]:
        """Wait until the program has been stopped; tell how the terminal is set then."""
        return self._told("stopped")

    def go_on(self) -> None:
        """Have the stopped program go on in the foreground."""
        (self.folder / "go-on").touch()

    def leftovers(self) -> list[str]:
        """List the commands of all processes that have to do with this home."""
        found = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = path.read_bytes().decode(errors="replace").replace("\0", " ")
            except OSError:  # it has ended meanwhile
                continue
            if str(self.folder / "home") in words:
                found.append(words)
        return found

    def result(self) -> dict[str, Any]:
        """Wait for the program's end; give its exit code, and whether the terminal is as it was."""
        result = self._told("result")
        self.read(0.2)
        return {**result, "restored": result["before"] == result["after"]}

    def leave(self) -> dict[str, Any]:
        """Say yes to leaving, which ends the program in order; give what :meth:`result` does."""
        self.type("y")
        result = self.result()
        assert result["restored"]
        assert result["code"] == 0
        return result

    def _told(self, name: str) -> dict[str, Any]:
        path = self.folder / name
        self.until_so(path.exists)
        told = json.loads(path.read_text())
        assert isinstance(told, dict)
        return told


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    """Open terminals with the program in them; they are closed at the end."""
    opened: list[Terminal] = []

    def open_one(
        *arguments: str, columns: int = 80, rows: int = 24, broken: str = "", **changes: str
    ) -> Terminal:
        """``broken`` is Python that breaks something first, ``changes`` go to the environment."""
        folder = tmp_path / str(len(opened))
        folder.mkdir()
        opened.append(Terminal(folder, list(arguments), columns, rows, broken, **changes))
        return opened[-1]

    yield open_one
    for one in opened:
        if not (one.folder / "result").exists() and (one.folder / "pid").exists():
            one.kill(signal.SIGKILL)
            one.go_on()
            one.result()
            stop_leftovers(one.folder / "home" / "state" / "tables")
        one.child.close(force=True)


@pytest.fixture
def in_game(terminal: Callable[..., Terminal]) -> Callable[..., Terminal]:
    """Open terminals in which a game has begun and three cards are to be passed."""

    def open_one(**changes: str) -> Terminal:
        at = terminal("play", "--speed", "0", **changes)
        at.until("PASS 3 LEFT", "0 of 3 marked", "Space mark")
        return at

    return open_one
