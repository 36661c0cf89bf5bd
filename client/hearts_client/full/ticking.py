"""What changes on the screen by itself: a second counted, a trick taken off, a notice read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Final, Protocol

from hearts_client.full.model import Model, Notice, next_moment

NOTICE_SECONDS: Final = 5.0
"""How long an answer to a key stays on the screen when no other key follows."""


class Client(Protocol):
    """What is drawn anew."""

    model: Model

    def now(self) -> int:
        """Give the milliseconds of a clock that only goes on."""

    def show(self, model: Model) -> None:
        """Show the client so from now on."""


class Ticker:
    """Wakes a client for what is due next; at rest there is no timer at all."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._moment: asyncio.TimerHandle | None = None
        self._notice: Notice | None = None
        self._notice_over: asyncio.TimerHandle | None = None

    def arm(self) -> None:
        """Look at the client as it is now, and set the timers for that."""
        _cancel(self._moment)
        self._moment = None
        now = self._client.now()
        moment = next_moment(self._client.model, now)
        if moment is not None:
            self._moment = _later(max(0.001, (moment - now) / 1000), self._redraw)
        self._watch_notice()

    def stop(self) -> None:
        """Wake nobody any more."""
        for timer in (self._moment, self._notice_over):
            _cancel(timer)
        self._moment = self._notice_over = None

    def _redraw(self) -> None:
        self._client.show(self._client.model)

    def _watch_notice(self) -> None:
        """Take a notice at the table away by itself after some seconds: one redraw, no ticking."""
        model = self._client.model
        if model.notice is self._notice:
            return
        _cancel(self._notice_over)
        self._notice, self._notice_over = model.notice, None
        if model.notice is not None and model.public is not None:
            self._notice_over = _later(NOTICE_SECONDS, self._take_away)

    def _take_away(self) -> None:
        self._client.show(replace(self._client.model, notice=None))


def _later(seconds: float, then: Callable[[], None]) -> asyncio.TimerHandle:
    return asyncio.get_running_loop().call_later(seconds, then)


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
