"""A hello to a table and no more: that it is there, has its key, and whether it holds a seat.

The same first message as that of somebody who joins, on a connection of its own; nobody at the
table sees anything of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import zmq

from hearts_net.peer.connection import Connection, Context
from hearts_net.peer.endpoint import Endpoint
from hearts_net.peer.identity import Identity
from hearts_net.peer.monitor import Sighting
from hearts_net.protocol import limits
from hearts_net.protocol.codec import decode_to_peer, encode
from hearts_net.protocol.codes import ProtocolError
from hearts_net.protocol.messages import Bye, Hello, Refused, Welcome

GREET_WITHIN: Final = 1.5
"""Seconds for a handshake and an answer."""


@dataclass(frozen=True, slots=True)
class Greeting:
    """What came back, and from where."""

    endpoint: Endpoint
    answer: Welcome | Refused


async def greet(
    context: Context,
    endpoints: Iterable[Endpoint],
    identity: Identity,
    within: float = GREET_WITHIN,
) -> Greeting | None:
    """Knock at every endpoint at once, say hello where the host opens first, return its answer.

    None where none comes within ``within`` seconds.
    """
    errand = _Errand()
    visits = [_Visit(endpoint, errand) for endpoint in dict.fromkeys(endpoints)]
    try:
        for visit in visits:
            visit.start(context, identity)
        async with asyncio.timeout(within):
            return await errand.answered
    except TimeoutError:
        return None
    finally:
        for visit in visits:
            visit.end()


class _Errand:
    """What the visits of one greeting share: one of them says hello, and one is answered."""

    def __init__(self) -> None:
        self.answered: asyncio.Future[Greeting] = asyncio.get_running_loop().create_future()
        self.speaker: _Visit | None = None


class _Visit:
    """One connection."""

    def __init__(self, endpoint: Endpoint, errand: _Errand) -> None:
        self._endpoint = endpoint
        self._errand = errand
        self._connection: Connection | None = None

    def start(self, context: Context, identity: Identity) -> None:
        try:
            self._connection = Connection(
                context, zmq.DEALER, identity, self._endpoint, self._stirs
            )
        except zmq.ZMQError:
            return  # an address that this machine cannot use, or no descriptors left just now
        self._stirs()

    def end(self) -> None:
        if self._connection is not None:
            if self._errand.speaker is self:
                self._connection.send(encode(Bye()))
            self._connection.close()

    def _stirs(self) -> None:
        connection = self._connection
        if connection is None or self._errand.answered.done():
            return
        while (sighting := connection.next_sighting()) is not None:
            if sighting is Sighting.UP and self._errand.speaker is None:
                self._errand.speaker = self
                connection.send(encode(Hello(list(limits.VERSIONS), "hearts-net finder")))
        while (body := connection.receive()) is not None:
            self._take(body)

    def _take(self, body: bytes) -> None:
        try:
            message = decode_to_peer(body)
        except ProtocolError:
            return
        if isinstance(message, Welcome | Refused) and not self._errand.answered.done():
            self._errand.answered.set_result(Greeting(self._endpoint, message))
