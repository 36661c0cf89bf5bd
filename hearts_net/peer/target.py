"""From what a person typed, or did not, to the targets that a link tries."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from hearts_net.peer.ask import ask, ask_first
from hearts_net.peer.discovery import ask_around
from hearts_net.peer.endpoint import LOOPBACK, Target
from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.found import FoundTable, Source
from hearts_net.peer.home import Home
from hearts_net.peer.invite import (
    Address,
    Invite,
    is_host,
    is_invite,
    parse_address,
    parse_invite,
)
from hearts_net.peer.known_hosts import (
    check_key,
    check_names,
    is_known_key,
    known_hosts,
    known_key,
    stranger_among,
)
from hearts_net.peer.link import Finder
from hearts_net.peer.local import is_ours, tables_here
from hearts_net.peer.lookup import addresses_of
from hearts_net.peer.mdns import browsing
from hearts_net.peer.recent import recent_tables
from hearts_net.protocol import limits

__all__ = ["Target", "finder_for", "resolve", "ways_to"]

_LOOK_AGAIN_WITHIN: Final = 1.0
_ASK_KNOWN_WITHIN: Final = 0.75
"""Seconds for the question at an address whose key is known already: without an answer it is tried
with that key, which takes time of its own."""
_OWN_NAMES: Final = frozenset({"localhost", LOOPBACK, "::1"})


async def resolve(text: str | None, home: Home) -> list[Target]:
    """Say where the table is that ``text`` means: an invite, a table's name, or an address.

    All targets returned for a text are ways to one table. Without a text they are those of every
    table that runs on this machine, then of those visited before, the newest first.

    Raises :class:`LinkError` ``bad-invite``, ``bad-address``, ``no-table``, ``no-such-host``,
    ``no-answer``, ``version-mismatch``, ``bad-known-hosts``, or ``host-key-changed`` where another
    key is known at that address (every address of an invite), or for that table on that machine.
    """
    if text is None or not text.strip():
        return _found_without_asking(home)
    if is_invite(text):
        return _invited(home, parse_invite(text))
    named = _named(text.strip(), home)
    return named or await _by_address(text.strip(), home)


def ways_to(home: Home, found: FoundTable) -> list[Target]:
    """Say how to join a table that was found, and that a person knows by its name alone.

    An address that is pinned to another host's key is left out. Raises :class:`LinkError`
    ``version-mismatch``, ``host-key-changed`` where no way is left or these names have another key,
    ``namesake`` for a new host where the table of that name is another host's, or
    ``bad-known-hosts``.
    """
    if not found.fits():
        speaks = ", ".join(map(str, found.versions))
        detail = {"host_speaks": speaks} if speaks else {}
        raise LinkError(LinkCode.VERSION_MISMATCH, **detail)
    if found.source is Source.HERE:
        return found.targets()
    check_names(home, found.table, found.machine, found.key)
    if stranger_among(known_hosts(home), found.table, found.machine, found.key):
        address = Address(found.addresses[0], found.port).text()
        raise LinkError(LinkCode.NAMESAKE, table=found.table, address=address)
    if found.verified:
        return found.targets()
    return _not_pinned_to_others(home, found.targets())


def _not_pinned_to_others(home: Home, targets: Sequence[Target]) -> list[Target]:
    """Leave out the addresses that other hosts have; raise ``host-key-changed`` if that is all."""
    ways, refused = [], None
    for target in targets:
        try:
            check_key(home, Address(target.host, target.control_port), target.key)
            ways.append(target)
        except LinkError as error:
            refused = error
    if refused is not None and not ways:
        raise refused
    return ways


def finder_for(home: Home, targets: Sequence[Target]) -> Finder:
    """Make what a link asks where its host is now: this machine, then the addresses known.

    A host that had to take another port says so on this machine in its folder; elsewhere it is
    advertised, or answers the question at the old port's number or at the usual one, also at an
    address that is new to it.
    """
    hosts = list(dict.fromkeys(target.host for target in targets))
    ports = list(dict.fromkeys([target.control_port for target in targets] + [limits.CONTROL_PORT]))

    async def find(key: str) -> list[Target]:
        here = [table.target() for table in tables_here(home) if table.key == key]
        return here or await _ask_again(hosts, ports, key)

    return find


async def _ask_again(hosts: Sequence[str], ports: Sequence[int], key: str) -> list[Target]:
    asked = [_ask_host(host, ports, key) for host in hosts]
    known, around, advertised = await asyncio.gather(
        asyncio.gather(*asked), ask_around(ports, _LOOK_AGAIN_WITHIN), _advertised(key)
    )
    moved = [target for table in around for target in table.targets() if table.key == key]
    moved = [
        replace(target, verified=True) for target in moved
    ]  # whoever dials it asks for the key
    return list(dict.fromkeys([*itertools.chain(*known), *moved, *advertised]))


async def _advertised(key: str) -> list[Target]:
    async with browsing(lambda: None) as browser:
        await asyncio.sleep(_LOOK_AGAIN_WITHIN)
        return [
            Target(address, record.advert.control, key, record.advert.table)
            for record in browser.records.values()
            if record.advert.key == key
            for address in record.addresses
        ]


async def _ask_host(host: str, ports: Sequence[int], key: str) -> list[Target]:
    places = [(address, port) for address in await addresses_of(host) for port in ports]
    answer = await ask_first(places, _LOOK_AGAIN_WITHIN, key)
    return [] if answer is None else [Target(host, answer.control, answer.key, answer.table)]


def _found_without_asking(home: Home) -> list[Target]:
    here = [table.target() for table in tables_here(home)]
    before = [target for table in recent_tables(home) for target in table.targets()]
    keys_here = {target.key for target in here}
    return here + [target for target in before if target.key not in keys_here]


def _named(name: str, home: Home) -> list[Target]:
    """Find a table by its name, or by an address of this machine, as the newest that has it."""
    for table in tables_here(home):
        if table.table.casefold() == name.casefold() or _is_here(name, table.control):
            return [table.target()]
    for visited in recent_tables(home):
        if visited.table.casefold() == name.casefold():
            return visited.targets()
    return []


def _is_here(text: str, port: int) -> bool:
    try:
        address = parse_address(text)
    except LinkError:
        return False
    return address.host.lower() in _OWN_NAMES and address.port == port


def _invited(home: Home, invite: Invite) -> list[Target]:
    targets = [Target(address, invite.port, invite.key) for address in invite.addresses]
    return targets if is_ours(home, invite.key) else _not_pinned_to_others(home, targets)


async def _by_address(text: str, home: Home) -> list[Target]:
    if not is_host(text) and not set(text) & set(":.[]"):
        raise LinkError(LinkCode.NO_TABLE, table=text[:80])
    address = parse_address(text)
    pinned = known_key(home, address)
    try:
        if pinned is None:
            answer = await ask(address.host, address.port)
        else:
            answer = await ask(address.host, address.port, _ASK_KNOWN_WITHIN)
    except LinkError as error:
        if error.code == LinkCode.NO_ANSWER and pinned is not None:
            return [Target(address.host, address.port, pinned)]
        raise
    if not set(answer.versions) & set(limits.VERSIONS):
        speaks = ", ".join(map(str, answer.versions))
        raise LinkError(LinkCode.VERSION_MISMATCH, host=address.text(), host_speaks=speaks)
    ours = is_ours(home, answer.key)
    if not ours:
        # a host may have moved to another port, but not away from its key
        for port in dict.fromkeys((address.port, answer.control)):
            check_key(home, Address(address.host, port), answer.key)
        check_names(home, answer.table, answer.machine, answer.key)
    verified = ours or is_known_key(home, answer.key)
    return [Target(address.host, answer.control, answer.key, answer.table, verified)]
