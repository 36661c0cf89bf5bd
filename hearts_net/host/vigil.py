"""Notices when the process of the table's bots hangs: a bot of it has been silent for too long.

A process that dies says so by itself; one that is stopped or stuck says nothing for ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hearts_net.protocol.limits import ALIVE_EVERY, AWAY_AFTER

START: Final = 10_000
"""Milliseconds more for a bot that has only just been asked for, or asked for again."""
LATE: Final = ALIVE_EVERY
"""Where the host looks later than this, it was itself stopped: then nobody's silence counts."""


class Vigil:
    """Knows since when each bot has been silent; times in monotonic milliseconds."""

    __slots__ = ("_asked", "_awake", "_due", "_last")

    def __init__(self) -> None:
        self._asked: dict[str, int] = {}
        """When each bot was asked for, or asked for anew."""
        self._last: dict[str, int] = {}
        self._awake = 0
        self._due: int | None = None

    def is_stuck(self, heard: Mapping[str, int], now: int, due: int | None) -> bool:
        """Tell whether the bots are to be started anew, and give them time for it where so.

        ``heard`` has every bot that ought to be connected, and when it was heard last (0: it is
        not connected); ``due`` is when this was to be asked.
        """
        if due is not None and now > due + LATE:
            self._awake = now
        self._asked = {key: self._asked.get(key, now) for key in heard}
        self._last = {key: max(last, self._last.get(key, 0)) for key, last in heard.items()}
        first = self._first_limit()
        if first is not None and now >= first:
            self._asked = dict.fromkeys(heard, now)
            self._due = self._first_limit()
            return True
        self._due = first
        return False

    def deadline(self) -> int | None:
        """Return when to ask again even if nothing happens."""
        return self._due

    def _first_limit(self) -> int | None:
        """Return when the first of the bots has been silent for too long."""
        limits = []
        for key, asked in self._asked.items():
            last = self._last[key]
            since = last if last > asked else asked + START
            limits.append(max(since, self._awake) + AWAY_AFTER)
        return min(limits, default=None)
