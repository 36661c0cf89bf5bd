"""The link and the ways to a table, against a real table in a process of its own."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hearts_net.host.process import Running, launch_table
from hearts_net.host.settings import HostSettings
from hearts_net.peer.ask import ask
from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.home import Home
from hearts_net.peer.identity import Identity, load_identity, new_identity, read_identity
from hearts_net.peer.local import tables_here
from hearts_net.peer.target import Target, finder_for, resolve
from hearts_net.protocol.messages import AddBot, Say, Sit
from hearts_net.protocol.peer_session import LinkState
from hearts_net.testing.leftovers import stop_leftovers
from hearts_net.testing.ports import in_the_way

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(os.name != "posix", reason="kills the host with a signal"),
]


Join = Callable[..., Any]


def settings(home: Home, **changed: Any) -> HostSettings:
    key = read_identity(home)
    return HostSettings(
        home.tables, key.public, key.secret, table="Kitchen", port=0, loopback_only=True,
        idle=30_000, **changed,
    )  # fmt: skip


@pytest.fixture
def table(home: Home) -> Iterator[Running]:
    running = launch_table(settings(home))
    yield running
    stop_leftovers(home.tables)


def seat_of(player: Any, identity: Identity) -> int | None:
    assert player.link.view is not None
    keys = [seat.key for seat in player.link.view.public.seats]
    return keys.index(identity.public) if identity.public in keys else None


def test_every_way_leads_to_the_table(home: Home, table: Running, join: Join) -> None:
    port = table.control
    assert [found.table for found in tables_here(home)] == ["Kitchen"]

    async def test() -> None:
        answer = await ask("127.0.0.1", port)
        assert (answer.key, answer.control, answer.table) == (table.key, port, "Kitchen")
        for typed in (None, "kitchen", f"127.0.0.1:{port}", f"[::1]:{port}", table.invite):
            with load_identity(home) as identity:
                targets = await resolve(typed, home)
                player = join(targets, identity, finder=finder_for(home, targets))
                await player.live()
                assert player.link.view is not None
                assert player.link.view.public.table == "Kitchen"
                await player.left()

    asyncio.run(test())


def test_a_killed_host_that_is_resumed_has_its_player_back_in_the_same_seat(
    home: Home, table: Running, join: Join
) -> None:
    async def test() -> None:
        with load_identity(home) as identity:
            targets = await resolve("Kitchen", home)
            player = join(targets, identity, finder=finder_for(home, targets))
            await player.live()
            assert (await player.replied(player.link.do(Sit(2)))).ok
            os.kill(table.pid, signal.SIGKILL)
            await player.until(lambda: player.link.state is LinkState.LOST)
            said = player.link.do(Say("anybody?"))
            added = player.link.do(AddBot(0, "medium"))
            again = await asyncio.to_thread(launch_table, settings(home).resumed(table.table_id))
            assert again.key == table.key
            await player.live()
            assert seat_of(player, identity) == 2
            await player.replied(said)
            await player.replied(added)
            assert (await player.replied(player.link.do(Say("back")))).ok
            await player.left()

    asyncio.run(test())


def test_a_host_resumed_on_another_port_is_found_through_its_folder(
    home: Home, table: Running, join: Join
) -> None:
    async def test() -> None:
        with load_identity(home) as identity:
            targets = await resolve(table.invite, home)
            player = join(targets, identity, finder=finder_for(home, targets))
            await player.live()
            assert (await player.replied(player.link.do(Sit(1)))).ok
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


def test_a_key_that_is_not_the_hosts_does_not_get_in(table: Running, join: Join) -> None:
    async def test() -> None:
        stranger = Target("127.0.0.1", table.control, new_identity().public)
        player = join([stranger])
        with pytest.raises(LinkError) as caught:
            await asyncio.wait_for(player.task, 5)
        assert caught.value.code == LinkCode.WRONG_KEY

    asyncio.run(test())


def test_a_host_that_is_stopped_for_a_while_goes_on_with_its_player(
    home: Home, table: Running, join: Join
) -> None:
    async def test() -> None:
        targets = await resolve(table.invite, home)
        player = join(targets)
        await player.live()
        assert (await player.replied(player.link.do(Sit(3)))).ok
        os.kill(table.pid, signal.SIGSTOP)
        try:
            assert await player.lost() < 4
            said = player.link.do(Say("are you well?"))
            before = time.monotonic()
            with pytest.raises(LinkError) as caught:
                await join(targets).task
            assert caught.value.code == LinkCode.HOST_SILENT
            assert time.monotonic() - before < 6
        finally:
            os.kill(table.pid, signal.SIGCONT)
        await player.live()
        assert (await player.replied(said)).ok
        assert seat_of(player, player.identity) == 3
        await player.left()

    asyncio.run(test())
