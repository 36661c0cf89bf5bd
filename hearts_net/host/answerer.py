"""The UDP side of a table: it answers who asks, with nothing but an address, which key is here.

It listens on the control port's number. Anything but a well-formed, padded question gets no answer,
and an answer is never longer than the question.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from typing import cast

from hearts_net.protocol import limits
from hearts_net.protocol.codes import ProtocolError
from hearts_net.protocol.datagram import Answer, pack_answer, read_question

log = logging.getLogger(__name__)


class Answerer(asyncio.DatagramProtocol):
    """Answers questions with what it was made with."""

    def __init__(self, key: str, control: int, public: int, table: str) -> None:
        self._facts = (key, control, public, list(limits.VERSIONS), table)
        self._transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport to answer through."""
        self._transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, addr: tuple[str | int, ...]) -> None:
        """Answer one question; anything else is dropped."""
        try:
            question = read_question(data)
            answer = pack_answer(Answer(question.nonce, *self._facts))
        except ProtocolError:
            return
        if self._transport is not None and len(answer) <= len(data):
            self._transport.sendto(answer, addr)

    def error_received(self, exc: Exception) -> None:
        """Note what the network said of an answer; nobody waits for it."""
        log.debug("an answer could not be delivered: %s", exc)


async def start_answering(
    key: str, control: int, public: int, table: str, *, loopback_only: bool
) -> list[asyncio.DatagramTransport]:
    """Answer on every address of this machine, or on loopback; returns what is to be closed.

    Where the port cannot be had the table is open all the same: the invite still leads to it.
    """
    loop = asyncio.get_running_loop()
    transports = []
    for listener in _listeners(control, loopback_only=loopback_only):
        transport, _ = await loop.create_datagram_endpoint(
            lambda: Answerer(key, control, public, table), sock=listener
        )
        transports.append(transport)
    return transports


def _listeners(port: int, *, loopback_only: bool) -> list[socket.socket]:
    if loopback_only:
        places = [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")]
        return [found for place in places if (found := _listener(*place, port))]
    both = _listener(socket.AF_INET6, "::", port)
    if both is not None:
        return [both]
    only = _listener(socket.AF_INET, "0.0.0.0", port)  # noqa: S104 - the table is for the LAN
    return [] if only is None else [only]


def _listener(family: socket.AddressFamily, host: str, port: int) -> socket.socket | None:
    try:
        found = socket.socket(family, socket.SOCK_DGRAM)
    except OSError:
        return None
    try:
        if family == socket.AF_INET6:
            found.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, int(host != "::"))
        found.setblocking(False)
        found.bind((host, port))
    except OSError as error:
        log.warning("no questions are answered at [%s]:%d: %s", host, port, error)
        found.close()
        return None
    return found
