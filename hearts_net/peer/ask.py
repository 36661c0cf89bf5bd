"""The question for who has an address and no key: one UDP datagram to the control port's number.

A key learned so is nobody's word but the answerer's own: it is trusted on first use, shown as
unverified and pinned afterwards (:mod:`hearts_net.peer.known_hosts`).
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterable
from typing import Final

from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.lookup import addresses_of
from hearts_net.protocol import limits
from hearts_net.protocol.codes import ProtocolError
from hearts_net.protocol.datagram import Answer, pack_question, read_answer

ASK_WITHIN: Final = 2.0
"""Seconds until an address that says nothing counts as silent."""
_ASK_EVERY: Final = 0.25
"""Seconds between two questions: a datagram may be lost."""


async def ask(host: str, port: int = limits.CONTROL_PORT, timeout: float = ASK_WITHIN) -> Answer:
    """Ask what is at ``host``, at each address that it has, and return the first answer.

    Raises :class:`LinkError` ``no-such-host`` for a name without an address and ``no-answer`` after
    ``timeout`` seconds.
    """
    addresses = await addresses_of(host)
    if not addresses:
        raise LinkError(LinkCode.NO_SUCH_HOST, host=host)
    answer = await ask_first(((address, port) for address in addresses), timeout)
    if answer is None:
        raise LinkError(LinkCode.NO_ANSWER, host=host, port=port)
    return answer


async def ask_first(
    places: Iterable[tuple[str, int]],
    timeout: float = ASK_WITHIN,
    key: str = "",
) -> Answer | None:
    """Ask several literal addresses at once and return the first answer, or None.

    With ``key`` only the host that has this key is listened to.
    """
    loop = asyncio.get_running_loop()
    nonce = secrets.token_hex(8)
    found: asyncio.Future[Answer] = loop.create_future()
    transports: list[asyncio.DatagramTransport] = []
    try:
        for address, port in dict.fromkeys(places):
            transports.extend(await _open(address, port, _Asker(nonce, key, found)))
        async with asyncio.timeout(timeout):
            return await _keep_asking(transports, pack_question(nonce), found)
    except TimeoutError:
        return None
    finally:
        for transport in transports:
            transport.abort()


async def _open(address: str, port: int, asker: _Asker) -> list[asyncio.DatagramTransport]:
    loop = asyncio.get_running_loop()
    try:
        transport, _ = await loop.create_datagram_endpoint(
            lambda: asker, remote_addr=(address, port)
        )
    except OSError:  # no way there: no network, or no such kind of address on this machine
        return []
    return [transport]


async def _keep_asking(
    transports: list[asyncio.DatagramTransport], question: bytes, found: asyncio.Future[Answer]
) -> Answer:
    while True:
        for transport in transports:
            if not transport.is_closing():
                transport.sendto(question)
        done, _ = await asyncio.wait({found}, timeout=_ASK_EVERY)
        if done:
            return found.result()


class _Asker(asyncio.DatagramProtocol):
    """Listens at one address for the answer to one question."""

    def __init__(self, nonce: str, key: str, found: asyncio.Future[Answer]) -> None:
        self._nonce = nonce
        self._key = key
        self._found = found

    def datagram_received(self, data: bytes, _address: object) -> None:
        """Keep the first good answer; whatever else arrives is not for us."""
        try:
            answer = read_answer(data, self._nonce)
        except ProtocolError:
            return
        if not self._found.done() and (not self._key or answer.key == self._key):
            self._found.set_result(answer)

    def error_received(self, _error: Exception) -> None:
        """Go on asking: “connection refused” may be a host that is just starting."""
