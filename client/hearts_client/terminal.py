"""What this process is attached to: a terminal that can show a full screen, or something else."""

from __future__ import annotations

import os
import sys

from hearts_client.chosen import Chosen

_NO_SCREEN = ("", "dumb", "unknown")


def wants_plain(chosen: Chosen) -> bool:
    """Tell whether the game is told in plain words: by wish, or for want of a terminal."""
    return chosen.switch("plain") or not has_screen()


def has_screen() -> bool:
    """Tell whether there is a terminal that can show a full screen."""
    if not (is_terminal(sys.stdin) and is_terminal(sys.stdout)):
        return False
    return sys.platform == "win32" or os.environ.get("TERM", "") not in _NO_SCREEN


def is_terminal(stream: object) -> bool:
    """Tell whether a stream, if it is one, is a terminal."""
    try:
        return bool(stream.isatty())  # type: ignore[attr-defined]
    except (AttributeError, ValueError):  # no such stream, or a closed one
        return False
