"""Small real hosts for the link: a ROUTER and an XPUB that know just enough of the protocol."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import zmq

from hearts_net.peer.endpoint import Target
from hearts_net.peer.home import Home, find_home
from hearts_net.peer.identity import Identity, new_identity
from hearts_net.peer.link import Link, request_ids
from hearts_net.protocol.codec import decode_to_host, encode
from hearts_net.protocol.messages import (
    Alive,
    Bye,
    Command,
    Hello,
    Join,
    Joined,
    Message,
    Public,
    PublicView,
    Refused,
    Reply,
    SeatView,
    Snapshot,
    View,
    Welcome,
)
from hearts_net.protocol.peer_session import LinkChanged, LinkState, PeerSession, Replied

Socket = zmq.Socket[bytes]


def _empty_seat() -> SeatView:
    return SeatView(
        kind="empty", name="", key="", level="", presence="present", since=0, held_until=0,
        deputy=False, ready=False, host=False, cards=0, passed=False, points=0, total=0, tricks=0,
    )  # fmt: skip


def _lobby(table: str) -> PublicView:
    return PublicView(
        table=table, game="", phase="lobby", paused="", rules={},
        seats=[_empty_seat() for _ in range(4)], watchers=0, deal=0, direction="", trick_number=0,
        leader=None, turn=None, turn_until=0, next_at=0, trick=[], last_trick=None,
        hearts_broken=False, queen_taken_by=None, points_out=26, seen=[],
        shown_voids=["", "", "", ""], last_deal=None, winner=None, newest_event=0, address="",
    )  # fmt: skip


@dataclass
class SmallHost:
    """A table's two sockets in a thread; ``heard`` has every message of every peer."""

    identity: Identity = field(default_factory=lambda: new_identity("host"))
    table: str = "Kitchen"
    table_id: str = ""
    machine: str = ""
    control: int = 0
    public: int = 0
    epoch: int = 1
    seq: int = 1
    refuses: bool = False  # at the connection (ZAP)
    refusal: Refused | None = None  # at the hello
    put_off: Sequence[Refused] = ()  # at one join after the other, before it lets anybody in
    mute: bool = False  # hears, and never answers
    heard: list[tuple[bytes, Message]] = field(default_factory=list)

    def start(self) -> SmallHost:
        self._orders: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        ready = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(ready,), daemon=True)
        self._thread.start()
        assert ready.wait(10)
        return self

    def stop(self) -> None:
        """End like a process that is killed."""
        if self._thread.is_alive():
            self._orders.put(None)
            self._thread.join(10)
        assert not self._thread.is_alive()

    def target(self, port: int = 0) -> Target:
        return Target("127.0.0.1", port or self.control, self.identity.public)

    def of(self, kind: type[Message]) -> list[Any]:
        return [message for _, message in tuple(self.heard) if isinstance(message, kind)]

    def tell_all(self, message: Message) -> None:
        """Send on control to every peer that ever said hello."""
        routes = dict.fromkeys(route for route, _ in tuple(self.heard))

        def send() -> None:
            for route in routes:
                self._router.send_multipart([route, encode(message)])

        self._orders.put(send)

    def advance(self, *, tell_control: bool = True) -> None:
        """Go on to the next state, and tell it on public, and on control if wanted."""
        self.seq += 1
        message = Public(self.epoch, self.seq, 0, _lobby(self.table), [])
        self._orders.put(lambda: self._xpub.send(encode(message)))
        if tell_control:
            self.tell_all(self._view())

    # ---- the thread

    def _run(self, ready: threading.Event) -> None:
        context: zmq.Context[Socket] = zmq.Context()
        zap = self._zap(context)
        self._router = context.socket(zmq.ROUTER)
        self._xpub = context.socket(zmq.XPUB)
        for socket in (self._router, self._xpub):
            socket.setsockopt(zmq.LINGER, 0)
            socket.setsockopt(zmq.ZAP_DOMAIN, b"x")
            socket.setsockopt(zmq.CURVE_SERVER, 1)
            socket.setsockopt(zmq.CURVE_SECRETKEY, self.identity.secret.encode())
        self.control = _bind(self._router, self.control)
        self.public = _bind(self._xpub, self.public)
        ready.set()
        self._serve(zap)
        for socket in (zap, self._router, self._xpub):
            socket.close(0)
        context.term()

    def _zap(self, context: zmq.Context[Socket]) -> Socket:
        zap = context.socket(zmq.REP)
        zap.setsockopt(zmq.LINGER, 0)
        zap.bind("inproc://zeromq.zap.01")
        return zap

    def _serve(self, zap: Socket) -> None:
        poller = zmq.Poller()
        for socket in (zap, self._router):
            poller.register(socket, zmq.POLLIN)
        while True:
            ready = dict(poller.poll(10))
            while not self._orders.empty():
                order = self._orders.get()
                if order is None:
                    return
                order()
            if zap in ready:
                self._judge(zap)
            if self._router in ready:
                route, body = self._router.recv_multipart()
                message = decode_to_host(body)
                self.heard.append((route, message))
                if not self.mute:
                    for answer in self._answers(message):
                        self._router.send_multipart([route, encode(answer)])

    def _judge(self, zap: Socket) -> None:
        request = zap.recv_multipart()[1]
        status = [b"400", b"no"] if self.refuses else [b"200", b"OK"]
        zap.send_multipart([b"1.0", request, *status, b"", b""])

    def _answers(self, message: Message) -> list[Message]:
        match message:
            case Hello() if self.refusal is not None:
                return [self.refusal]
            case Hello():
                where = (self.table, "test", self.public)
                return [Welcome(1, self.epoch, *where, None, self.table_id, self.machine)]
            case Join() if len(self.of(Join)) <= len(self.put_off):
                return [self.put_off[len(self.of(Join)) - 1]]
            case Join(role, name):
                return [Joined(role, None, name), self._view()]
            case Snapshot():
                return [self._view()]
            case Command(id=id_):
                return [Reply(id_, True, "", {}, self.epoch, self.seq)]
            case Alive():
                return [Alive(self.epoch, self.seq)]
            case Bye():
                return [Bye()]
        return []

    def _view(self) -> View:
        return View(self.epoch, self.seq, 0, _lobby(self.table), None, [], "player", [])


