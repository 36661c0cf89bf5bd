"""Tables found, joined and lost on real networks, with everything that gets in the way of that."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pexpect
import pyte
import pytest

from .conftest import COMMAND, Lan, Machine

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]

START = ("-c", "import msgspec, prompt_toolkit, zmq, zeroconf.asyncio")
START_ALONE = 0.6
"""Seconds in which an idle machine of today starts the interpreter with these modules."""


@pytest.fixture
def slowness() -> float:
    """How much slower than an idle machine this one is just now; times are allowed so much more."""
    before = time.monotonic()
    subprocess.run([sys.executable, *START], check=True)
    return max(1.0, (time.monotonic() - before) / START_ALONE)


class Screen:
    """``hearts-net`` in a terminal of a machine."""

    def __init__(self, machine: Machine, *words: str) -> None:
        self._screen = pyte.Screen(80, 24)
        self._stream = pyte.ByteStream(self._screen)
        command, *rest = machine.command(*COMMAND, *words)
        self.child = pexpect.spawn(
            command,
            rest,
            env=machine.environment(TERM="xterm-256color"),
            dimensions=(24, 80),
            timeout=60,
        )

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self._screen.display)

    def until(self, *words: str) -> None:
        deadline = time.monotonic() + 90
        while not all(word in self.text() for word in words):
            assert time.monotonic() < deadline, self.text()
            try:
                self._stream.feed(self.child.read_nonblocking(65536, timeout=0.05))
            except pexpect.TIMEOUT:
                continue

    def type(self, keys: str, *words: str) -> None:
        self.child.send(keys)
        self.until(*words)

    def end(self) -> None:
        """Kill it; pexpect's own way to do so gives a busy machine a tenth of a second."""
        if self.child.isalive():
            self.child.kill(signal.SIGKILL)
            self.child.wait()
        self.child.close()


@pytest.fixture
def screen() -> Iterator[Callable[..., Screen]]:
    opened: list[Screen] = []

    def open_one(machine: Machine, *words: str) -> Screen:
        opened.append(Screen(machine, *words))
        return opened[-1]

    yield open_one
    for one in opened:
        one.end()


def says(found: dict[str, Any], /, **wanted: object) -> bool:
    return all(found[name] == value for name, value in wanted.items())


