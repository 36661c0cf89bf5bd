"""Real processes: the command itself, each player in a home of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

COMMAND = (sys.executable, "-m", "hearts_client")


class Players:
    """Starts ``hearts-net`` processes, and sees that none outlives its test."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running: list[subprocess.Popen[str]] = []

    def home(self, player: str) -> Path:
        """Give a player's home; the same one each time."""
        return self._folder / player

    def environment(self, player: str) -> dict[str, str]:
        """Give the environment of a player's processes."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("HEARTS")}
        return {
            **kept,
            "HEARTS_NET_HOME": str(self.home(player)),
            "LANG": "C.UTF-8",
            "PYTHONUNBUFFERED": "1",
        }

    def start(self, player: str, *arguments: str) -> subprocess.Popen[str]:
        """Start a command with pipes to all three streams' places."""
        log = (self._folder / f"{player}.err").open("a")
        process = subprocess.Popen(
            [*COMMAND, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            encoding="utf-8",
            env=self.environment(player),
        )
        log.close()
        self._running.append(process)
        return process

    def run(self, player: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(
            [*COMMAND, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            env=self.environment(player),
            timeout=30,
            check=False,
        )

    def host(self, *arguments: str) -> tuple[subprocess.Popen[str], dict[str, Any]]:
        """Start a table in the foreground and read where it is."""
        process = self.start("host", "host", "--foreground", "--json", "--port", "0", *arguments)
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, self.said("host")
        return process, json.loads(line)

    def said(self, player: str) -> str:
        """Give what a player's processes have written to standard error."""
        return (self._folder / f"{player}.err").read_text(encoding="utf-8")

    def close(self) -> None:
        """End what still runs."""
        for process in self._running:
            process.kill()
            process.communicate()


@pytest.fixture
def players(tmp_path: Path) -> Iterator[Players]:
    """Give the starter of processes."""
    started = Players(tmp_path)
    yield started
    started.close()


@pytest.fixture
def record(tmp_path: Path) -> Callable[[str], list[dict[str, Any]]]:
    """Give what reads an exported record into its lines, after ``check`` has passed it."""

    def read(text: str) -> list[dict[str, Any]]:
        path = tmp_path / "game.hearts.jsonl"
        path.write_text(text, encoding="utf-8")
        checked = subprocess.run(
            [*COMMAND, "check", str(path)], capture_output=True, text=True, timeout=30, check=False
        )
        assert checked.returncode == 0, checked.stdout + checked.stderr
        return [json.loads(line) for line in text.splitlines()]

    return read
