"""Those who do to a table what they should not: for tests and benchmarks of a host under attack.

Each vandal is one function that goes on until it is told to stop and says what it has sent. They
come from an address of their own (on Linux any in 127.0.0.0/8 will do), as they would on a network,
and trust nothing of this package but its encoder.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import random
import select
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from itertools import count, cycle
from typing import Final

import msgpack
import zmq

from hearts_net.protocol import limits
from hearts_net.protocol.codec import encode
from hearts_net.protocol.datagram import pack_question
from hearts_net.protocol.messages import (
    Alive,
    AnyAct,
    Bye,
    Command,
    Fetch,
    Hello,
    Join,
    Message,
    Play,
    Ready,
    Say,
    Sit,
    Snapshot,
)
from hearts_net.testing import endless_messages

GoOn = Callable[[], bool]
KeyPair = tuple[bytes, bytes]
_WAIT: Final = 5_000
_BATCH: Final = 200
_MANY: Final = 10_000


@dataclass(frozen=True, slots=True)
class Victim:
    """Where the table is, and from which address to come ("" for the usual one)."""

    host: str
    control: int
    public: int
    key: str
    source: str = ""

    def endpoint(self, port: int) -> str:
        """Return what a socket of ZeroMQ connects to."""
        own = f"{self.source}:0;" if self.source else ""
        return f"tcp://{own}{self.host}:{port}"

    def connect(self, port: int) -> socket.socket:
        """Return a TCP connection."""
        own = (self.source, 0) if self.source else None
        return socket.create_connection((self.host, port), timeout=2, source_address=own)


class Peer:
    """A DEALER or SUB of whatever manners; closed with its context."""

    def __init__(
        self,
        victim: Victim,
        kind: int = zmq.DEALER,
        pair: KeyPair | None = None,
        *,
        bare: bool = False,
        heartbeat: int = 0,
    ) -> None:
        self.pair = pair or zmq.curve_keypair()
        self.context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.socket = self.context.socket(kind)
        self.socket.setsockopt(zmq.LINGER, 0)
        if heartbeat:
            self.socket.setsockopt(zmq.HEARTBEAT_IVL, heartbeat)
        if not bare:
            self.socket.curve_publickey, self.socket.curve_secretkey = self.pair
            self.socket.curve_serverkey = victim.key.encode()
        port = victim.control if kind == zmq.DEALER else victim.public
        self.socket.connect(victim.endpoint(port))

    def send(self, message: Message) -> bool:
        """Send what is well-formed; False where the table takes no more at present."""
        return self.send_body(encode(message))

    def send_body(self, body: bytes, flags: int = 0) -> bool:
        """Send anything."""
        try:
            self.socket.send(body, flags | zmq.NOBLOCK)
        except zmq.Again:
            return False
        return True

    def join(self, role: str = "watcher", name: str = "Vandal") -> int:
        """Join, and return the epoch (1 where nothing is answered)."""
        self.send(Hello(list(limits.VERSIONS), "vandal"))
        epoch = 1
        for message in (Join(role, name), None):
            if not self.socket.poll(_WAIT):
                return epoch
            answer = msgpack.unpackb(self.socket.recv())
            epoch = answer.get("epoch", epoch)
            if message is not None:
                self.send(message)
        return epoch

    def drain(self) -> None:
        """Take whatever has come."""
        with contextlib.suppress(zmq.Again):
            while True:
                self.socket.recv(zmq.NOBLOCK)

    def close(self) -> None:
        """Close everything."""
        self.context.destroy(0)


@contextlib.contextmanager
def peer(
    victim: Victim, kind: int = zmq.DEALER, pair: KeyPair | None = None, *, bare: bool = False
) -> Iterator[Peer]:
    """Be one peer for a while."""
    made = Peer(victim, kind, pair, bare=bare)
    try:
        yield made
    finally:
        made.close()


# ---- without a handshake -------------------------------------------------------------------------

_OPENINGS: Final = (
    b"",
    b"GET / HTTP/1.1\r\nHost: table\r\n\r\n",
    b"POST /cgi-bin/../../bin/sh HTTP/1.0\r\nContent-Length: 1000000000\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    bytes.fromhex("16030100c8010000c40303") + b"\x5a" * 193,  # a TLS ClientHello
    b"SSH-2.0-scan\r\n",
    b"\x00\x00\x00\x85\xffSMBr\x00\x00\x00\x00\x18S\xc8" + b"\0" * 26,
    b"\x03\x00\x00\x13\x0e\xe0\x00\x00\x00\x00\x00\x01\x00\x08\x00\x03\x00\x00\x00",  # RDP
    b"OPTIONS sip:table SIP/2.0\r\n\r\n",
    b"\r\n\r\n",
    b"HELP\r\n",
    b"*1\r\n$4\r\nPING\r\n",
    b"\x01\x00",  # ZMTP 1.0, an anonymous peer
    b"\xff\x00\x00\x00\x00\x00\x00\x00\x01\x7f",  # a greeting that breaks off
)


def scan(victim: Victim, go_on: GoOn) -> str:
    """Knock as port scanners, browsers and other programs do."""
    sent = 0
    for opening in cycle(_OPENINGS):
        if not go_on():
            return f"{sent} openings of {len(_OPENINGS)} kinds"
        for port in (victim.control, victim.public):
            sent += _tell(victim, port, opening)
    raise AssertionError


def noise(victim: Victim, go_on: GoOn) -> str:
    """Send random bytes, after a valid greeting every other time."""
    sent = sessions = 0
    while go_on():
        body = random.randbytes(random.randint(1, 4096))
        if sessions % 2:
            body = _GREETING + body
        port = victim.public if sessions % 3 == 0 else victim.control
        sessions += _tell(victim, port, body)
        sent += len(body)
    return f"{sessions} connections, {sent >> 10} KiB"


def _tell(victim: Victim, port: int, body: bytes) -> int:
    """Send bytes on a connection of their own, and look what comes; 1 where there was one."""
    try:
        with victim.connect(port) as line:
            line.settimeout(0.02)
            line.sendall(body)
            with contextlib.suppress(OSError):
                line.recv(4096)
    except OSError:
        return 0
    return 1


_GREETING: Final = (
    b"\xff" + b"\0" * 7 + b"\x01\x7f" + b"\x03\x01" + b"CURVE".ljust(20, b"\0") + b"\0" * 32
)
_HELLO_HEAD: Final = b"\x04\xc8\x05HELLO\x01\x00" + b"\0" * 72


def silent(victim: Victim, go_on: GoOn) -> str:
    """Open ten thousand connections as fast as possible, say nothing, and open them again."""
    _many_descriptors()
    opened = 0
    lines: list[socket.socket] = []
    try:
        while go_on():
            line = socket.socket()
            line.setblocking(False)
            if victim.source:
                line.setsockopt(socket.IPPROTO_IP, 24, 1)  # IP_BIND_ADDRESS_NO_PORT
                line.bind((victim.source, 0))
            line.connect_ex((victim.host, victim.control if opened % 4 else victim.public))
            lines.append(line)
            opened += 1
            if len(lines) >= _MANY or (opened % _BATCH == 0 and not _room()):
                for old in lines:
                    old.close()
                lines.clear()
    finally:
        for line in lines:
            line.close()
    return f"{opened} connections, up to {_MANY} at once"


def _many_descriptors() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _room() -> bool:
    """Whether there are descriptors left."""
    try:
        os.close(os.dup(0))
    except OSError:
        return False
    return True


def half_open(victim: Victim, go_on: GoOn) -> str:
    """Stop at every stage of a handshake: in the greeting, after it, in a command, half closed."""
    stages = (_GREETING[:1], _GREETING[:11], _GREETING, _GREETING + _HELLO_HEAD[:40])
    lines: list[socket.socket] = []
    sent = 0
    for number in count():
        if not go_on():
            break
        try:
            line = victim.connect(victim.control if number % 2 else victim.public)
            lines.append(line)
            line.sendall(stages[number % len(stages)])
            if number % 3 == 0:
                line.shutdown(socket.SHUT_WR)
            sent += 1
            for slow in lines[-200::10]:
                slow.send(b"\0")  # a byte now and then, so as to seem alive
        except OSError:
            pass
        while len(lines) > 500:
            lines.pop(0).close()
    for line in lines:
        line.close()
    return f"{sent} handshakes begun, up to 500 at once"


def clear_text(victim: Victim, go_on: GoOn) -> str:
    """Connect as a peer of ZeroMQ that does not encrypt, or that names itself."""
    sent = 0
    while go_on():
        for kind in (zmq.DEALER, zmq.SUB, zmq.REQ, zmq.PUSH):
            context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
            bare = context.socket(kind)
            bare.setsockopt(zmq.LINGER, 0)
            if sent % 2:
                bare.plain_username, bare.plain_password = b"host", b"host"
            if kind == zmq.SUB:
                bare.subscribe(b"")
            bare.connect(victim.endpoint(victim.control if kind != zmq.SUB else victim.public))
            if kind != zmq.SUB:
                with contextlib.suppress(zmq.Again):
                    bare.send(encode(Hello([1], "plain")), zmq.NOBLOCK)
            bare.poll(20)
            context.destroy(0)
            sent += 1
    return f"{sent} peers, NULL and PLAIN"


def mutated(victim: Victim, go_on: GoOn) -> str:
    """Join over a line that changes, drops, doubles or swaps bytes of a true session."""
    relay = Relay(victim)
    sessions = 0
    try:
        while go_on():
            through = replace(victim, host="127.0.0.1", control=relay.port, source="")
            with peer(through) as honest:
                honest.send(Hello(list(limits.VERSIONS), "mutated"))
                for _ in range(5):
                    honest.send(Snapshot())
                    honest.send(Join("watcher", "Mutant"))
                    honest.socket.poll(5)
                    honest.drain()
            sessions += 1
    finally:
        relay.close()
    return f"{sessions} sessions, {relay.changed} pieces changed"


class Relay:
    """Carries bytes to a table, and spoils some of them."""

    def __init__(self, victim: Victim, seed: int = 1, share: float = 0.3) -> None:
        self._victim = victim
        self._chance = random.Random(seed)
        self._share = share
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.changed = 0
        self._closed = False
        self._thread = threading.Thread(target=self._carry, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Carry no more."""
        self._closed = True
        self._thread.join(5)
        self._listener.close()

    def _carry(self) -> None:
        other: dict[socket.socket, socket.socket] = {}
        upward: set[socket.socket] = set()
        while not self._closed:
            for ready in select.select([self._listener, *other], [], [], 0.05)[0]:
                if ready is self._listener:
                    near, _ = self._listener.accept()
                    try:
                        far = self._victim.connect(self._victim.control)
                    except OSError:
                        near.close()
                        continue
                    other[near], other[far] = far, near
                    upward.add(near)
                elif ready in other:
                    self._pass_on(ready, other, upward)
        for line in other:
            line.close()

    def _pass_on(
        self,
        ready: socket.socket,
        other: dict[socket.socket, socket.socket],
        upward: set[socket.socket],
    ) -> None:
        body = b""
        with contextlib.suppress(OSError):
            body = ready.recv(4096)
            if body and ready in upward and self._chance.random() < self._share:
                body = spoiled(body, self._chance)
                self.changed += 1
            if body:
                other[ready].sendall(body)
                return
        for line in (ready, other[ready]):
            other.pop(line, None)
            upward.discard(line)
            line.close()


