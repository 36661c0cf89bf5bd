"""How long a card takes: from one player's command to what everybody sees, against an echo.

    python -m bench.move [--cards N] [--pause MS ...]

A table's process, with its store on the disk, and four players in processes of their own, over
CURVE and through the link that every client uses. The clock of a card runs from the command to its
reply and the mover's own new view, decoded, and on to when all four have decoded theirs. Whoever is
to play thinks for a moment, goes once to a zmq.asyncio CURVE echo (a server in a process of its
own), with a command of the same size one way and a view of the same size back, thinks for another
moment, and plays. Everything is printed as a ratio to the echo in the same run: medians to its
median, 99th percentiles to its own. Once nobody thinks at all, so that every program is warm; once
each moment lasts 5 ms, in which the processor's caches forget all of them.

A deal's last card is left out of the main rows and told apart: it is synced to the disk.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import zmq
import zmq.asyncio

from bench.tables import opened_table
from hearts_net.host.process import Running
from hearts_net.peer.identity import new_identity
from hearts_net.peer.link import Link, request_ids
from hearts_net.peer.target import Target
from hearts_net.protocol.codec import encode
from hearts_net.protocol.messages import AnyAct, Command, Pass, Play, View
from hearts_net.protocol.peer_session import Event, NewView, PeerSession, Replied
from hearts_net.testing.players import moment_of

WARM_UP = 20
"""Cards that are played before any is counted."""


# ---- a player ------------------------------------------------------------------------------------


class Player:
    """One of the four: plays by itself, and notes when it knew what."""

    def __init__(self, address: Target, name: str, pause: float, echo: Echo) -> None:
        self._pause = pause
        self._echo = echo
        self._thinking: asyncio.Task[None] | None = None
        self._moved_at: tuple[object, ...] = ()
        self._seen: list[tuple[int, int]] = []
        self._asked: dict[int, Asked] = {}
        session = PeerSession("bot", name, "medium", request_ids=request_ids())
        self.link = Link(address, new_identity(), session, on_event=self._on_event)

    def _on_event(self, event: Event) -> None:
        now = time.perf_counter_ns()
        if isinstance(event, NewView):
            self._seen.append((event.view.seq, now))
            self._think(event.view)
        elif isinstance(event, Replied) and event.reply.id in self._asked:
            self._asked[event.reply.id].reply = (event.reply.seq, now)

    def _think(self, view: View) -> None:
        found = moves(view)
        if found and moment_of(view) != self._moved_at:
            self._moved_at = moment_of(view)
            self._thinking = asyncio.create_task(self._move(view.public.seen, found[0]))

    async def _move(self, seen: list[str], act: AnyAct) -> None:
        """Go to the echo and then play, each after a moment's thought."""
        view = self.link.view
        assert view is not None
        await asyncio.sleep(self._pause)
        took = await self._echo.once(len(encode(view)))
        await asyncio.sleep(self._pause)
        sent = time.perf_counter_ns()
        request = self.link.do(act)
        if isinstance(act, Play):
            self._asked[request] = Asked(sent, len(seen), took)

    async def tell(self, cards: int) -> dict[str, Any]:
        """Play on until this one has played so many cards; return what was seen and asked."""
        while len(self._asked) < cards:
            await asyncio.sleep(0.1)
        asked = [(each.sent, each.reply, each.played, each.echo) for each in self._asked.values()]
        return {"seen": self._seen, "asked": asked[:cards]}


@dataclass
class Asked:
    """A card: when it was sent, how many lay before it, the echo just before, and its reply."""

    sent: int
    played: int
    echo: int
    reply: tuple[int, int] | None = None


def moves(view: View) -> list[AnyAct]:
    """Return what the seat of a view may do for the game to go on."""
    own = view.own
    if own is None:
        return []
    if view.public.phase == "passing" and not own.passed:
        return [Pass(own.hand[:3])]
    return [Play(card) for card in own.legal]


async def play(
    port: int, key: str, name: str, pause: float, cards: int, echo_port: int, echo_key: str
) -> None:
    """Be one player: print what it knows once it has played enough, and play on until killed."""
    echo = Echo.to(echo_port, echo_key)
    player = Player(Target("127.0.0.1", port, key), name, pause, echo)
    running = asyncio.create_task(player.link.run())
    print(json.dumps(await player.tell(cards)), flush=True)
    await running


# ---- the echo ------------------------------------------------------------------------------------


async def serve_echo(secret: str) -> None:
    """Answer every message with as many bytes as it asks for, for ever."""
    socket = zmq.asyncio.Context().socket(zmq.ROUTER)
    socket.curve_server = True
    socket.curve_secretkey = secret.encode()
    print(socket.bind_to_random_port("tcp://127.0.0.1"), flush=True)
    while True:
        route, body = await socket.recv_multipart()
        await socket.send_multipart([route, bytes(int.from_bytes(body[:4]))])


