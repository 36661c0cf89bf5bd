"""Players over real sockets, for tests that kill, stop and cut off what is real.

:class:`SeatedPlayer` lives in the event loop of the test. ``python -m hearts_net.testing.seated``
is the same in a process of its own: it is told on standard input when to act, and says in JSON
lines what it was told.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from hearts_net.peer.endpoint import Target
from hearts_net.peer.identity import Identity
from hearts_net.peer.link import Finder, Link, request_ids
from hearts_net.protocol.messages import AnyAct, View
from hearts_net.protocol.peer_session import Event, LinkState, NewView, PeerSession, Replied
from hearts_net.testing.ledger import Ledger
from hearts_net.testing.players import eager, moment_of

PATIENCE = 30.0
"""Seconds for anything to come about, on a busy machine."""


class SeatedPlayer:
    """A person who plays whatever is legal as soon as it is asked for; inside a running loop."""

    def __init__(
        self,
        targets: Sequence[Target],
        identity: Identity,
        name: str,
        *,
        plays: bool = True,
        finder: Finder | None = None,
        seed: int = 0,
        tell: Callable[[Event], None] | None = None,
    ) -> None:
        """Join; ``plays`` may be changed at any time, and ``tell`` is given every event."""
        self.identity = identity
        self.name = name
        self.plays = plays
        self.holds: Callable[[View], object] | None = None
        """While this is so of the newest view, nothing is played."""
        self.events: list[Event] = []
        self.ledger = Ledger(identity.public)
        self._tell = tell
        self._choose = eager(random.Random(seed))
        self._asked: object = None
        self._stirred = asyncio.Event()
        session = PeerSession("player", name, request_ids=request_ids())
        self.link = Link(targets, identity, session, on_event=self._hear, finder=finder)
        self.task = asyncio.get_running_loop().create_task(self.link.run())
        self.task.add_done_callback(lambda _: self._stirred.set())

    @property
    def view(self) -> View:
        """The newest view; there must be one."""
        assert self.link.view is not None
        return self.link.view

    @property
    def is_live(self) -> bool:
        """Whether the link is up and has a view."""
        return self.link.state is LinkState.LIVE and self.link.view is not None

    def _hear(self, event: Event) -> None:
        self.events.append(event)
        match event:
            case NewView(view):
                self.ledger.note_view(view)
            case Replied(_, reply):
                self.ledger.note_reply(reply)
        self._stirred.set()
        if self._tell is not None:
            self._tell(event)
        if self.plays:
            self.act()

    def act(self) -> int | None:
        """Do what is asked for, once; return the request, None where nothing is."""
        view = self.link.view
        if view is None or view.public.paused or self._asked == moment_of(view):
            return None
        if self.holds is not None and self.holds(view):
            return None
        act = self._choose(view)
        if act is None:
            return None
        self._asked = moment_of(view)
        return self.link.do(act)

    def do(self, act: AnyAct) -> int:
        """Send a command."""
        return self.link.do(act)

    async def until(self, true: Callable[[], object], within: float = PATIENCE) -> float:
        """Wait for something to be so, and return how many seconds that took."""
        start = time.monotonic()
        while not true():
            self._stirred.clear()
            assert not self.task.done() or self.task.exception() is None, self.task.exception()
            left = start + within - time.monotonic()
            assert left > 0, f"{self.name}: not so after {within} s; {self.events[-1:]}"
            try:
                await asyncio.wait_for(self._stirred.wait(), min(left, 0.05))
            except TimeoutError:
                continue
        return time.monotonic() - start

    def has_reply(self, request: int) -> bool:
        """Tell whether a request has been answered."""
        return any(isinstance(event, Replied) and event.id == request for event in self.events)

    async def replied(self, request: int) -> Replied:
        """Wait for the answer to a request."""
        await self.until(lambda: self.has_reply(request))
        found = (e for e in self.events if isinstance(e, Replied) and e.id == request)
        return next(found)

    async def leave(self) -> float:
        """Say goodbye, and return how many seconds it took to be gone."""
        start = time.monotonic()
        if not self.task.done():
            self.link.leave()
        await asyncio.wait_for(self.task, PATIENCE)
        return time.monotonic() - start


def _say(event: Event) -> None:
    """Say an event as a line of JSON."""
    match event:
        case NewView(view):
            public = view.public
            words: dict[str, Any] = {
                "view": [view.epoch, view.seq],
                "game": public.game,
                "deal": public.deal,
                "seen": public.seen,
            }
        case Replied(_, reply):
            words = {"reply": reply.id, "ok": reply.ok, "told": [reply.epoch, reply.seq]}
        case _:
            words = {"event": type(event).__name__}
    print(json.dumps(words), flush=True)


async def _be_a_player(told: dict[str, Any], lines: asyncio.StreamReader) -> None:
    target = Target(told["host"], told["port"], told["key"])
    identity = Identity(told["public"], told["secret"], told["name"])
    player = SeatedPlayer(
        [target], identity, told["name"], plays=False, seed=told["seed"], tell=_say
    )
    while line := (await lines.readline()).strip():
        if line == b"act":
            player.act()
        elif line == b"play":
            player.plays = True
            player.act()
    await player.leave()


async def _main() -> None:
    told = json.loads(sys.argv[1])
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    await _be_a_player(told, reader)


if __name__ == "__main__":
    asyncio.run(_main())
