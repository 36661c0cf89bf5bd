"""Tables that nobody has named: those of this machine, those visited, and whoever else answers.

The question goes out of each interface, as an IPv4 broadcast and to IPv6's group of all nodes, so
that a host needs nothing but its port. It finds tables on the usual port. What answers is a hint
like any other: the key that it tells is unverified unless it is known already.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import secrets
import socket
import struct
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from hearts_net.peer.ask import ask_first
from hearts_net.peer.endpoint import Target
from hearts_net.peer.home import Home
from hearts_net.peer.known_hosts import is_known_key
from hearts_net.peer.local import tables_here
from hearts_net.peer.lookup import addresses_of
from hearts_net.peer.recent import recent_tables
from hearts_net.protocol import limits
from hearts_net.protocol.codes import ProtocolError
from hearts_net.protocol.datagram import Answer, pack_question, read_answer

LOOK_FOR: Final = 1.0
"""Seconds until everybody who is going to answer has."""
MOST_FOUND: Final = 64
"""Tables that are listened to in one look: a room has few, a prankster any number."""

_ASK_EVERY: Final = 0.3
_MOST_ADDRESSES: Final = 8
_EVERYBODY: Final = "255.255.255.255"
_ALL_NODES: Final = "ff02::1"
_PKTINFO: Final = {"linux": 8, "darwin": 26}.get(sys.platform)
"""``IP_PKTINFO``, which sends a datagram out of a chosen interface."""


class Source(StrEnum):
    """How a table was found."""

    HERE = "here"
    """It runs on this machine."""
    VISITED = "visited"
    """It was visited before, and answers where it was."""
    AROUND = "around"
    """It answered the question to everybody."""


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table that answers."""

    table: str
    key: str
    """The host's public key (Z85)."""
    port: int
    addresses: tuple[str, ...]
    """Where it answered; those of IPv4 first, since a person may have to type one."""
    versions: tuple[int, ...]
    """The protocol versions that it speaks."""
    source: Source
    verified: bool
    """The key was known before the answer."""

    def targets(self) -> list[Target]:
        """Say how to join it."""
        return [
            Target(address, self.port, self.key, self.table, self.verified)
            for address in self.addresses
        ]

    def fits(self) -> bool:
        """Tell whether this program and the table speak a common version."""
        return bool(set(self.versions) & set(limits.VERSIONS))


async def find_tables(home: Home, seconds: float = LOOK_FOR) -> list[FoundTable]:
    """Look once, for ``seconds``, and return every table that answers: here, visited, around.

    Raises :class:`LinkError` ``bad-known-hosts``.
    """
    here = [(table.target(), Source.HERE) for table in tables_here(home)]
    visited = [
        (target, Source.VISITED) for table in recent_tables(home) for target in table.targets()
    ]
    known, around = await asyncio.gather(
        asyncio.gather(*(_asked(*one, seconds) for one in here + visited)),
        ask_around(seconds=seconds),
    )
    checked = (_verified(table, home) for table in around)
    return _merged([*itertools.chain(*known), *checked])


async def ask_around(
    ports: Sequence[int] = (limits.CONTROL_PORT,), seconds: float = LOOK_FOR
) -> list[FoundTable]:
    """Ask everybody on this machine's networks, and return who has answered after ``seconds``."""
    nonce = secrets.token_hex(8)
    with _Ears(nonce) as ears:
        rounds = max(1, int(seconds / _ASK_EVERY))
        for _ in range(rounds):
            for port in ports:
                ears.ask(pack_question(nonce), port)
            await asyncio.sleep(seconds / rounds)
        return ears.found()


