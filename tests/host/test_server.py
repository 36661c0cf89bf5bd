"""A table's process and raw sockets: what a peer may do wrong, and what it costs the others."""

from __future__ import annotations

import contextlib
import os
import secrets
import select
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import msgpack
import pytest
import zmq
from zmq.utils.monitor import recv_monitor_message

from hearts_net.host.process import Running, launch_table, stop_table
from hearts_net.host.settings import HostSettings
from hearts_net.protocol import limits
from hearts_net.protocol.codec import BEATS, EVERYTHING, decode_to_peer, encode
from hearts_net.protocol.datagram import pack_question, read_answer
from hearts_net.protocol.messages import (
    AnyAct,
    Beat,
    Bye,
    Command,
    Hello,
    Join,
    Joined,
    Message,
    Public,
    Ready,
    Refused,
    Reply,
    Say,
    Snapshot,
    View,
    Welcome,
)

WITHIN = 5.0
KeyPair = tuple[bytes, bytes]


class Peer:
    """One DEALER, used as a peer of any manners would."""

    def __init__(self, table: Running, pair: KeyPair | None = None, **options: object) -> None:
        self.pair = pair or zmq.curve_keypair()
        self.key = self.pair[0].decode()
        self.context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.socket = self.context.socket(zmq.DEALER)
        self.socket.setsockopt(zmq.LINGER, 0)
        self.socket.curve_publickey, self.socket.curve_secretkey = self.pair
        self.socket.curve_serverkey = table.key.encode()
        for name, value in options.items():
            setattr(self.socket, name.lower(), value)
        self.socket.connect(f"tcp://127.0.0.1:{table.control}")
        self.requests = iter(range(secrets.randbelow(2**40), 2**50))
        self.epoch = 0

    def send(self, message: Message) -> None:
        self.socket.send(encode(message))

    def next(self, within: float = WITHIN) -> Message:
        assert self.socket.poll(int(within * 1000)), "nothing came"
        return decode_to_peer(self.socket.recv())

    def until(self, wanted: Callable[[Message], bool], within: float = WITHIN) -> Message:
        deadline = time.monotonic() + within
        while True:
            message = self.next(max(0.001, deadline - time.monotonic()))
            if wanted(message):
                return message

    def hello(self) -> Welcome:
        self.send(Hello(list(limits.VERSIONS), "test"))
        welcome = self.until(lambda message: isinstance(message, Welcome))
        assert isinstance(welcome, Welcome)
        self.epoch = welcome.epoch
        return welcome

    def join(self, name: str, role: str = "player") -> Joined:
        self.hello()
        self.send(Join(role, name))
        joined = self.until(lambda message: isinstance(message, Joined | Refused))
        assert isinstance(joined, Joined), joined
        return joined

    def say(self, text: str) -> Reply:
        return self.do(Say(text))

    def do(self, act: AnyAct) -> Reply:
        request = next(self.requests)
        self.send(Command(request, self.epoch, 0, 0, act))
        reply = self.until(lambda message: isinstance(message, Reply) and message.id == request)
        assert isinstance(reply, Reply)
        assert reply.ok, reply.code
        return reply

    def close(self) -> None:
        self.context.destroy(0)


@pytest.fixture(scope="module")
def host_pair() -> KeyPair:
    return zmq.curve_keypair()


@pytest.fixture
def table(tmp_path: Path, host_pair: KeyPair) -> Iterator[Running]:
    public, secret = (half.decode() for half in host_pair)
    settings = HostSettings(
        tables=tmp_path / "tables",
        key=public,
        secret=secret,
        table="attic",
        port=0,
        loopback_only=True,
        syncs=False,
    )
    running = launch_table(settings)
    yield running
    stop_table(running)
    log = (running.folder / "log").read_text()
    assert "Traceback" not in log, log


@pytest.fixture
def peers(table: Running) -> Iterator[Callable[..., Peer]]:
    made: list[Peer] = []

    def make(**options: object) -> Peer:
        made.append(Peer(table, **options))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for peer in made:
        peer.close()


MakePeer = Callable[..., Peer]


def test_hello_join_view(table: Running, peers: MakePeer, host_pair: KeyPair) -> None:
    asha, owner = peers(), peers(pair=host_pair)
    welcome = asha.hello()
    assert (welcome.table, welcome.epoch, welcome.version) == ("attic", 1, limits.VERSION)
    assert welcome.public_port == table.public
    assert owner.hello().held_seat is None
    joined = asha.join("Asha")
    assert joined.name == "Asha"
    view = asha.next()
    assert isinstance(view, View)
    assert joined.seat is not None
    assert view.public.seats[joined.seat].key == asha.key  # from the connection, not from a word
    asha.send(Snapshot())
    assert isinstance(asha.until(lambda message: isinstance(message, View)), View)
    asha.send(Bye())
    assert isinstance(asha.until(lambda message: isinstance(message, Bye)), Bye)


