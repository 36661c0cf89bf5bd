"""Who this installation is: a CURVE key pair for each profile, and which of them are in use.

A seat belongs to a key, so two clients at once need two keys. A lock on a file beside the key says
that a client is using it; the operating system lets go of it when the process ends, however it
ends.
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

import zmq

from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.home import Home, make_private_folder, unwritable, write_private

DEFAULT_PROFILE = "default"
"""The installation's own key; a table that this installation hosts has it too."""
MOST_CLIENTS = 64
"""So many clients of one installation find a key of their own without naming one."""

_PROFILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")
_KEY_LENGTH = 40


class KeyLock:
    """The operating system's word that one client uses a key; held until released."""

    __slots__ = ("_descriptor",)

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor

    def release(self) -> None:
        """Let another client have the key. A second time does nothing."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


@dataclass(frozen=True, slots=True)
class Identity:
    """A key pair in Z85, and the profile that it is kept under.

    As a context manager it releases its lock at the end.
    """

    public: str
    secret: str = field(repr=False)
    profile: str
    lock: KeyLock | None = field(default=None, repr=False, compare=False)

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
    """Take a key for a client, making it on first use; it is this client's until released.

    Without a profile the first free key is taken: the installation's, then ``player-2`` and so on.
    Raises :class:`LinkError` ``key-in-use`` (a named profile that another client has),
    ``bad-profile``, ``bad-key-file`` or ``home-unwritable``.
    """
    candidates = _candidates() if profile is None else [_checked(profile)]
    for name in candidates:
        lock = _lock(home, name)
        if lock is None:
            continue
        try:
            public, secret = _load_pair(home, name)
        except LinkError:
            lock.release()
            raise
        return Identity(public, secret, name, lock)
    raise LinkError(LinkCode.KEY_IN_USE, profile=profile or DEFAULT_PROFILE)


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


def _read_pair(path: Path) -> tuple[str, str] | None:
    """Read a key file; None where there is none."""
    try:
        text = path.read_bytes().decode()
        if os.name == "posix" and path.stat().st_mode & 0o077:
            path.chmod(0o600)
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


# ---- the lock ------------------------------------------------------------------------------------


def _lock(home: Home, profile: str) -> KeyLock | None:
    """Lock a profile for this client; None where another client has it."""
    path = home.keys / f"{profile}.lock"
    make_private_folder(path.parent)
    with unwritable(path):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    if _try_lock(descriptor):
        return KeyLock(descriptor)
    os.close(descriptor)
    return None


if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