class _Ears:
    """The sockets of one look around, and the answers that they have heard."""

    def __init__(self, nonce: str) -> None:
        self._nonce = nonce
        self._answers: dict[tuple[str, str, int], Answer] = {}
        self._loop = asyncio.get_running_loop()
        self._v4 = _listener(socket.AF_INET)
        self._v6 = _listener(socket.AF_INET6)

    def __enter__(self) -> _Ears:
        for ear in self._sockets():
            self._loop.add_reader(ear, self._listen, ear)
        return self

    def __exit__(self, *_: object) -> None:
        for ear in self._sockets():
            self._loop.remove_reader(ear)
            ear.close()

    def ask(self, question: bytes, port: int) -> None:
        """Send the question out of every interface; one that is down is passed over."""
        interfaces = _interfaces()
        if self._v4 is not None:
            _broadcast(self._v4, interfaces, question, port)
        for interface in interfaces if self._v6 is not None else ():
            with contextlib.suppress(OSError):
                assert self._v6 is not None
                self._v6.sendto(question, (_ALL_NODES, port, 0, interface))

    def found(self) -> list[FoundTable]:
        """Put the answers of each table together."""
        return _merged(
            FoundTable(
                answer.table,
                answer.key,
                answer.control,
                (address,),
                tuple(answer.versions),
                Source.AROUND,
                verified=False,
            )
            for (address, _key, _port), answer in self._answers.items()
        )

    def _sockets(self) -> Iterator[socket.socket]:
        return (ear for ear in (self._v4, self._v6) if ear is not None)

    def _listen(self, ear: socket.socket) -> None:
        while True:
            try:
                data, sender = ear.recvfrom(limits.DATAGRAM + 1)
            except OSError:  # nothing more at present, or word of a question that went astray
                return
            with contextlib.suppress(ProtocolError):
                answer = read_answer(data, self._nonce)
                if len(self._answers) < MOST_FOUND * _MOST_ADDRESSES:
                    self._answers[_literal(sender), answer.key, answer.control] = answer


def _listener(family: socket.AddressFamily) -> socket.socket | None:
    try:
        ear = socket.socket(family, socket.SOCK_DGRAM)
    except OSError:
        return None  # no such kind of address on this machine
    ear.setblocking(False)
    if family == socket.AF_INET:
        ear.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
    try:
        ear.bind(("", 0))
    except OSError:
        ear.close()
        return None
    return ear


def _interfaces() -> list[int]:
    try:
        return [index for index, _ in socket.if_nameindex()]
    except OSError:
        return []


def _broadcast(ear: socket.socket, interfaces: list[int], question: bytes, port: int) -> None:
    if _PKTINFO is None:  # it leaves by the interface of the default route alone
        with contextlib.suppress(OSError):
            ear.sendto(question, (_EVERYBODY, port))
        return
    for interface in interfaces:
        by = struct.pack("@i4s4s", interface, b"", b"")
        with contextlib.suppress(OSError):
            ear.sendmsg([question], [(socket.IPPROTO_IP, _PKTINFO, by)], 0, (_EVERYBODY, port))


def _literal(sender: tuple[str | int, ...]) -> str:
    """Write an address so that it leads back: one that is link-local needs its interface."""
    host = str(sender[0])
    if len(sender) == 4 and sender[3] and "%" not in host:
        with contextlib.suppress(OSError):
            return f"{host}%{socket.if_indextoname(int(sender[3]))}"
    return host


async def _asked(target: Target, source: Source, seconds: float) -> list[FoundTable]:
    """Ask where a table was last; another table of the same host is none of ours."""
    places = [(address, target.control_port) for address in await addresses_of(target.host)]
    answer = await ask_first(places, seconds, target.key)
    if answer is None or answer.table != target.table:
        return []
    addresses = tuple(address for address, _ in places)
    versions = tuple(answer.versions)
    port = answer.control
    return [FoundTable(answer.table, answer.key, port, addresses, versions, source, True)]


def _verified(table: FoundTable, home: Home) -> FoundTable:
    return replace(table, verified=is_known_key(home, table.key))


def _merged(tables: Sequence[FoundTable] | Iterator[FoundTable]) -> list[FoundTable]:
    """Put together what was found of one table; the first that was found gives the source."""
    merged: dict[tuple[str, int], FoundTable] = {}
    for table in tables:
        place = (table.key, table.port)
        first = merged.setdefault(place, table)
        both = dict.fromkeys((*first.addresses, *table.addresses))
        addresses = tuple(sorted(both, key=lambda address: ":" in address))[:_MOST_ADDRESSES]
        verified = first.verified or table.verified
        merged[place] = replace(first, addresses=addresses, verified=verified)
    return list(merged.values())[:MOST_FOUND]
