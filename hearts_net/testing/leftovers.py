"""Tables of this machine that a test has left running."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from pathlib import Path

from hearts_net.host.errors import HostCode, HostError
from hearts_net.host.process import find_running, stop_table


def stop_leftovers(tables: Path) -> None:
    """End every table of a folder, those that are stopped too; one may just be ending by itself."""
    for left in find_running(tables):
        if sys.platform != "win32":
            with contextlib.suppress(ProcessLookupError):
                os.kill(left.pid, signal.SIGCONT)
        try:
            stop_table(left)
        except HostError as error:
            if error.code != HostCode.NOT_RUNNING:
                raise
