"""The link against small real hosts."""

from __future__ import annotations

import asyncio
import gc
import os
import socket
import time
from collections.abc import Callable, Coroutine
from operator import gt
from typing import Any

import pytest
import zmq

from hearts_net.peer.endpoint import Endpoint, Target
from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.identity import new_identity
from hearts_net.peer.link import Link, request_ids
from hearts_net.peer.probe import is_another_program
from hearts_net.protocol.codes import ErrorCode
from hearts_net.protocol.messages import (
    Bye,
    Closing,
    Hello,
    Ready,
    Refused,
    Snapshot,
    Superseded,
)
from hearts_net.protocol.messages import Join as JoinMessage
from hearts_net.protocol.peer_session import (
    HostClosing,
    LeftTable,
    NewView,
    PeerSession,
    RefusedBy,
    Replied,
    SupersededBy,
)
from hearts_net.testing.ports import free_port

MakeHost = Callable[..., Any]
Join = Callable[..., Any]


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(test)


async def refused(target: Target | list[Target], within: float = 4.8) -> LinkError:
    before = time.monotonic()
    session = PeerSession("player", "Ann", request_ids=request_ids())
    link = Link(target, new_identity(), session, on_event=lambda _event: None)
    with pytest.raises(LinkError) as caught:
        await asyncio.wait_for(link.run(), 20)
    assert time.monotonic() - before < within
    return caught.value


def test_it_joins_plays_and_leaves(make_host: MakeHost, join: Join) -> None:
    host = make_host()

    async def test() -> None:
        player = join(host.target())
        await player.live()
        request = player.link.do(Ready())
        await player.until(lambda: player.of(Replied))
        assert [reply.id for reply in player.of(Replied)] == [request]
        assert player.link.view is not None
        assert player.link.view.public.table == "Kitchen"
        await player.left()
        assert isinstance(player.events[-1], LeftTable)

    run(test())
    assert len(host.of(Bye)) == 1


def test_a_view_on_public_reaches_a_watcher_and_a_snapshot_follows_the_subscription(
    make_host: MakeHost,
    join: Join,
) -> None:
    host = make_host()

    async def test() -> None:
        player = join(host.target())
        await player.live()
        await player.until(lambda: host.of(Snapshot))
        host.advance(tell_control=False)  # its own view is lost: it notices, and asks
        await player.until(lambda: player.link.view is not None and player.link.view.seq == 2)
        await player.left()

    run(test())


# ---- whoever does not get in is told why ---------------------------------------------------------


@pytest.mark.long
def test_nothing_listens_there() -> None:
    port = free_port()
    error = asyncio.run(refused(Target("127.0.0.1", port, new_identity().public)))
    assert (error.code, error.detail) == (LinkCode.HOST_DOWN, {"host": "127.0.0.1", "port": port})


@pytest.mark.long
def test_something_listens_and_is_silent() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        target = Target("127.0.0.1", server.getsockname()[1], new_identity().public)
        assert asyncio.run(refused(target)).code == LinkCode.HOST_SILENT


@pytest.mark.long
def test_a_host_that_never_answers_hello_is_silent(make_host: MakeHost) -> None:
    host = make_host(mute=True)
    assert asyncio.run(refused(host.target())).code == LinkCode.HOST_SILENT


