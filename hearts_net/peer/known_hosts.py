"""The keys of hosts that this installation has played with, pinned to where and what they were.

A text file that a person can read and edit: one host a line, the address, the key, then the table's
name and the host's machine. A host is recognised by its address, and wherever it is (``*`` in place
of the address) by its table's name and its machine together: another key is refused at that
address, and under those names, until somebody accepts it. Several lines may name one address or
one table with different keys; each of them is right then. Comments, blank lines and the order of
lines stay as they are.
"""

from __future__ import annotations

import shlex
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from hearts_net.peer.endpoint import is_key
from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.home import Home, held, write_private
from hearts_net.peer.invite import Address, parse_address

MOST_KNOWN: Final = 500
"""Lines; of more the oldest go. Nobody meets as many hosts, and the file is read at every look."""

_HEADER: Final = (
    "# Hosts that you have played with: address (*: anywhere), key, table @ machine.\n"
    "# At these addresses, and under these names, no other key is accepted.\n"
    "# Delete a line to forget a host.\n"
)
_ANYWHERE: Final = "*"
_ON: Final = " @ "
_NO_MACHINE: Final = "?"


@dataclass(frozen=True, slots=True)
class KnownHost:
    """One line of the file."""

    address: Address | None
    """None: wherever it is."""
    key: str
    table: str = ""
    machine: str = ""
    """What the host's machine calls itself; "" where that is not known."""

    def called(self) -> str:
        """Name it as a person would."""
        return f"{self.table} ({self.machine})" if self.machine else self.table

    def has_names(self, table: str, machine: str) -> bool:
        """Tell whether it is known as that table on that machine."""
        table, machine = _written(table, machine)
        if not self.machine or not machine:
            return False
        return (_folded(self.table), _folded(self.machine)) == (_folded(table), _folded(machine))

    def has_table(self, table: str) -> bool:
        """Tell whether it is known by a table of that name, on any machine."""
        return bool(self.table) and _folded(self.table) == _folded(table)

    def is_like(self, other: KnownHost) -> bool:
        """Tell whether both lines say the same key of the same table and machine."""
        return self.key == other.key and self.has_names(other.table, other.machine)


def known_hosts_file(home: Home) -> Path:
    """Where the file is."""
    return home.config / "known-hosts"


def known_hosts(home: Home) -> list[KnownHost]:
    """Read the file.

    Raises :class:`LinkError` ``bad-known-hosts`` with the line that cannot be understood: a pin
    that is silently passed over protects nobody.
    """
    path = known_hosts_file(home)
    found = (_parsed(line, number, path) for number, line in enumerate(_lines(path), start=1))
    return list(dict.fromkeys(host for host in found if host is not None))


def known_key(home: Home, address: Address) -> str | None:
    """Return the key pinned to ``address`` last. Raises like :func:`known_hosts`."""
    keys = {host.address: host.key for host in known_hosts(home)}
    return keys.get(address)


def is_known_key(home: Home, key: str) -> bool:
    """Tell whether a host with this key has been met anywhere. Raises like :func:`known_hosts`."""
    return any(host.key == key for host in known_hosts(home))


def check_key(home: Home, address: Address, key: str) -> bool:
    """Compare a key that ``address`` claims with those pinned to it; False where none is.

    Raises :class:`LinkError` ``host-key-changed`` for another key, with what the host is called,
    what ``hearts-net forget`` takes, both keys and the file.
    """
    pinned = [host for host in known_hosts(home) if host.address == address]
    return _is_one_of(home, pinned, key, address.text(), address.text())


def check_names(home: Home, table: str, machine: str, key: str) -> bool:
    """Compare a key with those of the hosts known as this table on this machine; False for none.

    Raises like :func:`check_key`.
    """
    pinned = [host for host in known_hosts(home) if host.has_names(table, machine)]
    if not pinned:
        return False
    forget = shlex.quote(f"{pinned[0].table}{_ON}{pinned[0].machine}")
    return _is_one_of(home, pinned, key, pinned[0].called(), forget)


