"""From the names and addresses that a person gives to literal addresses to connect to."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import threading
from collections.abc import Sequence

from hearts_net.peer.endpoint import Endpoint, Target
from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.interfaces import scopes

LOOK_UP_WITHIN = 4.0
"""Seconds for a name; a name server that is away must not hold up the answer to the player."""


async def endpoints_of(targets: Sequence[Target]) -> list[Endpoint]:
    """Return every endpoint of these targets, each once, in the order given.

    A name without an address is passed over while others have one; when none has, this raises
    :class:`LinkError` ``no-such-host``.
    """
    found = await asyncio.gather(*(addresses_of(target.host) for target in targets))
    endpoints = [
        Endpoint(address, target.control_port, target.key)
        for target, addresses in zip(targets, found, strict=True)
        for address in addresses
    ]
    if not endpoints:
        hosts = ", ".join(target.host for target in targets)
        raise LinkError(LinkCode.NO_SUCH_HOST, host=hosts)
    return list(dict.fromkeys(endpoints))


async def addresses_of(host: str) -> list[str]:
    """Return the literal addresses of ``host``; none where nobody knows any, or not in time.

    A link-local address of IPv6 without an interface is meant through any that carries a LAN: an
    invite cannot know what they are called here.
    """
    if is_literal(host):
        return scoped(host)
    try:
        async with asyncio.timeout(LOOK_UP_WITHIN):
            return await _ask_resolver(host)
    except TimeoutError:
        return []


def scoped(host: str) -> list[str]:
    """Write a literal address so that a socket takes it, once for each interface it may mean."""
    if ":" not in host or "%" in host or not ipaddress.ip_address(host).is_link_local:
        return [host]
    return [f"{host}%{scope}" for scope in scopes()] or [host]


def is_literal(host: str) -> bool:
    """Tell whether ``host`` is an address and not a name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def is_loopback(address: str) -> bool:
    """Tell whether a literal address is this machine talking to itself."""
    return is_literal(address) and ipaddress.ip_address(address).is_loopback


async def _ask_resolver(host: str) -> list[str]:
    """Ask in a thread of its own, which may be left behind: no end of a program waits for it."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[list[str]] = loop.create_future()

    def tell(addresses: list[str]) -> None:
        if not answer.done():
            answer.set_result(addresses)

    def ask() -> None:
        addresses = _resolve(host)
        try:
            loop.call_soon_threadsafe(tell, addresses)
        except RuntimeError:
            return  # the loop has been closed meanwhile

    threading.Thread(target=ask, name=f"look up {host}", daemon=True).start()
    return await answer


def _resolve(host: str) -> list[str]:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return list(dict.fromkeys(str(address[0]) for *_, address in found))
