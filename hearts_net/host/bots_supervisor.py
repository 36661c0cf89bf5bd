"""The table's bots: one child process, told over its standard input who is to play where.

The host never thinks and never waits for thinking. A child that dies is started again, at once the
first time and then ever more patiently, and told everything anew. It ends with the host, since
its standard input does.
"""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hearts_net.host.fed import end_input, feed, start_fed

COMMAND: Final = (sys.executable, "-m", "hearts_net.bots")
_PATIENCE: Final = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0)
"""Seconds before the next start, by the number of quick deaths so far."""
_QUICK: Final = 30.0
"""A child that lived so long, in seconds, had not failed to start."""
_YOUNG: Final = 5.0
"""A child may say nothing for so long, in seconds, after its start."""
_GO: Final = 0.3
"""Seconds in which a child is to end when its input has."""

log = logging.getLogger(__name__)

Line = dict[str, str | int]


class BotsSupervisor:
    """Keeps the bots' process running while there are bots; made inside a running loop."""

    def __init__(
        self, control_port: int, host_key: str, log_file: Path, command: Sequence[str] = COMMAND
    ) -> None:
        self._where: Line = {"control": control_port, "key": host_key}
        self._log_file = log_file
        self._command = tuple(command)
        self._loop = asyncio.get_running_loop()
        self._wanted: dict[str, Line] = {}
        self._child: subprocess.Popen[bytes] | None = None
        self._started = 0.0
        self._deaths = 0
        self._restart: asyncio.TimerHandle | None = None
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The child's process id while it runs."""
        return None if self._child is None else self._child.pid

    def sit(self, seat: int, public: str, secret: str, name: str, level: str) -> None:
        """Have a bot with this key pair join and play ``seat``."""
        line: Line = {"do": "sit", "seat": seat, "name": name, "level": level}
        self._want(public, line | {"public": public, "secret": secret})

    def deputise(self, seat: int, public: str, secret: str, level: str) -> None:
        """Have a bot with this key pair play for the absent player of ``seat``."""
        line: Line = {"do": "deputy", "seat": seat, "level": level}
        self._want(public, line | {"public": public, "secret": secret})

    def dismiss(self, seat: int, public: str) -> None:
        """Have the bot with this key leave."""
        if self._wanted.pop(public, None) is not None and self._child is not None:
            self._tell({"do": "leave", "seat": seat, "public": public})

    def restart(self) -> None:
        """End a child that hangs; one that has only just been started is given its time."""
        child = self._child
        if child is None or time.monotonic() - self._started < _YOUNG:
            return
        log.warning("the bots' process hangs; it is ended")
        child.kill()

    def close(self) -> None:
        """End the child: kindly, then at once."""
        self._closed = True
        if self._restart is not None:
            self._restart.cancel()
        child, self._child = self._child, None
        if child is None:
            return
        end_input(child)
        try:
            child.wait(_GO)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()

    def _want(self, public: str, line: Line) -> None:
        self._wanted[public] = self._where | line
        if self._child is not None:
            self._tell(self._wanted[public])
        elif self._restart is None and not self._closed:
            self._start()

    def _start(self) -> None:
        self._restart = None
        if self._closed or not self._wanted:
            return
        self._started = time.monotonic()
        try:
            child = start_fed(self._command, self._log_file)
        except OSError:
            log.exception("the bots' process cannot be started")
            self._again()
            return
        self._child = child
        threading.Thread(target=self._wait_for, args=(child,), daemon=True).start()
        for line in list(self._wanted.values()):
            self._tell(line)

    def _tell(self, line: Line) -> None:
        if self._child is not None:
            # where it has died, whoever waits for it says so, and all is told to the next
            feed(self._child, line, "the bots' process")

    def _wait_for(self, child: subprocess.Popen[bytes]) -> None:
        """Wait in a thread of its own for a child's end, and tell the loop."""
        status = child.wait()
        try:
            self._loop.call_soon_threadsafe(self._died, child, status)
        except RuntimeError:
            return  # the loop has ended, and the table with it

    def _died(self, child: subprocess.Popen[bytes], status: int) -> None:
        if self._child is not child:
            return
        self._child = None
        end_input(child)
        if time.monotonic() - self._started >= _QUICK:
            self._deaths = 0
        log.warning("the bots' process ended (%d)", status)
        self._again()

    def _again(self) -> None:
        pause = _PATIENCE[min(self._deaths, len(_PATIENCE) - 1)]
        self._deaths += 1
        self._restart = self._loop.call_later(pause, self._start)
