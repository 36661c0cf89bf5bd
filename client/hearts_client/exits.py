"""The exit codes of the command, and which error ends it with which."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """What the command ends with."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    NOBODY = 3
    """Nobody answers at that address."""
    REFUSED = 4
    """The key, a code, a ban, a full table."""
    VERSION = 5
    """The protocol versions do not fit."""
    INTERRUPTED = 130
    TERMINATED = 143


_BY_CODE = {
    "unknown-option": Exit.USAGE,
    "bad-option-value": Exit.USAGE,
    "unknown-preset": Exit.USAGE,
    "unknown-level": Exit.USAGE,
    "bad-settings": Exit.USAGE,
    "bad-invite": Exit.USAGE,
    "bad-address": Exit.USAGE,
    "several-tables": Exit.USAGE,
    "bad-name": Exit.USAGE,
    "bad-profile": Exit.USAGE,
    "unknown-theme": Exit.USAGE,
    "host-down": Exit.NOBODY,
    "host-silent": Exit.NOBODY,
    "no-such-host": Exit.NOBODY,
    "no-answer": Exit.NOBODY,
    "not-this-game": Exit.NOBODY,
    "no-table": Exit.NOBODY,
    "table-not-running": Exit.NOBODY,
    "wrong-key": Exit.REFUSED,
    "host-key-changed": Exit.REFUSED,
    "namesake": Exit.REFUSED,
    "refused": Exit.REFUSED,
    "table-full": Exit.REFUSED,
    "not-admitted": Exit.REFUSED,
    "wrong-code": Exit.REFUSED,
    "banned": Exit.REFUSED,
    "host-unproved": Exit.REFUSED,
    "version-mismatch": Exit.VERSION,
}


def exit_for(code: str) -> Exit:
    """Give the exit code for an error."""
    return _BY_CODE.get(code, Exit.FAILED)