def subscriber(table: Running, peer: Peer, to: bytes = EVERYTHING) -> zmq.Socket[bytes]:
    sub = peer.context.socket(zmq.SUB)
    sub.setsockopt(zmq.LINGER, 0)
    sub.curve_publickey, sub.curve_secretkey = peer.pair
    sub.curve_serverkey = table.key.encode()
    sub.subscribe(to)
    return sub


def test_public_is_for_the_admitted(table: Running, peers: MakePeer) -> None:
    asha, stranger = peers(), peers()
    stranger.hello()  # welcome, but not joined
    asha.join("Asha")
    sub = subscriber(table, asha)
    sub.connect(f"tcp://127.0.0.1:{table.public}")
    assert sub.poll(5000)
    found = {type(decode_to_peer(sub.recv()))}
    asha.say("hello")
    while Public not in found:
        assert sub.poll(5000)
        found.add(type(decode_to_peer(sub.recv())))
    assert found <= {Public, Beat}
    sub.close()
    other = subscriber(table, stranger)
    monitor = other.get_monitor_socket(
        zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_HANDSHAKE_FAILED_AUTH
    )
    other.connect(f"tcp://127.0.0.1:{table.public}")
    assert monitor.poll(5000)
    assert recv_monitor_message(monitor)["event"] == zmq.EVENT_HANDSHAKE_FAILED_AUTH
    other.disable_monitor()
    monitor.close()
    other.close()


def test_who_wants_only_the_beats_gets_only_them_and_may_ask_for_them_often(
    table: Running, peers: MakePeer
) -> None:
    asha = peers()
    asha.join("Asha")
    sub = subscriber(table, asha, BEATS)
    sub.connect(f"tcp://127.0.0.1:{table.public}")
    assert sub.poll(5000)
    for _ in range(limits.TOPICS + 1):
        sub.unsubscribe(BEATS)
        sub.subscribe(BEATS)
    told = asha.say("hello")
    newest = 0
    while newest < told.seq:
        assert sub.poll(5000)
        beat = decode_to_peer(sub.recv())
        assert isinstance(beat, Beat)
        newest = beat.seq
    sub.close()


GARBAGE = [
    b"",
    b"\xc1",
    b"not msgpack",
    msgpack.packb([]),
    msgpack.packb({}),
    msgpack.packb({"type": "no-such-thing"}),
    msgpack.packb({"type": "hello"}),
    msgpack.packb({"type": "hello", "versions": [1.5], "client": "x"}),
    msgpack.packb({"type": "view", "epoch": 1}),
    b"\x91" * 16_000,
    b"\xdf\xff\xff\xff\xff",
    os.urandom(512),
]


def test_garbage_is_refused_and_costs_nobody_anything(peers: MakePeer) -> None:
    asha, vandal = peers(), peers()
    asha.join("Asha")
    vandal.hello()
    for body in GARBAGE:
        vandal.socket.send(body)
        answer = vandal.next()
        assert isinstance(answer, Refused), body
    asha.say("still here")
    other = peers()
    other.join("Vandal")
    for body in GARBAGE:
        other.socket.send(body)
        other.until(lambda message: isinstance(message, Refused))
    assert asha.say("still here").ok


def test_exactly_one_frame_is_a_message(peers: MakePeer) -> None:
    asha = peers()
    hello = encode(Hello(list(limits.VERSIONS), "test"))
    asha.socket.send_multipart([hello, b""])
    asha.socket.send_multipart([b"", hello])
    asha.socket.send_multipart([hello] * 500)
    asha.socket.send(encode(Snapshot()))  # out of order, so that its answer is known
    codes = []
    for _ in range(4):
        answer = asha.next()
        assert isinstance(answer, Refused)
        codes.append(answer.code)
    assert codes == [*["bad-frame"] * 3, "hello-first"]  # none of the helloes above was one
    asha.hello()


def test_a_frame_that_is_too_long_ends_that_connection_only(peers: MakePeer) -> None:
    asha, vandal = peers(), peers()
    asha.join("Asha")
    vandal.hello()
    vandal.socket.send(b"\0" * (limits.MAX_TO_HOST + 1))
    asha.say("still here")
    deadline = time.monotonic() + WITHIN
    while True:  # libzmq reconnects by itself, and the table serves the new connection
        vandal.send(Hello(list(limits.VERSIONS), "test"))
        if vandal.socket.poll(200):
            assert isinstance(vandal.next(), Welcome)
            break
        assert time.monotonic() < deadline
    asha.say("still here")


