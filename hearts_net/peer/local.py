"""The tables that run on this machine, found without any network."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from hearts_net.peer.endpoint import LARGEST_PORT, LOOPBACK, Target, is_key
from hearts_net.peer.home import Home

RUNNING: Final = "running.json"
"""In a table's folder, while it runs: how to reach it."""
_MAX_SIZE = 16 * 1024
_T = TypeVar("_T", str, int)


@dataclass(frozen=True, slots=True)
class LocalTable:
    """A table whose process runs on this machine, under this installation."""

    table_id: str
    table: str
    control: int
    public: int
    key: str
    pid: int
    invite: str
    loopback_only: bool = False
    """Nobody on another machine can reach it."""

    def target(self) -> Target:
        """Say how to join it."""
        return Target(LOOPBACK, self.control, self.key, self.table)


def tables_here(home: Home) -> list[LocalTable]:
    """Return the tables that run here, the newest first; what cannot be read is not running."""
    try:
        folders = [entry for entry in home.tables.iterdir() if (entry / RUNNING).is_file()]
    except OSError:
        return []
    found = [(_started(folder), table) for folder in folders if (table := _read(folder))]
    return [table for _, table in sorted(found, key=lambda pair: pair[0], reverse=True)]


def is_ours(home: Home, key: str) -> bool:
    """Tell whether a table with this key runs here: its folder vouches for it."""
    return any(table.key == key for table in tables_here(home))


def _started(folder: Path) -> float:
    try:
        return (folder / RUNNING).stat().st_mtime
    except OSError:
        return 0.0


def _read(folder: Path) -> LocalTable | None:
    try:
        with open(folder / RUNNING, "rb") as file:
            fields = json.loads(file.read(_MAX_SIZE))
        table = _from_fields(folder.name, fields)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return table if is_alive(table.pid) else None


def _from_fields(table_id: str, fields: Mapping[str, Any]) -> LocalTable:
    table = LocalTable(
        table_id,
        _of(fields, "table", str),
        _of(fields, "control", int),
        _of(fields, "public", int),
        _of(fields, "key", str),
        _of(fields, "pid", int),
        str(fields.get("invite", "")),
        fields.get("loopback_only") is True,
    )
    ports_good = 0 < table.control <= LARGEST_PORT and 0 <= table.public <= LARGEST_PORT
    if not ports_good or not is_key(table.key) or table.pid <= 0:
        raise ValueError(table_id)
    return table


def _of(fields: Mapping[str, Any], name: str, kind: type[_T]) -> _T:
    value = fields[name]
    if type(value) is not kind:
        raise TypeError(name)
    return value


if sys.platform == "win32":
    import ctypes

    _QUERY = 0x1000
    _STILL_ACTIVE = 259

    def is_alive(pid: int) -> bool:
        """Tell whether a process with this number runs."""
        kernel = ctypes.windll.kernel32
        handle = kernel.OpenProcess(_QUERY, False, pid)
        if not handle:
            return False
        code = ctypes.c_ulong()
        known = kernel.GetExitCodeProcess(handle, ctypes.byref(code))
        kernel.CloseHandle(handle)
        return bool(known) and code.value == _STILL_ACTIVE

else:

    def is_alive(pid: int) -> bool:
        """Tell whether a process with this number runs."""
        try:
            os.kill(pid, 0)
        except PermissionError:
            return True
        except (OSError, OverflowError):
            return False
        return True
