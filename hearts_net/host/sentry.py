"""Looks at a connection whenever something comes in on it, in a thread of its own.

libzmq takes subscriptions in on the thread of whoever asks the public socket for anything, all that
have come by then, and those that come meanwhile. Somebody who subscribes fast enough could so hold
up the table for as long as they please, and with it whatever would look after them there.
"""

from __future__ import annotations

import contextlib
import os
import select
import threading
from collections.abc import Callable


class Sentry:
    """Has ``look(descriptor)`` called in its thread when bytes have come in; Linux only."""

    def __init__(self, look: Callable[[int], None]) -> None:
        self._look = look
        self._epoll = select.epoll()
        self._end = os.eventfd(0)
        self._epoll.register(self._end, select.EPOLLIN)
        self._thread = threading.Thread(target=self._watch, name="sentry", daemon=True)
        self._thread.start()

    def watch(self, descriptor: int) -> None:
        """Look at a connection from now on, until it is closed."""
        with contextlib.suppress(OSError):  # it is gone already
            self._epoll.register(descriptor, select.EPOLLIN | select.EPOLLET)

    def close(self) -> None:
        """Look no more."""
        os.eventfd_write(self._end, 1)
        self._thread.join()
        self._epoll.close()
        os.close(self._end)

    def _watch(self) -> None:
        while True:
            for descriptor, _ in self._epoll.poll():
                if descriptor == self._end:
                    return
                self._look(descriptor)
