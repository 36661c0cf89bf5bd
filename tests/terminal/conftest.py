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

DEADLINE = 30.0
RUNNER = """
import json, os, signal, subprocess, sys
where, command = sys.argv[1], sys.argv[2:]
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGQUIT, signal.SIG_IGN)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
def default():
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
def stty():
    return subprocess.run(["stty", "-a"], capture_output=True, text=True, check=True).stdout
before = stty()
child = subprocess.Popen(command, preexec_fn=default)
with open(where + "/pid", "w") as file:
    file.write(str(child.pid))
code = child.wait()
with open(where + "/result.tmp", "w") as file:
    json.dump({"code": code, "before": before, "after": stty()}, file)
os.rename(where + "/result.tmp", where + "/result")
"""
"""Runs the command as a shell would, and keeps how the terminal was set before and after."""


class Terminal:
    """A person's terminal with the program in it."""

    def __init__(self, folder: Path, arguments: list[str], columns: int, rows: int) -> None:
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
        }
        for name in ("NO_COLOR", "LANGUAGE"):
            environment.pop(name, None)
        self.child = pexpect.spawn(
            sys.executable,
            ["-c", RUNNER, str(folder), sys.executable, "-m", "hearts_client", *arguments],
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

    def resize(self, columns: int, rows: int) -> None:
        self.screen.resize(rows, columns)
        self.child.setwinsize(rows, columns)

    def kill(self, number: signal.Signals) -> None:
        os.kill(int((self.folder / "pid").read_text()), number)

    def result(self) -> dict[str, Any]:
        """Wait for the program's end; give its exit code and how the terminal was set."""
        path = self.folder / "result"
        self.until_so(path.exists)
        self.read(0.2)
        result = json.loads(path.read_text())
        assert isinstance(result, dict)
        return result


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    """Open terminals with the program in them; they are closed at the end."""
    opened: list[Terminal] = []

    def open_one(*arguments: str, columns: int = 80, rows: int = 24) -> Terminal:
        folder = tmp_path / str(len(opened))
        folder.mkdir()
        opened.append(Terminal(folder, list(arguments), columns, rows))
        return opened[-1]

    yield open_one
    for one in opened:
        if not (one.folder / "result").exists() and (one.folder / "pid").exists():
            one.kill(signal.SIGKILL)
            one.result()
        one.child.close(force=True)
