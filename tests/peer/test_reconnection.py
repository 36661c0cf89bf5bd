"""A link that was live once comes back from whatever happens to its connection."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import pytest
import zmq

from hearts_net.peer import link as link_module
from hearts_net.peer.connection import Connection, Context
from hearts_net.peer.endpoint import Endpoint, Target
from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.identity import new_identity
from hearts_net.peer.link import FIRST_JOIN_WITHIN, Link
from hearts_net.peer.monitor import Sighting
from hearts_net.protocol.codec import encode
from hearts_net.protocol.messages import Alive, Command, Hello, Ready, Say, Snapshot
from hearts_net.protocol.messages import Join as JoinMessage
from hearts_net.protocol.peer_session import LinkState, OtherTable, Replied
from hearts_net.testing.proxy import FaultProxy

MakeHost = Callable[..., Any]
Join = Callable[..., Any]


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(test)


def test_a_cut_connection_is_back_at_once(make_host: MakeHost, join: Join) -> None:
    host = make_host()

    async def test() -> None:
        async with FaultProxy(host.control) as proxy:
            player = join(host.target(proxy.port))
            await player.live()
            proxy.cut()
            await player.lost()
            assert await player.live() < 1.5
            assert player.states[-3:] == [LinkState.GREETING, LinkState.JOINING, LinkState.LIVE]
            await player.left()

    run(test())


def test_nothing_that_was_sent_without_a_connection_reaches_the_next_host(
    make_host: MakeHost,
) -> None:
    host = make_host()

    async def test() -> None:
        context: Context = zmq.Context()
        stirred = asyncio.Event()
        endpoint = Endpoint("127.0.0.1", host.control, host.identity.public)
        connection = Connection(context, zmq.DEALER, new_identity(), endpoint, stirred.set)

        async def sighted(wanted: Sighting) -> None:
            async with asyncio.timeout(20):
                while connection.next_sighting() is not wanted:
                    await asyncio.wait_for(stirred.wait(), 20)
                    stirred.clear()
                    connection.settle()

        try:
            assert not connection.send(encode(Snapshot())), "it is not there yet"
            await sighted(Sighting.UP)
            assert connection.send(encode(Hello([1], "first")))
            host.stop()
            await sighted(Sighting.LOST)
            assert not connection.send(encode(Snapshot()))
            again = make_host(identity=host.identity, control=host.control)
            await sighted(Sighting.UP)
            assert connection.send(encode(Hello([1], "second")))
            async with asyncio.timeout(20):
                while not again.heard:
                    await asyncio.sleep(0.005)
            assert [message for _, message in again.heard] == [Hello([1], "second")]
        finally:
            connection.close()
            context.term()

    run(test())


def test_a_host_restarted_on_its_port_has_its_peers_back(make_host: MakeHost, join: Join) -> None:
    host = make_host()

    async def test() -> None:
        player = join(host.target())
        await player.live()
        host.stop()
        await player.lost()
        request = player.link.do(Ready())  # while nobody is there
        again = make_host(identity=host.identity, control=host.control, public=host.public, epoch=2)
        assert await player.live() < 2
        await player.until(lambda: player.of(Replied))
        assert player.of(Replied)[0].id == request
        assert [command.id for command in again.of(Command)] == [request]
        await player.left()

    run(test())


@pytest.mark.long
def test_a_black_hole_is_noticed_and_the_link_is_back_soon_after_it_heals(
    make_host: MakeHost,
    join: Join,
) -> None:
    host = make_host()

    async def test() -> None:
        async with FaultProxy(host.control) as proxy:
            player = join(host.target(proxy.port))
            await player.live()
            proxy.black_hole()
            assert await player.lost() < 3.5
            player.link.do(Say("is anybody there?"))
            dialled = proxy.accepted
            await player.until(lambda: proxy.accepted >= dialled + 6)  # beside, again and again
            assert proxy.connections <= 8
            proxy.heal()
            assert await player.live() < 1.5
            await player.until(lambda: player.of(Replied))
            await player.left()

    run(test())


@pytest.mark.long
def test_a_half_open_connection_is_replaced_by_one_dialled_beside_it(
    make_host: MakeHost, join: Join
) -> None:
    host = make_host()

    async def test() -> None:
        async with FaultProxy(host.control) as proxy:
            player = join(host.target(proxy.port))
            await player.live()
            proxy.half_open()
            await player.lost()
            assert await player.live() < 1.0
            assert proxy.accepted == 2
            await player.left()

    run(test())


@pytest.mark.long
def test_an_old_connection_that_speaks_again_is_kept(make_host: MakeHost, join: Join) -> None:
    host = make_host()

    async def test() -> None:
        async with FaultProxy(host.control) as proxy:
            player = join(host.target(proxy.port))
            await player.live()
            proxy.black_hole(down=True, up=False)
            await player.lost()
            proxy.heal()
            await player.live()
            await player.until(lambda: proxy.connections == 1)
            await player.left()

    run(test())


@pytest.mark.long
def test_a_slow_line_is_slow_and_not_broken(make_host: MakeHost, join: Join) -> None:
    host = make_host()

    async def test() -> None:
        async with FaultProxy(host.control) as proxy:
            proxy.delay(0.2)
            player = join(host.target(proxy.port))
            await player.live()
            request = player.link.do(Ready())
            await player.until(lambda: player.of(Replied))
            assert player.of(Replied)[0].id == request
            assert LinkState.LOST not in player.states
            proxy.half_open()  # and on such a line it comes back too
            await player.lost()
            assert await player.live() < 4
            await player.left()

    run(test())


@pytest.mark.long
def test_a_hung_host_is_lost_and_comes_back(make_host: MakeHost, join: Join) -> None:
    host = make_host()

    async def test() -> None:
        player = join(host.target())
        await player.live()
        host.mute = True
        await player.lost()
        host.mute = False
        assert await player.live() < 3
        await player.left()

    run(test())


@pytest.mark.long
def test_a_host_that_moved_to_another_port_is_found(make_host: MakeHost, join: Join) -> None:
    host = make_host()
    moved: list[Target] = []

    async def finder(key: str) -> Sequence[Target]:
        assert key == host.identity.public
        return moved

    async def test() -> None:
        player = join(host.target(), finder=finder)
        await player.live()
        host.stop()
        await player.lost()
        stranger = make_host(control=host.control)  # another program has the port now
        again = make_host(identity=host.identity, epoch=2)
        moved.append(Target("127.0.0.1", stranger.control, stranger.identity.public))
        moved.append(again.target())
        await player.live()
        assert player.link.host is not None
        assert player.link.host.port == again.control
        assert stranger.heard == []
        await player.left()

    run(test())


@pytest.mark.long
def test_another_address_of_the_host_takes_over(make_host: MakeHost, join: Join) -> None:
    host = make_host()

    async def test() -> None:
        async with FaultProxy(host.control) as one, FaultProxy(host.control) as other:
            player = join([host.target(one.port), host.target(other.port)])
            await player.live()
            assert player.link.host is not None
            used = one if player.link.host.port == one.port else other
            await used.refuse()
            await player.lost()
            await player.live()
            assert player.link.host.port == (other if used is one else one).port
            await player.left()

    run(test())


@pytest.mark.long
def test_it_goes_on_for_as_long_as_nobody_is_there(
    make_host: MakeHost, join: Join, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = make_host()
    now, late, looks = link_module._now, 0, 0

    def later() -> int:
        nonlocal looks
        looks += 1
        return now() + late

    monkeypatch.setattr(link_module, "_now", later)

    async def test() -> None:
        nonlocal late, looks
        player = join(host.target())
        await player.live()
        host.stop()
        await player.lost()
        late, looks = 2 * FIRST_JOIN_WITHIN, 0  # longer than somebody who joins would wait
        await player.until(lambda: looks > 3)
        make_host(identity=host.identity, control=host.control, public=host.public, epoch=2)
        assert await player.live() < 2
        await player.left()

    run(test())


@pytest.mark.long
def test_the_public_connection_is_back_after_a_fault_of_its_own(
    make_host: MakeHost, join: Join
) -> None:
    host = make_host()

    async def test() -> None:
        async with FaultProxy(host.public) as proxy:
            real, host.public = host.public, proxy.port
            player = join(host.target())
            await player.live()
            await player.until(lambda: proxy.connections == 1)
            await proxy.refuse()
            await proxy.listen()
            await player.until(lambda: proxy.connections == 1)
            await player.until(lambda: len(host.of(Hello)) == 1)  # control was not disturbed
            host.public = real
            await player.left()

    run(test())


@pytest.mark.long
def test_the_public_connection_survives_a_black_hole(make_host: MakeHost, join: Join) -> None:
    host = make_host()

    async def test() -> None:
        async with FaultProxy(host.public) as proxy:
            real, host.public = host.public, proxy.port
            player = join(host.target())
            await player.live()
            await player.until(lambda: proxy.connections == 1)
            proxy.black_hole()
            await player.until(lambda: proxy.accepted >= 2)  # given up, and dialled anew
            proxy.heal()
            await player.until(lambda: len(host.of(Snapshot)) >= 2)
            host.public = real
            assert player.states.count(LinkState.LIVE) == 1
            await player.left()

    run(test())


def test_a_search_that_fails_at_once_still_looks_where_the_host_may_be(
    make_host: MakeHost, join: Join
) -> None:
    stranger, host = make_host(), make_host()
    asked: list[str] = []

    async def finder(key: str) -> Sequence[Target]:
        asked.append(key)
        return [host.target()] if len(asked) == 1 else []

    async def test() -> None:
        target = Target("127.0.0.1", stranger.control, host.identity.public)
        player = join(target, finder=finder)
        await player.live()
        assert asked == [host.identity.public]
        await player.left()
        hopeless = join(target, finder=finder)
        with pytest.raises(LinkError) as caught:
            await asyncio.wait_for(hopeless.task, 3)
        assert caught.value.code == LinkCode.WRONG_KEY

    run(test())
    assert stranger.heard == []


def test_another_table_of_the_same_host_is_not_taken_for_the_one_that_moved(
    make_host: MakeHost, join: Join
) -> None:
    host = make_host()
    other = make_host(identity=host.identity, table="Attic")
    asked: list[str] = []

    async def finder(key: str) -> Sequence[Target]:
        asked.append(key)
        return [Target("127.0.0.1", other.control, key, "Attic")]

    async def test() -> None:
        player = join(host.target(), finder=finder)
        await player.live()
        host.stop()
        await player.until(lambda: asked)
        make_host(identity=host.identity, control=host.control, public=host.public, epoch=2)
        await player.live()
        await player.left()

    run(test())
    assert other.heard == []


def test_another_table_at_the_old_port_is_left_alone_and_the_own_one_is_found(
    make_host: MakeHost, join: Join
) -> None:
    host = make_host(table_id="a1")
    moved: list[Target] = []

    async def finder(_key: str) -> Sequence[Target]:
        return moved

    async def test() -> None:
        player = join(host.target(), finder=finder)
        await player.live()
        host.stop()
        await player.lost()
        other = make_host(identity=host.identity, control=host.control, table_id="b2")
        await player.until(lambda: player.of(OtherTable))
        assert len(other.of(Hello)) == 1
        again = make_host(identity=host.identity, epoch=2, table_id="a1")
        moved.append(again.target())
        assert await player.live() < 5
        assert player.link.host is not None
        assert player.link.host.port == again.control
        assert other.of(JoinMessage) == []
        await player.left()

    run(test())


def test_a_finder_that_fails_does_not_end_the_link(
    make_host: MakeHost, join: Join, caplog: pytest.LogCaptureFixture
) -> None:
    host = make_host()

    async def finder(_key: str) -> Sequence[Target]:
        raise ZeroDivisionError

    async def test() -> None:
        player = join(host.target(), finder=finder)
        await player.live()
        host.stop()
        await player.until(lambda: "ZeroDivisionError" in caplog.text)
        make_host(identity=host.identity, control=host.control, public=host.public, epoch=2)
        await player.live()
        await player.left()

    run(test())


@pytest.mark.long
def test_waiting_costs_next_to_nothing(
    make_host: MakeHost, join: Join, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = make_host()
    steps = 0
    step = Link._step

    def counted(link: Link) -> None:
        nonlocal steps
        steps += 1
        step(link)

    monkeypatch.setattr(Link, "_step", counted)

    async def test() -> None:
        nonlocal steps
        player = join(host.target())
        await player.until(lambda: len(host.of(Alive)) > 0)
        steps = 0
        await asyncio.sleep(1)
        assert steps < 10  # a sign of life a second, each way
        host.stop()
        await player.lost()
        steps = 0
        await asyncio.sleep(1)
        assert player.link.state is LinkState.LOST
        assert steps < 50  # a dial each half second, and what comes of it
        await player.left()

    run(test())