class Echo:
    """The client of an echo; what it sends is as long as the command that plays a card."""

    def __init__(self, context: zmq.asyncio.Context, socket: zmq.asyncio.Socket) -> None:
        self._context = context
        self._socket = socket
        self._rest = bytes(len(encode(Command(2**52, 1, 10, 10, Play("QS")))) - 4)

    @classmethod
    def to(cls, port: int, key: str) -> Echo:
        """Connect to the echo's server."""
        client = new_identity()
        context = zmq.asyncio.Context()
        socket = context.socket(zmq.DEALER)
        socket.linger = 0
        socket.curve_serverkey = key.encode()
        socket.curve_publickey = client.public.encode()
        socket.curve_secretkey = client.secret.encode()
        socket.connect(f"tcp://127.0.0.1:{port}")
        return cls(context, socket)

    async def once(self, size: int) -> int:
        """Return how long one round takes with ``size`` bytes back, in nanoseconds."""
        body = size.to_bytes(4) + self._rest
        start = time.perf_counter_ns()
        await self._socket.send(body)
        await self._socket.recv()
        return time.perf_counter_ns() - start


@contextlib.asynccontextmanager
async def echo_server() -> AsyncIterator[tuple[str, str]]:
    """Start an echo; give its port and key."""
    server = new_identity()
    process = await start("echo", server.secret)
    assert process.stdout is not None
    port = (await process.stdout.readline()).decode().strip()
    try:
        yield port, server.public
    finally:
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
        stdout=subprocess.PIPE,
        limit=2**26,
    )


@dataclass(frozen=True)
class Move:
    """One card's times, in nanoseconds since it was sent, and those of the echo before it."""

    reply: int
    own: int
    all: int
    echo: int
    ends_deal: bool


def put_together(told: list[dict[str, Any]]) -> list[Move]:
    """Return the cards of which four players tell, in the order played."""
    known_to_all = min(each["seen"][-1][0] for each in told)
    found = {}
    for mover in told:
        for sent, reply, played, echo in mover["asked"]:
            if reply is None or reply[0] > known_to_all:
                continue
            seq, replied = reply
            views = [first_view(each["seen"], seq) for each in told]
            own = max(replied, first_view(mover["seen"], seq)) - sent
            every = max(*views, replied) - sent
            found[sent] = Move(replied - sent, own, every, echo, played == 51)
    return [found[sent] for sent in sorted(found)]


def first_view(seen: list[list[int]], seq: int) -> int:
    """Return when the state ``seq`` was first known."""
    return min(at for number, at in seen if number >= seq)


async def measure(cards: int, pause: float, running: Running) -> list[Move]:
    """Have cards played at a table and return the times of ``cards`` of them."""
    each = (cards + WARM_UP) // 4 + 1
    async with echo_server() as echo_at:
        to = (str(running.control), running.key)
        how = (str(pause), str(each))
        players = [await start("play", *to, f"Player {n}", *how, *echo_at) for n in range(4)]
        try:
            told = [await heard(player) for player in players]
        finally:
            for player in players:
                player.kill()
                await player.wait()
    return put_together(told)[WARM_UP:][:cards]


async def heard(player: asyncio.subprocess.Process) -> dict[str, Any]:
    """Return what a player tells."""
    assert player.stdout is not None
    told = await player.stdout.readline()
    if not told:
        raise SystemExit("bench: a player has ended")
    found: dict[str, Any] = json.loads(told)
    return found


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


async def run(cards: int, pause: float) -> str:
    """Start everything, measure, and return the report."""
    with opened_table() as running:
        return report(await measure(cards, pause, running))


def main(arguments: list[str]) -> int:
    """Run the benchmark, or one of its other processes."""
    match arguments:
        case ["play", port, key, name, pause, cards, to_port, to_key]:
            asyncio.run(play(int(port), key, name, float(pause), int(cards), int(to_port), to_key))
            return 0
        case ["echo", secret]:
            asyncio.run(serve_echo(secret))
            return 0
    parser = argparse.ArgumentParser(prog="bench.move", description=__doc__.split("\n")[0])
    parser.add_argument("--cards", type=int, default=600, help="cards to measure (600)")
    parser.add_argument(
        "--pause", type=float, nargs="+", default=[0, 5], help="milliseconds of thought (0 and 5)"
    )
    chosen = parser.parse_args(arguments)
    for pause in chosen.pause:
        print(f"{pause:g} ms of thought: {asyncio.run(run(chosen.cards, pause / 1000))}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