def test_a_peer_that_reads_nothing_stalls_nobody_and_is_whole_again(peers: MakePeer) -> None:
    players = [peers() for _ in range(3)]
    sleeper = peers(rcvhwm=1, rcvbuf=4096)
    for number, player in enumerate(players):
        player.join(f"Player {number}")
    sleeper.join("Sleeper")
    for _ in range(limits.RATES["look"].at_once):  # some 2 KB each
        sleeper.send(Snapshot())
    slowest = 0.0
    each = limits.RATES["command"].at_once - 1
    for number in range(each):
        for player in players:
            start = time.monotonic()
            player.do(Ready(number % 2 == 0))
            slowest = max(slowest, time.monotonic() - start)
    assert slowest < 1.0
    newest = players[0].say("and now?").seq
    seen = [sleeper.next()]
    while not (isinstance(seen[-1], View) and seen[-1].seq >= newest):
        seen.append(sleeper.next())
    told = limits.RATES["look"].at_once + 3 * each
    assert len(seen) < told - 10  # the table did not keep them all for it
    got = sleeper.say("good morning")
    assert got.seq > newest


def test_a_routing_id_cannot_be_taken_over(peers: MakePeer) -> None:
    asha = peers(routing_id=b"asha")
    asha.join("Asha")
    thief = peers(routing_id=b"asha")
    thief.send(Hello(list(limits.VERSIONS), "test"))
    assert not thief.socket.poll(300)
    assert asha.say("still me").ok
    thief.close()
    asha.close()
    second = peers(routing_id=b"asha")  # the same id, another key, once the first has gone
    deadline = time.monotonic() + WITHIN
    while not second.socket.poll(100):
        second.send(Snapshot())
        assert time.monotonic() < deadline
    answer = second.next()
    assert isinstance(answer, Refused)
    assert answer.code in ("hello-first", "not-joined")


class SlowWire:
    """Carries bytes between a peer and the table, so many at most every 10 ms."""

    def __init__(self, port: int, chunk: int) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.carried = 0
        self.cut = threading.Event()
        self._thread = threading.Thread(target=self._carry, args=(port, chunk), daemon=True)
        self._thread.start()

    def _carry(self, port: int, chunk: int) -> None:
        near, _ = self._listener.accept()
        far = socket.create_connection(("127.0.0.1", port))
        other = {near: far, far: near}
        with near, far, contextlib.suppress(OSError):
            while True:
                for each in select.select([near, far], [], [])[0]:
                    body = each.recv(chunk)
                    if not body:
                        self.cut.set()
                        return
                    other[each].sendall(body)
                    if each is near:
                        self.carried += len(body)
                        time.sleep(0.01)
        self.cut.set()

    def close(self) -> None:
        self._listener.close()


def resident(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE")


@pytest.mark.skipif(sys.platform != "linux", reason="the counters of a connection are Linux's")
def test_a_message_without_end_is_cut_off(table: Running, peers: MakePeer) -> None:
    asha = peers()
    asha.join("Asha")
    wire = SlowWire(table.control, 64 * 1024)
    before = resident(table.pid)
    vandal = Peer(replace(table, control=wire.port))
    vandal.hello()
    frame, frames = b"\0" * 16_000, 4_000
    for _ in range(frames):
        vandal.socket.send(frame, zmq.SNDMORE)
    vandal.socket.send(b"end")
    assert wire.cut.wait(20)
    assert wire.carried < frames * len(frame) / 4
    assert resident(table.pid) - before < 32 * 1024 * 1024
    assert asha.say("still here").ok
    vandal.close()
    wire.close()


def test_the_question_which_key_is_here_is_answered(table: Running) -> None:
    for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        with socket.socket(family, socket.SOCK_DGRAM) as asker:
            asker.settimeout(WITHIN)
            nonce = secrets.token_hex(8)
            for bad in (b"", b"\0" * limits.DATAGRAM, pack_question(nonce)[:-1]):
                asker.sendto(bad, (host, table.control))  # no answer, no harm
            question = pack_question(nonce)
            asker.sendto(question, (host, table.control))
            body = asker.recv(4096)
            assert len(body) <= len(question)
            answer = read_answer(body, nonce)
            assert (answer.key, answer.control) == (table.key, table.control)
            assert (answer.public, answer.table) == (table.public, "attic")
