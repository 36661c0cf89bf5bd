"""The machine's own addresses, the one to type first.

The first is that of the interface which leads to the room: the one by which a datagram would leave
among those that carry a LAN (nothing is sent). Those of containers and tunnels come after it, and
last the link-local ones, to which whoever joins has to add an interface of their own.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterator
from typing import Final

from hearts_net.peer.endpoint import LOOPBACK
from hearts_net.peer.interfaces import Kind, interfaces
from hearts_net.peer.invite import MAX_ADDRESSES

_SOMEWHERE: Final = (
    (socket.AF_INET, "198.51.100.1"),  # a documentation address: the default route
    (socket.AF_INET, "239.255.255.250"),  # multicast: a LAN without a default route
    (socket.AF_INET, "10.255.255.254"),
    (socket.AF_INET, "192.168.255.254"),
    (socket.AF_INET6, "2001:db8::1"),
)


def own_addresses() -> tuple[str, ...]:
    """Return this machine's addresses on its networks; loopback alone where it has no other."""
    kinds = {
        str(address.ip): interface.kind
        for interface in interfaces()
        for address in interface.addresses
    }
    routes = list(dict.fromkeys(_by_route()))
    ways = list(dict.fromkeys((*routes, *kinds, *_by_name())))
    known = [text for text in ways if kinds.get(text) not in (Kind.LOOPBACK, Kind.DOWN)]
    telling = [text for text in known if _is_worth_telling(text)]
    order = list(Kind)

    def place(text: str) -> tuple[bool, int, int]:
        kind = order.index(kinds.get(text, Kind.TUNNEL))
        return ipaddress.ip_address(text).is_link_local, kind, telling.index(text)

    return tuple(sorted(telling, key=place))[:MAX_ADDRESSES] or (LOOPBACK,)


def host_and_port(address: str, port: int) -> str:
    """Return what a person types to get there."""
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def _is_worth_telling(text: str) -> bool:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified or address.is_multicast)


def _by_route() -> Iterator[str]:
    for family, target in _SOMEWHERE:
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((target, 9))
                yield str(probe.getsockname()[0])
        except OSError:
            continue


def _by_name() -> Iterator[str]:
    """Ask the resolver for the machine's own name, where the system tells no interfaces."""
    if interfaces():
        return
    try:
        answers = socket.getaddrinfo(socket.gethostname(), None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return
    for answer in answers:
        yield str(answer[4][0])
