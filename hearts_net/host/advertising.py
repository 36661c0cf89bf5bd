"""Keeps what is said of a table on the network up to date, in a process that no card waits for.

Twice a second the table is looked at, whatever happens at it; only what has changed is told on. A
herald (:mod:`hearts_net.host.herald`) that dies is started again, ever more patiently.
"""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from hearts_net.host.fed import Patience, end_input, feed, start_fed
from hearts_net.protocol.advert import Advert

COMMAND: Final = (sys.executable, "-m", "hearts_net.host.herald")
LOOK_EVERY: Final = 0.5
"""Seconds between two looks at the table."""
_PAUSES: Final = (0.5, 5.0, 30.0, 300.0)
"""Seconds before the next start, by the number of quick deaths so far."""
_QUICK: Final = 60.0
"""A herald that lived so long, in seconds, had not failed to start."""

log = logging.getLogger(__name__)


class Advertising:
    """Tells a herald what to say; made inside a running loop."""

    def __init__(
        self,
        table_id: str,
        advert: Callable[[], Advert],
        log_file: Path,
        command: Sequence[str] = COMMAND,
    ) -> None:
        self._table_id = table_id
        self._advert = advert
        self._log_file = log_file
        self._command = tuple(command)
        self._loop = asyncio.get_running_loop()
        self._told: Advert | None = None
        self._child: subprocess.Popen[bytes] | None = None
        self._patience = Patience(_PAUSES, _QUICK)
        self._start_at = 0.0
        self._timer: asyncio.TimerHandle | None = self._loop.call_later(0, self._look)

    @property
    def pid(self) -> int | None:
        """The herald's process id while it runs."""
        return None if self._child is None else self._child.pid

    def close(self) -> None:
        """Have the record withdrawn; the herald does that on its own, and then ends."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        child, self._child = self._child, None
        if child is not None:
            end_input(child)
            threading.Thread(target=child.wait, daemon=True).start()

    def _look(self) -> None:
        self._timer = self._loop.call_later(LOOK_EVERY, self._look)
        if self._child is not None and self._child.poll() is not None:
            self._died(self._child)
        if self._child is None and time.monotonic() >= self._start_at:
            self._start()
        advert = self._advert()
        if self._child is not None and advert != self._told:
            self._tell(self._child, advert)

    def _start(self) -> None:
        self._told = None
        self._patience.started()
        try:
            self._child = start_fed(self._command, self._log_file)
        except OSError:
            log.exception("the table cannot be advertised by mDNS")
            self._again()

    def _tell(self, child: subprocess.Popen[bytes], advert: Advert) -> None:
        if feed(child, {"id": self._table_id, "advert": advert}, "the herald"):
            self._told = advert  # else it has died, and the next look says so

    def _died(self, child: subprocess.Popen[bytes]) -> None:
        log.warning("the herald ended (%s)", child.returncode)
        end_input(child)
        self._child = None
        self._again()

    def _again(self) -> None:
        self._start_at = time.monotonic() + self._patience.pause()
