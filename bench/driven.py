"""Four players who move when they are told to, a line on standard input at a time."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass
from typing import Any, Final

from bench.move import first_view, moves
from hearts_net.peer.identity import new_identity
from hearts_net.peer.link import Link, request_ids
from hearts_net.peer.target import Target
from hearts_net.protocol.peer_session import Event, NewView, PeerSession, Replied

_REMEMBERED: Final = 200
"""States that a player remembers: vandals make many."""


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
        told: dict[str, Any] = {"seen": self._seen[-_REMEMBERED:]}
        view = self.link.view
        if view is not None:
            own = view.own
            told |= {
                "phase": view.public.phase,
                "deal": view.public.deal,
                "played": len(view.public.seen),
                "waits": bool(own is not None and moves(view)),
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


@dataclass(frozen=True)
class Move:
    """One card: how long it took until all four had seen it, in nanoseconds."""

    all: int
    ends_deal: bool


class Game:
    """Four players' processes at a table."""

    def __init__(self, players: list[asyncio.subprocess.Process], pause: float) -> None:
        self._players = players
        self._pause = pause

    def go(self, number: int) -> None:
        """Have one player move, and disturb nobody else."""
        self._say(b"go\n", self._players[number])

    async def rest(self) -> None:
        """Wait until everybody is at rest."""
        await asyncio.sleep(self._pause)

    async def tell(self) -> list[dict[str, Any]]:
        """Return what each player knows."""
        for player in self._players:
            self._say(b"tell\n", player)
        told = []
        for player in self._players:
            assert player.stdout is not None
            told.append(json.loads(await player.stdout.readline()))
        return told

    @staticmethod
    def _say(line: bytes, player: asyncio.subprocess.Process) -> None:
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


async def one_move(game: Game) -> Move | None:
    """Play one card (or pass) and measure it; None for a pass."""
    before = await wait_for_turn(game)
    number = next(number for number, each in enumerate(before) if each.get("waits"))
    await game.rest()
    game.go(number)
    await game.rest()
    if before[0]["phase"] != "playing":
        return None
    after = await arrived(game, number)
    sent, (seq, replied) = after[number]["sent"], after[number]["replied"]
    views = [first_view(each["seen"], seq) for each in after]
    return Move(max(*views, replied) - sent, before[0]["played"] == 51)


async def arrived(game: Game, mover: int) -> list[dict[str, Any]]:
    """Return what all know, once the move has come everywhere."""
    for _ in range(200):
        told = await game.tell()
        replied = told[mover].get("replied")
        if replied and all(each["seen"] and each["seen"][-1][0] >= replied[0] for each in told):
            return told
        await game.rest()
    raise SystemExit("bench: a move does not come everywhere")
