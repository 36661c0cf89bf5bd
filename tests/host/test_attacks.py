"""A table's process with a game in progress, and everybody who should not be there.

Each vandal has a moment here; ``make attack`` gives them more, and says what they cost the others.
"""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import msgpack
import pytest
import zmq

from hearts_net.host.process import Running, launch_table, stop_table
from hearts_net.host.settings import HostSettings
from hearts_net.protocol import limits
from hearts_net.protocol.codec import encode
from hearts_net.protocol.messages import (
    Alive,
    AnyAct,
    Bye,
    Command,
    Hello,
    Join,
    Pass,
    Play,
    Ready,
    Snapshot,
)
from hearts_net.testing.vandals import VANDALS, GoOn, Peer, Victim, peer

resource = pytest.importorskip("resource", reason="there are no limits of descriptors to lower")
pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="needs an address to come from, and the counters of Linux"
)
WITHIN = 20.0
GROWTH = 64 * 1024 * 1024
BRIEFLY = 0.4
LONGER = 5.0
SOURCE = "127.0.0.77"


class Player:
    """One of the four at the table: passes and plays when asked to."""

    def __init__(self, victim: Victim, number: int) -> None:
        self.line = Peer(victim)
        self.requests = iter(range(number * 1000, 10**9))
        self.view: dict[str, object] = {}
        self.replied: dict[int, bool] = {}
        self.refused: dict[str, object] = {}
        self.line.send(Hello(list(limits.VERSIONS), "test"))
        assert self.line.socket.poll(int(WITHIN * 1000))
        self.epoch = msgpack.unpackb(self.line.socket.recv())["epoch"]
        self.line.send(Join("player", f"Player {number}"))
        self.alive_due = 0.0

    def take(self) -> None:
        """Take whatever has come."""
        while self.line.socket.poll(0):
            message = msgpack.unpackb(self.line.socket.recv())
            if message["type"] == "view":
                self.view = message
            elif message["type"] == "reply":
                self.replied[message["id"]] = message["ok"]
                if not message["ok"]:
                    self.refused = message

    def do(self, act: AnyAct) -> int:
        public = self.view["public"]
        assert isinstance(public, dict)
        request = next(self.requests)
        self.line.send(Command(request, self.epoch, public["deal"], public["trick_number"], act))
        return request

    def next_act(self) -> AnyAct | None:
        """Return what the table waits for from this seat."""
        own = self.view.get("own")
        if not isinstance(own, dict):
            return None
        if "pass" in own["may"]:
            return Pass(own["hand"][:3])
        if own["legal"]:
            return Play(own["legal"][0])
        seats, ready = self.view["public"]["seats"], "ready" in own["may"]  # type: ignore[index]
        return Ready() if ready and not seats[own["seat"]]["ready"] else None


class Game:
    """Four players and a game that goes on as long as somebody moves it."""

    def __init__(self, running: Running) -> None:
        self.running = running
        self.victim = Victim("127.0.0.1", running.control, running.public, running.key)
        self.players = [Player(self.victim, number) for number in range(4)]
        for player in self.players:
            self.until(lambda player=player: "own" in player.view)
            player.do(Ready())
        self.until(lambda: any(player.next_act() for player in self.players))

    def until(self, true: object) -> None:
        assert callable(true)
        deadline = time.monotonic() + WITHIN
        while not true():
            now = time.monotonic()
            assert now < deadline, "the table does not go on"
            for player in self.players:
                player.take()
                if now > player.alive_due:
                    player.alive_due = now + limits.ALIVE_EVERY / 1000
                    player.line.send(Alive(0, 0))
            time.sleep(0.002)

    def move(self) -> None:
        """Have somebody move, and wait for the reply."""
        self.until(lambda: any(player.next_act() for player in self.players))
        mover = next(player for player in self.players if player.next_act())
        act = mover.next_act()
        assert act is not None
        request = mover.do(act)
        self.until(lambda: request in mover.replied)
        # for Ready, the others may have been enough
        assert mover.replied[request] or isinstance(act, Ready), mover.refused
        mover.view = {}
        mover.line.send(Snapshot())
        self.until(lambda: mover.view)

    def close(self) -> None:
        for player in self.players:
            player.line.close()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    public, secret = (half.decode() for half in zmq.curve_keypair())
    folder = tmp_path_factory.mktemp("attacked")
    settings = HostSettings(
        folder, public, secret, port=0, loopback_only=True, durable=False, next_deal=0
    )
    found = launch_table(settings)
    yield found
    stop_table(found)
    log = (found.folder / "log").read_text()
    assert "Traceback" not in log, log


@pytest.fixture(scope="module")
def game(running: Running) -> Iterator[Game]:
    made = Game(running)
    yield made
    made.close()


