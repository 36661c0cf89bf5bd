"""Three experts think for a long time; nobody else at their table waits for an answer."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

import pytest

from hearts_net.host.process import launch_table, stop_table
from hearts_net.host.settings import HostSettings
from hearts_net.peer.identity import new_identity
from hearts_net.peer.link import Link, request_ids
from hearts_net.peer.target import Target
from hearts_net.protocol.messages import AnyAct, Pass, Ready, Reply, Say, Sit, View
from hearts_net.protocol.peer_session import Event, NewView, PeerSession, Replied

SOON = 0.5
"""Seconds within which a command is answered and has been seen, on a busy machine too."""
WORDS = 4
BETWEEN = 0.2
"""Seconds between two of them."""


class Talker:
    """Passes at once, and talks while the others still think about what to pass."""

    def __init__(self, target: Target) -> None:
        session = PeerSession("player", "Ada", request_ids=request_ids())
        self.link = Link(target, new_identity(), session, on_event=self._on_event)
        self.waits: list[tuple[float, str]] = []
        """Seconds from a command to its reply and a view of then, and the phase of that view."""
        self._seen = asyncio.Event()
        self._replied: dict[int, Reply] = {}

    def _on_event(self, event: Event) -> None:
        if isinstance(event, Replied):
            self._replied[event.reply.id] = event.reply
        if isinstance(event, Replied | NewView):
            self._seen.set()

    async def talk(self) -> None:
        """Wait for the cards, pass three of them, and say a few words."""
        while not (view := await self._view()).own or not view.own.hand:
            ready = view.own is not None and view.public.seats[view.own.seat].ready
            if view.own is not None and "ready" in view.own.may and not ready:
                self.link.do(Ready())
            elif "sit" in view.may:
                self.link.do(Sit([seat.kind for seat in view.public.seats].index("empty")))
            await self._next()
        assert view.own is not None
        await self._do(Pass(view.own.hand[:3]))
        for number in range(WORDS):
            await asyncio.sleep(BETWEEN)
            await self._do(Say(f"Are you asleep? ({number})"))

    async def _do(self, act: AnyAct) -> None:
        sent, request = time.monotonic(), self.link.do(act)
        while request not in self._replied or not self._has(self._replied[request].seq):
            await self._next()
        assert self.link.view is not None
        assert self._replied[request].ok
        self.waits.append((time.monotonic() - sent, self.link.view.public.phase))

    def _has(self, seq: int) -> bool:
        return self.link.view is not None and self.link.view.seq >= seq

    async def _view(self) -> View:
        while self.link.view is None:
            await self._next()
        return self.link.view

    async def _next(self) -> None:
        self._seen.clear()
        await self._seen.wait()


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="tables are killed by signals")
def test_three_experts_delay_nobodys_view(tmp_path: Path) -> None:
    owner = new_identity()
    settings = HostSettings(
        tables=tmp_path / "tables",
        key=owner.public,
        secret=owner.secret,
        port=0,
        loopback_only=True,
        bots=3,
        level="expert",
    )
    table = launch_table(settings)

    async def play() -> list[tuple[float, str]]:
        talker = Talker(Target("127.0.0.1", table.control, table.key))
        running = asyncio.ensure_future(talker.link.run())
        try:
            await asyncio.wait_for(talker.talk(), 40)
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
        return talker.waits

    try:
        waits = asyncio.run(play())
    finally:
        stop_table(table)
    assert len(waits) == 1 + WORDS
    assert [phase for _, phase in waits].count("passing") > 2  # they were thinking meanwhile
    assert max(wait for wait, _ in waits) < SOON
