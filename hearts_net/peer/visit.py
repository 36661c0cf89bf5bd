"""What is kept of a visit: the host's key, pinned, and the table among the recent ones."""

from __future__ import annotations

from hearts_net.peer.endpoint import Endpoint
from hearts_net.peer.errors import LinkError
from hearts_net.peer.home import Home
from hearts_net.peer.invite import Address, is_invite, parse_address
from hearts_net.peer.known_hosts import accept_host
from hearts_net.peer.lookup import is_loopback
from hearts_net.peer.recent import RecentTable, note_visit


def remember_visit(home: Home, host: Endpoint, table: str, clock: int, named: str = "") -> None:
    """Keep where a host was met, once a link to it has joined; ``clock`` is UTC milliseconds.

    The key is pinned to the address, and to the name by which the person called it (``named`` is
    whatever was typed). On this machine nothing is pinned: its tables come and go at the same
    addresses, and say their keys in its folders. Raises :class:`LinkError` ``bad-known-hosts`` or
    ``home-unwritable``.
    """
    note_visit(home, RecentTable(table, host.key, host.port, (host.address,), clock))
    if is_loopback(host.address):
        return
    for name in dict.fromkeys([host.address, *_host_named(named)]):
        accept_host(home, Address(name, host.port), host.key, table)


def _host_named(text: str) -> list[str]:
    if is_invite(text):
        return []
    try:
        return [parse_address(text).host]
    except LinkError:
        return []
