"""A child process that is told things on standard input, a line of JSON at a time."""

from __future__ import annotations

import contextlib
import logging
import os
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

log = logging.getLogger(__name__)


def start_fed(command: Sequence[str], log_file: Path) -> subprocess.Popen[bytes]:
    """Start a child that writes to ``log_file``; OSError where it cannot be started.

    It ends by itself at the end of its input, so also when this process is killed.
    """
    with log_file.open("ab") as output:
        child = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            command, stdin=subprocess.PIPE, stdout=output, stderr=output
        )
    assert child.stdin is not None
    if os.name == "posix":  # a child that does not read must not stop the table
        os.set_blocking(child.stdin.fileno(), False)
    return child


def feed(child: subprocess.Popen[bytes], line: object, who: str) -> bool:
    """Tell a child something; False where it has died, or does not read and is ended.

    ``who`` it is, the log says.
    """
    assert child.stdin is not None
    body = msgspec.json.encode(line) + b"\n"
    try:
        written = os.write(child.stdin.fileno(), body)
    except BlockingIOError:
        written = 0
    except OSError:
        return False
    if written < len(body):
        log.warning("%s does not read what it is told; it is ended", who)
        child.kill()
        return False
    return True


def end_input(child: subprocess.Popen[bytes]) -> None:
    """Close a child's standard input, whether it lives or not."""
    if child.stdin is not None:
        with contextlib.suppress(OSError):
            child.stdin.close()


class Patience:
    """How long to wait until a child that has died is started again: ever longer."""

    def __init__(self, pauses: Sequence[float], quick: float) -> None:
        """Wait for ``pauses``, in seconds, by the number of quick deaths so far.

        A child that lived for ``quick`` seconds had not failed to start.
        """
        self._pauses = tuple(pauses)
        self._quick = quick
        self._started = 0.0
        self._deaths = 0

    def started(self) -> None:
        """Note that a child is being started."""
        self._started = time.monotonic()

    @property
    def lived(self) -> float:
        """Seconds since the last start."""
        return time.monotonic() - self._started

    def pause(self) -> float:
        """Return the seconds until the next start, after a death or a start that failed."""
        if self.lived >= self._quick:
            self._deaths = 0
        self._deaths += 1
        return self._pauses[min(self._deaths, len(self._pauses)) - 1]