def spoiled(body: bytes, chance: random.Random) -> bytes:
    """Return bytes with something changed, left out, doubled, or put in."""
    at = chance.randrange(len(body))
    until = chance.randint(at, min(len(body), at + 16))
    match chance.randrange(5):
        case 0:
            return body[:at] + bytes([body[at] ^ 1 << chance.randrange(8)]) + body[at + 1 :]
        case 1:
            return body[:at] + body[until:]
        case 2:
            return body[:until] + body[at:]
        case 3:
            return body[:at] + chance.randbytes(until - at) + body[until:]
        case _:
            return body[:at] + chance.randbytes(chance.randint(1, 64)) + body[at:]


def questions(victim: Victim, go_on: GoOn) -> str:
    """Ask by UDP which key is here, without end, and send datagrams that are no question."""
    sent = 0
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
        if victim.source:
            asker.bind((victim.source, 0))
        asker.setblocking(False)
        bodies = (pack_question("0" * 16), os.urandom(512), b"", b"\x91" * 512)
        for body in cycle(bodies):
            if not go_on():
                return f"{sent} datagrams"
            with contextlib.suppress(OSError):
                asker.sendto(body, (victim.host, victim.control))
                sent += 1
    raise AssertionError


# ---- with a key ----------------------------------------------------------------------------------


