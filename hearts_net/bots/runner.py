"""A bot at a table over the network: a link, a mind and a player, in the event loop."""

from __future__ import annotations

import asyncio
import random
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, Protocol

from hearts_net.bots.levels import DEFAULT_LEVEL, make_player
from hearts_net.bots.mind import PAUSE, Deed, Mind, Question, answer
from hearts_net.bots.names import pick_name
from hearts_net.bots.simple import RandomPlayer
from hearts_net.bots.thinker import Thinker, thinker_for
from hearts_net.peer.identity import Identity
from hearts_net.peer.link import Finder, Link, request_ids
from hearts_net.peer.loops import in_a_loop
from hearts_net.peer.target import Target
from hearts_net.peer.visit import Visit
from hearts_net.protocol.codes import ErrorCode, ProtocolError
from hearts_net.protocol.messages import AnyAct, View
from hearts_net.protocol.peer_session import (
    CodeAsked,
    DealChecked,
    Event,
    HostClosing,
    NewView,
    PeerSession,
    RemovedBy,
    Replied,
    SupersededBy,
)
from hearts_net.rules.errors import FairCode

PATIENCE: Final = 3000
"""Milliseconds after which a guest leaves a table that has no seat for it."""
_FALLBACK: Final = RandomPlayer()


class Line(Protocol):
    """The part of a link that a bot acts through."""

    def do(self, act: AnyAct, seat: int | None = None) -> int:
        """Send a command and return its request id."""
        ...

    def leave(self) -> None:
        """Say goodbye."""
        ...


class Runner:
    """Lets a mind play over a line, from one event to the next.

    Attributes:
        closing: why the table has ended, "" while it has not.
        superseded: another program with the same key has the seat now.
        turned_away: a guest has left because there was no seat for it.
        refused: the code of what keeps it out: a wrong table code, or the host's player.

    """

    def __init__(
        self,
        mind: Mind,
        thinker: Thinker,
        *,
        log: Callable[[str], None],
        now: Callable[[], int] | None = None,
        guest: bool = False,
    ) -> None:
        """Make a runner; ``log`` takes one line about what should not have happened.

        A ``guest`` has come by itself, and leaves where there is no seat for it.
        """
        self.closing = ""
        self.superseded = self.turned_away = False
        self.refused = ""
        self._guest = guest
        self._seatless_since: int | None = None
        self._mind, self._thinker = mind, thinker
        self._log, self._now = log, now or _now
        self._line: Line | None = None
        self._thought: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def take_line(self, line: Line) -> None:
        """Act through this line from now on."""
        self._line = line

    def heed(self, event: Event) -> None:
        """Take one event of the link."""
        match event:
            case NewView(view):
                self._look_for_a_seat(view)
                self._mind.saw(view, self._now())
            case Replied(request, reply, act):
                if not reply.ok and not reply.code.startswith("stale-"):
                    self._log(f"{type(act).__name__} refused: {reply.code}")
                self._mind.heard(request, reply, self._now())
            case DealChecked(_, deal, code, _):
                if code not in ("", FairCode.NOT_WITNESSED):
                    self._log(f"deal {deal} is not verified: {code}")
                return
            case HostClosing(reason):
                self.closing = reason
            case SupersededBy():
                self.superseded = True
            case RemovedBy(reason):
                self.refused = ErrorCode.BANNED if reason == "banned" else ErrorCode.NOT_ADMITTED
            case CodeAsked() if self._line is not None:
                self.refused = ErrorCode.WRONG_CODE  # there is nobody to ask for another one
                self._line.leave()
            case _:
                return
        self._stir()

    def stop(self) -> None:
        """Think and wait no more."""
        self._line = None
        if self._timer is not None:
            self._timer.cancel()
        if self._thought is not None:
            self._thought.cancel()

    def _stir(self) -> None:
        """Do what is due, or come back when something is."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._line is None or self._thought is not None or self.closing or self.superseded:
            return
        match self._mind.due(self._now()):
            case Deed() as deed:
                self._send(deed)
            case Question() as question:
                self._thought = asyncio.get_running_loop().create_task(self._ponder(question))
            case None if self._has_waited_in_vain() or self._mind.leaves:
                self._line.leave()
            case None:
                self._wait()

    def _look_for_a_seat(self, view: View) -> None:
        if not self._guest or not has_no_seat_to_give(view):
            self._seatless_since = None
        elif self._seatless_since is None:
            self._seatless_since = self._now()

    def _has_waited_in_vain(self) -> bool:
        since = self._seatless_since
        self.turned_away = since is not None and self._now() >= since + PATIENCE
        return self.turned_away

    def _wait(self) -> None:
        times = [self._mind.deadline()]
        if self._seatless_since is not None:
            times.append(self._seatless_since + PATIENCE)
        due = min((time for time in times if time is not None), default=None)
        if due is not None:
            delay = max(1, due - self._now()) / 1000
            self._timer = asyncio.get_running_loop().call_later(delay, self._stir)

    async def _ponder(self, question: Question) -> None:
        try:
            act = await self._thinker.think(question)
        except Exception as error:  # a player's fault must not cost the table its game
            self._log(f"the player failed: {type(error).__name__}")
            act = answer(replace(question, plain=True), _FALLBACK)
        self._thought = None
        if self._mind.holds(question):
            self._send(self._mind.deed(act, question.view))
        else:
            self._stir()

    def _send(self, deed: Deed) -> None:
        if self._line is None:
            return
        try:
            self._mind.sent(self._line.do(deed.act, deed.seat))
        except ProtocolError as error:  # the link has just ended, or the player made no sense
            self._log(f"not sent: {error.code}")
            self._mind.could_not_send(error.code, self._now())
            self._wait()


def has_no_seat_to_give(view: View) -> bool:
    """Say whether who has this view sits nowhere, and cannot sit down before the game's end."""
    if view.own is not None or view.public.paused == "store":  # seats are given once it can save
        return False
    free = any(seat.kind == "empty" for seat in view.public.seats)
    return view.public.phase != "lobby" or not free


