"""The UDP side of a table: it answers who asks, with nothing but an address, which key is here.

It listens on the control port's number; a table on another port than the usual one hears, where the
system can tell the two apart, also the question to everybody at the usual one. Anything but a
well-formed, padded question gets no answer, an answer is never longer than the question, and an
address that asks all the time gets none. All addresses together get only so many, since an address
is easily made up: a flood makes a table harder to find by the question, and costs its game little.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
import time
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias, cast

from hearts_net.host.crowd import Crowd
from hearts_net.peer.interfaces import lan_interfaces
from hearts_net.protocol import limits
from hearts_net.protocol.advert import Advert
from hearts_net.protocol.codes import ProtocolError
from hearts_net.protocol.datagram import pack_answer, read_question
from hearts_net.protocol.limits import RATES

_EVERYBODY: Final = "255.255.255.255"
_ALL_NODES: Final = "ff02::1"
_Place: TypeAlias = tuple[str, int] | tuple[str, int, int, int]

log = logging.getLogger(__name__)


class Answerer(asyncio.DatagramProtocol):
    """Answers questions with what is said of the table at that moment."""

    def __init__(self, advert: Callable[[], Advert]) -> None:
        self._advert = advert
        self._transport: asyncio.DatagramTransport | None = None
        self._crowd = Crowd(RATES["question"])
        self._everybody = Crowd(RATES["all-questions"])

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport to answer through."""
        self._transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, addr: tuple[str | int, ...]) -> None:
        """Answer one question; anything else is dropped."""
        now = time.monotonic_ns() // 1_000_000
        if self._crowd.is_over(str(addr[0]).encode(), now) or self._everybody.is_over(b"", now):
            return
        try:
            question = read_question(data)
            answer = pack_answer(self._advert().answer(question.nonce))
        except ProtocolError:
            return
        if self._transport is not None and len(answer) <= len(data):
            self._transport.sendto(answer, addr)

    def error_received(self, exc: Exception) -> None:
        """Note what the network said of an answer; nobody waits for it."""
        log.debug("an answer could not be delivered: %s", exc)


async def start_answering(
    advert: Callable[[], Advert], *, loopback_only: bool
) -> list[asyncio.DatagramTransport]:
    """Answer on every address of this machine, or on loopback; returns what is to be closed.

    Where the port cannot be had the table is open all the same: the invite still leads to it.
    """
    loop = asyncio.get_running_loop()
    transports = []
    for listener in _listeners(advert().control, loopback_only=loopback_only):
        transport, _ = await loop.create_datagram_endpoint(lambda: Answerer(advert), sock=listener)
        transports.append(transport)
    return transports


def _listeners(port: int, *, loopback_only: bool) -> list[socket.socket]:
    if loopback_only:
        places = [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")]
        ears = (_listener(family, (host, port)) for family, host in places)
        return [ear for ear in ears if ear is not None]
    one = _listener(socket.AF_INET6, ("::", port))
    if one is None:
        one = _listener(socket.AF_INET, ("0.0.0.0", port))  # noqa: S104 - the table is for the LAN
    found = [] if one is None else [one]
    return found if port == limits.CONTROL_PORT else [*found, *_ears_for_everybody()]


def _ears_for_everybody() -> Iterator[socket.socket]:
    """Hear the question to everybody beside the table that has the usual port, if one has.

    Sockets bound to the address of everybody get nothing else, so that table loses nothing.
    """
    if not sys.platform.startswith("linux"):
        return
    port = limits.CONTROL_PORT
    places: list[_Place] = [(_EVERYBODY, port)]
    places += [(_ALL_NODES, port, 0, each.index) for each in lan_interfaces() if each.has_v6]
    for place in places:
        family = socket.AF_INET6 if len(place) == 4 else socket.AF_INET
        ear = _listener(family, place)
        if ear is not None:
            yield ear


def _listener(family: socket.AddressFamily, place: _Place) -> socket.socket | None:
    try:
        found = socket.socket(family, socket.SOCK_DGRAM)
    except OSError:
        return None
    try:
        if family == socket.AF_INET6:
            found.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, int(place[0] != "::"))
        if sys.platform.startswith("linux"):  # elsewhere it would let others take the port away
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.setblocking(False)
        found.bind(place)
    except OSError as error:
        log.warning("no questions are answered at [%s]:%d: %s", place[0], place[1], error)
        found.close()
        return None
    return found
