"""Whether multicast leaves this machine and comes back, and who else on the network hears it."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
import struct
from collections.abc import Iterator, Sequence
from typing import Final

from hearts_net.peer.interfaces import Interface

_GROUP_V4: Final = "239.255.26.52"
_GROUP_V6: Final = "ff12::2652"
_MDNS_V4: Final = ("224.0.0.251", 5353)
_MDNS_V6: Final = ("ff02::fb", 5353)
_BACK_WITHIN: Final = 1.0
_HEAR_FOR: Final = 1.2
_QUESTION: Final = (
    struct.pack("!6H", 0, 0, 1, 0, 0, 0)
    + b"".join(
        bytes([len(label)]) + label for label in (b"_services", b"_dns-sd", b"_udp", b"local")
    )
    + b"\0"
    + struct.pack("!2H", 12, 1)
)
"""What mDNS answers whatever is advertised: which kinds of services there are."""


async def comes_back(interface: Interface) -> bool:
    """Send a word to a group through one interface, and hear it there oneself."""
    tries = []
    if interface.v4:
        tries.append(_back(socket.AF_INET, interface))
    if interface.has_v6:
        tries.append(_back(socket.AF_INET6, interface))
    return any(await asyncio.gather(*tries))


async def _back(family: socket.AddressFamily, interface: Interface) -> bool:
    word = secrets.token_bytes(8)
    loop = asyncio.get_running_loop()
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as ear:
            ear.setblocking(False)
            _join(ear, family, interface)
            port = ear.getsockname()[1]
            ear.sendto(word, _place(family, interface, port))
            async with asyncio.timeout(_BACK_WITHIN):
                return await loop.sock_recv(ear, 16) == word
    except (OSError, TimeoutError):
        return False


def _join(ear: socket.socket, family: socket.AddressFamily, interface: Interface) -> None:
    if family == socket.AF_INET:
        own = socket.inet_aton(str(interface.v4[0].ip))
        ear.bind(("", 0))
        ear.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, own)
        ear.setsockopt(
            socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(_GROUP_V4) + own
        )
        return
    ear.bind(("::", 0))
    number = struct.pack("@I", interface.index)
    ear.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, number)
    group = socket.inet_pton(socket.AF_INET6, _GROUP_V6)
    ear.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP, group + number)


def _place(
    family: socket.AddressFamily, interface: Interface, port: int
) -> tuple[str, int] | tuple[str, int, int, int]:
    if family == socket.AF_INET:
        return _GROUP_V4, port
    return _GROUP_V6, port, 0, interface.index


async def who_else_hears(lans: Sequence[Interface]) -> set[str]:
    """Return the addresses of other machines that answer a question by multicast."""
    loop = asyncio.get_running_loop()
    own = {str(address.ip) for lan in lans for address in lan.addresses}
    heard: set[str] = set()
    ears: list[socket.socket] = []

    def listen(ear: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                heard.add(str(ear.recvfrom(9000)[1][0]).partition("%")[0])

    try:
        for ear in _asked(lans):
            ears.append(ear)
            loop.add_reader(ear, listen, ear)
        await asyncio.sleep(_HEAR_FOR)
    finally:
        for ear in ears:
            loop.remove_reader(ear)
            ear.close()
    return heard - own


def _asked(lans: Sequence[Interface]) -> Iterator[socket.socket]:
    """Ask mDNS through every interface, from a port of our own, so that answers come to it."""
    for lan in lans:
        for address in lan.v4[:1]:
            ear = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            own = socket.inet_aton(str(address.ip))
            if _sent(ear, (socket.IPPROTO_IP, socket.IP_MULTICAST_IF, own), _MDNS_V4):
                yield ear
        if lan.has_v6:
            try:
                ear = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
            except OSError:
                continue
            number = struct.pack("@I", lan.index)
            place = (*_MDNS_V6, 0, lan.index)
            if _sent(ear, (socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, number), place):
                yield ear


def _sent(
    ear: socket.socket,
    option: tuple[int, int, bytes],
    place: tuple[str, int] | tuple[str, int, int, int],
) -> bool:
    try:
        ear.setblocking(False)
        ear.setsockopt(*option)
        ear.sendto(_QUESTION, place)
    except OSError:
        ear.close()
        return False
    return True