def _flood(
    victim: Victim, go_on: GoOn, bodies: Callable[[int], Iterator[bytes]], role: str = "player"
) -> str:
    """Join and send as fast as the table takes it; come back under a new key when shut out."""
    sent = keys = 0
    while go_on():
        keys += 1
        with peer(victim) as flooder:
            refused = 0
            for body in bodies(flooder.join(role)):
                if not go_on() or refused > 500:
                    break
                if flooder.send_body(body):
                    sent += 1
                    refused = 0
                else:
                    refused += 1
                    flooder.socket.poll(2, zmq.POLLOUT)
                if sent % 16 == 0:
                    flooder.drain()
    return f"{sent} messages under {keys} keys"


def _commands(acts: Callable[[int], AnyAct]) -> Callable[[int], Iterator[bytes]]:
    def bodies(epoch: int) -> Iterator[bytes]:
        first = random.getrandbits(40)
        for number in count():
            yield encode(Command(first + number, epoch, 1, 1, acts(number)))

    return bodies


def commands(victim: Victim, go_on: GoOn) -> str:
    """Send valid commands as fast as they go."""
    acts: tuple[AnyAct, ...] = (Ready(), Sit(0), Play("QS"), Ready(ready=False), Sit(3))
    return _flood(victim, go_on, _commands(lambda number: acts[number % len(acts)]))


