"""The table's store: an append-only journal in SQLite, written before anybody is told.

In play each append is one statement with ``synchronous=NORMAL`` (safe against a killed process); an
append that asks for it is synced to the disk (safe against power loss). Checkpoints are never made
by an append: :meth:`Store.checkpoint` is for a quiet moment. One process has a store at a time.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sqlite3
import struct
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hearts_net.host.errors import StoreCode, StoreError
from hearts_net.host.folder import TableFolder, unwritable
from hearts_net.peer.lock import FileLock

SCHEMA_VERSION: Final = 1
"""Kept in the file's header (``user_version``); a file with a higher one is left alone."""
APPLICATION_ID: Final = 0x48524E54
CHECKPOINT_EVERY: Final = 2000
"""Appends after which a checkpoint is due even without a deal's end (long talk in a lobby)."""

_MAGIC: Final = b"SQLite format 3\0"
_HEADER: Final = 100
_SCHEMA: Final = f"""
BEGIN IMMEDIATE;
CREATE TABLE entries (n INTEGER PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};
COMMIT;
"""
_INSERT: Final = "INSERT INTO entries VALUES (?, ?)"
_CODES: Final = {
    "SQLITE_FULL": StoreCode.FULL,
    "SQLITE_BUSY": StoreCode.LOCKED,
    "SQLITE_LOCKED": StoreCode.LOCKED,
    "SQLITE_READONLY": StoreCode.UNWRITABLE,
    "SQLITE_CANTOPEN": StoreCode.UNWRITABLE,
    "SQLITE_PERM": StoreCode.UNWRITABLE,
    "SQLITE_CORRUPT": StoreCode.DAMAGED,
    "SQLITE_NOTADB": StoreCode.DAMAGED,
}


@dataclass(frozen=True, slots=True)
class Header:
    """What the first bytes of an SQLite file say of it."""

    application: int
    version: int


def read_header(path: Path) -> Header:
    """Read a store's header without touching the file; an empty one is damaged too.

    Raises :class:`StoreError` ``store-missing``, ``store-unwritable`` or ``store-damaged``.
    """
    try:
        with path.open("rb") as file:
            head = file.read(_HEADER)
    except FileNotFoundError as error:
        raise StoreError(StoreCode.MISSING, path=str(path)) from error
    except OSError as error:
        raise unwritable(path, error) from error
    if len(head) < _HEADER or not head.startswith(_MAGIC):
        raise StoreError(StoreCode.DAMAGED, path=str(path))
    (version,) = struct.unpack(">I", head[60:64])
    (application,) = struct.unpack(">I", head[68:72])
    return Header(application, version)


class Store:
    """One table's journal, and a few facts of its last run."""

    def __init__(
        self, folder: TableFolder, lock: FileLock, link: sqlite3.Connection, *, durable: bool
    ) -> None:
        self.folder = folder
        self._lock = lock
        self._link = link
        self._durable = durable
        if not durable:
            link.execute("PRAGMA synchronous = OFF")
        self._writer = link.cursor()
        self._since_checkpoint = 0
        (last,) = link.execute("SELECT coalesce(max(n), 0) FROM entries").fetchone()
        self._next: int = last + 1

    @classmethod
    def open(cls, folder: TableFolder, *, durable: bool = True) -> Store:
        """Take the table's lock and open its store, making a new one where there is none.

        Without ``durable`` nothing is ever synced. Raises :class:`StoreError`: ``store-locked``,
        ``store-newer`` (untouched), ``store-damaged`` (set aside: the detail ``kept`` says where),
        ``store-unwritable``, ``store-full`` or ``store-failed``.
        """
        lock = folder.take()
        try:
            return cls(folder, lock, _open_or_set_aside(folder.store), durable=durable)
        except BaseException:
            lock.release()
            raise

    def entries(self) -> Iterator[bytes]:
        """Give the journal back, in order."""
        for (body,) in self._link.execute("SELECT body FROM entries ORDER BY n"):
            yield body.encode()

    def append(self, first: int, entries: Sequence[bytes], *, sync: bool = False) -> None:
        """Write entries with the numbers from ``first`` on: all of them or none.

        Raises :class:`StoreError`, and ``ValueError`` for a number that does not follow the last.
        """
        if first != self._next:
            raise ValueError(f"entry {first} does not follow {self._next - 1}")
        try:
            if sync and self._durable:
                self._insert_synced(first, entries)
            else:
                self._insert(first, entries)
        except sqlite3.Error as error:
            raise store_error(self.folder.store, error) from error
        self._next += len(entries)
        self._since_checkpoint += 1

    @property
    def wants_checkpoint(self) -> bool:
        """So much has been appended that a checkpoint is due at the next quiet moment."""
        return self._since_checkpoint >= CHECKPOINT_EVERY

    def checkpoint(self) -> None:
        """Move the journal's log into the main file; milliseconds, so not while a card travels.

        A checkpoint that fails costs nothing: the log keeps all of it.
        """
        self._since_checkpoint = 0
        with contextlib.suppress(sqlite3.Error):
            self._link.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def set_fact(self, name: str, value: str) -> None:
        """Remember something of this run."""
        with _typed(self.folder.store):
            self._link.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    def fact(self, name: str) -> str:
        """Return what is remembered, "" where nothing is."""
        row = self._link.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return "" if row is None else str(row[0])

    def close(self) -> None:
        """Close the file, its log merged into it, and let the table go."""
        with contextlib.suppress(sqlite3.Error):
            self._link.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        self._writer.close()
        self._link.close()
        self._lock.release()

    def _insert_synced(self, first: int, entries: Sequence[bytes]) -> None:
        self._link.execute("PRAGMA synchronous = FULL")
        try:
            self._insert(first, entries)
        finally:
            self._link.execute("PRAGMA synchronous = NORMAL")

    def _insert(self, first: int, entries: Sequence[bytes]) -> None:
        if len(entries) == 1:  # nearly always; the statement is prepared once
            self._writer.execute(_INSERT, (first, entries[0].decode()))
            return
        marks = ", ".join(["(?, ?)"] * len(entries))
        rows = ((first + place, body.decode()) for place, body in enumerate(entries))
        values = [value for row in rows for value in row]
        self._writer.execute(f"INSERT INTO entries VALUES {marks}", values)  # noqa: S608 - marks only


