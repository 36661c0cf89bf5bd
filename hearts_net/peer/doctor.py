"""What this machine's network lets through, looked at step by step.

Every step gives findings: a stable code, how bad it is, and the facts. What a person reads of them
belongs to the client. Nothing here changes anything; the ports are opened for a moment, to see that
they can be.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from hearts_net.peer.doors import Door, open_doors, reach_doors
from hearts_net.peer.endpoint import Target
from hearts_net.peer.firewalls import active_firewalls
from hearts_net.peer.found import FoundTable, Standing
from hearts_net.peer.home import Home
from hearts_net.peer.identity import Identity
from hearts_net.peer.interfaces import Interface, Kind, interfaces
from hearts_net.peer.local import tables_here
from hearts_net.peer.lookout import find_tables
from hearts_net.peer.lookup import addresses_of, is_literal
from hearts_net.peer.multicast import comes_back, who_else_hears
from hearts_net.peer.neighbours import Reach, gateways, is_neighbour, known_neighbours, reach
from hearts_net.peer.recent import recent_tables
from hearts_net.protocol import limits

LOOK_FOR: Final = 2.0
_MOST_WAYS: Final = 16


class Level(StrEnum):
    """How bad a finding is."""

    GOOD = "good"
    NOTE = "note"
    """It may matter, or not."""
    BAD = "bad"
    """With this no game works."""


class Symptom(StrEnum):
    """What can be found; none of them is an error, so they are no codes of one."""

    INTERFACE_USED = "interface-used"
    INTERFACE_UNUSED = "interface-unused"
    NO_NETWORK = "no-network"
    MULTICAST_WORKS = "multicast-works"
    MULTICAST_FAILS = "multicast-fails"
    OTHERS_HEARD = "others-heard"
    NOBODY_HEARD = "nobody-heard"
    PORTS_FREE = "ports-free"
    PORTS_OURS = "ports-ours"
    PORTS_TAKEN = "ports-taken"
    PORTS_OF_A_TABLE = "ports-of-a-table"
    ADDRESS_REACHED = "address-reached"
    ADDRESS_NOT_REACHED = "address-not-reached"
    FIREWALL_ACTIVE = "firewall-active"
    WAY_OPEN = "way-open"
    WAY_REFUSED = "way-refused"
    WAY_FILTERED = "way-filtered"
    WAY_SILENT = "way-silent"
    WAY_ISOLATED = "way-isolated"
    WAY_ABROAD = "way-abroad"
    TABLE_NOT_REACHED = "table-not-reached"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was found."""

    code: Symptom
    level: Level
    detail: dict[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Report:
    """All that was found."""

    findings: tuple[Finding, ...]
    tables: tuple[FoundTable, ...]

    @property
    def works(self) -> bool:
        """Tell whether a game would work."""
        return all(finding.level is not Level.BAD for finding in self.findings)


async def examine(
    home: Home, identity: Identity | None = None, wanted: Sequence[Target] = ()
) -> Report:
    """Look at everything; ``wanted`` are the ways to a table that somebody cannot reach.

    Raises :class:`LinkError` ``bad-known-hosts``.
    """
    around = interfaces()
    lans = [each for each in around if each.carries_lan]
    looking = asyncio.get_running_loop().create_task(find_tables(home, LOOK_FOR, identity))
    try:
        findings = [*_interfaces_found(around)]
        findings += await _multicast_found(lans)
        findings += await _ports_found(home, lans)
        findings += [
            Finding(Symptom.FIREWALL_ACTIVE, Level.NOTE, {"firewall": name})
            for name in active_firewalls()
        ]
        findings += await _ways_found(home, lans, wanted)
        tables = await looking
    finally:
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)
    findings += _wanted_found(wanted, tables)
    own = {str(address.ip) for lan in lans for address in lan.addresses}
    return Report(tuple(as_it_matters(each, tables, own) for each in findings), tuple(tables))


def as_it_matters(finding: Finding, tables: Sequence[FoundTable], own: Container[str]) -> Finding:
    """Return a taken port as a note where it is a table that has it: one can join, or host beside.

    A table of this machine that another user has opened, or the same one with another home.
    """
    if finding.code is not Symptom.PORTS_TAKEN:
        return finding
    beside = (
        table
        for table in tables
        if table.port in (finding.detail["port"], limits.CONTROL_PORT)
        and any(address in own for address in table.addresses)
    )
    if next(beside, None) is None:
        return finding
    return Finding(Symptom.PORTS_OF_A_TABLE, Level.NOTE, finding.detail)


# ---- interfaces


def _interfaces_found(around: Sequence[Interface]) -> Iterator[Finding]:
    for each in around:
        detail: dict[str, str | int] = {
            "interface": each.name,
            "kind": each.kind.value,
            "addresses": ", ".join(str(address) for address in each.addresses),
        }
        code = Symptom.INTERFACE_USED if each.carries_lan else Symptom.INTERFACE_UNUSED
        if each.kind is not Kind.DOWN or each.addresses:
            yield Finding(code, Level.GOOD if each.carries_lan else Level.NOTE, detail)
    if not any(each.carries_lan for each in around):
        yield Finding(Symptom.NO_NETWORK, Level.BAD)


# ---- multicast