def chat(victim: Victim, go_on: GoOn) -> str:
    """Talk without end, as much as fits."""
    return _flood(victim, go_on, _commands(lambda number: Say(f"{number} " + "x" * 390)))


def looks(victim: Victim, go_on: GoOn) -> str:
    """Ask for views and pages, and give signs of life, without end."""

    def bodies(_epoch: int) -> Iterator[bytes]:
        asks = (Snapshot(), Fetch("log", 0), Fetch("deals", 0), Alive(1, 1))
        yield from cycle([encode(message) for message in asks])

    return _flood(victim, go_on, bodies, "watcher")


def replays(victim: Victim, go_on: GoOn) -> str:
    """Send the same commands again and again, for other tricks, deals and epochs too."""

    def bodies(epoch: int) -> Iterator[bytes]:
        found = [
            encode(
                Command(number % 7, max(0, epoch + number % 3 - 1), number % 5, number % 14, act)
            )
            for number in range(200)
            for act in (Play("2C"), Ready(), Say("again"))
        ]
        yield from cycle(found)

    return _flood(victim, go_on, bodies)


TRICKS: Final = (
    b"",
    b"\xc1",
    b"\x80",
    b"\x91" * 16_000,  # arrays in arrays
    b"\x81\xa1a" * 5_000,  # maps in maps
    b"\xdd\xff\xff\xff\xff",  # four thousand million items, it says
    b"\xdf\xff\xff\xff\xff",
    b"\xdb\xff\xff\xff\xff",
    b"\xc6\xff\xff\xff\xff",
    b"\xc9\xff\xff\xff\xff\x01",
    b"\xdc\xff\xff" + b"\xc0" * 16_000,
    b"\x82\xa4type\xa5hello\xa4type\xa3bye",  # a key twice
    b"\x81\xc4\x04type\xa5hello",  # a key of raw bytes
    b"\x81\x01\xa5hello",  # a key that is a number
    b"\x81\xc0\xc0",
    b"\x81\xd6\xff\x00\x00\x00\x00\xc0",  # a key that is a time
    b"\x82\xa4type\xa5hello\xa8versions\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00",  # not a number
    b"\x83\xa4type\xa5hello\xa8versions\x91\xcf" + b"\xff" * 8 + b"\xa6client\xa1x",
    b"\x83\xa4type\xa5hello\xa8versions\x91\xd3\x80" + b"\0" * 7 + b"\xa6client\xa1x",
    b"\x83\xa4type\xa5hello\xa8versions\x91\xc3\xa6client\xa1x",  # True for 1
    b"\x83\xa4type\xa5hello\xa8versions\x91\x01\xa6client\xa2\xc3\x28",  # no UTF-8
    b"\x83\xa4type\xa5hello\xa8versions\x91\x01\xa6client\xa3\xed\xa0\x80",  # a lone surrogate
    b"\x81\xa4type\xd6\xff\x00\x00\x00\x00",  # a time for a type
    b"\x81\xa4type\xd9\x00",
    b"\x81\xa4type\xa3bye\xc0",  # something after the map
    b"\x83\xa4type\xa4join\xa4role\xa6player\xa4name\xda\xff\xff" + b"n" * 16_000,
    msgpack.packb({"type": "command", "id": 1, "epoch": 1, "deal": 1, "trick": 1, "do": {}}),
    msgpack.packb(
        {"type": "command", "id": 1, "epoch": 1, "deal": 1, "trick": 1, "do": {"act": "no"}}
    ),
    msgpack.packb({"type": "view", "epoch": 1, "seq": 1}),  # a host's message
    msgpack.packb({"type": "x" * 1600, **{f"k{n}": n for n in range(31)}}),
)
"""Bodies that are no message, each in its own way."""


