"""The guard of the two sockets: who is closed, and who is not."""

from __future__ import annotations

import asyncio
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
import zmq

from hearts_net.host import guard as module
from hearts_net.host.guard import FloodGuard
from hearts_net.host.sockets import Context, Ports, Socket, bind_pair, make_control, make_public
from hearts_net.host.zap import Doorkeeper
from hearts_net.protocol.limits import CONNECTIONS_PER_ADDRESS, HELD, HELD_ON_PUBLIC, RATES

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the counters of a connection are Linux's"
)
WITHIN = 10.0


@dataclass
class House:
    """A host's wires with nothing behind them but a reader."""

    context: Context
    doorkeeper: Doorkeeper
    control: Socket
    public: Socket
    guard: FloodGuard
    key: bytes
    ports: Ports
    got: list[bytes]

    def peer(self, kind: int, pair: tuple[bytes, bytes] | None = None) -> Socket:
        made = self.context.socket(kind)
        made.setsockopt(zmq.LINGER, 0)
        made.setsockopt(zmq.SNDHWM, 0)
        made.curve_serverkey = self.key
        made.curve_publickey, made.curve_secretkey = pair or zmq.curve_keypair()
        port = self.ports.control if kind == zmq.DEALER else self.ports.public
        made.connect(f"tcp://127.0.0.1:{port}")
        return made

    def serve(self) -> None:
        self.doorkeeper.drain()
        try:
            while True:
                route = self.control.recv(zmq.NOBLOCK)
                more = True
                while more:
                    frame = self.control.recv(zmq.NOBLOCK, copy=False)
                    self.guard.delivered(route, frame)
                    self.got.append(frame.bytes)
                    more = frame.more
        except zmq.Again:
            return

    async def until(self, true: Callable[[], bool]) -> None:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + WITHIN
        while not true():
            assert loop.time() < deadline
            self.serve()
            await asyncio.sleep(0.002)

    def open(self) -> int:
        return len(self.guard._connections)


@asynccontextmanager
async def house() -> AsyncIterator[House]:
    context: Context = zmq.Context()
    public, secret = zmq.curve_keypair()
    doorkeeper = Doorkeeper(context)
    wires = make_control(context, secret.decode()), make_public(context, secret.decode())
    guard = FloodGuard(context, *wires)
    ports = bind_pair(*wires, 0, loopback_only=True)
    try:
        yield House(context, doorkeeper, *wires, guard, public, ports, [])
    finally:
        guard.close()
        doorkeeper.close()
        context.destroy(0)


def ends(peer: Socket) -> Socket:
    return peer.get_monitor_socket(zmq.EVENT_DISCONNECTED)


def test_whole_messages_are_never_too_many() -> None:
    async def test() -> None:
        async with house() as host:
            peer = host.peer(zmq.DEALER)
            end, count = ends(peer), 8 * HELD // 16_000
            for number in range(count):
                peer.send(b"\0" * 16_000)
                await host.until(lambda number=number: len(host.got) > number)  # type: ignore[misc]
            assert not end.poll(200)
            peer.disable_monitor()
            end.close()

    asyncio.run(test())


