"""Tables as processes of their own: start one, find those that run, end one."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from hearts_net.host.errors import HostCode, HostError, StoreCode, StoreError
from hearts_net.host.folder import (
    Running,
    TableFolder,
    find_running,
    folder_for,
    unwritable,
)
from hearts_net.host.settings import HostSettings
from hearts_net.host.store import read_journal
from hearts_net.host.tablekey import load_table_key
from hearts_net.peer.home import write_private
from hearts_net.rules.errors import HeartsError

__all__ = ["Running", "find_running", "launch_table", "stop_table"]

START_WITHIN: Final = 15.0
"""Seconds until a table is reported as not starting (a slow disk, an old machine)."""
STOP_WITHIN: Final = 5.0
_LOOK_EVERY: Final = 0.02
_LOG_LIMIT: Final = 1024 * 1024
_HELD_BACK: Final = [
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")
    if hasattr(signal, name)
]
"""Signals whose handlers may raise."""


def launch_table(
    settings: HostSettings,
    within: float = START_WITHIN,
    started: Callable[[Running], None] | None = None,
) -> Running:
    """Start a table as a detached process and return how to reach it.

    The process survives this one and its terminal. Whoever is to end it calls for ``started``,
    which is told of it before this can be interrupted: until then an interruption ends the process
    and, of a new table, leaves nothing. Raises what the process says that went wrong
    (:class:`StoreError`, :class:`HostError`), or :class:`HostError` ``host-not-started``.
    """
    settings = settings.checked()
    is_new = settings.is_new
    folder = folder_for(settings.tables, settings.table_id)
    if folder.is_running():
        raise StoreError(StoreCode.LOCKED, path=str(folder.path))
    if not is_new and _never_began(folder):
        raise StoreError(StoreCode.MISSING, table=folder.table_id)
    load_table_key(folder, settings.key, settings.secret)
    write_private(folder.settings, settings.to_json())
    try:
        return _start(folder, within, started)
    except HeartsError as error:
        if is_new and error.code != HostCode.NOT_STARTED:
            shutil.rmtree(folder.path, ignore_errors=True)  # made above, and nothing was played
        raise
    except BaseException:
        if is_new and not folder.is_running():
            shutil.rmtree(folder.path, ignore_errors=True)
        raise


def stop_table(running: Running, within: float = STOP_WITHIN) -> None:
    """End a running table, saved; returns when it has ended.

    Raises :class:`HostError` ``table-not-running`` or ``table-not-stopped``.
    """
    folder = TableFolder(running.folder)
    now = folder.read_running()
    if now is None or now.pid != running.pid:
        raise HostError(HostCode.NOT_RUNNING, table=running.table_id)
    if sys.platform == "win32":
        folder.stop.touch()
    else:
        with contextlib.suppress(ProcessLookupError):
            os.kill(running.pid, signal.SIGTERM)
    deadline = time.monotonic() + within
    while folder.is_running():
        if time.monotonic() > deadline:
            raise HostError(HostCode.NOT_STOPPED, table=running.table_id, pid=running.pid)
        time.sleep(_LOOK_EVERY)


def _never_began(folder: TableFolder) -> bool:
    """Tell whether the first process died before anything was stored, or anybody told."""
    try:
        return folder.store.exists() and not read_journal(folder.store)
    except StoreError:
        return False  # the new process says what is wrong


def _start(
    folder: TableFolder, within: float, started: Callable[[Running], None] | None
) -> Running:
    _roll(folder.log)
    child: subprocess.Popen[bytes] | None = None
    try:
        with _told_whole(), folder.log.open("ab") as log:
            folder.log.chmod(0o600)
            child = _spawn(folder.path, log.fileno())
        said = _said(_first_line(child, within))
        running = Running.read(folder, said)
        if running is not None:  # it may have ended again by now, which is for others to find out
            if started is not None:
                started(running)
            child.returncode = 0  # it is on its own now: this process does not wait for it
            return running
    except OSError as error:
        if child is None:
            raise unwritable(folder.log, error) from error
        _end_unknown(child)
        raise
    except BaseException:  # interrupted: nobody would know of the table
        if child is not None:
            _end_unknown(child)
        raise
    child.kill()
    child.wait()
    _raise_what_went_wrong(said)
    raise HostError(HostCode.NOT_STARTED, log=str(folder.log))


@contextlib.contextmanager
def _told_whole() -> Iterator[None]:
    """Hold signals back until the block's end: a child that has been started must be known."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _: held.append(number))
        for number in _HELD_BACK
        if callable(signal.getsignal(number))
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in held[:1]:
            signal.raise_signal(number)


def _end_unknown(child: subprocess.Popen[bytes]) -> None:
    """End a table's process as :func:`stop_table` does, and wait for its end."""
    child.returncode = None
    child.terminate()
    try:
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(STOP_WITHIN)
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()
        if child.stdout is not None:
            child.stdout.close()


def _spawn(folder: Path, log: int) -> subprocess.Popen[bytes]:
    command = (sys.executable, "-m", "hearts_net.host", str(folder))
    if sys.platform == "win32":
        apart = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
        return subprocess.Popen(  # noqa: S603 - our own interpreter and module
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            creationflags=apart,
        )
    return subprocess.Popen(  # noqa: S603 - our own interpreter and module
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=log,
        start_new_session=True,
    )


def _first_line(child: subprocess.Popen[bytes], within: float) -> bytes:
    """Return the child's first line; nothing where it ends, or takes too long."""
    assert child.stdout is not None
    pipe = child.stdout
    lines = [b""]

    def read() -> None:
        with contextlib.suppress(OSError, ValueError):  # closed by a signal's handler meanwhile
            lines.append(pipe.readline())

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    reader.join(within)
    if reader.is_alive():
        child.kill()
        reader.join()
    pipe.close()
    return lines[-1]


def _said(line: bytes) -> dict[str, Any]:
    try:
        said = json.loads(line)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _raise_what_went_wrong(said: dict[str, Any]) -> None:
    code, detail = said.get("error"), said.get("detail")
    detail = detail if isinstance(detail, dict) else {}
    if code in {str(each) for each in StoreCode}:
        raise StoreError(code, **detail)
    if code:
        raise HostError(str(code), **detail)


def _roll(log: Path) -> None:
    """Keep one earlier log, so that it cannot grow for ever."""
    try:
        if log.stat().st_size > _LOG_LIMIT:
            os.replace(log, log.with_name("log.1"))
    except OSError:
        return
