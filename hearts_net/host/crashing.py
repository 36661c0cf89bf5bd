"""A table that kills itself at a moment chosen beforehand: a test aid, never imported otherwise.

What a killed host must not lose can be shown only by killing it between any two of its steps.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any, Final

from hearts_net.host.effects import Publish, SendTo, Write
from hearts_net.host.server import TableServer
from hearts_net.host.settings import CrashPoint

_REPLY: Final = b"\xa4type\xa5reply"
"""How the body of a reply begins, after the byte that says how many keys it has."""


class CrashingServer(TableServer):
    """Serves like any other, until its crash point."""

    def __init__(self, *args: Any, crash_point: CrashPoint) -> None:  # noqa: ANN401 - passed on
        super().__init__(*args)
        self._crash_point = crash_point
        self._left = crash_point.number

    def _store(self, effect: Write) -> None:
        self._reach("before-commit")
        super()._store(effect)
        self._reach("after-commit")

    def _send(self, effect: SendTo) -> None:
        is_reply = effect.body[1:].startswith(_REPLY)
        if is_reply:
            self._reach("before-reply")
        super()._send(effect)
        if is_reply:
            self._reach("after-reply")

    def _publish(self, effect: Publish) -> None:
        self._reach("before-publication")
        super()._publish(effect)
        self._reach("after-publication")

    def _reach(self, moment: str) -> None:
        if moment != self._crash_point.moment:
            return
        self._left -= 1
        if not self._left:
            die()


def die() -> None:
    """End this process as a kill does: without a word, and with nothing written that was not."""
    if sys.platform == "win32":
        os._exit(9)
    os.kill(os.getpid(), signal.SIGKILL)