def read_journal(path: Path) -> list[bytes]:
    """Return a store's journal without changing the store; a running table's too.

    Raises :class:`StoreError`: ``store-missing``, ``store-newer``, ``store-damaged``,
    ``store-unwritable`` (which may not be read either) or ``store-failed``.
    """
    _check_header(path)
    with _typed(path):
        link = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=2.0)
        try:
            rows = link.execute("SELECT body FROM entries ORDER BY n").fetchall()
        finally:
            link.close()
    return [body.encode() for (body,) in rows]


def _open_or_set_aside(path: Path) -> sqlite3.Connection:
    try:
        return _open(path)
    except StoreError as error:
        if error.code != StoreCode.DAMAGED:
            raise
        kept = _set_aside(path)
        raise StoreError(StoreCode.DAMAGED, path=str(path), kept=str(kept)) from error


def _open(path: Path) -> sqlite3.Connection:
    """Open the store for writing; make it where there is none."""
    is_new = not path.exists()
    if not is_new:
        _check_header(path)
    with _typed(path):
        _make_private(path)
        link = sqlite3.connect(path, isolation_level=None, timeout=2.0)
        try:
            _prepare(link, path, fresh=is_new)
        except BaseException:
            link.close()
            raise
    return link


def _check_header(path: Path) -> None:
    header = read_header(path)
    if header.application != APPLICATION_ID:
        raise StoreError(StoreCode.DAMAGED, path=str(path))
    if header.version > SCHEMA_VERSION:
        raise StoreError(
            StoreCode.NEWER, path=str(path), found=header.version, known=SCHEMA_VERSION
        )


def _prepare(link: sqlite3.Connection, path: Path, *, fresh: bool) -> None:
    # an append writes whole pages to the log, and an entry is a few hundred bytes
    link.execute("PRAGMA page_size = 1024")
    link.execute("PRAGMA journal_mode = WAL").fetchall()
    link.execute("PRAGMA synchronous = NORMAL")
    link.execute("PRAGMA wal_autocheckpoint = 0")
    if fresh:
        link.executescript(_SCHEMA)
        # the header must say what this is before anything else can happen to the file
        link.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return
    verdict = link.execute("PRAGMA quick_check(1)").fetchone()
    count = link.execute("SELECT count(*), coalesce(max(n), 0) FROM entries").fetchone()
    if verdict != ("ok",) or count[0] != count[1]:
        raise StoreError(StoreCode.DAMAGED, path=str(path))


def _make_private(path: Path) -> None:
    """Make the file before SQLite does: it holds hands and keys, for this user's eyes only."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))


def _set_aside(path: Path) -> Path:
    """Move a damaged store and its log out of the way; nothing is ever overwritten."""
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    kept = path.with_name(f"{path.name}.damaged-{stamp}-{secrets.token_hex(2)}")
    with _typed(path):
        os.rename(path, kept)
        for ending in ("-wal", "-shm"):
            beside = path.with_name(path.name + ending)
            if beside.exists():
                os.rename(beside, kept.with_name(kept.name + ending))
    return kept


@contextlib.contextmanager
def _typed(path: Path) -> Iterator[None]:
    """Turn what SQLite and the operating system say into :class:`StoreError`."""
    try:
        yield
    except OSError as error:
        raise unwritable(path, error) from error
    except sqlite3.Error as error:
        raise store_error(path, error) from error


def store_error(path: Path, error: sqlite3.Error) -> StoreError:
    """Return the typed error for what SQLite said about ``path``."""
    name = getattr(error, "sqlite_errorname", "")
    family = "_".join(name.split("_")[:2])
    code = _CODES.get(family, StoreCode.FAILED)
    return StoreError(code, path=str(path), reason=name or str(error))
