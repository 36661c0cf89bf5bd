"""The table's store: an append-only journal in SQLite, written before anybody is told.

In play each append is one statement with ``synchronous=NORMAL`` (safe against a killed process); an
append that asks for it is synced to the disk (safe against power loss). Checkpoints are never made
by an append: :meth:`Store.checkpoint` is for a quiet moment. One process has a store at a time.

A store that is damaged or taken away while it is in use is set aside, never overwritten, and
written anew from the entries, which the process has in memory.
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
from typing import IO, Final

from hearts_net.host.errors import StoreCode, StoreError
from hearts_net.host.folder import TableFolder, unwritable
from hearts_net.peer.lock import FileLock

SCHEMA_VERSION: Final = 1
"""Kept in the file's header (``user_version``); a file with a higher one is left alone."""
APPLICATION_ID: Final = 0x48524E54
CHECKPOINT_EVERY: Final = 2000
"""Appends after which a checkpoint is due even without a deal's end (long talk in a lobby)."""

_AT_ONCE: Final = 4000
"""Entries that one statement may write; SQLite takes 32,766 values."""
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
_SET_FACT: Final = "INSERT OR REPLACE INTO facts VALUES (?, ?)"
_CODES: Final = {
    "SQLITE_FULL": StoreCode.FULL,
    "SQLITE_BUSY": StoreCode.LOCKED,
    "SQLITE_LOCKED": StoreCode.LOCKED,
    "SQLITE_READONLY": StoreCode.UNWRITABLE,
    "SQLITE_READONLY_DBMOVED": StoreCode.DAMAGED,
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
    return _header_in(head, path)


def _header_in(head: bytes, path: Path) -> Header:
    if len(head) < _HEADER or not head.startswith(_MAGIC):
        raise StoreError(StoreCode.DAMAGED, path=str(path))
    (version,) = struct.unpack(">I", head[60:64])
    (application,) = struct.unpack(">I", head[68:72])
    return Header(application, version)


class Store:
    """One table's journal, and a few facts of its last run."""

    def __init__(
        self, folder: TableFolder, lock: FileLock, link: sqlite3.Connection, *, syncs: bool
    ) -> None:
        self.folder = folder
        self._lock = lock
        self._syncs = syncs
        self._is_lost = False
        self._abandoned: list[sqlite3.Connection] = []
        self._since_checkpoint = 0
        rows = link.execute("SELECT body FROM entries ORDER BY n")
        self._entries = [str(body).encode() for (body,) in rows]
        self._facts: dict[str, str] = dict(link.execute("SELECT name, value FROM facts").fetchall())
        self._use(link)

    def _use(self, link: sqlite3.Connection) -> None:
        self._link = link
        self._writer = link.cursor()
        if not self._syncs:
            link.execute("PRAGMA synchronous = OFF")
        # open for as long as the link is: to close it would take the link's locks off the file
        self._file = self.folder.store.open("rb", buffering=0)

    @classmethod
    def open(cls, folder: TableFolder, *, make: bool = True, syncs: bool = True) -> Store:
        """Take the table's lock and open its store; with ``make`` a new one where there is none.

        Without ``syncs`` nothing is ever synced. Raises :class:`StoreError`: ``store-locked``,
        ``store-newer`` (untouched), ``store-damaged`` (set aside: the detail ``kept`` says where),
        ``store-missing``, ``store-unwritable``, ``store-full`` or ``store-failed``.
        """
        lock = folder.take()
        try:
            if not folder.store.exists() and not _finish_renewing(folder.store) and not make:
                raise StoreError(StoreCode.MISSING, table=folder.table_id)
            return cls(folder, lock, _open_or_set_aside(folder.store), syncs=syncs)
        except BaseException:
            lock.release()
            raise

    def entries(self) -> Iterator[bytes]:
        """Give the journal back, in order."""
        return iter(tuple(self._entries))

    def append(self, first: int, entries: Sequence[bytes], *, sync: bool = False) -> None:
        """Write entries with the numbers from ``first`` on: all of them or none.

        After a :class:`StoreError` ``store-damaged`` the next append sets the damaged store aside
        and writes all that it held, and what is to be appended, to a new one. Raises
        :class:`StoreError`, and ``ValueError`` for a number that does not follow the last.
        """
        if first != len(self._entries) + 1:
            raise ValueError(f"entry {first} does not follow {len(self._entries)}")
        if self._is_lost:
            self._renew()
        try:
            if sync and self._syncs:
                self._insert_synced(first, entries)
            else:
                self._insert(first, entries)
        except sqlite3.Error as error:
            raise self._noted(store_error(self.folder.store, error)) from error
        self._entries.extend(entries)
        self._since_checkpoint += 1

    def check(self) -> None:
        """Look whether the file is still there, and still this store; costs next to nothing.

        Raises :class:`StoreError` ``store-damaged``, also for a file that has gone, or
        ``store-newer`` where a later version's has taken its place.
        """
        path = self.folder.store
        if self._is_lost:
            return
        try:
            if not _is_same(self._file, path):
                _check_header(path)
                raise StoreError(StoreCode.DAMAGED, path=str(path))
            self._file.seek(0)
            _check(_header_in(self._file.read(_HEADER), path), path)
        except StoreError as error:
            if error.code == StoreCode.MISSING:
                error = StoreError(StoreCode.DAMAGED, path=str(path))
            raise self._noted(error) from None

    @property
    def wants_checkpoint(self) -> bool:
        """So much has been appended that a checkpoint is due at the next quiet moment."""
        return self._since_checkpoint >= CHECKPOINT_EVERY

    def checkpoint(self) -> None:
        """Move the journal's log into the main file; milliseconds, so not while a card travels.

        A checkpoint that fails costs nothing: the log keeps all of it.
        """
        self._since_checkpoint = 0
        if not self._is_lost:
            with contextlib.suppress(sqlite3.Error):
                self._link.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def set_fact(self, name: str, value: str) -> None:
        """Remember something of this run."""
        with _typed(self.folder.store):
            self._link.execute(_SET_FACT, (name, value))
        self._facts[name] = value

    def fact(self, name: str) -> str:
        """Return what is remembered, "" where nothing is."""
        return self._facts.get(name, "")

    def close(self) -> None:
        """Close the file, its log merged into it, and let the table go."""
        if not self._is_lost:  # of a lost one nothing more is touched
            with contextlib.suppress(sqlite3.Error):
                self._link.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            self._writer.close()
            self._link.close()
        self._file.close()
        self._lock.release()

    def _noted(self, error: StoreError) -> StoreError:
        self._is_lost |= error.code in (StoreCode.DAMAGED, StoreCode.NEWER)
        return error

    def _renew(self) -> None:
        """Set what is left of a lost store aside, and put a new one with all of it in its place.

        Raises :class:`StoreError`, ``store-newer`` for a later version's file, which stays.
        """
        path, draft = self.folder.store, _draft_of(self.folder.store)
        if path.exists():
            _unless_newer(path)
        with _typed(path):
            _remove(draft)
            self._write_all(draft)
            _set_aside(path)
            os.rename(draft, path)
        # to close the old link would have SQLite write to what has been set aside
        self._abandoned.append(self._link)
        self._file.close()
        self._use(_open(path))
        self._is_lost = False

    def _write_all(self, path: Path) -> None:
        with contextlib.closing(_open(path)) as link:
            link.execute("PRAGMA synchronous = FULL")
            link.execute("BEGIN IMMEDIATE")
            link.executemany(_SET_FACT, self._facts.items())
            rows = enumerate((body.decode() for body in self._entries), start=1)
            link.executemany(_INSERT, rows)
            link.execute("COMMIT")

    def _insert_synced(self, first: int, entries: Sequence[bytes]) -> None:
        self._link.execute("PRAGMA synchronous = FULL")
        try:
            self._insert(first, entries)
        finally:
            self._link.execute("PRAGMA synchronous = NORMAL")

    def _insert(self, first: int, entries: Sequence[bytes]) -> None:
        if len(entries) == 1:  # nearly always; the statement is prepared once
            self._writer.execute(_INSERT, (first, entries[0].decode()))
        elif len(entries) <= _AT_ONCE:
            marks = ", ".join(["(?, ?)"] * len(entries))
            rows = ((first + place, body.decode()) for place, body in enumerate(entries))
            values = [value for row in rows for value in row]
            self._writer.execute(f"INSERT INTO entries VALUES {marks}", values)  # noqa: S608 - marks only
        else:
            self._insert_many(first, entries)

    def _insert_many(self, first: int, entries: Sequence[bytes]) -> None:
        self._link.execute("BEGIN IMMEDIATE")
        try:
            rows = enumerate((body.decode() for body in entries), start=first)
            self._writer.executemany(_INSERT, rows)
            self._link.execute("COMMIT")
        except sqlite3.Error:
            if self._link.in_transaction:  # SQLite has not ended it by itself
                self._link.execute("ROLLBACK")
            raise


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
    _check(read_header(path), path)


def _check(header: Header, path: Path) -> None:
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


def _is_same(file: IO[bytes], path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except OSError:
        return False


def _unless_newer(path: Path) -> None:
    """Raise :class:`StoreError` ``store-newer``; whatever else the file is, it may be moved."""
    try:
        _check_header(path)
    except StoreError as error:
        if error.code == StoreCode.NEWER:
            raise


def _draft_of(path: Path) -> Path:
    """Return where a store is written anew before it takes the lost one's place."""
    return path.with_name("draft.sqlite3")


def _finish_renewing(path: Path) -> bool:
    """Put a draft in the missing store's place, where a killed process had it written whole.

    It was written in one transaction: it has all that the lost store held, or nothing.
    """
    draft = _draft_of(path)
    try:
        if not read_journal(draft):
            return False
        _open(draft).close()  # which merges its log: there is one file to rename
    except StoreError:
        return False
    _set_aside(path)  # a log that was left behind belongs to the lost store
    with _typed(path):
        os.rename(draft, path)
    return True


def _remove(path: Path) -> None:
    """Remove a store that never came to be."""
    for each in (path, *_beside(path)):
        each.unlink(missing_ok=True)


def _beside(path: Path) -> tuple[Path, Path]:
    """Return the names of a store's log and of the log's index."""
    return path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")


def _set_aside(path: Path) -> Path:
    """Move a damaged store and its log out of the way; nothing is ever overwritten."""
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    kept = path.with_name(f"{path.name}.damaged-{stamp}-{secrets.token_hex(2)}")
    with _typed(path):
        for old, new in zip((path, *_beside(path)), (kept, *_beside(kept)), strict=True):
            if old.exists():
                os.rename(old, new)
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
    code = _CODES.get(name) or _CODES.get(family, StoreCode.FAILED)
    return StoreError(code, path=str(path), reason=name or str(error))
