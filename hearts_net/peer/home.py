"""The folders in which one installation keeps its configuration, its data and its state.

``HEARTS_NET_HOME`` puts all three under one folder (a USB stick, a test); otherwise they are where
the platform keeps such things. Everything in them is for the player's eyes only.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import platformdirs

from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.lock import take_lock

HOME_VARIABLE = "HEARTS_NET_HOME"
_APP = "hearts-net"
_PRIVATE_FOLDER = 0o700
_PRIVATE_FILE = 0o600
_HELD_FOR: Final = 2.0
_LOOK_EVERY: Final = 0.005
"""Seconds: a file is read and written again within milliseconds, on a slow disk within tenths."""


@dataclass(frozen=True, slots=True)
class Home:
    """The three folders of an installation."""

    config: Path
    """What the player may edit: ``config.toml``, ``known-hosts`` and themes of their own."""
    data: Path
    """What must not be lost: keys."""
    state: Path
    """What this machine has done: tables with their games, recent addresses, logs."""

    @property
    def keys(self) -> Path:
        """The folder of the key pairs, one file a profile."""
        return self.data / "keys"

    @property
    def tables(self) -> Path:
        """The folder of this machine's tables, one folder a table."""
        return self.state / "tables"


_AS_ONE_ACTS: Final = os.access in os.supports_effective_ids
"""Whether the system can be asked what the effective user may do, not the real one."""


def find_home(environ: Mapping[str, str] | None = None) -> Home:
    """Find the folders and make those that are missing, private to this user.

    Raises :class:`LinkError` ``home-unwritable`` with the path where that does not work.
    """
    home = _place(os.environ if environ is None else environ)
    for folder in (home.config, home.data, home.state):
        make_private_folder(folder)
        if not os.access(folder, os.W_OK | os.X_OK, effective_ids=_AS_ONE_ACTS):
            raise LinkError(LinkCode.HOME_UNWRITABLE, path=str(folder))
    return home


def _place(environ: Mapping[str, str]) -> Home:
    chosen = environ.get(HOME_VARIABLE, "")
    if chosen:
        with unwritable(Path(chosen)):
            root = Path(os.path.abspath(os.path.expanduser(chosen)))
            # a folder that exists keeps its mode: it may be the root of a stick
            make_private_folder(root)
        return Home(root / "config", root / "data", root / "state")
    return Home(
        platformdirs.user_config_path(_APP, appauthor=False),
        platformdirs.user_data_path(_APP, appauthor=False),
        platformdirs.user_state_path(_APP, appauthor=False),
    )


def make_private_folder(folder: Path) -> None:
    """Make ``folder`` and its parents, readable by this user alone, unless it exists.

    Raises :class:`LinkError` ``home-unwritable``.
    """
    with unwritable(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=_PRIVATE_FOLDER, exist_ok=True)


def write_private(path: Path, content: bytes, *, replace: bool = True) -> bool:
    """Write a file whole or not at all, readable by this user alone.

    With ``replace=False`` an existing file is left as it is and the answer is False: of several
    writers at the same moment exactly one makes the file. Raises :class:`LinkError`
    ``home-unwritable``.
    """
    make_private_folder(path.parent)
    draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    with unwritable(path):
        try:
            _write_draft(draft, content)
            if replace:
                os.replace(draft, path)
                return True
            return _put_in_place(draft, path)
        finally:
            draft.unlink(missing_ok=True)


@contextlib.contextmanager
def unwritable(path: Path) -> Iterator[None]:
    """Turn what the operating system says about ``path`` into ``home-unwritable``."""
    try:
        yield
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise LinkError(LinkCode.HOME_UNWRITABLE, path=str(path), reason=reason) from error


@contextlib.contextmanager
def held(home: Home) -> Iterator[None]:
    """Hold the files of an installation while one is read, changed and written again.

    Else of two clients that write at the same moment one would undo what the other has kept.
    Raises :class:`LinkError` ``home-unwritable``, also where somebody holds them for too long.
    """
    path = home.state / "held.lock"
    make_private_folder(path.parent)
    deadline = time.monotonic() + _HELD_FOR
    with unwritable(path):
        while (lock := take_lock(path)) is None:
            if time.monotonic() > deadline:
                raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
            time.sleep(_LOOK_EVERY)
    try:
        yield
    finally:
        lock.release()


def _write_draft(draft: Path, content: bytes) -> None:
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE_FILE)
    with open(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _put_in_place(draft: Path, path: Path) -> bool:
    try:
        os.link(draft, path)
    except FileExistsError:
        return False
    except OSError:  # a file system without links (FAT): the window between look and rename stays
        if path.exists():
            return False
        os.rename(draft, path)
    return True
