"""The two sockets and the doorkeeper alone: ports, keys, and who may connect where."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
import zmq
from zmq.utils.monitor import recv_monitor_message

from hearts_net.host.errors import HostCode, HostError
from hearts_net.host.sockets import (
    Context,
    Ports,
    Socket,
    bind_again,
    bind_pair,
    make_control,
    make_public,
)
from hearts_net.host.zap import CONTROL_DOMAIN, PUBLIC_DOMAIN, Doorkeeper
from hearts_net.protocol.limits import RATES
from hearts_net.testing.ports import free_port

WITHIN = 5_000


def key_pair() -> tuple[str, str]:
    public, secret = zmq.curve_keypair()
    return public.decode(), secret.decode()


@dataclass
class Wires:
    context: Context
    doorkeeper: Doorkeeper
    control: Socket
    public: Socket
    key: str

    def peer(self, kind: int, port: int, pair: tuple[str, str], server: str = "") -> Socket:
        peer = self.context.socket(kind)
        peer.setsockopt(zmq.LINGER, 0)
        peer.curve_serverkey = (server or self.key).encode()
        peer.curve_publickey, peer.curve_secretkey = (half.encode() for half in pair)
        if port:
            peer.connect(f"tcp://127.0.0.1:{port}")
        return peer

    def served(self) -> bool:
        """Serve the doorkeeper until control has a message."""
        deadline = time.monotonic() + WITHIN / 1000
        while time.monotonic() < deadline:
            self.doorkeeper.drain()
            if self.control.poll(20):
                return True
        return False


@pytest.fixture
def wires() -> Iterator[Wires]:
    context: Context = zmq.Context()
    public, secret = key_pair()
    found = Wires(
        context,
        Doorkeeper(context),
        make_control(context, secret),
        make_public(context, secret),
        public,
    )
    yield found
    found.control.close()
    found.public.close()
    found.doorkeeper.close()
    context.destroy(0)


def outcome(wires: Wires, peer: Socket, port: int) -> int:
    """Connect, and return the handshake's end as the peer's monitor sees it."""
    ends = (
        zmq.EVENT_HANDSHAKE_SUCCEEDED
        | zmq.EVENT_HANDSHAKE_FAILED_AUTH
        | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
        | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
    )
    monitor = peer.get_monitor_socket(ends)
    peer.connect(f"tcp://127.0.0.1:{port}")
    deadline = time.monotonic() + WITHIN / 1000
    try:
        while time.monotonic() < deadline:
            wires.doorkeeper.drain()
            if monitor.poll(20):
                return int(recv_monitor_message(monitor)["event"])
    finally:
        peer.disable_monitor()
        monitor.close()
    raise AssertionError("no end of the handshake")


@pytest.mark.parametrize("loopback_only", [True, False])
def test_any_two_free_ports(wires: Wires, loopback_only: bool) -> None:
    ports = bind_pair(wires.control, wires.public, 0, loopback_only=loopback_only)
    assert ports.control != ports.public
    for port in (ports.control, ports.public):
        for host in ("127.0.0.1", *(["::1"] if socket.has_ipv6 else [])):
            socket.create_connection((host, port), timeout=5).close()


def test_public_is_the_port_after_control(wires: Wires) -> None:
    port = free_port()
    ports = bind_pair(wires.control, wires.public, port, loopback_only=False)
    assert ports == Ports(port, port + 1)


def test_loopback_only_is_not_reachable_from_elsewhere(wires: Wires) -> None:
    ports = bind_pair(wires.control, wires.public, 0, loopback_only=True)
    with socket.socket() as other:
        other.bind(("127.0.0.2", ports.control))  # would fail if it were bound everywhere
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", ports.control), timeout=5)


@pytest.mark.parametrize("loopback_only", [True, False])
@pytest.mark.parametrize("which", [0, 1])
def test_a_taken_port_is_named(wires: Wires, which: int, loopback_only: bool) -> None:
    port = free_port()
    with socket.socket() as other:
        other.bind(("127.0.0.1" if loopback_only else "0.0.0.0", port + which))
        other.listen()
        with pytest.raises(HostError) as caught:
            bind_pair(wires.control, wires.public, port, loopback_only=loopback_only)
    assert caught.value.code == HostCode.PORT_IN_USE
    assert caught.value.detail["port"] == port + which


def test_ports_of_the_last_run_are_taken_again_where_free(wires: Wires) -> None:
    port = free_port()
    with socket.socket() as other:
        other.bind(("0.0.0.0", port))
        other.listen()
        ports = bind_again(wires.control, wires.public, Ports(port, port + 1), loopback_only=False)
    assert ports.control != port
    assert ports.public == port + 1


def test_any_key_may_connect_to_control_and_is_known_by_it(wires: Wires) -> None:
    ports = bind_pair(wires.control, wires.public, 0, loopback_only=True)
    pair = key_pair()
    peer = wires.peer(zmq.DEALER, ports.control, pair)
    peer.send(b"hello")
    assert wires.served()
    _, frame = wires.control.recv_multipart(copy=False)
    assert frame.get("User-Id") == pair[0]
    peer.close()


def test_only_admitted_keys_may_connect_to_public(wires: Wires) -> None:
    ports = bind_pair(wires.control, wires.public, 0, loopback_only=True)
    friend, stranger, former = key_pair(), key_pair(), key_pair()
    wires.doorkeeper.admit(friend[0])
    wires.doorkeeper.admit(former[0])
    wires.doorkeeper.unadmit(former[0])
    for pair, expected in (
        (friend, zmq.EVENT_HANDSHAKE_SUCCEEDED),
        (stranger, zmq.EVENT_HANDSHAKE_FAILED_AUTH),
        (former, zmq.EVENT_HANDSHAKE_FAILED_AUTH),
    ):
        peer = wires.peer(zmq.SUB, 0, pair)
        assert outcome(wires, peer, ports.public) == expected
        peer.close()


def test_a_peer_with_another_hosts_key_gets_nowhere(wires: Wires) -> None:
    ports = bind_pair(wires.control, wires.public, 0, loopback_only=True)
    peer = wires.peer(zmq.DEALER, 0, key_pair(), server=key_pair()[0])
    assert outcome(wires, peer, ports.control) == zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
    peer.close()


def test_a_peer_without_a_key_gets_nowhere(wires: Wires) -> None:
    ports = bind_pair(wires.control, wires.public, 0, loopback_only=True)
    peer = wires.context.socket(zmq.DEALER)
    peer.setsockopt(zmq.LINGER, 0)
    assert outcome(wires, peer, ports.control) == zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
    assert not wires.control.poll(100)
    peer.close()


def test_an_expelled_key_connects_nowhere_until_it_is_forgiven(wires: Wires) -> None:
    ports = bind_pair(wires.control, wires.public, 0, loopback_only=True)
    vandal = key_pair()
    wires.doorkeeper.admit(vandal[0])
    peer = wires.peer(zmq.SUB, 0, vandal)
    assert outcome(wires, peer, ports.public) == zmq.EVENT_HANDSHAKE_SUCCEEDED
    peer.close()
    wires.doorkeeper.expel(vandal[0])
    for kind, port in ((zmq.DEALER, ports.control), (zmq.SUB, ports.public)):
        peer = wires.peer(kind, 0, vandal)
        assert outcome(wires, peer, port) == zmq.EVENT_HANDSHAKE_FAILED_AUTH
        peer.close()
    wires.doorkeeper.forgive()
    peer = wires.peer(zmq.DEALER, 0, vandal)
    assert outcome(wires, peer, ports.control) == zmq.EVENT_HANDSHAKE_SUCCEEDED
    peer.close()


def test_an_address_with_too_many_handshakes_is_told_to_try_later(wires: Wires) -> None:
    now = 0.0
    doorkeeper = wires.doorkeeper
    doorkeeper._monotonic = lambda: now
    rate = RATES["handshake"]

    def code(address: bytes) -> bytes:
        frames = [b"1.0", b"1", CONTROL_DOMAIN, address, b"", b"CURVE", KEY]
        return doorkeeper.answer(frames)[2]

    assert [code(b"10.0.0.1") for _ in range(rate.at_once + 2)] == [
        *[b"200"] * rate.at_once,
        b"300",
        b"300",
    ]
    assert code(b"10.0.0.2") == b"200"
    now += rate.every / 1000
    assert [code(b"10.0.0.1") for _ in range(2)] == [b"200", b"300"]


KEY = b"\x01" * 32


@pytest.mark.parametrize(
    "frames",
    [
        [],
        [b"1.0"],
        [b"1.0", b"1", CONTROL_DOMAIN, b"", b"", b"CURVE"],
        [b"1.0", b"1", CONTROL_DOMAIN, b"", b"", b"CURVE", KEY, b"more"],
        [b"2.0", b"1", CONTROL_DOMAIN, b"", b"", b"CURVE", KEY],
        [b"1.0", b"1", CONTROL_DOMAIN, b"", b"", b"NULL", KEY],
        [
            b"1.0",
            b"1",
            CONTROL_DOMAIN,
            b"",
            b"",
            b"PLAIN",
            b"name",
        ],
        [b"1.0", b"1", CONTROL_DOMAIN, b"", b"", b"CURVE", KEY[:31]],
        [b"1.0", b"1", b"", b"", b"", b"CURVE", KEY],
        [b"1.0", b"1", b"*", b"", b"", b"CURVE", KEY],
        [b"1.0", b"1", PUBLIC_DOMAIN, b"", b"", b"CURVE", KEY],
    ],
)
def test_the_doorkeeper_refuses_whatever_it_does_not_know(
    wires: Wires, frames: list[bytes]
) -> None:
    answer = wires.doorkeeper.answer(frames)
    assert answer[2] == b"400"
    assert answer[4] == b""


def test_an_exception_while_judging_is_a_refusal(
    wires: Wires, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: bytes) -> bytes:
        raise MemoryError

    monkeypatch.setattr("hearts_net.host.zap.z85.encode", fails)
    question = [b"1.0", b"7", CONTROL_DOMAIN, b"", b"", b"CURVE", KEY]
    assert wires.doorkeeper.answer(question)[:3] == [b"1.0", b"7", b"400"]
