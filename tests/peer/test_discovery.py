"""Tables that nobody has named, found by a question to everybody."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from hearts_net.host.answerer import start_answering
from hearts_net.peer.discovery import ask_around
from hearts_net.peer.found import FoundTable, Source
from hearts_net.peer.home import Home
from hearts_net.peer.identity import new_identity
from hearts_net.peer.lookout import find_tables
from hearts_net.peer.recent import RecentTable, note_visit
from hearts_net.protocol.advert import Advert

KEY = new_identity().public


def advert(port: int, **changed: Any) -> Advert:
    """Say what a table says of itself."""
    return replace(Advert(KEY, port, 1, [1], "Kitchen", "attic-pc", 3, "open", "lobby"), **changed)


ANSWER = """
import asyncio, sys
from hearts_net.host.answerer import start_answering
from hearts_net.protocol.advert import Advert

async def answer():
    advert = Advert(sys.argv[1], 26052, 26053, [1], "Kitchen", "attic-pc", 3, "open", "lobby")
    await start_answering(lambda: advert, loopback_only=False)
    print("ready", flush=True)
    await asyncio.sleep(60)

asyncio.run(answer())
"""
ASK = """
import asyncio, json
from hearts_net.peer.discovery import ask_around

for table in asyncio.run(ask_around()):
    print(json.dumps([table.table, table.key, table.port, table.addresses, table.source]))
"""


def test_a_table_of_this_machine_and_one_visited_are_asked(home: Home) -> None:
    async def test() -> None:
        port = free_port()
        lines = await start_answering(lambda: advert(port), loopback_only=True)
        folder = home.tables / "one"
        folder.mkdir(parents=True)
        fields = {"pid": os.getpid(), "control": port, "public": 1, "key": KEY, "table": "Kitchen"}
        (folder / "running.json").write_text(json.dumps(fields))
        found = await find_tables(home, 0.3)
        assert [(table.source, table.verified) for table in _with(KEY, found)] == [
            (Source.HERE, True)
        ]
        (folder / "running.json").unlink()
        note_visit(home, RecentTable("Kitchen", KEY, port, ("127.0.0.1",), 1))
        note_visit(home, RecentTable("Another table", KEY, port, ("127.0.0.1",), 2))
        (table,) = _with(KEY, await find_tables(home, 0.3))
        assert (table.source, table.table, table.port) == (Source.VISITED, "Kitchen", port)
        assert table.fits()
        assert table.targets()[0].key == KEY
        for line in lines:
            line.close()
        assert _with(KEY, await find_tables(home, 0.3)) == []

    asyncio.run(test())


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as once:
        once.bind(("127.0.0.1", 0))
        return int(once.getsockname()[1])


def _with(key: str, tables: list[FoundTable]) -> list[FoundTable]:
    return [table for table in tables if table.key == key]


def test_a_look_around_leaves_nothing_open() -> None:
    asyncio.run(ask_around([1], 0.05))  # unclosed sockets would be warnings, and so errors


def _can_make_networks() -> bool:
    return (
        sys.platform == "linux"
        and os.geteuid() == 0
        and shutil.which("ip") is not None
        and subprocess.run(["unshare", "-n", "true"], check=False).returncode == 0
    )


@pytest.fixture
def two_machines() -> Iterator[tuple[str, str]]:
    """Give the names of two network namespaces with a cable between them and no default route."""
    if not _can_make_networks():
        pytest.skip("needs root, iproute2 and network namespaces")
    one, other = (f"hn{os.getpid() % 100_000}{end}" for end in "ab")
    try:
        for name in (one, other):
            _ip("netns", "add", name)
        _ip("link", "add", "cable", "netns", one, "type", "veth", "peer", "cable", "netns", other)
        for name, address in ((one, "10.77.0.1/24"), (other, "10.77.0.2/24")):
            _ip("-n", name, "link", "set", "lo", "up")
            _ip("-n", name, "addr", "add", address, "dev", "cable")
            _ip("-n", name, "addr", "add", f"fe80::{address[8]}/64", "dev", "cable", "nodad")
            _ip("-n", name, "link", "set", "cable", "up")
        yield one, other
    finally:
        for name in (one, other):
            with contextlib.suppress(subprocess.CalledProcessError):
                _ip("netns", "del", name)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


def _inside(machine: str, program: str, *words: str) -> list[str]:
    return ["ip", "netns", "exec", machine, sys.executable, "-c", program, *words]


@pytest.mark.long
def test_a_table_on_another_machine_is_found_on_every_kind_of_address(
    two_machines: tuple[str, str],
) -> None:
    here, there = two_machines
    with subprocess.Popen(_inside(there, ANSWER, KEY), stdout=subprocess.PIPE) as host:
        assert host.stdout is not None
        assert host.stdout.readline() == b"ready\n"
        asked = subprocess.run(_inside(here, ASK), check=True, capture_output=True, timeout=30)
        host.kill()
    lines: list[Any] = [json.loads(line) for line in asked.stdout.splitlines()]
    ((table, key, port, addresses, source),) = lines
    assert (table, key, port, source) == ("Kitchen", KEY, 26052, "around")
    assert addresses[0] == "10.77.0.2"
    assert "fe80::2%cable" in addresses
