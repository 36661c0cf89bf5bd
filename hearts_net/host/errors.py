"""What can go wrong with a table's process and its store, with stable codes."""

from __future__ import annotations

from enum import StrEnum

from hearts_net.rules.errors import HeartsError


class StoreCode(StrEnum):
    """Codes of :class:`StoreError`."""

    NEWER = "store-newer"
    """Written by a later version; left untouched."""
    DAMAGED = "store-damaged"
    """Not a store that can be read; set aside under another name, which the detail gives."""
    LOCKED = "store-locked"
    """Another process has this table."""
    UNWRITABLE = "store-unwritable"
    """The folder or the file may not be written."""
    FULL = "store-full"
    """No room on the disk, or a limit on the file's size."""
    FAILED = "store-failed"
    """Any other failure of the disk."""
    MISSING = "store-missing"
    """There is no such table on this machine."""


class HostCode(StrEnum):
    """Codes of :class:`HostError`."""

    PORT_IN_USE = "port-in-use"
    CANNOT_BIND = "cannot-bind"
    NOT_STARTED = "host-not-started"
    """The table's process ended, or said nothing, before it was ready; the detail names its log."""
    NOT_RUNNING = "table-not-running"
    NOT_STOPPED = "table-not-stopped"
    BAD_SETTINGS = "bad-settings"


class StoreError(HeartsError):
    """The store cannot be opened or written; nothing in it was changed by the attempt."""


class HostError(HeartsError):
    """The table's process cannot do what was asked."""
