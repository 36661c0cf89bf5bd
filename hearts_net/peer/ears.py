"""The sockets that ask the UDP question, of everybody or of one address, and hear the answers.

To everybody the question goes out of each interface, as an IPv4 broadcast and to IPv6's group of
all nodes; an interface that is down, or leads nowhere, costs the others nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
import struct
import sys
from collections.abc import Callable, Sequence
from typing import Final

from hearts_net.peer.interfaces import Interface, Kind, interfaces
from hearts_net.protocol import limits
from hearts_net.protocol.codes import ProtocolError
from hearts_net.protocol.datagram import Answer, pack_question, read_answer

_EVERYBODY: Final = "255.255.255.255"
_ALL_NODES: Final = "ff02::1"
_PKTINFO: Final = {"linux": 8, "darwin": 26}.get(sys.platform)
"""``IP_PKTINFO``, which sends a datagram out of a chosen interface."""
_AT_ONCE: Final = 256
"""Datagrams that are taken in one go before the rest of the program has its turn."""

Heed = Callable[[str, Answer], None]
"""Takes an answer and the address from which it came, written so that it leads back."""


class Ears:
    """Asks and listens in a running loop; ``heed`` is called with every good answer."""

    def __init__(self, heed: Heed) -> None:
        self._heed = heed
        self._nonce = secrets.token_hex(8)
        self._question = pack_question(self._nonce)
        self._loop = asyncio.get_running_loop()
        self._v4 = _listener(socket.AF_INET)
        self._v6 = _listener(socket.AF_INET6)
        self._by_address: dict[str, socket.socket] = {}

    def __enter__(self) -> Ears:
        for ear in (self._v4, self._v6):
            self._listen_at(ear)
        return self

    def __exit__(self, *_: object) -> None:
        for ear in (self._v4, self._v6, *self._by_address.values()):
            self._forget(ear)

    def ask_everybody(self, ports: Sequence[int] = (limits.CONTROL_PORT,)) -> None:
        """Send the question out of every interface."""
        around = [each for each in interfaces() if each.kind not in (Kind.TUNNEL, Kind.DOWN)]
        if _PKTINFO is None:
            self._follow(around)
        for port in ports:
            for interface in around:
                self._broadcast(interface, port)
                self._multicast(interface, port)

    def ask(self, address: str, port: int) -> None:
        """Send the question to one literal address; a way that is not there is passed over."""
        ear = self._v6 if ":" in address else self._v4
        if ear is not None:
            with contextlib.suppress(OSError):
                ear.sendto(self._question, (address, port))

    def _broadcast(self, interface: Interface, port: int) -> None:
        if _PKTINFO is None:
            for address in interface.v4:
                ear = self._by_address.get(str(address.ip))
                if ear is not None:
                    with contextlib.suppress(OSError):
                        ear.sendto(self._question, (_EVERYBODY, port))
            return
        if self._v4 is None or not interface.v4:
            return
        by = struct.pack("@i4s4s", interface.index, b"", b"")
        with contextlib.suppress(OSError):
            self._v4.sendmsg(
                [self._question], [(socket.IPPROTO_IP, _PKTINFO, by)], 0, (_EVERYBODY, port)
            )

    def _multicast(self, interface: Interface, port: int) -> None:
        if self._v6 is not None and interface.has_v6:
            with contextlib.suppress(OSError):
                self._v6.sendto(self._question, (_ALL_NODES, port, 0, interface.index))

    # ---- one socket an address, where the system takes no interface with a datagram

    def _follow(self, around: Sequence[Interface]) -> None:
        now = {str(address.ip) for interface in around for address in interface.v4}
        for gone in self._by_address.keys() - now:
            self._forget(self._by_address.pop(gone))
        for new in now - self._by_address.keys():
            ear = _listener(socket.AF_INET, new)
            if ear is not None:
                self._by_address[new] = ear
                self._listen_at(ear)

    # ---- answers

    def _listen_at(self, ear: socket.socket | None) -> None:
        if ear is not None:
            self._loop.add_reader(ear, self._listen, ear)

    def _forget(self, ear: socket.socket | None) -> None:
        if ear is not None:
            self._loop.remove_reader(ear)
            ear.close()

    def _listen(self, ear: socket.socket) -> None:
        for _ in range(_AT_ONCE):
            try:
                data, sender = ear.recvfrom(limits.DATAGRAM + 1)
            except OSError:  # nothing more at present, or word of a question that went astray
                return
            with contextlib.suppress(ProtocolError):
                self._heed(_literal(sender), read_answer(data, self._nonce))


def _listener(family: socket.AddressFamily, address: str = "") -> socket.socket | None:
    try:
        ear = socket.socket(family, socket.SOCK_DGRAM)
    except OSError:
        return None  # no such kind of address on this machine
    ear.setblocking(False)
    try:
        if family == socket.AF_INET:
            ear.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        else:
            ear.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        ear.bind((address, 0))
    except OSError:
        ear.close()
        return None
    return ear


def _literal(sender: tuple[str | int, ...]) -> str:
    """Write an address so that it leads back: one that is link-local needs its interface."""
    host = str(sender[0])
    if len(sender) == 4 and sender[3] and "%" not in host:
        return with_scope(host, int(sender[3]))
    return host


def with_scope(address: str, index: int) -> str:
    """Write a link-local address with the interface through which it is meant."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            return f"{address}%{socket.if_indextoname(index)}"
    return f"{address}%{index}"