def _bind(socket: Socket, port: int) -> int:
    socket.bind(f"tcp://127.0.0.1:{port or '*'}")
    bound = socket.getsockopt(zmq.LAST_ENDPOINT)
    assert isinstance(bound, bytes)
    return int(bound.rstrip(b"\0").rpartition(b":")[2])


class Player:
    """A link in a task, and everything that it has told."""

    def __init__(
        self, target: Target | list[Target], identity: Identity | None = None, **options: Any
    ) -> None:
        self.events: list[Any] = []
        self.identity = identity or new_identity()
        session = PeerSession("player", "Ann", request_ids=request_ids())
        self.link = Link(target, self.identity, session, on_event=self.events.append, **options)
        self.task = asyncio.get_running_loop().create_task(self.link.run())

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def states(self) -> list[LinkState]:
        return [event.state for event in self.of(LinkChanged)]

    async def until(self, true: Callable[[], object], within: float = 20) -> float:
        """Wait for something, and return how many seconds it took."""
        before = time.monotonic()
        while not true():
            if self.task.done():
                self.task.result()
            assert time.monotonic() < before + within, self.events[-10:]
            await asyncio.sleep(0.005)
        return time.monotonic() - before

    async def live(self) -> float:
        return await self.until(lambda: self.link.state is LinkState.LIVE)

    async def lost(self) -> float:
        """Wait for the loss; the link may be back already, for a loss can be short."""
        return await self.until(lambda: LinkState.LOST in self.states)

    async def replied(self, request: int) -> Reply:
        """Wait for the one reply to a command."""
        await self.until(lambda: any(event.id == request for event in self.of(Replied)))
        (found,) = (event.reply for event in self.of(Replied) if event.id == request)
        assert isinstance(found, Reply)
        return found

    async def left(self, within: float = 1.0) -> None:
        before = time.monotonic()
        self.link.leave()
        await asyncio.wait_for(self.task, 10)
        assert time.monotonic() - before < within


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return find_home({"HEARTS_NET_HOME": str(tmp_path / "home")})


@pytest.fixture
def make_host() -> Iterator[Callable[..., SmallHost]]:
    """Give a maker of small hosts; all are stopped at the end."""
    made: list[SmallHost] = []

    def make(**fields: Any) -> SmallHost:
        made.append(SmallHost(**fields).start())
        return made[-1]

    yield make
    for host in made:
        host.stop()


@pytest.fixture
def join() -> type[Player]:
    """Give what joins a table, inside a running loop."""
    return Player
