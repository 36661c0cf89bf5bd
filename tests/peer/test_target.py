"""From what was typed to the targets of a link, with the question asked over real UDP."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import pytest

from hearts_net.peer.ask import ask, ask_first
from hearts_net.peer.endpoint import Target
from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.home import Home
from hearts_net.peer.identity import new_identity
from hearts_net.peer.invite import Address, Invite
from hearts_net.peer.known_hosts import accept_host, forget_hosts, known_hosts
from hearts_net.peer.link import FIRST_JOIN_WITHIN
from hearts_net.peer.recent import RecentTable, note_visit
from hearts_net.peer.target import finder_for, resolve
from hearts_net.protocol.datagram import Answer, pack_answer, read_question
from hearts_net.testing.ports import free_port

KEY = new_identity().public
OTHER = new_identity().public


class _Host(asyncio.DatagramProtocol):
    """Answers the question, or says something else."""

    def __init__(self, say: Callable[[str], list[bytes]]) -> None:
        self._say = say
        self.asked = 0

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def datagram_received(self, data: bytes, addr: Any) -> None:
        self.asked += 1
        for answer in self._say(read_question(data).nonce):
            self._transport.sendto(answer, addr)


def table_here(nonce: str, **changed: Any) -> bytes:
    fields: dict[str, Any] = {
        "key": KEY, "control": 7000, "public": 7001, "versions": [1], "table": "Kitchen",
        "machine": "attic-pc", "free": 3, "admit": "open", "phase": "lobby",
    }  # fmt: skip
    return pack_answer(Answer(nonce, **{**fields, **changed}))


@contextlib.asynccontextmanager
async def answering(
    say: Callable[[str], list[bytes]] = lambda nonce: [table_here(nonce)],
) -> AsyncIterator[tuple[int, _Host]]:
    loop = asyncio.get_running_loop()
    transport, host = await loop.create_datagram_endpoint(
        lambda: _Host(say), local_addr=("127.0.0.1", 0)
    )
    yield transport.get_extra_info("sockname")[1], host
    transport.close()
    await asyncio.sleep(0)


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(test)


async def code(work: Coroutine[Any, Any, Any]) -> str:
    with pytest.raises(LinkError) as caught:
        await work
    return caught.value.code


# ---- the question --------------------------------------------------------------------------------


def test_an_address_says_what_is_there() -> None:
    async def test() -> None:
        async with answering() as (port, _):
            for host in ("127.0.0.1", "localhost"):
                answer = await ask(host, port)
                assert (answer.key, answer.control, answer.table) == (KEY, 7000, "Kitchen")

    run(test())


def test_what_is_no_answer_is_passed_over() -> None:
    def confused(nonce: str) -> list[bytes]:
        return [b"", b"\xc1" * 100, table_here("0" * 16), table_here(nonce)[:-1], table_here(nonce)]

    async def test() -> None:
        async with answering(confused) as (port, _):
            assert (await ask("127.0.0.1", port)).key == KEY

    run(test())


def test_a_lost_question_is_asked_again() -> None:
    async def test() -> None:
        host: _Host

        def second(nonce: str) -> list[bytes]:
            return [table_here(nonce)] if host.asked > 1 else []

        async with answering(second) as (port, host):
            assert (await ask("127.0.0.1", port)).key == KEY

    run(test())


def test_nobody_answers() -> None:
    async def test() -> None:
        async with answering(lambda _: []) as (port, host):
            assert await code(ask("127.0.0.1", port, 0.3)) == LinkCode.NO_ANSWER
            assert host.asked == 2
        assert await code(ask("127.0.0.1", free_port(), 0.1)) == LinkCode.NO_ANSWER
        assert await code(ask("no-such-host.invalid", 1)) == LinkCode.NO_SUCH_HOST

    run(test())


def test_of_several_only_the_host_with_the_key_is_listened_to() -> None:
    async def test() -> None:
        async with (
            answering(lambda nonce: [table_here(nonce, key=OTHER)]) as (one, _),
            answering() as (other, _),
        ):
            places = [("127.0.0.1", free_port()), ("127.0.0.1", one), ("127.0.0.1", other)]
            answer = await ask_first(places, 2, KEY)
            assert answer is not None
            assert answer.key == KEY
            assert await ask_first(places[:2], 0.1, KEY) is None
            assert await ask_first([], 0.1) is None

    run(test())


# ---- what was typed ------------------------------------------------------------------------------


def announce(home: Home, table: str, control: int, key: str = KEY) -> None:
    folder = home.tables / table
    folder.mkdir(parents=True)
    fields = {"pid": os.getpid(), "control": control, "public": 9, "key": key, "table": table}
    (folder / "running.json").write_text(json.dumps(fields))


def test_an_invite_is_one_target_an_address(home: Home) -> None:
    text = Invite(("10.0.0.1", "fd00::1"), 7, KEY).text()
    assert asyncio.run(resolve(f" {text[:30]}\n{text[30:]} ", home)) == [
        Target("10.0.0.1", 7, KEY),
        Target("fd00::1", 7, KEY),
    ]
    assert asyncio.run(code(resolve(text[:-1], home))) == LinkCode.BAD_INVITE


def test_nothing_typed_is_what_runs_here_and_what_was_visited(home: Home) -> None:
    assert asyncio.run(resolve(None, home)) == []
    note_visit(home, RecentTable("Attic", OTHER, 8, ("10.0.0.8", "10.0.0.9"), 1))
    note_visit(home, RecentTable("Kitchen", KEY, 26052, ("127.0.0.1",), 2))
    announce(home, "Kitchen", 7)
    assert asyncio.run(resolve(" ", home)) == [
        Target("127.0.0.1", 7, KEY, "Kitchen"),
        Target("10.0.0.8", 8, OTHER, "Attic"),
        Target("10.0.0.9", 8, OTHER, "Attic"),
    ]


@pytest.mark.parametrize("typed", ["kitchen", "KITCHEN ", "localhost:7", "127.0.0.1:7", "[::1]:7"])
def test_a_table_on_this_machine_needs_no_network(home: Home, typed: str) -> None:
    announce(home, "Kitchen", 7)
    assert asyncio.run(resolve(typed, home)) == [Target("127.0.0.1", 7, KEY, "Kitchen")]


def test_a_visited_table_is_known_by_its_name(home: Home) -> None:
    note_visit(home, RecentTable("Anna's table", OTHER, 8, ("10.0.0.8",), 1))
    assert asyncio.run(resolve("anna's TABLE", home)) == [
        Target("10.0.0.8", 8, OTHER, "Anna's table")
    ]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("no such table", LinkCode.NO_TABLE),
        ("kitchen:0", LinkCode.BAD_ADDRESS),
        ("1.2.3", LinkCode.BAD_ADDRESS),
        ("no-such-host.invalid", LinkCode.NO_SUCH_HOST),
    ],
)
def test_what_cannot_be_found_is_said(home: Home, typed: str, expected: LinkCode) -> None:
    assert asyncio.run(code(resolve(typed, home))) == expected


def test_an_address_is_asked_and_its_key_is_not_verified_at_first(home: Home) -> None:
    async def test() -> None:
        async with answering() as (port, _):
            text = f"127.0.0.1:{port}"
            assert await resolve(text, home) == [Target("127.0.0.1", 7000, KEY, "Kitchen", False)]
            accept_host(home, Address("10.9.9.9", 1), KEY)  # the same host, met elsewhere
            assert (await resolve(text, home))[0].verified
            accept_host(home, Address("127.0.0.1", 7000), OTHER)
            assert await code(resolve(text, home)) == LinkCode.HOST_KEY_CHANGED
            forget_hosts(home, known_hosts(home)[1:])
            accept_host(home, Address("127.0.0.1", port), OTHER)  # whatever port it speaks of
            assert await code(resolve(text, home)) == LinkCode.HOST_KEY_CHANGED
            forget_hosts(home, known_hosts(home)[1:])
            accept_host(home, Address("127.0.0.1", 7000), KEY)
            assert (await resolve(text, home))[0].verified

    run(test())


def test_an_address_whose_table_is_known_with_another_key_is_refused(home: Home) -> None:
    async def test() -> None:
        async with answering() as (port, _):
            text = f"127.0.0.1:{port}"
            accept_host(home, Address("10.9.9.9", 1), OTHER, "kitchen", "Attic-PC")
            assert await code(resolve(text, home)) == LinkCode.HOST_KEY_CHANGED
            announce(home, "Kitchen", 7000)  # a table of this very installation
            assert (await resolve(text, home))[0].verified
        async with answering(lambda nonce: [table_here(nonce, machine="cellar-pc")]) as (port, _):
            assert await resolve(f"127.0.0.1:{port}", home), "another host with such a table"

    run(test())


def test_an_invite_is_refused_where_all_its_addresses_have_another_key(home: Home) -> None:
    invite = Invite(("10.0.0.1", "10.0.0.2"), 26052, KEY).text()
    accept_host(home, Address("10.0.0.1", 26052), OTHER)
    assert [each.host for each in asyncio.run(resolve(invite, home))] == ["10.0.0.2"]
    accept_host(home, Address("10.0.0.2", 26052), OTHER)
    assert asyncio.run(code(resolve(invite, home))) == LinkCode.HOST_KEY_CHANGED
    announce(home, "Kitchen", 26052)  # a table of this very installation
    assert len(asyncio.run(resolve(invite, home))) == 2


def test_versions_that_do_not_fit_are_said_before_anything_connects(home: Home) -> None:
    async def test() -> None:
        async with answering(lambda nonce: [table_here(nonce, versions=[7, 8])]) as (port, _):
            with pytest.raises(LinkError) as caught:
                await resolve(f"127.0.0.1:{port}", home)
            assert caught.value.code == LinkCode.VERSION_MISMATCH
            assert caught.value.detail["host_speaks"] == "7, 8"

    run(test())


@pytest.mark.long
def test_where_the_question_is_lost_the_pinned_key_is_used(home: Home) -> None:
    port = free_port()
    assert asyncio.run(code(resolve(f"127.0.0.1:{port}", home))) == LinkCode.NO_ANSWER
    accept_host(home, Address("127.0.0.1", port), KEY)
    before = time.monotonic()
    assert asyncio.run(resolve(f"127.0.0.1:{port}", home)) == [Target("127.0.0.1", port, KEY)]
    asked = time.monotonic() - before
    assert asked + FIRST_JOIN_WITHIN / 1000 < 4.8, "nobody waits five seconds to hear of nobody"


# ---- a host that has moved -----------------------------------------------------------------------


def test_a_host_that_moved_says_so_on_this_machine(home: Home) -> None:
    find = finder_for(home, [Target("127.0.0.1", 7, KEY)])
    announce(home, "Stranger", 9, OTHER)
    announce(home, "Kitchen", 8)
    assert asyncio.run(_found(find, KEY)) == [Target("127.0.0.1", 8, KEY, "Kitchen")]


def test_a_host_that_moved_answers_at_its_old_port(home: Home) -> None:
    async def test() -> None:
        async with answering() as (port, _):
            find = finder_for(
                home, [Target("127.0.0.1", port, KEY), Target("nowhere.invalid", 1, KEY)]
            )
            assert await find(KEY) == [Target("127.0.0.1", 7000, KEY, "Kitchen")]
            assert await find(OTHER) == []

    run(test())


async def _found(find: Any, key: str) -> Any:
    return await find(key)
