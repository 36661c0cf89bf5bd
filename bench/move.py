"""How long a card takes: from one player's command to what everybody sees, against an echo.

    python -m bench.move [--moves N] [--pause MS]

A table's process, with its store on the disk, and four players in processes of their own, over
CURVE and through the link that every client uses. One player sends a card; the clock stops when
that player has decoded the reply and its own new view, and when all four have decoded theirs. After
each card a zmq.asyncio CURVE echo (a server in a process of its own, the client in this
one) carries a command of the same size one way and a view of the same size back. Everything is
printed as a ratio to the echo in the same run: medians to its median, 99th percentiles to its own.
Between two measurements there is a pause, so that this is what a player at rest feels, not how much
fits into a second.

A deal's last card is left out of the main rows and told apart: it is synced to the disk.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import zmq
import zmq.asyncio

from hearts_net.host.process import Running, launch_table, stop_table
from hearts_net.host.settings import HostSettings
from hearts_net.peer.identity import Identity, new_identity
from hearts_net.peer.link import Link, request_ids
from hearts_net.peer.target import Target
from hearts_net.protocol.codec import encode
from hearts_net.protocol.messages import AnyAct, Command, Pass, Play, View
from hearts_net.protocol.peer_session import Event, NewView, PeerSession, Replied

WARM_UP = 20
"""Moves that are played before any is counted."""


# ---- a player ------------------------------------------------------------------------------------


class Player:
    """One of the four: moves when told to, and notes when it knew what."""

    def __init__(self, address: Target, name: str) -> None:
        self._seen: list[tuple[int, int]] = []
        self._replied: dict[int, tuple[int, int]] = {}
        self._sent: tuple[int, int] | None = None
        session = PeerSession("bot", name, "medium", request_ids=request_ids())
        self.link = Link(address, new_identity(), session, on_event=self._on_event)

    def _on_event(self, event: Event) -> None:
        if isinstance(event, NewView):
            self._seen.append((event.view.seq, time.perf_counter_ns()))
        elif isinstance(event, Replied):
            self._replied[event.reply.id] = (event.reply.seq, time.perf_counter_ns())

    def answer(self, line: bytes) -> dict[str, Any] | None:
        """Do what a line says: ``go`` (move, if it is this one's turn) or ``tell``."""
        if line.strip() == b"go":
            self._move()
            return None
        told: dict[str, Any] = {"seen": self._seen[-6:]}
        view = self.link.view
        if view is not None:
            own = view.own
            told |= {
                "phase": view.public.phase,
                "deal": view.public.deal,
                "played": len(view.public.seen),
                "waits": bool(own is not None and moves(view)),
                "bytes": len(encode(view)),
            }
        if self._sent is not None:
            request, sent = self._sent
            told |= {"sent": sent, "replied": self._replied.get(request)}
        return told

    def _move(self) -> None:
        self._sent = None
        view = self.link.view
        if view is None or not (found := moves(view)):
            return
        sent = time.perf_counter_ns()
        self._sent = (self.link.do(found[0]), sent)


def moves(view: View) -> list[AnyAct]:
    """Return what the seat of a view may do for the game to go on."""
    own = view.own
    if own is None:
        return []
    if view.public.phase == "passing" and not own.passed:
        return [Pass(own.hand[:3])]
    return [Play(card) for card in own.legal]


async def play(port: int, key: str, name: str) -> None:
    """Be one player, told what to do on standard input, until its end."""
    player = Player(Target("127.0.0.1", port, key), name)
    loop = asyncio.get_running_loop()
    running = asyncio.create_task(player.link.run())
    lines = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while line := await lines.readline():
        answer = player.answer(line)
        if answer is not None:
            print(json.dumps(answer), flush=True)
    player.link.leave()
    await running


# ---- the echo ------------------------------------------------------------------------------------


async def serve_echo(secret: str, size: int) -> None:
    """Answer every message with ``size`` bytes, for ever."""
    socket = zmq.asyncio.Context().socket(zmq.ROUTER)
    socket.curve_server = True
    socket.curve_secretkey = secret.encode()
    print(socket.bind_to_random_port("tcp://127.0.0.1"), flush=True)
    body = b"\0" * size
    while True:
        route, _ = await socket.recv_multipart()
        await socket.send_multipart([route, body])


@dataclass
class Echo:
    """The client of an echo."""

    socket: zmq.asyncio.Socket
    body: bytes

    async def once(self) -> int:
        """Return how long one round takes, in nanoseconds."""
        start = time.perf_counter_ns()
        await self.socket.send(self.body)
        await self.socket.recv()
        return time.perf_counter_ns() - start


@contextlib.asynccontextmanager
async def echo(command: int, view: int) -> AsyncIterator[Echo]:
    """Start an echo of ``command`` bytes there and ``view`` bytes back."""
    server, client = new_identity(), new_identity()
    process = await start("echo", server.secret, str(view))
    assert process.stdout is not None
    port = int(await process.stdout.readline())
    context = zmq.asyncio.Context()
    socket = context.socket(zmq.DEALER)
    socket.linger = 0
    socket.curve_serverkey = server.public.encode()
    socket.curve_publickey, socket.curve_secretkey = client.public.encode(), client.secret.encode()
    socket.connect(f"tcp://127.0.0.1:{port}")
    try:
        yield Echo(socket, b"\0" * command)
    finally:
        context.destroy(0)
        process.kill()
        await process.wait()


# ---- the table -----------------------------------------------------------------------------------


async def start(*arguments: str) -> asyncio.subprocess.Process:
    """Start this module again, in another role."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bench.move",
        *arguments,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


@dataclass(frozen=True)
class Move:
    """One card's times, in nanoseconds since it was sent, and what the echo took just after."""

    reply: int
    own: int
    all: int
    echo: int
    ends_deal: bool


class Game:
    """Four players' processes at a table."""

    def __init__(self, players: list[asyncio.subprocess.Process], pause: float) -> None:
        self._players = players
        self._pause = pause

    def go(self) -> None:
        """Have whoever's turn it is move."""
        self._say(b"go\n")

    async def rest(self) -> None:
        """Wait until everybody is at rest."""
        await asyncio.sleep(self._pause)

    async def tell(self) -> list[dict[str, Any]]:
        """Return what each player knows."""
        self._say(b"tell\n")
        told = []
        for player in self._players:
            assert player.stdout is not None
            told.append(json.loads(await player.stdout.readline()))
        return told

    def _say(self, line: bytes) -> None:
        for player in self._players:
            assert player.stdin is not None
            player.stdin.write(line)


async def wait_for_turn(game: Game) -> list[dict[str, Any]]:
    """Wait until the game waits for somebody, and return what all know then."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        told = await game.tell()
        if any(each.get("waits") for each in told):
            return told
        await asyncio.sleep(0.02)
    raise SystemExit("bench: the table does not go on")


async def one_move(game: Game, echoing: Echo | None) -> Move | None:
    """Play one card (or pass) and measure it; None for a pass."""
    before = await wait_for_turn(game)
    await game.rest()
    game.go()
    await game.rest()
    took = await echoing.once() if echoing is not None else 0
    if before[0]["phase"] != "playing":
        return None
    mover, after = await arrived(game)
    sent, (seq, replied) = mover["sent"], mover["replied"]
    views = [first_view(each["seen"], seq) for each in after]
    own = max(replied, first_view(mover["seen"], seq))
    ends = before[0]["played"] == 51
    return Move(replied - sent, own - sent, max(*views, replied) - sent, took, ends)


async def arrived(game: Game) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return what the mover knows, and all, once the move has come everywhere."""
    for _ in range(200):
        told = await game.tell()
        mover = next((each for each in told if each.get("replied")), None)
        if mover is not None:
            seq = mover["replied"][0]
            if all(any(number >= seq for number, _ in each["seen"]) for each in told):
                return mover, told
        await game.rest()
    raise SystemExit("bench: a move does not come everywhere")


def first_view(seen: Iterable[list[int]], seq: int) -> int:
    """Return when the state ``seq`` was first known."""
    return min(at for number, at in seen if number >= seq)


async def measure(count: int, pause: float, running: Running) -> list[Move]:
    """Play cards at a table and return the times of ``count`` of them."""
    arguments = (str(running.control), running.key)
    players = [await start("play", *arguments, f"Player {number}") for number in range(4)]
    try:
        game = Game(players, pause)
        for _ in range(WARM_UP):
            await one_move(game, None)
        sizes = [each["bytes"] for each in await game.tell()]
        async with echo(command_size(), round(median(sizes))) as echoing:
            for _ in range(WARM_UP):
                await echoing.once()
            found: list[Move] = []
            while len(found) < count:
                move = await one_move(game, echoing)
                if move is not None:
                    found.append(move)
            return found
    finally:
        for player in players:
            player.kill()
            await player.wait()


def command_size() -> int:
    """Return the bytes of a command that plays a card."""
    return len(encode(Command(2**52, 1, 10, 10, Play("QS"))))


# ---- what comes of it ----------------------------------------------------------------------------


def percentile(values: list[int], share: float) -> int:
    """Return the value that ``share`` of the values do not exceed."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def report(moves_made: list[Move]) -> str:
    """Return the table of ratios."""
    usual = [move for move in moves_made if not move.ends_deal]
    last = [move for move in moves_made if move.ends_deal]
    echoes = [move.echo for move in moves_made]
    floor, floor99 = percentile(echoes, 0.5), percentile(echoes, 0.99)
    rows = [
        ("echo", echoes),
        ("reply", [move.reply for move in usual]),
        ("reply and the mover's own view", [move.own for move in usual]),
        ("reply and all four views", [move.all for move in usual]),
        ("the same, a deal's last card", [move.all for move in last]),
    ]
    lines = [
        f"{len(usual)} cards; echo p50 {floor / 1000:.0f} µs, p99 {floor99 / 1000:.0f} µs",
        f"{'':34}{'p50':>8}{'p99':>8}   (each in the echo's own; µs)",
    ]
    for name, values in rows:
        if values:
            half, most = percentile(values, 0.5), percentile(values, 0.99)
            lines.append(
                f"{name:34}{half / floor:8.2f}{most / floor99:8.2f}"
                f"   {half / 1000:.0f} {most / 1000:.0f}"
            )
    return "\n".join(lines)


async def run(count: int, pause: float) -> str:
    """Start everything, measure, and return the report."""
    owner: Identity = new_identity()
    with tempfile.TemporaryDirectory() as folder:
        settings = HostSettings(
            tables=Path(folder) / "tables",
            key=owner.public,
            secret=owner.secret,
            port=0,
            loopback_only=True,
            next_deal=0,
        )
        running = launch_table(settings)
        try:
            return report(await measure(count, pause, running))
        finally:
            stop_table(running)


def main(arguments: list[str]) -> int:
    """Run the benchmark, or one of its other processes."""
    match arguments:
        case ["play", port, key, name]:
            asyncio.run(play(int(port), key, name))
            return 0
        case ["echo", secret, size]:
            asyncio.run(serve_echo(secret, int(size)))
            return 0
    parser = argparse.ArgumentParser(prog="bench.move", description=__doc__.split("\n")[0])
    parser.add_argument("--moves", type=int, default=400, help="cards to measure (400)")
    parser.add_argument("--pause", type=float, default=15, help="milliseconds of rest (15)")
    chosen = parser.parse_args(arguments)
    print(asyncio.run(run(chosen.moves, chosen.pause / 1000)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
