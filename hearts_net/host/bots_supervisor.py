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
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hearts_net.host.fed import Patience, end_input, feed, start_fed
from hearts_net.protocol.orders import PAUSE, AnyOrder, Deputise, Leave, SitDown

COMMAND: Final = (sys.executable, "-m", "hearts_net.bots")
_PAUSES: Final = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0)
"""Seconds before the next start, by the number of quick deaths so far."""
_QUICK: Final = 30.0
"""A child that lived so long, in seconds, had not failed to start."""
_YOUNG: Final = 5.0
"""A child may say nothing for so long, in seconds, after its start."""
_GO: Final = 0.3
"""Seconds in which a child is to end when its input has."""

log = logging.getLogger(__name__)


class BotsSupervisor:
    """Keeps the bots' process running while there are bots; made inside a running loop."""

    def __init__(
        self,
        control_port: int,
        host_key: str,
        log_file: Path,
        command: Sequence[str] = COMMAND,
        pause: int = PAUSE,
    ) -> None:
        """Make a supervisor; ``pause`` is how many milliseconds a bot seems to think at most."""
        self._where = (control_port, host_key)
        self._pause = pause
        self._log_file = log_file
        self._command = tuple(command)
        self._loop = asyncio.get_running_loop()
        self._wanted: dict[str, SitDown | Deputise] = {}
        self._child: subprocess.Popen[bytes] | None = None
        self._patience = Patience(_PAUSES, _QUICK)
        self._restart: asyncio.TimerHandle | None = None
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The child's process id while it runs."""
        return None if self._child is None else self._child.pid

    def sit(self, seat: int, public: str, secret: str, name: str, level: str) -> None:
        """Have a bot with this key pair join and play ``seat``."""
        self._want(SitDown(*self._where, public, secret, seat, name, level, self._pause))

    def deputise(self, seat: int, public: str, secret: str, level: str) -> None:
        """Have a bot with this key pair play for the absent player of ``seat``."""
        self._want(Deputise(*self._where, public, secret, seat, level, self._pause))

    def dismiss(self, seat: int, public: str) -> None:
        """Have the bot with this key leave."""
        if self._wanted.pop(public, None) is not None and self._child is not None:
            self._tell(Leave(seat, public))

    def restart(self) -> None:
        """End a child that hangs; one that has only just been started is given its time."""
        child = self._child
        if child is None or self._patience.lived < _YOUNG:
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

    def _want(self, order: SitDown | Deputise) -> None:
        self._wanted[order.public] = order
        if self._child is not None:
            self._tell(order)
        elif self._restart is None and not self._closed:
            self._start()

    def _start(self) -> None:
        self._restart = None
        if self._closed or not self._wanted:
            return
        self._patience.started()
        try:
            child = start_fed(self._command, self._log_file)
        except OSError:
            log.exception("the bots' process cannot be started")
            self._again()
            return
        self._child = child
        threading.Thread(target=self._wait_for, args=(child,), daemon=True).start()
        for order in list(self._wanted.values()):
            self._tell(order)

    def _tell(self, order: AnyOrder) -> None:
        if self._child is not None:
            # where it has died, whoever waits for it says so, and all is told to the next
            feed(self._child, order, "the bots' process")

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
        log.warning("the bots' process ended (%d)", status)
        self._again()

    def _again(self) -> None:
        self._restart = self._loop.call_later(self._patience.pause(), self._start)
