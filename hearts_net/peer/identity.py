"""Who this installation is: a CURVE key pair for each profile, and which of them are in use.

A seat belongs to a key, so two players at once need two keys. A lock on a file beside the key says
that a client is using it; the operating system lets go of it when the process ends, however it
ends. Who names a profile that is in use shares that lock.
"""

from __future__ import annotations

import contextlib
import os
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

import zmq

from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.home import Home, make_private_folder, unwritable, write_private
from hearts_net.peer.lock import FileLock, join_lock, take_to_share

DEFAULT_PROFILE = "default"
"""The installation's own key; a table that this installation hosts has it too."""
MOST_CLIENTS = 64
"""So many clients of one installation find a key of their own without naming one."""

_PROFILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")
_KEY_LENGTH = 40


@dataclass(frozen=True, slots=True)
class Identity:
    """A key pair in Z85, and the profile that it is kept under.

    As a context manager it releases its lock at the end.
    """

    public: str
    secret: str = field(repr=False)
    profile: str
    lock: FileLock | None = field(default=None, repr=False, compare=False)

    def release(self) -> None:
        """Let another client of this installation use the key."""
        if self.lock is not None:
            self.lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def new_identity(profile: str = "") -> Identity:
    """Make a key pair that is kept nowhere (a bot of a table, a test)."""
    public, secret = zmq.curve_keypair()
    return Identity(public.decode(), secret.decode(), profile)


def load_identity(home: Home, profile: str | None = None) -> Identity:
    """Take a key for a client, making it on first use; it is in use until released.

    Without a profile the first that is not in use is taken: the installation's, then ``player-2``
    and so on. A named profile is taken though another client has it: where both come to one table,
    the newer one has the seat, and the older one is told.
    Raises :class:`LinkError` ``key-in-use`` (every one that need not be named),
    ``bad-profile``, ``bad-key-file`` or ``home-unwritable``.
    """
    if profile is not None:
        name = _checked(profile)
        return _with_pair(home, name, _lock(home, name, join_lock))
    for name in _candidates():
        lock = _lock(home, name, take_to_share)
        if lock is not None:
            return _with_pair(home, name, lock)
    raise LinkError(LinkCode.KEY_IN_USE, profile=DEFAULT_PROFILE)


def _with_pair(home: Home, profile: str, lock: FileLock | None) -> Identity:
    try:
        public, secret = _load_pair(home, profile)
    except LinkError:
        if lock is not None:
            lock.release()
        raise
    return Identity(public, secret, profile, lock)


def read_identity(home: Home, profile: str = DEFAULT_PROFILE) -> Identity:
    """Load a key without taking it, as a table does; it is made on first use.

    Raises :class:`LinkError` ``bad-profile``, ``bad-key-file`` or ``home-unwritable``.
    """
    public, secret = _load_pair(home, _checked(profile))
    return Identity(public, secret, profile)


def key_file(home: Home, profile: str) -> Path:
    """Where the key pair of ``profile`` is kept. Raises :class:`LinkError` ``bad-profile``."""
    return home.keys / f"{_checked(profile)}.key"


def _candidates() -> list[str]:
    return [DEFAULT_PROFILE, *(f"player-{number}" for number in range(2, MOST_CLIENTS + 1))]


def _checked(profile: str) -> str:
    if not _PROFILE.fullmatch(profile):
        raise LinkError(LinkCode.BAD_PROFILE, profile=profile[:64])
    return profile


# ---- the file ------------------------------------------------------------------------------------


def _load_pair(home: Home, profile: str) -> tuple[str, str]:
    path = key_file(home, profile)
    pair = _read_pair(path)
    if pair is None:
        write_private(path, _new_file(), replace=False)
        pair = _read_pair(path)
    if pair is None:
        raise LinkError(LinkCode.BAD_KEY_FILE, path=str(path))
    return pair


def _new_file() -> bytes:
    fresh = new_identity()
    return (
        "# The key to your seats: whoever has this file can play as you.\n"
        f'public = "{fresh.public}"\n'
        f'secret = "{fresh.secret}"\n'
    ).encode()


def _close_to_others(path: Path) -> None:
    """Take everybody else's rights away; some file systems (a USB stick's) know of none."""
    if os.name == "posix" and path.stat().st_mode & 0o077:
        with contextlib.suppress(OSError):
            path.chmod(0o600)


def _read_pair(path: Path) -> tuple[str, str] | None:
    """Read a key file; None where there is none."""
    try:
        text = path.read_bytes().decode()
        _close_to_others(path)
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise LinkError(LinkCode.BAD_KEY_FILE, path=str(path)) from error
    try:
        fields = tomllib.loads(text)
        public, secret = fields["public"], fields["secret"]
        if len(secret) != _KEY_LENGTH or zmq.curve_public(secret.encode()).decode() != public:
            raise ValueError("the two keys do not belong together")
    except (KeyError, TypeError, ValueError, AttributeError, zmq.ZMQError) as error:
        raise LinkError(LinkCode.BAD_KEY_FILE, path=str(path)) from error
    return public, secret


def _lock(home: Home, profile: str, take: Callable[[Path], FileLock | None]) -> FileLock | None:
    path = home.keys / f"{profile}.lock"
    make_private_folder(path.parent)
    with unwritable(path):
        return take(path)
