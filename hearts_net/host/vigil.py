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

    __slots__ = ("_since",)

    def __init__(self) -> None:
        self._since: dict[str, int] = {}
        """By key; later than now where more time is given."""

    def is_stuck(self, heard: Mapping[str, int], now: int, due: int | None) -> bool:
        """Tell whether the bots are to be started anew, and give them time for it where so.

        ``heard`` has every bot that ought to be connected, and when it was heard last (0: never);
        ``due`` is when this was to be asked.
        """
        was_away = due is not None and now > due + LATE
        self._since = {
            key: max(last, self._since.get(key, now + START), now if was_away else 0)
            for key, last in heard.items()
        }
        stuck = any(now >= since + AWAY_AFTER for since in self._since.values())
        if stuck:
            self._since = dict.fromkeys(heard, now + START)
        return stuck

    def deadline(self) -> int | None:
        """Return when to ask again even if nothing happens."""
        return min((since + AWAY_AFTER for since in self._since.values()), default=None)