async def play_table(
    targets: Target | Sequence[Target],
    identity: Identity,
    session: PeerSession,
    runner: Runner,
    finder: Finder | None = None,
    visit: Visit | None = None,
    told: Callable[[Event], None] | None = None,
) -> str:
    """Play until the table ends or the bot leaves; return why it closed, "" when the bot left.

    Raises :class:`~hearts_net.peer.errors.LinkError` when there is no way in, and
    :class:`ProtocolError` ``superseded`` when another program took the key's seat over, or
    ``table-full`` when a guest has found no seat, ``wrong-code`` where the table wants another one,
    ``not-admitted`` or ``banned`` when the host's player has sent it away.
    """

    def heed(event: Event) -> None:
        if visit is not None:
            visit.heed(link.host, event)
        if told is not None:
            told(event)
        runner.heed(event)

    link = Link(targets, identity, session, on_event=heed, finder=finder)
    runner.take_line(link)
    try:
        await link.run()
    finally:
        runner.stop()
    if runner.superseded:
        raise ProtocolError(ErrorCode.SUPERSEDED)
    if runner.refused:
        raise ProtocolError(runner.refused)
    if runner.turned_away:
        raise ProtocolError(ErrorCode.TABLE_FULL)
    return runner.closing


def run_bot(
    targets: Target | Sequence[Target],
    identity: Identity,
    level: str = DEFAULT_LEVEL,
    name: str = "",
    *,
    pause: tuple[int, int] = PAUSE,
    seed: str = "",
    finder: Finder | None = None,
    log: Callable[[str], None] | None = None,
    code: str = "",
    visit: Visit | None = None,
    told: Callable[[Event], None] | None = None,
) -> int:
    """Join as a bot and play to the end of the table; return 0 then.

    ``pause`` is how many milliseconds, from and to, it seems to think while people are at the
    table. It goes on through lost connections, and with the seat that its key already has. ``code``
    is the table's, where it has one; ``visit`` compares the host with those known, and keeps it.
    ``told`` takes each event before the bot does.

    Raises:
        BotError: ``unknown-level``, before anything is connected.
        LinkError: there is no way in.
        ProtocolError: as :func:`play_table`; ``wrong-code`` also for what cannot be a code.

    """
    thinker = thinker_for(level, make_player(level))
    name = name or pick_name((), random.Random(identity.public))  # noqa: S311 - play, not secrets
    session = PeerSession(
        "bot", name, level, request_ids=request_ids(), entropy=secrets.token_bytes
    )
    if code:
        session.give_code(code, 0)
    return in_a_loop(
        _guest(targets, identity, session, thinker, pause, seed, finder, log, visit, told)
    )


async def _guest(
    targets: Target | Sequence[Target],
    identity: Identity,
    session: PeerSession,
    thinker: Thinker,
    pause: tuple[int, int],
    seed: str,
    finder: Finder | None,
    log: Callable[[str], None] | None,
    visit: Visit | None,
    told: Callable[[Event], None] | None,
) -> int:
    mind = Mind(seed or secrets.token_hex(8), pause, guest=True)
    runner = Runner(mind, thinker, log=log or _ignore, guest=True)
    await play_table(targets, identity, session, runner, finder, visit, told)
    return 0


def _ignore(_line: str) -> None:
    pass


def _now() -> int:
    return time.monotonic_ns() // 1_000_000
