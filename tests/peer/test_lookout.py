"""What a lookout shows: only what answers, with what can be done there, for as long as it does."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from msgspec.structs import replace

from hearts_net.host.answerer import start_answering
from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.found import MOST_FOUND, FoundTable, Source, Standing, found_from
from hearts_net.peer.home import Home
from hearts_net.peer.identity import new_identity
from hearts_net.peer.invite import Address
from hearts_net.peer.known_hosts import accept_host, known_hosts_file
from hearts_net.peer.lookout import Lookout, find_named, find_tables, looking
from hearts_net.peer.mdns import Browser, Record
from hearts_net.peer.recent import RecentTable, mark_favourite, note_visit, recent_tables
from hearts_net.peer.target import ways_to
from hearts_net.protocol.advert import Advert
from hearts_net.protocol.codes import ErrorCode
from hearts_net.protocol.messages import Refused
from hearts_net.testing.ports import free_port

KEY = new_identity().public
OTHER = new_identity().public
WITHIN = 30.0


def advert(port: int, **changed: Any) -> Advert:
    """Say what a table says of itself."""
    plain = Advert(KEY, port, 1, [1], "Kitchen", "attic-pc", 3, "open", "lobby")
    return replace(plain, **changed)


@pytest.fixture
def records(monkeypatch: pytest.MonkeyPatch) -> dict[str, Record]:
    """Give what is advertised by mDNS, to be filled by the test; no question goes to everybody."""
    found: dict[str, Record] = {}

    @contextlib.asynccontextmanager
    async def browsing(heed: Callable[[], None]) -> AsyncIterator[Browser]:
        browser = Browser(heed)
        browser.records = found
        yield browser

    monkeypatch.setattr("hearts_net.peer.lookout.browsing", browsing)
    monkeypatch.setattr("hearts_net.peer.ears.Ears.ask_everybody", lambda _ears: None)
    return found


def run_here(home: Home, name: str, port: int, key: str = KEY, table: str = "Kitchen") -> None:
    folder = home.tables / name
    folder.mkdir(parents=True)
    fields = {"pid": os.getpid(), "control": port, "public": 1, "key": key, "table": table}
    (folder / "running.json").write_text(json.dumps(fields))


def busy() -> float:
    """How many times longer than alone this machine takes just now; limits are so much longer."""
    began, used = time.monotonic(), time.process_time()
    while time.process_time() - used < 0.05:
        pass
    return (time.monotonic() - began) / 0.05


async def until(lookout: Lookout, there: Callable[[list[FoundTable]], object]) -> float:
    """Wait for a list, and return how many seconds that took."""
    before = time.monotonic()
    while not there(lookout.tables()):
        assert time.monotonic() < before + WITHIN, lookout.tables()
        await asyncio.sleep(0.01)
    return time.monotonic() - before


@contextlib.asynccontextmanager
async def answering(says: Callable[[], Advert]) -> AsyncIterator[None]:
    lines = await start_answering(says, loopback_only=True)
    try:
        yield
    finally:
        for line in lines:
            line.close()


def test_a_record_of_a_dead_host_is_never_shown(home: Home, records: dict[str, Record]) -> None:
    records["x"] = Record(advert(free_port()), ("127.0.0.1",))

    async def test() -> None:
        async with looking(Lookout(home)) as lookout:
            deadline = time.monotonic() + 2.5
            while time.monotonic() < deadline:
                assert lookout.tables() == []
                await asyncio.sleep(0.05)

    asyncio.run(test())


def test_what_answers_is_shown_as_it_is_now_and_goes_when_it_falls_silent(
    home: Home, records: dict[str, Record]
) -> None:
    port = free_port()
    records["x"] = Record(advert(port, free=4), ("127.0.0.1",))
    says = advert(port, free=2)

    async def test() -> None:
        changes = []
        async with looking(Lookout(home, heed=lambda: changes.append(1))) as lookout:
            async with answering(lambda: says):
                assert await until(lookout, lambda tables: tables) < 1 * busy()
                (table,) = lookout.tables()
                assert (table.source, table.verified, table.free) == (Source.AROUND, False, 2)
                nonlocal_says(replace(says, free=0, phase="playing"))
                await until(lookout, lambda tables: tables[0].phase == "playing")
            assert await until(lookout, lambda tables: not tables) < 5 * busy()
            assert len(changes) >= 3

    def nonlocal_says(new: Advert) -> None:
        nonlocal says
        says = new

    asyncio.run(test())


def test_a_host_that_answers_no_question_is_found_by_a_hello_with_its_key(
    home: Home, records: dict[str, Record], make_host: Callable[..., Any]
) -> None:
    host = make_host()
    says = advert(host.control, key=host.identity.public)
    records["good"] = Record(says, ("127.0.0.1",))
    records["forged"] = Record(replace(says, key=KEY), ("127.0.0.1",))

    async def test() -> None:
        async with looking(Lookout(home)) as lookout:
            await until(lookout, lambda tables: tables)
            (table,) = lookout.tables()
            assert (table.key, table.reached) == (host.identity.public, True)
            assert table.standing is Standing.OPEN
            host.stop()
            assert await until(lookout, lambda tables: not tables) < 5 * busy()

    asyncio.run(test())


def test_a_table_whose_port_is_filtered_says_so(home: Home, records: dict[str, Record]) -> None:
    port = free_port()
    records["x"] = Record(advert(port), ("127.0.0.1",))

    async def test() -> None:
        async with answering(lambda: advert(port)), looking(Lookout(home)) as lookout:
            await until(lookout, lambda tables: tables and tables[0].standing is Standing.NO_WAY_IN)

    asyncio.run(test())


def test_a_table_that_speaks_another_version_says_so(
    home: Home, records: dict[str, Record], make_host: Callable[..., Any]
) -> None:
    host = make_host(refusal=Refused(ErrorCode.VERSION, {"host_speaks": "2"}))
    records["x"] = Record(advert(host.control, key=host.identity.public), ("127.0.0.1",))
    port = free_port()
    records["y"] = Record(advert(port, versions=[2, 3]), ("127.0.0.1",))

    async def test() -> None:
        async with (
            answering(lambda: advert(host.control, key=host.identity.public)),
            answering(lambda: advert(port, versions=[2, 3])),
            looking(Lookout(home)) as lookout,
        ):
            other = Standing.OTHER_VERSION
            await until(lookout, lambda tables: [each.standing for each in tables] == [other] * 2)
            for table in lookout.tables():
                with pytest.raises(LinkError, match="version-mismatch"):
                    ways_to(home, table)

    asyncio.run(test())


def test_tables_here_come_first_then_favourites_then_those_visited(
    home: Home, records: dict[str, Record]
) -> None:
    ports = [free_port() for _ in range(4)]
    names = ["here", "favourite", "visited", "around"]
    run_here(home, "one", ports[0], table="here")
    note_visit(home, RecentTable("visited", KEY, ports[2], ("127.0.0.1",), 1))
    mark_favourite(home, RecentTable("favourite", KEY, ports[1], ("127.0.0.1",), 0, True))
    mark_favourite(home, RecentTable("not there", KEY, 9, ("127.0.0.1",), 0, True))
    records["x"] = Record(advert(ports[3], table="around"), ("127.0.0.1",))

    async def test() -> None:
        async with contextlib.AsyncExitStack() as stack:
            for port, name in zip(ports, names, strict=True):
                says = advert(port, table=name)
                await stack.enter_async_context(answering(lambda says=says: says))  # type: ignore[misc]
            lookout = await stack.enter_async_context(looking(Lookout(home)))
            await until(lookout, lambda tables: [each.table for each in tables] == names)
            assert [each.source for each in lookout.tables()] == [
                Source.HERE, Source.AROUND, Source.VISITED, Source.AROUND,
            ]  # fmt: skip
            assert [each.verified for each in lookout.tables()] == [True, False, True, False]
            assert [each.table for each in lookout.absent_favourites()] == ["not there"]
            mark_favourite(home, RecentTable("favourite", KEY, ports[1], ("127.0.0.1",), 0))
            assert [each.table for each in recent_tables(home)] == ["visited", "not there"]
            lookout.look_again()
            await until(lookout, lambda tables: tables[1].table == "visited")

    asyncio.run(test())


def test_a_host_started_anew_on_another_port_is_followed(
    home: Home, records: dict[str, Record]
) -> None:
    first, second = free_port(), free_port()
    records["old"] = Record(advert(first), ("127.0.0.1",))

    async def test() -> None:
        async with looking(Lookout(home)) as lookout:
            async with answering(lambda: advert(first)):
                await until(lookout, lambda tables: tables)
            records["new"] = Record(advert(second), ("127.0.0.1",))
            async with answering(lambda: advert(second)):
                await until(lookout, lambda tables: [each.port for each in tables] == [second])

    asyncio.run(test())


def test_two_tables_of_one_name_are_both_found_by_it(
    home: Home, records: dict[str, Record]
) -> None:
    ports = free_port(), free_port()
    other = new_identity().public
    records["a"] = Record(advert(ports[0]), ("127.0.0.1",))
    records["b"] = Record(advert(ports[1], key=other, table="KITCHEN"), ("127.0.0.1",))

    async def test() -> None:
        async with (
            answering(lambda: advert(ports[0])),
            answering(lambda: advert(ports[1], key=other, table="KITCHEN")),
        ):
            found = await find_named(home, " kitchen", WITHIN)
            assert {each.key for each in found} == {KEY, other}
        assert await find_named(home, "attic", 0.2) == []

    asyncio.run(test())


def test_a_key_met_before_is_verified_and_one_that_changed_is_refused(home: Home) -> None:
    found = found_from(advert(7000), ["10.0.0.1", "fd00::1"], Source.AROUND, verified=False)
    assert [each.host for each in ways_to(home, found)] == ["10.0.0.1", "fd00::1"]
    accept_host(home, Address("10.0.0.1", 7000), new_identity().public)
    assert [each.host for each in ways_to(home, found)] == ["fd00::1"]
    accept_host(home, Address("fd00::1", 7000), new_identity().public)
    with pytest.raises(LinkError) as caught:
        ways_to(home, found)
    assert caught.value.code == LinkCode.HOST_KEY_CHANGED


def test_a_name_leads_to_the_host_that_is_known_by_it_alone(home: Home) -> None:
    found = found_from(advert(7000), ["10.0.0.1"], Source.AROUND, verified=False)
    accept_host(home, Address("10.9.9.9", 1), new_identity().public, "kitchen", "cellar-pc")
    with pytest.raises(LinkError) as caught:
        ways_to(home, found)
    assert caught.value.code == LinkCode.NAMESAKE
    assert caught.value.detail == {"table": "Kitchen", "address": "10.0.0.1:7000"}
    accept_host(home, Address("10.9.9.9", 2), new_identity().public, "kitchen", found.machine)
    with pytest.raises(LinkError) as caught:
        ways_to(home, found)
    assert caught.value.code == LinkCode.HOST_KEY_CHANGED
    accept_host(home, Address("10.9.9.9", 3), KEY, "Kitchen", found.machine)
    assert [each.host for each in ways_to(home, found)] == ["10.0.0.1"]


def test_a_list_says_whose_key_is_not_the_one_that_is_known(
    home: Home, records: dict[str, Record]
) -> None:
    port = free_port()
    records["a"] = Record(advert(port), ("127.0.0.1",))

    async def look() -> FoundTable:
        async with answering(lambda: advert(port)):
            (table,) = await find_named(home, "kitchen", WITHIN)
            return table

    assert asyncio.run(look()).stranger == ""
    accept_host(home, Address("10.9.9.9", 1), OTHER, "Kitchen", "cellar-pc")
    assert asyncio.run(look()).stranger == LinkCode.NAMESAKE
    accept_host(home, Address("10.9.9.9", 2), OTHER, "Kitchen", advert(port).machine)
    table = asyncio.run(look())
    assert (table.stranger, table.verified) == (LinkCode.HOST_KEY_CHANGED, False)


def test_invented_tables_do_not_hide_one_that_is_known(home: Home) -> None:
    accept_host(home, Address("10.9.9.9", 1), KEY)
    lookout = Lookout(home)
    lookout._look_at_home()
    for number in range(MOST_FOUND + 9):
        lookout._answered("10.0.0.1", advert(number + 1, key=OTHER).answer("0" * 16))
    lookout._answered("10.0.0.2", advert(7000).answer("0" * 16))
    lookout._show(time.monotonic())
    shown = lookout.tables()
    assert len(shown) == MOST_FOUND
    assert [table.verified for table in shown if table.key == KEY] == [True]


def test_a_damaged_list_of_hosts_ends_the_look(home: Home, records: dict[str, Record]) -> None:
    known_hosts_file(home).parent.mkdir(parents=True, exist_ok=True)
    known_hosts_file(home).write_text("what is this\n")
    assert records == {}
    with pytest.raises(LinkError, match="bad-known-hosts"):
        asyncio.run(find_tables(home, 0.2))


@pytest.mark.usefixtures("records")
def test_a_look_ends_when_it_is_told_to_whatever_happens_at_that_moment(home: Home) -> None:
    async def test() -> None:
        for _ in range(20):
            lookout = Lookout(home)
            task = asyncio.create_task(lookout.run())
            await asyncio.sleep(0.01)
            lookout.look_again()  # wakes it in the very moment in which it is cancelled
            await asyncio.sleep(0)
            task.cancel()
            _, going_on = await asyncio.wait([task], timeout=WITHIN)
            assert not going_on

    asyncio.run(test())
