"""One table's folder: what is in it, and what it says of a running or stored table.

``tables/<id>/`` holds the store, the key of the table's server, the log, the settings of the last
start, a lock that the running process holds, and, while it runs, ``running.json``. Nothing here is
trusted more than the lock: a table runs exactly while its lock is held.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from hearts_net.host.errors import StoreCode, StoreError
from hearts_net.peer.home import make_private_folder, write_private
from hearts_net.peer.local import RUNNING
from hearts_net.peer.lock import FileLock, is_held, take_lock

_LOOKED_AT: Final = 0.2
"""Seconds in which a lock may be held by somebody who only looks whether it is held."""
_ID: Final = re.compile(r"[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Running:
    """A table that runs on this machine."""

    table_id: str
    folder: Path
    pid: int
    control: int
    public: int
    key: str
    table: str
    invite: str
    loopback_only: bool
    code: str = field(default="", repr=False)
    """What newcomers have to know, as it was when the table was opened; not kept in the folder."""

    def fields(self) -> dict[str, int | str | bool]:
        """Return what it says of itself, in ``running.json`` and in the ready line."""
        return {
            "pid": self.pid,
            "control": self.control,
            "public": self.public,
            "key": self.key,
            "table": self.table,
            "invite": self.invite,
            "loopback_only": self.loopback_only,
        }

    def ready_line(self) -> str:
        """Return the line that says how to reach it: one JSON object."""
        said = self.fields() | {"id": self.table_id}
        return json.dumps(said | {"code": self.code} if self.code else said)

    @classmethod
    def read(cls, folder: TableFolder, found: Mapping[str, Any]) -> Running | None:
        """Return the table of a folder that said this of itself; None where it is not all there."""
        try:
            return cls(
                folder.table_id,
                folder.path,
                int(found["pid"]),
                int(found["control"]),
                int(found["public"]),
                str(found["key"]),
                str(found["table"]),
                str(found["invite"]),
                bool(found["loopback_only"]),
                str(found.get("code", "")),
            )
        except (ValueError, KeyError, TypeError):
            return None


@dataclass(frozen=True, slots=True)
class TableFolder:
    """The folder of one table, and the names in it."""

    path: Path

    @property
    def table_id(self) -> str:
        """The id by which the table is resumed."""
        return self.path.name

    @property
    def store(self) -> Path:
        """The SQLite file."""
        return self.path / "table.sqlite3"

    @property
    def key(self) -> Path:
        """The server's key pair, readable by this user alone."""
        return self.path / "key"

    @property
    def log(self) -> Path:
        """What the detached process writes."""
        return self.path / "log"

    @property
    def settings(self) -> Path:
        """What the process was last started with."""
        return self.path / "settings.json"

    @property
    def lock(self) -> Path:
        """Held by the process that runs the table."""
        return self.path / "lock"

    @property
    def running(self) -> Path:
        """Where a running table says how to reach it."""
        return self.path / RUNNING

    @property
    def open(self) -> Path:
        """There from a run's start to its orderly end: a process that dies leaves it behind."""
        return self.path / "open"

    @property
    def stop(self) -> Path:
        """Asks the running process to end, where there are no signals."""
        return self.path / "stop"

    def take(self) -> FileLock:
        """Make this process the one that runs the table.

        Raises :class:`StoreError` ``store-locked`` or ``store-unwritable``.
        """
        deadline = time.monotonic() + _LOOKED_AT
        while (lock := self._try_lock()) is None:
            if time.monotonic() > deadline:
                raise StoreError(StoreCode.LOCKED, path=str(self.path))
            time.sleep(_LOOKED_AT / 20)
        _unlink(self.running, self.stop)  # of a process that was killed
        return lock

    def _try_lock(self) -> FileLock | None:
        try:
            return take_lock(self.lock)
        except OSError as error:
            raise unwritable(self.path, error) from error

    def is_running(self) -> bool:
        """Tell whether a process has the table now."""
        return is_held(self.lock)

    def has_died(self) -> bool:
        """Tell whether the table's process has ended without having been stopped or done."""
        return self.open.exists() and not self.is_running()

    def ended(self) -> None:
        """Note that the run has come to an orderly end."""
        _unlink(self.running, self.open)

    def hide(self) -> None:
        """Say no more how to reach the table."""
        _unlink(self.running)

    def announce(self, running: Running) -> None:
        """Say how to reach the table. Raises :class:`LinkError` ``home-unwritable``."""
        write_private(self.open, b"")
        write_private(self.running, json.dumps(running.fields()).encode())

    def read_running(self) -> Running | None:
        """Return how to reach the table, or None while it does not run or is not ready."""
        if not self.is_running():
            return None
        try:
            found = json.loads(self.running.read_bytes())
        except (OSError, ValueError):
            return None
        return Running.read(self, found) if isinstance(found, dict) else None


def new_table_folder(tables: Path) -> TableFolder:
    """Make a folder for a new table. Raises :class:`LinkError` ``home-unwritable``."""
    folder = TableFolder(tables / secrets.token_hex(6))
    make_private_folder(folder.path)
    return folder


def table_folder(tables: Path, table_id: str) -> TableFolder:
    """Return the folder of a stored table. Raises :class:`StoreError` ``store-missing``."""
    folder = TableFolder(tables / table_id)
    if not _ID.fullmatch(table_id) or not folder.path.is_dir():
        raise StoreError(StoreCode.MISSING, table=table_id[:64])
    return folder


def folder_for(tables: Path, table_id: str) -> TableFolder:
    """Return a stored table's folder, or make one for a new table, where there is no id yet."""
    return table_folder(tables, table_id) if table_id else new_table_folder(tables)


def table_folders(tables: Path) -> list[TableFolder]:
    """Return every table's folder, the most recently used first."""
    try:
        names = [entry for entry in os.scandir(tables) if _ID.fullmatch(entry.name)]
    except OSError:
        return []
    folders = [TableFolder(tables / entry.name) for entry in names if entry.is_dir()]
    return sorted(folders, key=_last_used, reverse=True)


def find_running(tables: Path) -> list[Running]:
    """Return the tables that run on this machine, the most recently used first."""
    found = (folder.read_running() for folder in table_folders(tables))
    return [running for running in found if running is not None]


def unwritable(path: Path, error: OSError) -> StoreError:
    """Return the typed error for what the operating system said about ``path``."""
    return StoreError(StoreCode.UNWRITABLE, path=str(path), reason=error.strerror or str(error))


def _unlink(*paths: Path) -> None:
    """Remove files, as far as they are there and may be removed."""
    for path in paths:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def _last_used(folder: TableFolder) -> float:
    times = [0.0]
    for path in (folder.store, folder.store.with_name(folder.store.name + "-wal"), folder.lock):
        with contextlib.suppress(OSError):
            times.append(path.stat().st_mtime)
    return max(times)