def test_a_message_without_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Because of the work that it makes: the guard does not wait until it has to look anyhow."""
    monkeypatch.setattr(module, "_LOOK_AT_LEAST_EVERY", 10**9)

    async def test() -> None:
        async with house() as host:
            peer = host.peer(zmq.DEALER)
            end = ends(peer)
            for _ in range(2_000):
                peer.send(b"\0" * 16_000, zmq.SNDMORE)
            peer.send(b"end")  # libzmq sends nothing of a message before all of it is there
            await host.until(lambda: bool(end.poll(0)))
            assert not host.got
            peer.disable_monitor()
            end.close()

    asyncio.run(test())


def test_a_connection_with_the_number_of_an_older_one_is_not_taken_for_it() -> None:
    """The kernel gives a number again before the monitor has told that its connection is gone."""

    async def test() -> None:
        async with house() as host:
            peer = host.peer(zmq.DEALER)
            peer.send(b"hello")
            await host.until(lambda: bool(host.got))
            ((old, number),) = host.guard._by_route.items()
            frame: Any = {zmq.SRCFD: number, "User-Id": "another key"}
            host.guard.delivered(b"new", frame)
            assert host.guard._by_route == {b"new": number}
            host.guard._forget(number)
            host.guard.hang_up(old)
            host.guard.hang_up(b"new")
            assert not host.guard._by_route

    asyncio.run(test())


def test_a_table_at_rest_is_looked_at_less(monkeypatch: pytest.MonkeyPatch) -> None:
    spent, looks = [100.0], []
    monkeypatch.setattr(time, "process_time", lambda: spent[0])
    monkeypatch.setattr(module, "_LOOK_EVERY", 10**9)
    monkeypatch.setattr(FloodGuard, "_look_at_all", lambda _self, now: looks.append(now))

    async def test() -> None:
        async with house() as host:
            for _ in range(3):
                host.guard._look()
            assert len(looks) == 1, "nothing has come in since"
            spent[0] += 2 * module._IDLE
            host.guard._look()
            assert len(looks) == 2, "something has, and it has been work"
            host.guard._looked_at -= module._LOOK_AT_LEAST_EVERY
            host.guard._look()
            assert len(looks) == 3

    asyncio.run(test())


def test_a_subscriber_who_sends_too_much_is_cut_off() -> None:
    async def test() -> None:
        async with house() as host:
            pair = zmq.curve_keypair()
            host.doorkeeper.admit(pair[0].decode())
            honest, vandal = host.peer(zmq.SUB, pair), host.peer(zmq.SUB, pair)
            ended, cut = ends(honest), ends(vandal)
            honest.subscribe(b"")
            for number in range(HELD_ON_PUBLIC // 100):
                vandal.subscribe(f"{number:0100}")
            await host.until(lambda: bool(cut.poll(0)))
            assert not ended.poll(200)
            for peer, monitor in ((honest, ended), (vandal, cut)):
                peer.disable_monitor()
                monitor.close()

    asyncio.run(test())


def test_an_address_has_no_more_connections_than_it_may() -> None:
    async def test() -> None:
        async with house() as host:
            many = [
                socket.create_connection(("127.0.0.1", host.ports.control), timeout=5)
                for _ in range(CONNECTIONS_PER_ADDRESS + 20)
            ]
            closed: list[socket.socket] = []

            def look() -> bool:
                for each in many:
                    each.setblocking(False)
                    try:
                        if each not in closed and not each.recv(64):
                            closed.append(each)
                    except (BlockingIOError, ConnectionResetError):
                        pass
                return len(closed) >= 20

            await host.until(look)
            assert host.open() <= CONNECTIONS_PER_ADDRESS
            for each in many:
                each.close()
            await host.until(lambda: host.open() == 0)
            assert not host.guard._crowd
            peer = host.peer(zmq.DEALER)  # there is room again
            peer.send(b"hello")
            await host.until(lambda: host.got == [b"hello"])

    asyncio.run(test())


def test_who_never_says_a_word_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        async with house() as host:
            talker, silent = host.peer(zmq.DEALER), host.peer(zmq.DEALER)
            ended, closed = ends(talker), ends(silent)
            talker.send(b"hello")
            await host.until(lambda: host.got == [b"hello"] and host.open() == 2)
            monkeypatch.setattr(module, "SPEAK_WITHIN", 0)
            await host.until(lambda: bool(closed.poll(0)))
            assert not ended.poll(0)
            for peer, monitor in ((talker, ended), (silent, closed)):
                peer.disable_monitor()
                monitor.close()

    asyncio.run(test())


def test_every_connection_of_a_key_is_hung_up_and_no_other() -> None:
    async def test() -> None:
        async with house() as host:
            vandal = zmq.curve_keypair()
            peers = [host.peer(zmq.DEALER, pair) for pair in (vandal, vandal, None)]
            for peer in peers:
                peer.send(b"hello")
            await host.until(lambda: len(host.got) == 3)
            cuts = [ends(peer) for peer in peers]
            host.guard.hang_up_on(vandal[0].decode())
            await host.until(lambda: all(cut.poll(0) for cut in cuts[:2]))
            assert not cuts[2].poll(0)
            for peer, monitor in zip(peers, cuts, strict=True):
                peer.disable_monitor()
                monitor.close()

    asyncio.run(test())


def test_a_route_is_hung_up_and_no_other() -> None:
    async def test() -> None:
        async with house() as host:
            first, second = host.peer(zmq.DEALER), host.peer(zmq.DEALER)
            first.send(b"first")
            await host.until(lambda: host.got == [b"first"])
            (route,) = host.guard._by_route
            second.send(b"second")
            await host.until(lambda: len(host.got) == 2)
            ended, other = ends(first), ends(second)
            host.guard.hang_up(route)
            host.guard.hang_up(b"nobody's")
            await host.until(lambda: bool(ended.poll(0)))
            assert not other.poll(0)
            for peer, monitor in ((first, ended), (second, other)):
                peer.disable_monitor()
                monitor.close()

    asyncio.run(test())


def test_who_connects_without_end_is_answered_no_more_and_others_are() -> None:
    async def go() -> None:
        async with house() as table:
            lines: list[socket.socket] = []

            def is_answered(source: str) -> bool:
                line = socket.socket()
                lines.append(line)
                line.settimeout(0.3)
                line.bind((source, 0))
                try:
                    line.connect(("127.0.0.1", table.ports.control))
                except TimeoutError:
                    return False
                return True

            try:
                for _ in range(RATES["connection"].at_once + 100):
                    if not is_answered("127.0.0.88"):
                        break
                    await asyncio.sleep(0)
                await table.until(lambda: table.open() <= CONNECTIONS_PER_ADDRESS)
                assert not is_answered("127.0.0.88")
                assert is_answered("127.0.0.89")
            finally:
                for line in lines:
                    line.close()

    asyncio.run(go())


def test_a_flood_of_subscriptions_is_cut_off_while_the_table_does_something_else() -> None:
    async def go() -> None:
        async with house() as table:
            pair = zmq.curve_keypair()
            table.doorkeeper.admit(pair[0].decode())
            subscriber = table.peer(zmq.SUB, pair)
            subscriber.subscribe(b"")
            await table.until(lambda: table.public.poll(0) > 0)
            (known,) = table.guard._connections.values()
            for number in range(2_000):
                subscriber.subscribe(b"%400d" % number)
            deadline = time.monotonic() + WITHIN
            while not known.cut:  # this thread, the loop's, does nothing for it
                assert time.monotonic() < deadline
                time.sleep(0.001)

    asyncio.run(go())
