"""The link and the ways to a table, against a real table in a process of its own."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hearts_net.host.process import Running, find_running, launch_table, stop_table
from hearts_net.host.settings import HostSettings
from hearts_net.peer.ask import ask
from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.home import Home
from hearts_net.peer.identity import Identity, load_identity, new_identity, read_identity
from hearts_net.peer.link import Link, request_ids
from hearts_net.peer.local import tables_here
from hearts_net.peer.target import Target, finder_for, resolve
from hearts_net.protocol.messages import AddBot, Say, Sit
from hearts_net.protocol.peer_session import LeftTable, LinkState, PeerSession, Replied

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(os.name != "posix", reason="kills the host with a signal"),
]


class Player:
    def __init__(self, targets: list[Target], identity: Identity, home: Home) -> None:
        self.events: list[Any] = []
        session = PeerSession("player", "Ann", request_ids=request_ids())
        finder = finder_for(home, targets)
        self.link = Link(targets, identity, session, on_event=self.events.append, finder=finder)
        self.task = asyncio.get_running_loop().create_task(self.link.run())

    async def until(self, true: Callable[[], object]) -> None:
        deadline = time.monotonic() + 15
        while not true():
            if self.task.done():
                self.task.result()
            assert time.monotonic() < deadline, self.events[-5:]
            await asyncio.sleep(0.005)

    async def live(self) -> None:
        await self.until(lambda: self.link.state is LinkState.LIVE)

    async def done(self, request: int) -> bool:
        await self.until(lambda: self._replies(request))
        return bool(self._replies(request)[0].reply.ok)

    def _replies(self, request: int) -> list[Replied]:
        return [
            event for event in self.events if isinstance(event, Replied) and event.id == request
        ]

    async def left(self) -> None:
        before = time.monotonic()
        self.link.leave()
        await asyncio.wait_for(self.task, 5)
        assert time.monotonic() - before < 1
        assert isinstance(self.events[-1], LeftTable)


def settings(home: Home, **changed: Any) -> HostSettings:
    key = read_identity(home)
    return HostSettings(
        home.tables, key.public, key.secret, table="Kitchen", port=0, loopback_only=True,
        idle_limit=30_000, **changed,
    )  # fmt: skip


@pytest.fixture
def table(home: Home) -> Iterator[Running]:
    running = launch_table(settings(home))
    yield running
    for left in find_running(home.tables):
        stop_table(left)


def seat_of(player: Player, identity: Identity) -> int | None:
    assert player.link.view is not None
    keys = [seat.key for seat in player.link.view.public.seats]
    return keys.index(identity.public) if identity.public in keys else None


def test_every_way_leads_to_the_table(home: Home, table: Running) -> None:
    port = table.control
    assert [found.table for found in tables_here(home)] == ["Kitchen"]

    async def test() -> None:
        answer = await ask("127.0.0.1", port)
        assert (answer.key, answer.control, answer.table) == (table.key, port, "Kitchen")
        for typed in (None, "kitchen", f"127.0.0.1:{port}", f"[::1]:{port}", table.invite):
            with load_identity(home) as identity:
                player = Player(await resolve(typed, home), identity, home)
                await player.live()
                assert player.link.view is not None
                assert player.link.view.public.table == "Kitchen"
                await player.left()

    asyncio.run(test())


def test_a_killed_host_that_is_resumed_has_its_player_back_in_the_same_seat(
    home: Home, table: Running
) -> None:
    async def test() -> None:
        with load_identity(home) as identity:
            player = Player(await resolve("Kitchen", home), identity, home)
            await player.live()
            assert await player.done(player.link.do(Sit(2)))
            os.kill(table.pid, signal.SIGKILL)
            await player.until(lambda: player.link.state is LinkState.LOST)
            said = player.link.do(Say("anybody?"))
            added = player.link.do(AddBot(0, "rule"))
            again = await asyncio.to_thread(launch_table, settings(home).resumed(table.table_id))
            assert again.key == table.key
            await player.live()
            assert seat_of(player, identity) == 2
            await player.done(said)
            await player.done(added)
            assert await player.done(player.link.do(Say("back")))
            await player.left()

    asyncio.run(test())


def test_a_host_resumed_on_another_port_is_found_through_its_folder(
    home: Home, table: Running
) -> None:
    async def test() -> None:
        with load_identity(home) as identity:
            player = Player(await resolve(table.invite, home), identity, home)
            await player.live()
            assert await player.done(player.link.do(Sit(1)))
            os.kill(table.pid, signal.SIGKILL)
            await player.until(lambda: player.link.state is LinkState.LOST)
            with in_the_way(table.control):
                again = await asyncio.to_thread(
                    launch_table, settings(home).resumed(table.table_id)
                )
                assert again.control != table.control
                await player.live()
                assert player.link.host is not None
                assert player.link.host.port == again.control
                assert seat_of(player, identity) == 1
                await player.left()

    asyncio.run(test())


def in_the_way(port: int) -> socket.socket:
    """Take a port that a killed process has just left."""
    deadline = time.monotonic() + 5
    while True:
        try:
            return socket.create_server(("127.0.0.1", port))
        except OSError:
            assert time.monotonic() < deadline


def test_a_key_that_is_not_the_hosts_does_not_get_in(home: Home, table: Running) -> None:
    async def test() -> None:
        stranger = Target("127.0.0.1", table.control, new_identity().public)
        player = Player([stranger], new_identity(), home)
        with pytest.raises(LinkError) as caught:
            await asyncio.wait_for(player.task, 5)
        assert caught.value.code == LinkCode.WRONG_KEY

    asyncio.run(test())
