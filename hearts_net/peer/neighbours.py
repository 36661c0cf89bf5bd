"""Whether another machine can be reached, and if not, how it fails: that tells what is in the way.

A machine on the same network whose hardware address nobody tells is switched off, or kept apart: by
an access point that isolates its guests, which still lets them reach the gateway.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import ipaddress
import socket
import struct
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Final

from hearts_net.peer.interfaces import Interface

REACH_WITHIN: Final = 4.0
"""Seconds for a connection: by then the system has asked three times for a neighbour's address."""
_COMPLETE: Final = 0x2
_GATEWAY: Final = 0x2
_ROUTES: Final = Path("/proc/net/route")
_NEIGHBOURS: Final = Path("/proc/net/arp")


class Reach(StrEnum):
    """What a try to connect meets."""

    OPEN = "open"
    """Something listens there."""
    REFUSED = "refused"
    """The machine is there, and nothing listens at that port."""
    FILTERED = "filtered"
    """The machine is there, and says nothing: a firewall."""
    SILENT = "silent"
    """Nobody is there."""


async def reach(address: str, port: int, within: float = REACH_WITHIN) -> Reach:
    """Try to connect, and say what happens."""
    try:
        async with asyncio.timeout(within):
            _reader, writer = await asyncio.open_connection(address, port)
    except TimeoutError:
        return Reach.FILTERED if _is_known(address) is not False else Reach.SILENT
    except ConnectionRefusedError:
        return Reach.REFUSED
    except OSError as error:
        refused = error.errno in (errno.ECONNRESET, errno.EACCES, errno.EPERM)
        return Reach.FILTERED if refused else Reach.SILENT
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return Reach.OPEN


def is_neighbour(address: str, lans: Iterable[Interface]) -> Interface | None:
    """Return the interface on whose own network an address is."""
    text, _, scope = address.partition("%")
    ip = ipaddress.ip_address(text)
    for lan in lans:
        if scope:
            if lan.name == scope:
                return lan
            continue
        for own in lan.addresses:
            if own.version == ip.version and ip in own.network:
                return lan
    return None


def gateways() -> list[str]:
    """Return the addresses of the gateways, where the system tells."""
    found = []
    for words in _rows(_ROUTES):
        with contextlib.suppress(ValueError, IndexError):
            if int(words[3], 16) & _GATEWAY:
                found.append(socket.inet_ntoa(struct.pack("=I", int(words[2], 16))))
    return list(dict.fromkeys(found))


def known_neighbours() -> list[tuple[str, str]]:
    """Return the addresses of IPv4 that have answered on their networks, and the interfaces."""
    return [(words[0], words[5]) for words in _neighbours() if int(words[2], 16) & _COMPLETE]


def _is_known(address: str) -> bool | None:
    """Tell whether a neighbour has told its hardware address; None where nobody knows."""
    for words in _neighbours():
        if words[0] == address:
            return bool(int(words[2], 16) & _COMPLETE)
    return None


def _neighbours() -> Iterator[list[str]]:
    for words in _rows(_NEIGHBOURS):
        if len(words) == 6:
            yield words


def _rows(path: Path) -> list[list[str]]:
    try:
        return [line.split() for line in path.read_text().splitlines()[1:]]
    except OSError:
        return []
