"""Ports opened for a moment, to see that they can be, and that they can be reached."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hearts_net.peer.ask import ask_first

_REACH_WITHIN: Final = 1.0


@dataclass(frozen=True, slots=True)
class Door:
    """A TCP port, and for the first one also the UDP port of its number."""

    port: int
    tcp: socket.socket
    udp: socket.socket | None

    def close(self) -> None:
        """Shut it."""
        self.tcp.close()
        if self.udp is not None:
            self.udp.close()


async def open_doors(ports: Sequence[int]) -> list[Door] | int:
    """Open every port, or return the first that cannot be."""
    doors: list[Door] = []
    for number, port in enumerate(ports):
        tcp = _bound(socket.SOCK_STREAM, port)
        udp = _bound(socket.SOCK_DGRAM, port) if number == 0 and tcp is not None else None
        if tcp is None or (number == 0 and udp is None):
            for opened in (tcp, udp, *doors):
                if opened is not None:
                    opened.close()
            return port
        tcp.listen(16)
        doors.append(Door(port, tcp, udp))
    return doors


def _bound(kind: socket.SocketKind, port: int) -> socket.socket | None:
    for family, address in ((socket.AF_INET6, "::"), (socket.AF_INET, "0.0.0.0")):  # noqa: S104 - where a host binds
        try:
            found = socket.socket(family, kind)
        except OSError:
            continue
        try:
            if family == socket.AF_INET6:
                found.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
            found.setblocking(False)
            found.bind((address, port))
        except OSError:
            found.close()
            continue
        return found
    return None


async def reach_doors(
    addresses: Sequence[str], ports: Sequence[int], doors: Sequence[Door]
) -> list[tuple[str, bool]]:
    """Try each port at each of this machine's own addresses, by TCP and the first also by UDP.

    Without ``doors`` a table has the ports, and is asked the UDP question.
    """
    found = []
    for address in addresses:
        ways = [_connects(address, port) for port in ports]
        udp = next((door.udp for door in doors if door.udp is not None), None)
        ways.append(_answers(address, ports[0]) if udp is None else _echoes(address, ports[0], udp))
        found.append((address, all(await asyncio.gather(*ways))))
    return found


async def _connects(address: str, port: int) -> bool:
    try:
        async with asyncio.timeout(_REACH_WITHIN):
            _reader, writer = await asyncio.open_connection(address, port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return True


async def _answers(address: str, port: int) -> bool:
    return await ask_first([(address, port)], _REACH_WITHIN) is not None


async def _echoes(address: str, port: int, udp: socket.socket) -> bool:
    loop = asyncio.get_running_loop()
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as sender:
            sender.setblocking(False)
            sender.sendto(b"hearts", (address, port))
        async with asyncio.timeout(_REACH_WITHIN):
            return await loop.sock_recv(udp, 16) == b"hearts"
    except (OSError, TimeoutError):
        return False
