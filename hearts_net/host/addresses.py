"""The machine's own addresses, the one to type first.

Without a dependency for it: the route that a datagram would take (nothing is sent), each
interface's address where the platform tells, and the resolver's word on the machine's own name.
"""

from __future__ import annotations

import ipaddress
import socket
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

LOOPBACK: Final = "127.0.0.1"
MOST: Final = 8
"""So many addresses fit an invite that can still be read out."""

_SOMEWHERE: Final = (
    (socket.AF_INET, "198.51.100.1"),  # a documentation address: the default route
    (socket.AF_INET, "239.255.255.250"),  # multicast: a LAN without a default route
    (socket.AF_INET, "10.255.255.254"),
    (socket.AF_INET, "192.168.255.254"),
    (socket.AF_INET6, "2001:db8::1"),
)
_SIOCGIFADDR: Final = 0x8915


def own_addresses() -> tuple[str, ...]:
    """Return this machine's addresses on its networks; loopback alone where it has no other."""
    found: dict[str, None] = {}
    for text in (*_by_route(), *_by_interface(), *_by_name()):
        if _is_worth_telling(text):
            found.setdefault(text)
    return tuple(found)[:MOST] or (LOOPBACK,)


def host_and_port(address: str, port: int) -> str:
    """Return what a person types to get there."""
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def _is_worth_telling(text: str) -> bool:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    if address.is_loopback or address.is_unspecified or address.is_multicast:
        return False
    # a link-local IPv6 address means nothing without the other machine's own scope
    return not (address.version == 6 and address.is_link_local)


def _by_route() -> Iterator[str]:
    for family, target in _SOMEWHERE:
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((target, 9))
                yield str(probe.getsockname()[0])
        except OSError:
            continue


def _by_interface() -> Iterator[str]:
    if not sys.platform.startswith("linux"):
        return
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
        for _, name in socket.if_nameindex():
            question = struct.pack("256s", name.encode()[:15])
            try:
                answer = fcntl.ioctl(asker, _SIOCGIFADDR, question)
            except OSError:
                continue  # an interface without an IPv4 address
            yield socket.inet_ntoa(answer[20:24])
    yield from _by_interface_v6()


def _by_interface_v6() -> Iterator[str]:
    try:
        lines = Path("/proc/net/if_inet6").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        yield str(ipaddress.IPv6Address(bytes.fromhex(line.split()[0])))


def _by_name() -> Iterator[str]:
    try:
        answers = socket.getaddrinfo(socket.gethostname(), None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return
    for answer in answers:
        yield str(answer[4][0])
