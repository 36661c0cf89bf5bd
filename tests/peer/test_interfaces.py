"""Which interfaces lead to the others in the room."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import ifaddr
import pytest

from hearts_net.host.addresses import own_addresses
from hearts_net.peer import interfaces as module
from hearts_net.peer.interfaces import Kind, interfaces, lan_interfaces, scopes
from hearts_net.peer.lookup import addresses_of

UP = 0x41  # and running


def adapter(name: str, index: int, *texts: str) -> ifaddr.Adapter:
    ips = []
    for text in texts:
        address, _, prefix = text.partition("/")
        ip: Any = (address, 0, index) if ":" in address else address
        ips.append(ifaddr.IP(ip, int(prefix), name))
    return ifaddr.Adapter(name, name, ips, index=index)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Give a laptop with everything that gets in the way; the flags may be changed."""
    adapters = [
        adapter("lo", 1, "127.0.0.1/8", "::1/128"),
        adapter("wg0", 2, "10.8.0.7/32"),
        adapter("docker0", 3, "172.17.0.1/16", "fe80::1/64"),
        adapter("wlan0", 4, "fe80::4/64", "fd00::4/64", "fd00::bad/64", "192.168.1.4/24"),
        adapter("eth0", 5, "169.254.3.3/16"),
        adapter("eth1", 6),
        adapter("tap3", 7, "10.9.0.1/24"),
    ]
    flags = {"lo": UP | 0x8, "wg0": UP | 0x10, "eth1": 0x1} | dict.fromkeys(
        ("docker0", "wlan0", "eth0", "tap3"), UP
    )
    monkeypatch.setattr(ifaddr, "get_adapters", lambda **_: adapters)
    monkeypatch.setattr(module, "_flags", lambda name: flags[name])
    monkeypatch.setattr(module, "_unusable_v6", lambda: frozenset({"fd00::bad"}))
    return flags


def test_the_room_comes_first_and_tunnels_last(machine: dict[str, int]) -> None:
    assert [(each.name, each.kind) for each in interfaces()] == [
        ("wlan0", Kind.LAN),
        ("eth0", Kind.LAN),
        ("docker0", Kind.WITHIN),
        ("wg0", Kind.TUNNEL),
        ("tap3", Kind.TUNNEL),
        ("lo", Kind.LOOPBACK),
        ("eth1", Kind.DOWN),
    ]
    wlan = interfaces()[0]
    assert [str(each.ip) for each in wlan.addresses] == ["192.168.1.4", "fe80::4", "fd00::4"]
    machine["wlan0"] = 0x1  # no carrier
    assert [each.name for each in lan_interfaces()] == ["eth0", "docker0"]


@pytest.mark.usefixtures("machine")
def test_the_address_to_type_is_the_rooms_even_where_a_tunnel_has_the_default_route(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("hearts_net.host.addresses._by_route", lambda: iter(["10.8.0.7"]))
    assert own_addresses() == (
        "192.168.1.4",
        "fd00::4",
        "172.17.0.1",
        "10.8.0.7",
        "10.9.0.1",
        "fe80::4",
        "169.254.3.3",
        "fe80::1",
    )


@pytest.mark.skipif(sys.platform == "win32", reason="interfaces are numbered there")
@pytest.mark.usefixtures("machine")
def test_a_link_local_address_is_looked_for_behind_every_interface() -> None:
    assert scopes() == ["wlan0", "docker0"]
    assert asyncio.run(addresses_of("fe80::9")) == ["fe80::9%wlan0", "fe80::9%docker0"]
    assert asyncio.run(addresses_of("fe80::9%lo")) == ["fe80::9%lo"]
    assert asyncio.run(addresses_of("fd00::9")) == ["fd00::9"]


def test_a_machine_that_tells_nothing_has_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(**_: object) -> list[ifaddr.Adapter]:
        raise OSError

    monkeypatch.setattr(ifaddr, "get_adapters", fails)
    monkeypatch.setattr("hearts_net.host.addresses._by_route", lambda: iter(()))
    assert interfaces() == []
    monkeypatch.setattr("hearts_net.host.addresses._by_name", lambda: iter(()))
    assert own_addresses() == ("127.0.0.1",)


def test_addresses_that_are_going_or_not_there_yet_are_passed_over(tmp_path: Path) -> None:
    table = tmp_path / "if_inet6"
    table.write_text(
        "fd000000000000000000000000000001 02 40 00 80     eth0\n"
        "fd000000000000000000000000000002 02 40 00 20     eth0\n"
        "fd000000000000000000000000000003 02 40 00 c0     eth0\n"
    )
    assert list(module._read_unusable(table)) == ["fd00::2", "fd00::3"]
    assert list(module._read_unusable(tmp_path / "none")) == []
