"""The keys of hosts that this installation has played with, pinned to where they were.

A text file that a person can read and edit: one host a line, the address, the key, the table's
name. Comments, blank lines and the order of lines stay as they are. At an address that is in the
file another key is refused loudly, until somebody accepts it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hearts_net.peer.endpoint import is_key
from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.home import Home, write_private
from hearts_net.peer.invite import Address, parse_address

_HEADER: Final = (
    "# Hosts that you have played with: address, key, table.\n"
    "# At these addresses no other key is accepted. Delete a line to forget a host.\n"
)


@dataclass(frozen=True, slots=True)
class KnownHost:
    """One line of the file."""

    address: Address
    key: str
    table: str


def known_hosts_file(home: Home) -> Path:
    """Where the file is."""
    return home.config / "known-hosts"


def known_hosts(home: Home) -> list[KnownHost]:
    """Read the file; of several lines with one address the last counts.

    Raises :class:`LinkError` ``bad-known-hosts`` with the line that cannot be understood: a pin
    that is silently passed over protects nobody.
    """
    path = known_hosts_file(home)
    found = (_parsed(line, number, path) for number, line in enumerate(_lines(path), start=1))
    hosts = {host.address: host for host in found if host is not None}
    return list(hosts.values())


def known_key(home: Home, address: Address) -> str | None:
    """Return the key that is pinned to ``address``. Raises like :func:`known_hosts`."""
    keys = {host.address: host.key for host in known_hosts(home)}
    return keys.get(address)


def is_known_key(home: Home, key: str) -> bool:
    """Tell whether a host with this key has been met anywhere. Raises like :func:`known_hosts`."""
    return any(host.key == key for host in known_hosts(home))


def check_key(home: Home, address: Address, key: str) -> bool:
    """Compare a key that ``address`` claims with the pinned one; False where none is pinned.

    Raises :class:`LinkError` ``host-key-changed`` for another key than the pinned one, with the
    address, both keys and the file.
    """
    pinned = known_key(home, address)
    if pinned is None:
        return False
    if pinned != key:
        raise LinkError(
            LinkCode.HOST_KEY_CHANGED,
            address=address.text(),
            known=pinned,
            offered=key,
            path=str(known_hosts_file(home)),
        )
    return True


def accept_host(home: Home, address: Address, key: str, table: str = "") -> None:
    """Trust this key at this address from now on, whichever was pinned before.

    Raises :class:`LinkError` ``bad-known-hosts`` or ``home-unwritable``.
    """
    host = KnownHost(address, key, _plain(table))
    if host in known_hosts(home):
        return
    path = known_hosts_file(home)
    lines = _lines(path) or _HEADER.splitlines()
    kept = [line for line in lines if not _is_about(line, address, path)]
    kept.append(f"{address.text()}  {key}  {host.table}".rstrip())
    _write(path, kept)


def forget_host(home: Home, address: Address) -> bool:
    """Remove what is pinned to an address; False where nothing was."""
    path = known_hosts_file(home)
    lines = _lines(path)
    kept = [line for line in lines if not _is_about(line, address, path)]
    if len(kept) == len(lines):
        return False
    _write(path, kept)
    return True


# ---- the file ------------------------------------------------------------------------------------


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise LinkError(LinkCode.BAD_KNOWN_HOSTS, path=str(path), line=0) from error


def _parsed(line: str, number: int, path: Path) -> KnownHost | None:
    words = line.split(maxsplit=2)
    if not words or words[0].startswith("#"):
        return None
    try:
        address = parse_address(words[0])
        key = words[1]
        if not is_key(key):
            raise ValueError(key)
    except (LinkError, IndexError, ValueError) as error:
        raise LinkError(LinkCode.BAD_KNOWN_HOSTS, path=str(path), line=number) from error
    return KnownHost(address, key, words[2].strip() if len(words) > 2 else "")


def _is_about(line: str, address: Address, path: Path) -> bool:
    host = _parsed(line, 0, path)
    return host is not None and host.address == address


def _plain(table: str) -> str:
    """Keep a table's name on its line: it is the host's own choice of characters."""
    return " ".join("".join(mark if mark.isprintable() else " " for mark in table).split())


def _write(path: Path, lines: Iterable[str]) -> None:
    write_private(path, "".join(f"{line}\n" for line in lines).encode())
