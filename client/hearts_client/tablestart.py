"""A table that is being started in a thread, while its player may change their mind."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Protocol

from hearts_net.host.folder import Running
from hearts_net.host.settings import HostSettings


class Launch(Protocol):
    """What starts a table, and tells ``started`` of it before it can be interrupted."""

    def __call__(self, settings: HostSettings, *, started: Callable[[Running], None]) -> Running:
        """Start the table and say how to reach it."""


class TableStart:
    """The start of one table; where nobody waits for it any more, the table ends at once.

    The thread cannot be stopped, and may go on when everything else here is over.
    """

    def __init__(self, launch: Launch, end_table: Callable[[Running], None]) -> None:
        self._launch = launch
        self._end_table = end_table
        self._lock = threading.Lock()
        self._running: Running | None = None
        self._is_wanted = True

    async def table(self, settings: HostSettings) -> Running:
        """Start the table; raises what launching it does."""
        try:
            return await asyncio.to_thread(self._launch, settings, started=self._started)
        except asyncio.CancelledError:
            self._give_up()
            raise

    def _started(self, running: Running) -> None:
        with self._lock:
            self._running = running
            is_wanted = self._is_wanted
        if not is_wanted:
            self._end_table(running)

    def _give_up(self) -> None:
        with self._lock:
            self._is_wanted = False
            running = self._running
        if running is not None:
            self._end_table(running)
