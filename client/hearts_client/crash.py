"""Where the details of an unexpected failure go."""

from __future__ import annotations

import contextlib
import datetime
import traceback
from pathlib import Path

from hearts_net.peer.home import find_home
from hearts_net.rules.errors import HeartsError
from hearts_net.version import PACKAGE_VERSION


def write_crash(error: BaseException, log_file: str = "") -> Path | None:
    """Append an error with its traceback to the log file; None where no file can be written."""
    with contextlib.suppress(HeartsError, OSError):
        path = Path(log_file) if log_file else find_home().state / "client.log"
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        lines = "".join(traceback.format_exception(error))
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{now} hearts-net {PACKAGE_VERSION}\n{lines}\n")
        return path
    return None