def joined(machine: Machine, *where: str) -> str:
    """Join in plain words and leave at once; give what was said."""
    done = subprocess.run(
        machine.command(*COMMAND, "join", *where, "--plain"),
        input="quit\n",
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=machine.environment(),
        timeout=90,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_found_and_joined_with_two_keys(
    lan: Lan, screen: Callable[..., Screen], slowness: float
) -> None:
    attic, cellar = lan.machine("attic"), lan.machine("cellar")
    began = time.monotonic()
    attic.hearts("host", "--foreground", "--table", "Kitchen")
    person = screen(cellar)
    person.until("Play now", "1  Kitchen")
    assert "4 seats free, unverified" in person.text()
    person.type("1\r", "HEARTS Kitchen", "Cellar (you)", "hearts://10.78.0.1")
    assert time.monotonic() - began < 3 * slowness


def test_a_host_whose_key_has_changed_is_refused_by_whatever_way_in(lan: Lan) -> None:
    attic, barn, cellar = (lan.machine(name) for name in ("attic", "barn", "cellar"))
    first, _ = attic.host("--table", "Kitchen")
    joined(cellar, "Kitchen")
    first.kill()
    second, other = attic.host("--table", "Kitchen", HEARTS_NET_HOME=str(attic.home) + "2")
    (listed,) = json.loads(cellar.run("list", "--json").stdout)
    assert says(listed, stranger="host-key-changed", verified=False)
    refused = [
        cellar.run(command, where)
        for command in ("join", "watch", "bot")
        for where in ("Kitchen", "10.78.0.1", other["invite"])
    ]
    assert {said.returncode for said in refused} == {4}
    assert all("another key than at your last visit" in said.stderr for said in refused)
    second.kill()

    barn.host("--table", "Kitchen")
    said = cellar.run("join", "Kitchen")
    assert said.returncode == 4, "another host that has a table of that name"
    assert "`hearts-net join 10.78.0.2:26052`" in said.stderr
    joined(cellar, "10.78.0.2:26052")
    joined(cellar, "Kitchen")


def test_two_hosts_of_one_name_are_told_apart_and_followed(lan: Lan) -> None:
    attic, barn, cellar = (lan.machine(name) for name in ("attic", "barn", "cellar"))
    first, _ = attic.host("--table", "Kitchen")
    second, there = barn.host("--table", "Kitchen", "--bots", "1")
    beside, _ = attic.host(
        "--table", "Shed", "--port", "7000", HEARTS_NET_HOME=str(attic.home) + "2"
    )
    watching = cellar.hearts("list", "--watch", "--json")
    seen: dict[tuple[str, str], dict[str, Any]] = {}
    while set(seen) != {("attic", "Kitchen"), ("barn", "Kitchen"), ("attic", "Shed")}:
        table = watching.json()
        seen[table["machine"], table["table"]] = table
    assert seen["attic", "Shed"]["address"] == "10.78.0.1:7000"
    listed = cellar.run("list").stdout
    assert "Kitchen (attic): 4 seats free" in listed
    assert "Kitchen (barn): 4 seats free" in listed
    assert "Shed: 4 seats free" in listed
    several = cellar.run("join", "kitchen", "--plain")
    assert several.returncode == 2
    assert "Kitchen (attic): 10.78.0.1:26052" in several.stderr
    assert "Table Shed." in joined(cellar, "shed")

    renamed = ("nsenter", "-t", str(there["pid"]), "-u", "hostname", "stable")
    subprocess.run(renamed, check=True)
    watching.until(lambda table: says(table, event="changed", machine="stable"))
    for process in (first, second, beside):
        process.kill(signal.SIGTERM)
    gone = [watching.until(lambda table: says(table, event="gone")) for _ in range(3)]
    assert len({(table["key"], table["table"]) for table in gone}) == 3


def test_a_killed_host_vanishes_though_its_record_stays(lan: Lan, slowness: float) -> None:
    attic, cellar = lan.machine("attic"), lan.machine("cellar")
    host, there = attic.host("--table", "Kitchen")
    watching = cellar.hearts("list", "--watch", "--json")
    watching.until(lambda table: says(table, event="found", table="Kitchen"))
    record = cellar.start(sys.executable, "-c", RECORDS)
    assert record.line() == f"Added {there['id']}._hearts-net._tcp.local.\n"
    (herald,) = heralds_of(there["pid"])
    os.kill(herald, signal.SIGSTOP)  # it withdraws nothing
    host.kill()
    died = time.monotonic()
    watching.until(lambda table: says(table, event="gone", table="Kitchen"))
    assert time.monotonic() - died < 5 * slowness
    late = cellar.listed()
    os.kill(herald, signal.SIGKILL)
    assert late == []


def heralds_of(table: int) -> list[int]:
    """Find the processes that advertise for a table's process."""
    children = Path(f"/proc/{table}/task/{table}/children").read_text().split()
    return [int(pid) for pid in children if b"herald" in Path(f"/proc/{pid}/cmdline").read_bytes()]


RECORDS = """
import asyncio
from zeroconf import IPVersion
from zeroconf.asyncio import AsyncServiceBrowser, AsyncZeroconf
def tell(zeroconf, service_type, name, state_change):
    print(state_change.name, name, flush=True)
async def main():
    heard = AsyncZeroconf(ip_version=IPVersion.All)
    AsyncServiceBrowser(heard.zeroconf, "_hearts-net._tcp.local.", handlers=[tell])
    await asyncio.sleep(300)
asyncio.run(main())
"""


def test_the_record_follows_the_table_and_is_withdrawn(lan: Lan) -> None:
    attic, cellar = lan.machine("attic"), lan.machine("cellar")
    host, there = attic.host("--table", "Kitchen")
    watching = cellar.start(sys.executable, "-c", RECORDS)
    name = f"{there['id']}._hearts-net._tcp.local.\n"
    assert watching.line() == f"Added {name}"
    player = cellar.hearts("join", there["invite"], "--plain")
    assert watching.line() == f"Updated {name}"
    host.kill()  # even so: the herald hears of it
    assert watching.line() == f"Removed {name}"
    player.close()


PRANKS = """
import asyncio, json, secrets, socket, sys
from zeroconf import IPVersion, ServiceInfo
from zeroconf.asyncio import AsyncZeroconf
TYPE = "_hearts-net._tcp.local."
GOOD = {"txtvers": "1", "key": "k" * 40, "control": "26052", "public": "26053", "versions": "1",
        "table": "Kitchen", "machine": "attic", "free": "4", "admit": "open", "phase": "lobby"}
RUBBISH = [
    {}, b"\\xff" * 40, {"txtvers": "9"}, {**GOOD, "key": "short"}, {**GOOD, "control": "99999"},
    {**GOOD, "table": "\\x1b[2J\\u202eevil"}, {**GOOD, "table": b"\\xff\\xfe"},
    {**GOOD, "free": "-1"}, {**GOOD, "versions": "x"}, {**GOOD, "machine": "m" * 200}, GOOD,
]
async def main():
    zeroconf = AsyncZeroconf(ip_version=IPVersion.All)
    for number, text in enumerate(RUBBISH + [GOOD] * 100):
        info = ServiceInfo(TYPE, f"prank-{number}.{TYPE}", port=26052, properties=text,
                           server=f"prank-{number}.local.", parsed_addresses=["10.78.0.250"])
        await zeroconf.async_register_service(info, cooperating_responders=True)
    liar = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    liar.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
    liar.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    liar.bind(("", 26052))
    liar.setblocking(False)
    print("ready", flush=True)
    while True:
        data, whom = await asyncio.get_running_loop().sock_recvfrom(liar, 1024)
        for answer in (b"", data, secrets.token_bytes(700), b"\\x81" * 700):
            liar.sendto(answer, whom)
asyncio.run(main())
"""


def test_rubbish_in_records_and_answers_is_no_table(lan: Lan) -> None:
    attic, cellar, prankster = (lan.machine(name) for name in ("attic", "cellar", "prankster"))
    attic.host("--table", "Kit\x1b[31mchen\u202e")
    assert prankster.start(sys.executable, "-c", PRANKS).line() == "ready\n"
    (table,) = cellar.listed()
    assert says(table, address="10.78.0.1:26052", standing="open")
    done = cellar.run("list")
    assert done.stdout.count("\n") == 1
    assert done.stdout.startswith("Kit[31mchen: 4 seats free")
    assert done.stderr == ""


@pytest.mark.parametrize("side", ["host", "guest"])
def test_a_second_and_a_dead_interface_do_not_get_in_the_way(lan: Lan, side: str) -> None:
    attic, cellar = lan.machine("attic"), lan.machine("cellar")
    encumbered = attic if side == "host" else cellar
    lan.plug(encumbered, "lan1", "10.79.0.9/24")
    encumbered.ip("link", "add", "docker0", "type", "bridge")
    encumbered.ip("addr", "add", "172.17.0.1/16", "dev", "docker0")
    encumbered.ip("link", "set", "docker0", "up")
    encumbered.add_dead_tunnel()
    _, there = attic.host("--table", "Kitchen")
    (table,) = cellar.listed()
    assert says(table, table="Kitchen", address="10.78.0.1:26052", standing="open")
    assert "Table Kitchen." in joined(cellar, "kitchen")
    assert there["invite"].startswith("hearts://10.78.0.1,")
    assert "Table Kitchen." in joined(cellar, there["invite"])


def test_with_link_local_addresses_of_ipv6_alone(lan: Lan) -> None:
    attic, cellar = lan.machine("attic", v4=False), lan.machine("cellar", v4=False)
    _, there = attic.host("--table", "Kitchen")
    assert there["invite"].startswith("hearts://fe80:")
    (table,) = cellar.listed()
    assert table["address"].startswith("[fe80:")
    assert table["address"].endswith("%lan0]:26052")
    assert "Table Kitchen." in joined(cellar, "kitchen")
    said = joined(cellar, there["invite"])
    assert "Others join with: [fe80:" in said


def test_mdns_filtered_and_the_question_answered(lan: Lan) -> None:
    attic, cellar = lan.machine("attic"), lan.machine("cellar")
    for machine in (attic, cellar):
        lan.forbid(machine, "mcast_flood", "off")
    attic.host("--table", "Kitchen")
    other_home = str(attic.home) + "2"
    attic.host("--table", "Shed", "--port", "0", HEARTS_NET_HOME=other_home)
    assert {table["table"] for table in cellar.listed()} == {"Kitchen", "Shed"}
    assert "Table Shed." in joined(cellar, "shed")


def test_the_question_filtered_and_mdns_heard(lan: Lan) -> None:
    attic, cellar = lan.machine("attic"), lan.machine("cellar")
    lan.know_each_other()
    cellar.write("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1")
    for machine in (attic, cellar):
        lan.forbid(machine, "bcast_flood", "off")
    attic.host("--table", "Kitchen")
    watching = cellar.hearts("list", "--watch", "--json")
    table = watching.until(lambda table: says(table, event="found"))
    assert says(table, table="Kitchen", address="10.78.0.1:26052", machine="attic")


def test_everything_filtered_and_the_invite_works(lan: Lan) -> None:
    attic, cellar = lan.machine("attic"), lan.machine("cellar")
    lan.know_each_other()
    for machine in (attic, cellar):
        lan.forbid(machine, "mcast_flood", "off", "bcast_flood", "off")
    _, there = attic.host("--table", "Kitchen")
    assert cellar.listed() == []
    found_none = cellar.run("join", "kitchen", "--plain")
    assert found_none.returncode == 3
    assert found_none.stderr.startswith("No table “kitchen” answers: give the address or the invi")
    invite = there["invite"]
    wrong = invite.replace("26052", "26062", 1)
    for damaged in (invite[:-1], wrong):
        refused = cellar.run("join", damaged, "--plain")
        assert (refused.returncode, refused.stdout) == (2, "")
        assert refused.stderr.startswith("The invite is damaged")
    assert "Table Kitchen." in joined(cellar, invite)
    # visited once, it is found without any multicast
    (table,) = cellar.listed()
    assert says(table, table="Kitchen", verified=True)
    assert "Table Kitchen." in joined(cellar, "kitchen")


def test_isolation_is_named_by_the_doctor(lan: Lan) -> None:
    attic, cellar, router = (lan.machine(name) for name in ("attic", "cellar", "router"))
    for machine in (attic, cellar):
        lan.forbid(machine, "isolated", "on")
        machine.ip("route", "add", "default", "via", "10.78.0.3")
    _, there = attic.host("--table", "Kitchen")
    assert cellar.listed() == []
    done = cellar.run("doctor", there["invite"], "--json")
    assert done.returncode == 1, done.stderr
    report = json.loads(done.stdout)
    bad = {each["code"]: each["detail"] for each in report["findings"] if each["level"] == "bad"}
    assert bad["way-isolated"]["address"] == "10.78.0.1"
    said = cellar.run("doctor", "10.78.0.1").stdout
    assert "the access point isolates its clients" in said
    # the router itself is on nobody's account: from there the table is reached
    well = router.run("doctor", there["invite"])
    assert well.returncode == 0, well.stdout
    assert "Something listens at 10.78.0.1, port 26052." in well.stdout
    assert "Kitchen: 4 seats free" in well.stdout
    assert there["key"] in well.stdout


def test_without_any_network_one_plays_on_ones_own_machine(lan: Lan) -> None:
    alone = lan.machine("alone", plugged=False)
    _, there = alone.host("--table", "Kitchen")
    (table,) = alone.listed()
    assert says(table, state="here", address="localhost:26052", standing="open")
    assert "Table Kitchen." in joined(alone)
    assert "Table Kitchen." in joined(alone, there["invite"])
    done = alone.run("doctor")
    assert done.returncode == 1
    assert "This machine is on no network" in done.stdout


def test_an_interface_that_comes_later_is_used(lan: Lan) -> None:
    attic, cellar = lan.machine("attic", plugged=False), lan.machine("cellar", plugged=False)
    attic.host("--table", "Kitchen", "--port", "7000")
    watching = cellar.hearts("list", "--watch", "--json")
    lan.plug(attic, "lan0", "10.78.0.1/24")
    lan.plug(cellar, "lan0", "10.78.0.2/24")
    table = watching.until(lambda table: says(table, event="found"))
    assert says(table, table="Kitchen", address="10.78.0.1:7000")
    lan.forbid(attic, "state", "0")
    watching.until(lambda table: says(table, event="gone"))


def test_a_seat_that_is_held_is_offered_again_and_others_watch(
    lan: Lan, screen: Callable[..., Screen]
) -> None:
    attic, barn, cellar = (lan.machine(name) for name in ("attic", "barn", "cellar"))
    _, there = attic.host("--table", "Kitchen", "--bots", "3")
    player = cellar.hearts("join", there["invite"], "--plain")
    while "ready" not in player.line():
        pass
    assert player.child.stdin is not None
    player.child.stdin.write("ready\n")
    player.child.stdin.flush()
    watching = barn.hearts("list", "--watch", "--json")
    table = watching.until(lambda table: table["phase"] not in ("lobby", ""))
    assert says(table, standing="running", free=0)
    player.kill()
    looking = cellar.hearts("list", "--watch", "--json")
    looking.until(lambda table: says(table, standing="held", table="Kitchen"))
    onlooker = screen(barn)
    onlooker.until("1  Kitchen", "playing, to watch")
    onlooker.type("1\r", "HEARTS Kitchen", "Cellar")
    returner = screen(cellar)
    returner.until("1  Kitchen", "your seat is held")
    returner.type("1\r", "HEARTS Kitchen", "Your hand")


def test_a_link_finds_its_table_again_on_another_port(lan: Lan) -> None:
    attic, cellar = lan.machine("attic"), lan.machine("cellar")
    host, there = attic.host("--table", "Kitchen", "--port", "7000")
    player = cellar.hearts("join", there["invite"], "--plain")
    while "ready" not in player.line():
        pass
    host.kill()
    resumed = attic.hearts("resume", there["id"], "--foreground", "--json", "--port", "7100")
    assert resumed.json()["control"] == 7100
    watching = attic.hearts("watch", "Kitchen")
    while "Cellar" not in watching.line():
        pass
    while "The connection is back." not in player.line():
        pass
    assert player.child.stdin is not None
    player.child.stdin.write("say found you\n")
    player.child.stdin.flush()
    while "Cellar says: found you" not in watching.line():
        pass
