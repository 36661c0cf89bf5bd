"""What the doctor looks with: ports, neighbours, multicast, firewalls."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hearts_net.peer import doctor, firewalls, neighbours
from hearts_net.peer.doctor import Finding, Level, Report, Symptom, as_it_matters, examine
from hearts_net.peer.doors import open_doors, reach_doors
from hearts_net.peer.endpoint import Target
from hearts_net.peer.found import FoundTable, Source
from hearts_net.peer.home import Home
from hearts_net.peer.interfaces import Interface, Kind
from hearts_net.peer.multicast import comes_back
from hearts_net.peer.neighbours import Reach, gateways, is_neighbour, known_neighbours, reach
from hearts_net.testing.ports import free_port

LAN = Interface(
    "wlan0",
    4,
    Kind.LAN,
    (ipaddress.ip_interface("192.168.1.4/24"), ipaddress.ip_interface("fe80::4/64")),
)
ROUTES = """Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT
wlan0 00000000 0101A8C0 0003 0 0 0 00000000 0 0 0
wlan0 0001A8C0 00000000 0001 0 0 0 00FFFFFF 0 0 0
"""
NEIGHBOURS = """IP address       HW type     Flags       HW address            Mask     Device
192.168.1.1      0x1         0x2         aa:bb:cc:dd:ee:ff     *        wlan0
192.168.1.9      0x1         0x0         00:00:00:00:00:00     *        wlan0
"""


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as server:
        server.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        server.bind(("::", 0))
        server.listen()
        yield int(server.getsockname()[1])


def test_ports_that_can_be_opened_are_reached_and_closed_again() -> None:
    async def test() -> None:
        ports = free_port(), free_port()
        doors = await open_doors(ports)
        assert not isinstance(doors, int)
        assert await reach_doors(["127.0.0.1"], ports, doors) == [("127.0.0.1", True)]
        for door in doors:
            door.close()
        assert await reach_doors(["127.0.0.1"], ports, ()) == [("127.0.0.1", False)]

    asyncio.run(test())


def test_a_port_that_is_taken_is_named(taken: int) -> None:
    assert asyncio.run(open_doors((free_port(), taken))) == taken


def test_a_port_that_another_table_of_this_machine_has_is_no_obstacle() -> None:
    taken = Finding(Symptom.PORTS_TAKEN, Level.BAD, {"port": 26052})
    table = FoundTable("attic", "k" * 40, 26052, ("10.0.0.1",), (1,), Source.AROUND, False)
    eased = as_it_matters(taken, [table], {"10.0.0.1"})
    assert (eased.code, eased.level) == (Symptom.PORTS_OF_A_TABLE, Level.NOTE)
    assert as_it_matters(taken, [table], {"10.0.0.2"}) is taken
    assert as_it_matters(taken, [], {"10.0.0.1"}) is taken


def test_what_a_connection_meets(taken: int) -> None:
    assert asyncio.run(reach("127.0.0.1", taken)) is Reach.OPEN
    assert asyncio.run(reach("127.0.0.1", free_port())) is Reach.REFUSED


def test_neighbours_are_those_of_ones_own_networks() -> None:
    assert is_neighbour("192.168.1.77", [LAN]) is LAN
    assert is_neighbour("192.168.2.77", [LAN]) is None
    assert is_neighbour("fe80::9%wlan0", [LAN]) is LAN
    assert is_neighbour("fe80::9%eth0", [LAN]) is None


def told(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    for name, text in (("_ROUTES", ROUTES), ("_NEIGHBOURS", NEIGHBOURS)):
        path = folder / name
        path.write_text(text)
        monkeypatch.setattr(neighbours, name, path)


@pytest.mark.skipif(sys.byteorder != "little", reason="the table is written in the machine's order")
def test_the_gateway_and_who_has_answered_are_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told(monkeypatch, tmp_path)
    assert gateways() == ["192.168.1.1"]
    assert known_neighbours() == [("192.168.1.1", "wlan0")]
    monkeypatch.setattr(neighbours, "_ROUTES", tmp_path / "nothing")
    assert gateways() == []


@pytest.mark.parametrize(
    ("met", "awake", "address", "symptom"),
    [
        (Reach.OPEN, True, "192.168.1.9", Symptom.WAY_OPEN),
        (Reach.REFUSED, True, "192.168.1.9", Symptom.WAY_REFUSED),
        (Reach.FILTERED, True, "192.168.1.9", Symptom.WAY_FILTERED),
        (Reach.SILENT, True, "192.168.1.9", Symptom.WAY_ISOLATED),
        (Reach.SILENT, False, "192.168.1.9", Symptom.WAY_SILENT),
        (Reach.SILENT, True, "10.0.0.9", Symptom.WAY_ABROAD),
    ],
)
def test_what_is_in_the_way_is_told_apart(
    monkeypatch: pytest.MonkeyPatch,
    home: Home,
    met: Reach,
    awake: bool,
    address: str,
    symptom: Symptom,
) -> None:
    async def meets(_address: str, _port: int) -> Reach:
        return met

    monkeypatch.setattr(doctor, "reach", meets)
    monkeypatch.setattr(doctor, "gateways", lambda: ["192.168.1.1"])
    others = [("192.168.1.1", "wlan0")] if awake else []
    monkeypatch.setattr(doctor, "known_neighbours", lambda: others)
    wanted = [Target(address, 7000, "k" * 40)]
    (finding,) = asyncio.run(doctor._ways_found(home, [LAN], wanted))
    assert finding.code is symptom
    assert finding.level is (Level.GOOD if met is Reach.OPEN else Level.BAD)
    assert finding.detail["address"] == address
    assert asyncio.run(doctor._ways_found(home, [LAN], [])) == []


def test_a_machine_without_networks_cannot_play_with_others(
    monkeypatch: pytest.MonkeyPatch, home: Home
) -> None:
    async def nothing(*_: Any) -> list[Any]:
        return []

    loopback = Interface("lo", 1, Kind.LOOPBACK, (ipaddress.ip_interface("127.0.0.1/8"),))
    monkeypatch.setattr(doctor, "interfaces", lambda: [loopback])
    monkeypatch.setattr(doctor, "find_tables", nothing)
    report = asyncio.run(examine(home))
    assert not report.works
    assert Symptom.NO_NETWORK in [each.code for each in report.findings]
    assert Report((), ()).works


def test_multicast_comes_back_or_not() -> None:
    nowhere = Interface("none0", 9999, Kind.LAN, (ipaddress.ip_interface("203.0.113.9/24"),))
    assert not asyncio.run(comes_back(nowhere))


def test_firewalls_are_known_by_their_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(firewalls, "UFW", tmp_path / "ufw.conf")
    monkeypatch.setattr(firewalls, "FIREWALLD", (tmp_path / "firewalld.pid",))
    assert firewalls.active_firewalls() == []
    (tmp_path / "ufw.conf").write_text("# started at boot\nENABLED=no\n")
    assert firewalls.active_firewalls() == []
    (tmp_path / "ufw.conf").write_text("ENABLED = yes\n")
    (tmp_path / "firewalld.pid").write_text("1")
    assert firewalls.active_firewalls() == ["ufw", "firewalld"]
    assert firewalls.possible_firewalls() == ("ufw", "firewalld")