def resident(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096


def at_work(game: Game, name: str, seconds: float, number: int) -> str:
    """Play while a vandal is at work; return what was sent."""
    attacker = Victim(
        "127.0.0.1", game.running.control, game.running.public, game.running.key,
        f"127.0.{number}.77",
    )  # fmt: skip
    end = time.monotonic() + seconds
    sent: list[str] = []
    go_on: GoOn = lambda: time.monotonic() < end  # noqa: E731 - one line, with its type
    thread = threading.Thread(target=lambda: sent.append(VANDALS[name](attacker, go_on)))
    before = resident(game.running.pid)
    most = before
    thread.start()
    while thread.is_alive():
        game.move()
        most = max(most, resident(game.running.pid))
    thread.join()
    game.move()
    assert most - before < GROWTH
    return sent[0]


@pytest.mark.parametrize("name", VANDALS)
def test_a_game_goes_on_while_a_vandal_has_a_moment(game: Game, name: str) -> None:
    number = 1 + list(VANDALS).index(name)
    assert at_work(game, name, BRIEFLY, number)
    # and whoever comes from elsewhere comes in
    with peer(game.victim) as newcomer:
        newcomer.send(Hello(list(limits.VERSIONS), "newcomer"))
        assert newcomer.socket.poll(int(WITHIN * 1000))
        assert msgpack.unpackb(newcomer.socket.recv())["type"] == "welcome"


@pytest.mark.long
@pytest.mark.parametrize("name", VANDALS)
def test_a_game_goes_on_while_a_vandal_has_longer(game: Game, name: str) -> None:
    number = 101 + list(VANDALS).index(name)
    assert at_work(game, name, LONGER if "silent" in name else LONGER / 2, number)


def test_who_floods_is_set_aside_then_shut_out_and_cannot_come_back(running: Running) -> None:
    victim = Victim("127.0.0.1", running.control, running.public, running.key, SOURCE)
    codes: list[str] = []
    with peer(victim) as flooder:
        ended = flooder.socket.get_monitor_socket(
            zmq.EVENT_DISCONNECTED | zmq.EVENT_HANDSHAKE_FAILED_AUTH
        )
        flooder.join("watcher", "Flood")
        deadline = time.monotonic() + WITHIN
        while "shut-out" not in codes:
            assert time.monotonic() < deadline, codes
            flooder.send(Snapshot())
            flooder.socket.poll(3)  # faster, and the connection is cut without a word
            while flooder.socket.poll(0):
                message = msgpack.unpackb(flooder.socket.recv())
                if message["type"] == "refused":
                    codes.append(message["code"])
        assert ended.poll(int(WITHIN * 1000))  # its connection is closed
        ended.recv_multipart()
        assert ended.poll(int(WITHIN * 1000))  # and when it dials again it is refused
        event = int.from_bytes(ended.recv_multipart()[0][:2], sys.byteorder)
        assert event == zmq.EVENT_HANDSHAKE_FAILED_AUTH
        flooder.socket.disable_monitor()
        ended.close()
    assert list(dict.fromkeys(codes)) == ["too-fast", "set-aside", "shut-out"]
    assert (
        codes.count("set-aside") <= limits.PAUSES
    )  # it is told once a pause, not for each message


def test_a_replayed_or_stale_command_changes_nothing(game: Game) -> None:
    game.move()
    player = game.players[0]
    game.until(lambda: player.view)
    public = player.view["public"]
    assert isinstance(public, dict)
    before = public["seen"], public["deal"]
    for epoch, deal, trick in (
        (0, 1, 1),
        (9, 1, 1),
        (1, 0, 1),
        (1, 99, 1),
        (1, public["deal"], 14 - 1),
    ):
        request = next(player.requests)
        stale = encode(Command(request, epoch, deal, trick, Play("2C")))
        for _ in range(3):
            player.line.send_body(stale)
        game.until(lambda request=request: request in player.replied)
        assert not player.replied[request]
    player.view = {}
    player.line.send(Snapshot())
    game.until(lambda: player.view)
    public = player.view["public"]
    assert isinstance(public, dict)
    assert (public["seen"], public["deal"]) == before


@pytest.mark.long
def test_a_crowd_of_addresses_does_not_keep_a_newcomer_out(game: Game) -> None:
    """Fifty addresses with as many silent connections as each may have."""
    lines: list[socket.socket] = []
    stop = threading.Event()

    def come() -> None:
        chance = Random(1)
        while not stop.is_set():
            line = socket.socket()
            line.settimeout(0.5)
            try:
                line.bind((f"127.1.0.{chance.randint(1, 50)}", 0))
                line.connect((game.victim.host, game.victim.control))
                lines.append(line)
            except OSError:
                line.close()
            while len(lines) > 400:
                lines.pop(0).close()

    thread = threading.Thread(target=come)
    thread.start()
    try:
        deadline = time.monotonic() + 2 * WITHIN
        welcomed = False
        while not welcomed:
            assert time.monotonic() < deadline, "a newcomer is kept out"
            with peer(game.victim) as newcomer:
                newcomer.send(Hello(list(limits.VERSIONS), "newcomer"))
                welcomed = bool(newcomer.socket.poll(5_000))
                newcomer.send(Bye())
            game.move()
    finally:
        stop.set()
        thread.join()
        for line in lines:
            line.close()


@pytest.mark.long
def test_a_host_with_few_descriptors_outlives_a_thousand_silent_connections(tmp_path: Path) -> None:
    # the last: meanwhile the players of the other game are silent, and it pauses
    public, secret = (half.decode() for half in zmq.curve_keypair())
    running = launch_table(
        HostSettings(tmp_path, public, secret, port=0, loopback_only=True, next_deal=0)
    )
    resource.prlimit(running.pid, resource.RLIMIT_NOFILE, (200, 200))
    try:
        game = Game(running)
        assert at_work(game, "silent connections", LONGER, 200)
        game.close()
    finally:
        stop_table(running)