def stranger_among(
    known: Sequence[KnownHost], table: str, machine: str, key: str
) -> LinkCode | None:
    """Say what is wrong with a host that is recognised by its names alone; None: nothing.

    ``host-key-changed`` where another key is known for this table on this machine; ``namesake``
    where only tables of other hosts are known by this name, and this host by nothing.
    """
    same = [host.key for host in known if host.has_names(table, machine)]
    if same and key not in same:
        return LinkCode.HOST_KEY_CHANGED
    is_new = all(host.key != key for host in known)
    if is_new and any(host.has_table(table) for host in known):
        return LinkCode.NAMESAKE
    return None


def accept_host(
    home: Home, address: Address | None, key: str, table: str = "", machine: str = ""
) -> None:
    """Trust this key at this address (None: anywhere) and under these names from now on.

    Other keys that are pinned stay: only :func:`forget_hosts` takes any away. Raises
    :class:`LinkError` ``bad-known-hosts`` or ``home-unwritable``.
    """
    host = KnownHost(address, key, *_written(table, machine))
    if host in known_hosts(home):
        return
    path = known_hosts_file(home)
    with held(home):
        lines = _lines(path) or _HEADER.splitlines()
        known = [_parsed(line, number, path) for number, line in enumerate(lines, start=1)]
        told_now = (host, replace(host, machine=""))
        kept = [line for line, other in zip(lines, known, strict=True) if other not in told_now]
        _write(path, _newest([*kept, _line(host)], path))


def forget_hosts(home: Home, forgotten: Iterable[KnownHost]) -> list[KnownHost]:
    """Remove these lines, and others that say the same of a table; return all that are gone."""
    wanted = list(forgotten)
    if not wanted:
        return []
    path = known_hosts_file(home)
    kept, gone = [], []
    with held(home):
        for line in _lines(path):
            host = _parsed(line, 0, path)
            if host is None or not any(host == other or host.is_like(other) for other in wanted):
                kept.append(line)
            else:
                gone.append(host)
        if gone:
            _write(path, kept)
    return gone


def _is_one_of(home: Home, pinned: Sequence[KnownHost], key: str, called: str, forget: str) -> bool:
    if pinned and all(host.key != key for host in pinned):
        raise LinkError(
            LinkCode.HOST_KEY_CHANGED,
            host=called,
            forget=forget,
            known=pinned[-1].key,
            offered=key,
            path=str(known_hosts_file(home)),
        )
    return bool(pinned)


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
        address = None if words[0] == _ANYWHERE else parse_address(words[0])
        key = words[1]
        if not is_key(key):
            raise ValueError(key)
    except (LinkError, IndexError, ValueError) as error:
        raise LinkError(LinkCode.BAD_KNOWN_HOSTS, path=str(path), line=number) from error
    names = words[2].strip() if len(words) > 2 else ""
    table, on, machine = names.rpartition(_ON)
    if not on:
        return KnownHost(address, key, names)
    return KnownHost(address, key, table, "" if machine == _NO_MACHINE else machine)


def _line(host: KnownHost) -> str:
    where = _ANYWHERE if host.address is None else host.address.text()
    names = host.table
    if host.machine or _ON in names:  # a table's name must not be read as a machine's
        names += _ON + (host.machine or _NO_MACHINE)
    return f"{where}  {host.key}  {names}".rstrip()


def _newest(lines: list[str], path: Path) -> list[str]:
    """Leave out the oldest hosts where there are too many."""
    hosts = [place for place, line in enumerate(lines) if _parsed(line, place + 1, path)]
    surplus = set(hosts[: max(0, len(hosts) - MOST_KNOWN)])
    return [line for place, line in enumerate(lines) if place not in surplus]


def _written(table: str, machine: str) -> tuple[str, str]:
    """Give names as they are read again: whoever is not known by the one is not by the other."""
    table, machine = _plain(table), _plain(machine).replace(" ", "-")
    return table, machine if table and machine != _NO_MACHINE else ""


def _plain(name: str) -> str:
    """Keep a name on its line: it is the host's own choice of characters."""
    return " ".join("".join(mark if mark.isprintable() else " " for mark in name).split())


def _folded(name: str) -> str:
    """Give what names have in common that a person takes for the same."""
    return unicodedata.normalize("NFKC", _plain(name)).casefold()


def _write(path: Path, lines: Iterable[str]) -> None:
    write_private(path, "".join(f"{line}\n" for line in lines).encode())
