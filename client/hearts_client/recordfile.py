"""Writes a game record to a file."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from hearts_client.chosen import UsageError
from hearts_client.exits import Exit
from hearts_client.i18n import _
from hearts_client.safetext import safe_text


def write_record(path: Path, text: str) -> None:
    """Write a record whole or not at all; raises :class:`UsageError` where that does not work.

    What is no file, such as a pipe or a terminal, is written to as it is.
    """
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8", newline="\n")
        else:
            _replace(path, text)
    except (OSError, ValueError) as error:  # ValueError: no name at all
        reason = getattr(error, "strerror", None) or error
        raise UsageError(
            _("{path} cannot be written ({reason}): choose another place with --out.").format(
                path=safe_text(str(path)), reason=reason
            ),
            Exit.FAILED,
        ) from error


def _replace(path: Path, text: str) -> None:
    draft = path.with_name(f".hearts-net-{os.getpid()}")
    try:
        draft.write_text(text, encoding="utf-8", newline="\n")
        os.replace(draft, path)
    finally:
        with contextlib.suppress(OSError):  # it is in place, or could not even be begun
            draft.unlink(missing_ok=True)
