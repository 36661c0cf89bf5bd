"""What this process is attached to: a terminal that can show a full screen, or something else."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from hearts_client.chosen import Chosen
from hearts_client.plain_output import is_utf8

_COERCED = ("C.UTF-8", "C.utf8", "UTF-8")
"""What Python may set ``LC_CTYPE`` to in the locale ``C``."""
_NO_SCREEN = ("", "dumb", "unknown")


def wants_plain(chosen: Chosen) -> bool:
    """Tell whether the game is told in plain words: by wish, or for want of a terminal."""
    return chosen.switch("plain") or not has_screen()


def has_screen() -> bool:
    """Tell whether there is a terminal that can show a full screen."""
    if not (is_terminal(sys.stdin) and is_terminal(sys.stdout)):
        return False
    return sys.platform == "win32" or os.environ.get("TERM", "") not in _NO_SCREEN


def takes_symbols(encoding: str | None, environ: Mapping[str, str]) -> bool:
    """Tell whether the suits can be shown as symbols, and lines as lines.

    Not where the output's encoding lacks them, and not in the locale ``C`` or ``POSIX``: Python
    writes UTF-8 there all the same, but nobody has said that the terminal reads it. ``environ`` is
    to be what the process was given (:func:`given_environment`), as Python sets ``LC_CTYPE`` anew
    in that locale.
    """
    if not is_utf8(encoding):
        return False
    named = next((environ[key] for key in ("LC_ALL", "LC_CTYPE", "LANG") if environ.get(key)), "")
    return named not in ("C", "POSIX")


def wants_ascii(chosen: Chosen) -> bool:
    """Tell whether the full screen is drawn in ASCII: for want of symbols, or by wish."""
    encoding = sys.stdout.encoding
    if chosen.is_given("ascii") and is_utf8(encoding):
        return chosen.switch("ascii")
    return chosen.switch("ascii") or not takes_symbols(encoding, given_environment())


def given_environment() -> Mapping[str, str]:
    """Give the environment as the process got it; what Python may have set is left out."""
    try:
        with open("/proc/self/environ", "rb") as file:
            given = file.read().decode("utf-8", "replace")
        return dict(part.split("=", 1) for part in given.split("\0") if "=" in part)
    except OSError:  # no such file system
        coerced = os.environ.get("LC_CTYPE", "") in _COERCED
        return {key: value for key, value in os.environ.items()
                if not (coerced and key == "LC_CTYPE")}  # fmt: skip


def is_terminal(stream: object) -> bool:
    """Tell whether a stream, if it is one, is a terminal."""
    try:
        return bool(stream.isatty())  # type: ignore[attr-defined]
    except (AttributeError, ValueError):  # no such stream, or a closed one
        return False