def tricks(victim: Victim, go_on: GoOn) -> str:
    """Send every trick of msgpack, again and again."""
    return _flood(victim, go_on, lambda _epoch: cycle(TRICKS), "watcher")


def comings(victim: Victim, go_on: GoOn) -> str:
    """Join and leave, under one key and then under another."""
    sent = keys = 0
    while go_on():
        keys += 1
        with peer(victim) as guest:
            for _ in range(30):
                if not go_on():
                    break
                guest.join(random.choice(("player", "watcher", "bot")), f"Guest {keys}")
                guest.send(Bye())
                guest.socket.poll(20)
                guest.drain()
                sent += 1
    return f"{sent} joins and leaves under {keys} keys"


def endless(victim: Victim, go_on: GoOn) -> str:
    """Send messages of thousands of frames, whose end never comes in time.

    In processes of their own: libzmq aborts one whose connection is cut at such a moment.
    """
    command = (sys.executable, "-m", endless_messages.__name__, json.dumps(asdict(victim)))
    tried = 0
    while go_on() or not tried:
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)  # noqa: S603 - our own
        assert child.stdout is not None
        while child.poll() is None and (go_on() or not tried):
            if select.select([child.stdout], [], [], 0.02)[0]:
                tried += len(os.read(child.stdout.fileno(), _BATCH))
        child.kill()
        child.communicate()
    return f"{tried} messages of {endless_messages.FRAMES * endless_messages.FRAME >> 20} MiB"


def pings(victim: Victim, go_on: GoOn) -> str:
    """Flood, ping without end, and break off without reading a word."""
    sent = broken = 0
    body = encode(Snapshot())
    while go_on():
        guests = [Peer(victim, heartbeat=1) for _ in range(8)]
        for guest in guests:
            guest.send(Hello(list(limits.VERSIONS), "pings"))
            guest.send(Join("watcher", "Pings"))
        for _ in range(400):
            for guest in guests:
                sent += guest.send_body(body)
        for guest in guests:
            guest.close()
            broken += 1
    return f"{sent} messages and a PING each millisecond, {broken} connections broken off"


