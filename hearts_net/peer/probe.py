"""Whether something that accepts connections and says nothing of itself is another program.

A web server waits for a whole line before it says anything, so that a ZMTP greeting alone does not
show it. Asked as a browser asks, it answers at once; a host that hangs says nothing to that either,
and one that is merely slow says ZMTP's greeting first.
"""

from __future__ import annotations

import asyncio
from typing import Final

from hearts_net.peer.endpoint import Endpoint

PROBE_WITHIN: Final = 1.0
"""Seconds for the other program to answer."""
_QUESTION: Final = b"GET / HTTP/1.0\r\n\r\n"
_GREETING: Final = b"\xff"
"""The first byte that every ZMTP program sends."""


async def is_another_program(endpoint: Endpoint) -> bool:
    """Tell whether what listens there answers, and not as a host does."""
    try:
        async with asyncio.timeout(PROBE_WITHIN):
            first = await _first_byte(endpoint)
    except (OSError, TimeoutError):
        return False
    return first not in (b"", _GREETING)


async def _first_byte(endpoint: Endpoint) -> bytes:
    reader, writer = await asyncio.open_connection(endpoint.address, endpoint.port)
    try:
        writer.write(_QUESTION)
        return await reader.read(1)
    finally:
        writer.close()
