"""Where the details of what should not have happened go."""

from __future__ import annotations

import contextlib
import datetime
import traceback
from collections.abc import Callable
from pathlib import Path

from hearts_net.peer.home import find_home
from hearts_net.rules.errors import HeartsError
from hearts_net.version import PACKAGE_VERSION


def write_crash(error: BaseException, log_file: str = "") -> Path | None:
    """Append an error with its traceback to the log file; None where no file can be written."""
    with contextlib.suppress(HeartsError, OSError):
        path = Path(log_file) if log_file else find_home().state / "client.log"
        now = _now()
        lines = "".join(traceback.format_exception(error))
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{now} hearts-net {PACKAGE_VERSION}\n{lines}\n")
        return path
    return None


def log_to(log_file: str) -> Callable[[str], None]:
    """Make what appends a line to the log file; without one, and where it is full, none is kept."""

    def log(line: str) -> None:
        with contextlib.suppress(OSError):
            if log_file:
                with Path(log_file).open("a", encoding="utf-8") as file:
                    file.write(f"{_now()} {line}\n")

    return log


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