def test_a_web_server_is_not_this_game() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(10)
        writer.write(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    async def test() -> None:
        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            error = await refused(Target("127.0.0.1", port, new_identity().public), within=3)
            assert error.code == LinkCode.NOT_THIS_GAME

    run(test())


def test_a_web_server_that_waits_for_a_whole_request_is_not_this_game() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = await reader.readline()
        if line.endswith(b"\n"):
            writer.write(b"HTTP/1.0 404 Not Found\r\n\r\n")
        writer.close()

    async def test() -> None:
        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            error = await refused(Target("127.0.0.1", port, new_identity().public), within=2.5)
            assert error.code == LinkCode.NOT_THIS_GAME

    run(test())


def test_a_host_is_not_taken_for_another_program(make_host: MakeHost) -> None:
    host = make_host()

    async def test() -> None:
        for _ in range(3):
            assert not await is_another_program(Endpoint("127.0.0.1", host.control, "x" * 40))

    run(test())


def test_a_socket_without_curve_is_not_this_game() -> None:
    with zmq.Context() as context, context.socket(zmq.ROUTER) as router:
        router.setsockopt(zmq.LINGER, 0)
        port = router.bind_to_random_port("tcp://127.0.0.1")
        target = Target("127.0.0.1", port, new_identity().public)
        code = asyncio.run(refused(target, within=3)).code
    # which end hangs up first is a matter of microseconds; "wrong-key" says both
    assert code in (LinkCode.NOT_THIS_GAME, LinkCode.WRONG_KEY)


def test_another_key_than_the_hosts_is_told_at_once(make_host: MakeHost) -> None:
    host = make_host()
    target = Target("127.0.0.1", host.control, new_identity().public)
    assert asyncio.run(refused(target, within=3)).code == LinkCode.WRONG_KEY
    assert host.heard == []


def test_a_key_that_the_host_does_not_want_is_refused(make_host: MakeHost) -> None:
    host = make_host(refuses=True)
    assert asyncio.run(refused(host.target(), within=3)).code == LinkCode.REFUSED


def test_a_refusal_at_hello_carries_the_hosts_reason(make_host: MakeHost) -> None:
    host = make_host(refusal=Refused(ErrorCode.TABLE_FULL, {"seats": 4}))
    error = asyncio.run(refused(host.target(), within=3))
    assert error.code == LinkCode.REFUSED
    assert error.detail == {"reason": "table-full", "seats": 4}


@pytest.mark.long
def test_a_host_that_has_too_much_to_do_is_asked_again_until_it_lets_one_in(
    make_host: MakeHost, join: Join
) -> None:
    host = make_host(put_off=[Refused(ErrorCode.TOO_FAST, {})] * 2)

    async def test() -> None:
        player = join(host.target())
        await player.live()
        assert [event.code for event in player.of(RefusedBy)] == [ErrorCode.TOO_FAST] * 2
        await player.left()

    run(test())
    assert len(host.of(JoinMessage)) >= 3


@pytest.mark.long
def test_a_host_that_always_has_too_much_to_do_is_not_called_silent(
    make_host: MakeHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hearts_net.peer.link.PUT_OFF_FOR", 5000)
    host = make_host(put_off=[Refused(ErrorCode.TOO_FAST, {})] * 20)
    error = asyncio.run(refused(host.target(), within=15))
    assert (error.code, error.detail) == (LinkCode.REFUSED, {"reason": "too-fast"})
    assert len(host.of(JoinMessage)) >= 2


@pytest.mark.long
def test_who_is_set_aside_waits_as_long_as_the_host_says(
    make_host: MakeHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hearts_net.peer.link.PUT_OFF_FOR", 1000)
    aside = Refused(ErrorCode.SET_ASIDE, {"wait": 4000})
    host = make_host(put_off=[aside] * 20)
    before = time.monotonic()
    error = asyncio.run(refused(host.target(), within=15))
    assert time.monotonic() - before > 5
    assert error.detail == {"reason": "set-aside", "wait": 4000}


def test_versions_that_do_not_fit_have_their_own_code(make_host: MakeHost) -> None:
    host = make_host(refusal=Refused(ErrorCode.VERSION, {"host_speaks": "9"}))
    error = asyncio.run(refused(host.target(), within=3))
    assert (error.code, error.detail) == (LinkCode.VERSION_MISMATCH, {"host_speaks": "9"})


def test_a_name_that_nobody_knows_is_told() -> None:
    target = Target("no-such-table.invalid", 26052, new_identity().public)
    error = asyncio.run(refused(target))
    assert (error.code, error.detail["host"]) == (LinkCode.NO_SUCH_HOST, "no-such-table.invalid")


@pytest.mark.long
def test_an_address_that_no_socket_can_use_is_told() -> None:
    target = Target("fe80::1%nosuchinterface", 26052, new_identity().public)
    assert asyncio.run(refused(target)).code == LinkCode.HOST_DOWN


# ---- several ways --------------------------------------------------------------------------------


def test_the_first_address_with_the_right_key_wins(make_host: MakeHost, join: Join) -> None:
    host, stranger = make_host(), make_host()
    key = host.identity.public
    with socket.create_server(("127.0.0.1", 0)) as silent:
        targets = [
            Target("127.0.0.1", silent.getsockname()[1], key),
            Target("127.0.0.1", stranger.control, key),
            Target("localhost", host.control, key),
        ]

        async def test() -> None:
            player = join(targets)
            await player.live()
            assert player.link.host is not None
            assert player.link.host.port == host.control
            await player.left()

        run(test())
    assert len(host.of(Hello)) == 1


# ---- ends ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "event"), [(Superseded(), SupersededBy()), (Closing("saved"), HostClosing("saved"))]
)
def test_the_hosts_last_word_ends_it(
    make_host: MakeHost, word: Any, event: Any, join: Join
) -> None:
    host = make_host()

    async def test() -> None:
        player = join(host.target())
        await player.live()
        host.tell_all(word)
        await asyncio.wait_for(player.task, 5)
        assert player.events[-1] == event

    run(test())


def test_leaving_is_quick_when_the_host_is_gone(make_host: MakeHost, join: Join) -> None:
    host = make_host()

    async def test() -> None:
        player = join(host.target())
        await player.live()
        host.stop()
        await player.left()

    run(test())


def test_leaving_is_quick_when_the_host_hangs(make_host: MakeHost, join: Join) -> None:
    host = make_host()

    async def test() -> None:
        player = join(host.target())
        await player.live()
        host.mute = True
        await player.left()
        assert isinstance(player.events[-1], LeftTable)

    run(test())


def test_leaving_is_possible_before_anybody_has_answered(join: Join) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]

        async def test() -> None:
            player = join(Target("127.0.0.1", port, new_identity().public))
            await asyncio.sleep(0)
            player.link.leave()
            await asyncio.wait_for(player.task, 1)
            late = join(Target("127.0.0.1", port, new_identity().public))
            accepted, _ = await asyncio.to_thread(silent.accept)
            with accepted:
                await late.left()

        run(test())


def test_cancelling_closes_everything_at_once(make_host: MakeHost, join: Join) -> None:
    host = make_host()

    async def test() -> None:
        player = join(host.target())
        await player.live()
        before = time.monotonic()
        player.task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await player.task
        assert time.monotonic() - before < 1

    run(test())


def test_what_the_program_above_raises_comes_out_of_run(make_host: MakeHost) -> None:
    host = make_host()

    def heed(event: Any) -> None:
        if isinstance(event, NewView):
            raise ZeroDivisionError

    async def test() -> None:
        session = PeerSession("player", "Ann", request_ids=request_ids())
        link = Link(host.target(), new_identity(), session, on_event=heed)
        with pytest.raises(ZeroDivisionError):
            await asyncio.wait_for(link.run(), 5)
        with pytest.raises(RuntimeError):
            await link.run()

    run(test())


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="counts descriptors in /proc")
def test_no_descriptor_and_no_thread_is_left_behind(make_host: MakeHost, join: Join) -> None:
    host = make_host()

    async def visit() -> None:
        player = join(host.target())
        await player.live()
        await player.left()

    run(visit())
    gc.collect()  # what tests before this one have left to be collected
    before = _descriptors_and_threads()
    for _ in range(5):
        run(visit())
    deadline = time.monotonic() + 5
    while any(map(gt, _descriptors_and_threads(), before)):  # libzmq closes in threads of its own
        assert time.monotonic() < deadline, (before, _descriptors_and_threads())
        time.sleep(0.01)


def _descriptors_and_threads() -> tuple[int, int]:
    return len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))
