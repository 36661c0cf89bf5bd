"""A visit to a table: its host is compared with those known, and what is kept of it afterwards."""

from __future__ import annotations

import time

from hearts_net.peer.endpoint import Endpoint
from hearts_net.peer.errors import LinkError
from hearts_net.peer.home import Home
from hearts_net.peer.invite import Address, is_invite, parse_address
from hearts_net.peer.known_hosts import accept_host, check_names
from hearts_net.peer.local import is_ours
from hearts_net.peer.lookup import is_loopback
from hearts_net.peer.recent import RecentTable, note_visit
from hearts_net.protocol.messages import Welcome
from hearts_net.protocol.peer_outputs import Event, JoinedTable, Welcomed


class Visit:
    """What whoever joins does with the host's first word, and when it is let in.

    ``named`` is what the person typed to find the table.
    """

    def __init__(self, home: Home, named: str = "") -> None:
        self._home = home
        self._named = named
        self._host: Endpoint | None = None
        self._welcome: Welcome | None = None

    def heed(self, host: Endpoint | None, event: Event) -> None:
        """Take an event of the link whose host is at ``host``.

        Raises what :meth:`welcomed` does, which ends the link, and what :meth:`joined` does.
        """
        match event:
            case Welcomed(welcome) if host is not None:
                self.welcomed(host, welcome)
            case JoinedTable():
                self.joined()

    def welcomed(self, host: Endpoint, welcome: Welcome) -> None:
        """Compare the host's key with the one known for its names, before it hears who comes.

        However the table was found: what it says of itself over the connection counts. Raises
        :class:`LinkError` ``host-key-changed`` or ``bad-known-hosts``.
        """
        is_new = self._host is None or self._host.key != host.key
        if is_new and not is_ours(self._home, host.key):
            check_names(self._home, welcome.table, welcome.machine, host.key)
        self._host, self._welcome = host, welcome

    def joined(self) -> None:
        """Keep the visit. Raises :class:`LinkError` ``bad-known-hosts`` or ``home-unwritable``."""
        if self._host is None or self._welcome is None:
            return
        clock = time.time_ns() // 1_000_000
        table, machine = self._welcome.table, self._welcome.machine
        remember_visit(self._home, self._host, table, clock, self._named, machine)


def remember_visit(
    home: Home, host: Endpoint, table: str, clock: int, named: str = "", machine: str = ""
) -> None:
    """Keep where a host was met, once a link to it has joined; ``clock`` is UTC milliseconds.

    The key is pinned to the names of table and machine, to the address, and to the name by which
    the person called it (``named`` is whatever was typed). An address of this machine is not
    pinned: tables come and go at the same ones. Nor is anything of a table of this installation,
    which says its key in its folder. Raises :class:`LinkError` ``bad-known-hosts`` or
    ``home-unwritable``.
    """
    note_visit(home, RecentTable(table, host.key, host.port, (host.address,), clock))
    if is_ours(home, host.key):
        return
    if is_loopback(host.address):
        if machine:
            accept_host(home, None, host.key, table, machine)
        return
    for name in dict.fromkeys([host.address, *_host_named(named)]):
        accept_host(home, Address(name, host.port), host.key, table, machine)


def _host_named(text: str) -> list[str]:
    if is_invite(text):
        return []
    try:
        return [parse_address(text).host]
    except LinkError:
        return []