def oversize(victim: Victim, go_on: GoOn) -> str:
    """Send frames that are too long, and headers that say so."""
    sent = 0
    while go_on():
        with peer(victim) as guest:
            guest.join()
            for size in (limits.MAX_TO_HOST + 1, 1 << 20, 32 << 20):
                if guest.send_body(b"\0" * size):
                    sent += 1
                guest.socket.poll(20)
        _tell(victim, victim.control, _GREETING + b"\x02" + struct.pack(">Q", 1 << 62))
        _tell(victim, victim.public, _GREETING + b"\x06" + struct.pack(">Q", (1 << 63) - 1))
    return f"{sent} frames of up to 32 MiB, headers of up to 8 EiB"


def subscriptions(victim: Victim, go_on: GoOn) -> str:
    """Subscribe to fifty thousand things, each of them long."""
    made = keys = 0
    while go_on():
        keys += 1
        with peer(victim) as guest:
            guest.join()
            with peer(victim, zmq.SUB, guest.pair) as subscriber:
                for _ in range(50_000):
                    if not go_on():
                        break
                    subscriber.socket.subscribe(random.randbytes(400))
                    made += 1
                for _ in range(50):
                    if go_on():
                        subscriber.socket.poll(20)
    return f"{made} subscriptions of 400 bytes under {keys} keys"


def crowd(victim: Victim, go_on: GoOn) -> str:
    """Come under sixty keys at once, each of which floods a little."""
    guests = [Peer(victim) for _ in range(60)]
    sent = 0
    try:
        for number, guest in enumerate(guests):
            guest.send(Hello(list(limits.VERSIONS), "crowd"))
            guest.send(Join("player", f"Guest {number}"))
        while go_on():
            for guest in guests:
                sent += guest.send(Snapshot())
                guest.drain()
    finally:
        for guest in guests:
            guest.close()
    return f"{sent} messages under {len(guests)} keys at once"


def vanished(victim: Victim, go_on: GoOn) -> str:
    """Join, then be as if the cable were pulled: take nothing in and say nothing, not even FIN."""
    guests: list[Peer] = []
    sent = 0
    while go_on():
        guest = Peer(victim)
        guests.append(guest)
        guest.join("player", "Vanished")
        guest.send(Snapshot())
        if guest.socket.poll(200):
            sent += _deafen(guest.socket.recv(copy=False).get(zmq.SRCFD))
        while len(guests) > 40:
            guests.pop(0).close()
    for guest in guests:
        guest.close()
    return f"{sent} peers that were gone without a FIN, up to 40 at once"


def _deafen(descriptor: int) -> int:
    """Have the kernel drop whatever comes in on a connection; 1 where it does."""
    drop = ctypes.create_string_buffer(struct.pack("=HBBI", 6, 0, 0, 0))
    with socket.socket(fileno=os.dup(descriptor)) as line:
        try:
            line.setsockopt(socket.SOL_SOCKET, 26, struct.pack("@HP", 1, ctypes.addressof(drop)))
        except OSError:
            return 0
    return 1


VANDALS: Final[dict[str, Callable[[Victim, GoOn], str]]] = {
    "port scanners, HTTP, TLS": scan,
    "random bytes": noise,
    "mutated ZMTP sessions": mutated,
    "clear-text ZeroMQ peers": clear_text,
    "silent connections": silent,
    "half-open connections": half_open,
    "peers that vanish": vanished,
    "questions by UDP": questions,
    "commands": commands,
    "chat": chat,
    "snapshots, pages, signs of life": looks,
    "joins and leaves": comings,
    "sixty keys at once": crowd,
    "stale and replayed commands": replays,
    "tricks of msgpack": tricks,
    "endless multipart": endless,
    "pings and a sudden end": pings,
    "oversize frames": oversize,
    "subscriptions": subscriptions,
}
"""By what a table of results calls them."""