async def _multicast_found(lans: Sequence[Interface]) -> list[Finding]:
    """See that multicast works on some interface; one where it does not is only worth a note."""
    if not lans:
        return []
    back, others = await asyncio.gather(
        asyncio.gather(*(comes_back(lan) for lan in lans)), who_else_hears(lans)
    )
    failing = Level.NOTE if any(back) else Level.BAD
    findings = [
        Finding(
            Symptom.MULTICAST_WORKS if works else Symptom.MULTICAST_FAILS,
            Level.GOOD if works else failing,
            {"interface": lan.name},
        )
        for lan, works in zip(lans, back, strict=True)
    ]
    if others:
        findings.append(Finding(Symptom.OTHERS_HEARD, Level.GOOD, {"count": len(others)}))
    else:
        findings.append(Finding(Symptom.NOBODY_HEARD, Level.NOTE))
    return findings


# ---- ports


async def _ports_found(home: Home, lans: Sequence[Interface]) -> list[Finding]:
    ours = [table for table in tables_here(home) if not table.loopback_only]
    ports: dict[str, str | int] = {
        "control": limits.CONTROL_PORT,
        "public": limits.CONTROL_PORT + 1,
    }
    own = [str(address.ip) for lan in lans for address in lan.addresses if not _is_scoped(address)]
    if ours:
        ports = {"control": ours[0].control, "public": ours[0].public}
        opened = Finding(Symptom.PORTS_OURS, Level.GOOD, {**ports, "table": ours[0].table})
        return [opened, *await _reached(own, (ours[0].control, ours[0].public))]
    doors = await open_doors((limits.CONTROL_PORT, limits.CONTROL_PORT + 1))
    if isinstance(doors, int):
        return [Finding(Symptom.PORTS_TAKEN, Level.BAD, {**ports, "port": doors})]
    try:
        opened = Finding(Symptom.PORTS_FREE, Level.GOOD, ports)
        return [opened, *await _reached(own, tuple(door.port for door in doors), doors)]
    finally:
        for door in doors:
            door.close()


def _is_scoped(address: ipaddress.IPv4Interface | ipaddress.IPv6Interface) -> bool:
    return address.version == 6 and address.ip.is_link_local


async def _reached(
    own: Sequence[str], ports: Sequence[int], doors: Sequence[Door] = ()
) -> list[Finding]:
    found = await reach_doors(own, ports, doors)
    return [
        Finding(
            Symptom.ADDRESS_REACHED if reached else Symptom.ADDRESS_NOT_REACHED,
            Level.GOOD if reached else Level.BAD,
            {"address": address},
        )
        for address, reached in found
    ]


# ---- the ways to others


async def _ways_found(
    home: Home, lans: Sequence[Interface], wanted: Sequence[Target]
) -> list[Finding]:
    """Try the ways to the table wanted, or else to those visited before."""
    ways = await _literal_ways(
        wanted or [way for each in recent_tables(home) for way in each.targets()]
    )
    if not ways:
        return []
    reaches = await asyncio.gather(*(reach(address, port) for address, port in ways))
    silent = [address for (address, _), found in zip(ways, reaches, strict=True)
              if found is Reach.SILENT and is_neighbour(address, lans)]  # fmt: skip
    awake = await _somebody_awake(lans, silent) if silent else set[str]()
    bad = Level.BAD if wanted and not any(each is Reach.OPEN for each in reaches) else Level.NOTE
    return [
        _way_found(address, port, found, lans, awake, bad)
        for (address, port), found in zip(ways, reaches, strict=True)
    ]


async def _literal_ways(targets: Iterable[Target]) -> list[tuple[str, int]]:
    ways: dict[tuple[str, int], None] = {}
    for target in targets:
        hosts = [target.host] if is_literal(target.host) else await addresses_of(target.host)
        for host in hosts:
            ways.update(
                dict.fromkeys(
                    (address, target.control_port) for address in await addresses_of(host)
                )
            )
    return [way for way in ways if not ipaddress.ip_address(way[0].partition("%")[0]).is_loopback][
        :_MOST_WAYS
    ]


async def _somebody_awake(lans: Sequence[Interface], silent: Sequence[str]) -> set[str]:
    """Name the interfaces on which somebody else answers: the gateway, or another machine."""
    for address in gateways():
        await reach(address, 9)
    return {
        interface
        for address, interface in known_neighbours()
        if address not in silent and any(interface == lan.name for lan in lans)
    }


def _way_found(
    address: str,
    port: int,
    found: Reach,
    lans: Sequence[Interface],
    awake: set[str],
    bad: Level,
) -> Finding:
    detail: dict[str, str | int] = {"address": address, "port": port}
    beside = is_neighbour(address, lans)
    if found is Reach.OPEN:
        return Finding(Symptom.WAY_OPEN, Level.GOOD, detail)
    if found is Reach.REFUSED:
        return Finding(Symptom.WAY_REFUSED, bad, detail)
    if beside is None:
        return Finding(Symptom.WAY_ABROAD, bad, detail)
    if found is Reach.FILTERED:
        return Finding(Symptom.WAY_FILTERED, bad, detail)
    isolated = beside.name in awake
    code = Symptom.WAY_ISOLATED if isolated else Symptom.WAY_SILENT
    return Finding(code, bad, {**detail, "interface": beside.name})


def _wanted_found(wanted: Sequence[Target], tables: Sequence[FoundTable]) -> list[Finding]:
    """See whether the table wanted has let itself be greeted; an open port alone is not a table."""
    if not wanted or not tables:
        return []
    keys = {target.key for target in wanted}
    stuck = [each for each in tables if each.key in keys and each.standing is Standing.NO_WAY_IN]
    return [Finding(Symptom.TABLE_NOT_REACHED, Level.BAD, {"table": each.table}) for each in stuck]
