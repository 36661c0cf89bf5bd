"""A lookout for tables: what answers now, kept up to date for as long as somebody looks.

There are many hints of where a table may be: it runs on this machine, it was visited before, it is
advertised by mDNS. None of them is shown. What is shown has answered, the UDP question or a hello
with its key, and goes when it answers no more; so a record that a dead host has left behind never
looks like a table.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import zmq

from hearts_net.peer.connection import Context
from hearts_net.peer.ears import Ears
from hearts_net.peer.endpoint import LOOPBACK, Endpoint
from hearts_net.peer.errors import LinkCode
from hearts_net.peer.found import MOST_FOUND, FoundTable, Source, found_from
from hearts_net.peer.greeting import GREET_WITHIN, Greeting, greet
from hearts_net.peer.home import Home
from hearts_net.peer.identity import Identity, new_identity
from hearts_net.peer.known_hosts import KnownHost, known_hosts, stranger_among
from hearts_net.peer.local import LocalTable, tables_here
from hearts_net.peer.lookup import is_literal, scoped
from hearts_net.peer.mdns import Browser, browsing
from hearts_net.peer.recent import RecentTable, recent_tables
from hearts_net.protocol import limits
from hearts_net.protocol.advert import Advert, advert_in
from hearts_net.protocol.codes import ErrorCode
from hearts_net.protocol.datagram import Answer
from hearts_net.protocol.messages import Refused, Welcome

LOOK_FOR: Final = 1.0
"""Seconds until everybody who is going to answer has."""
FORGET_AFTER: Final = 3.5
"""Seconds without an answer after which a table is not there: two questions may get lost."""

_TICK: Final = 0.25
_ASK_EVERY: Final = 1.0
_ASK_EVERYBODY: Final = (0.0, 0.2, 0.6, *map(float, range(1, 10)))
"""Seconds after the start at which everybody is asked; later, every ``_ASK_EVERYBODY_LATER``."""
_ASK_EVERYBODY_LATER: Final = 3.0
_MOST_QUESTIONS: Final = 256
_SILENT_AFTER: Final = 0.5
"""Seconds after which a place that leaves the question unanswered is tried with a hello."""
_GREET_EVERY: Final = 5.0
_GREET_SILENT_EVERY: Final = 1.5
_GREET_VISITED_EVERY: Final = 10.0
_MOST_GREETINGS: Final = 16

log = logging.getLogger(__name__)

Place = tuple[str, int]
"""A host's key and its control port: one table."""


@dataclass(slots=True)
class _Hint:
    """Where a table may be."""

    addresses: dict[str, None]
    since: float
    advert: Advert | None = None
    """What is said of it there; without it only the table's own word counts."""
    greet_every: float = _GREET_SILENT_EVERY


@dataclass(slots=True)
class _Heard:
    """A table that has answered."""

    advert: Advert
    answered: dict[str, float] = field(default_factory=dict)
    """By address, when it answered the question there last."""
    welcomed_at: float = -FORGET_AFTER
    welcomed: str = ""
    """The address of the last welcome."""
    held_seat: int | None = None
    here: bool = False
    reached: bool | None = None
    other_version: bool = False

    def is_there(self, now: float) -> bool:
        last = max([self.welcomed_at, *self.answered.values()])
        return now - last < FORGET_AFTER


class Lookout:
    """Looks for tables while :meth:`run` runs; ``heed`` is called whenever the list changes.

    ``identity`` is that with which the player would join: with it a table says whether it holds a
    seat.
    """

    def __init__(
        self,
        home: Home,
        identity: Identity | None = None,
        heed: Callable[[], None] = lambda: None,
    ) -> None:
        self._home = home
        self._identity = identity or new_identity()
        self._heed = heed
        self._heard: dict[Place, _Heard] = {}
        self._hints: dict[Place, _Hint] = {}
        self._greeted_at: dict[Place, float] = {}
        self._greetings: dict[Place, asyncio.Task[None]] = {}
        self._local: list[LocalTable] = []
        self._here: frozenset[Place] = frozenset()
        self._recent: list[RecentTable] = []
        self._known: list[KnownHost] = []
        self._shown: list[FoundTable] = []
        self._wake: asyncio.Event | None = None
        self._is_stale = True

    def tables(self) -> list[FoundTable]:
        """Return what answers: this machine's first, favourites, those visited, then the others."""
        return list(self._shown)

    def absent_favourites(self) -> list[RecentTable]:
        """Return the favourites that do not answer."""
        there = {(table.key, table.table) for table in self._shown}
        return [
            table
            for table in self._recent
            if table.favourite and (table.key, table.table) not in there
        ]

    def look_again(self) -> None:
        """Take note at once of what has changed about the tables visited."""
        self._recent = recent_tables(self._home)
        self._is_stale = True
        if self._wake is not None:
            self._wake.set()

    async def run(self) -> None:
        """Look until cancelled. Raises :class:`LinkError` ``bad-known-hosts``."""
        self._wake = asyncio.Event()
        context: Context = zmq.Context()
        try:
            async with browsing(self._wake.set) as browser:
                with Ears(self._answered) as ears:
                    await self._keep_looking(ears, browser, context)
        finally:
            running = list(self._greetings.values())
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
            context.term()

    async def _keep_looking(self, ears: Ears, browser: Browser, context: Context) -> None:
        assert self._wake is not None
        began = _now()
        questions = _everybody_asked(began)
        everybody_due, ask_due = next(questions), began
        while True:
            now = _now()
            if now >= ask_due:
                self._look_at_home()
            new = self._take_hints(browser, now)
            if now >= everybody_due:
                ears.ask_everybody()
                everybody_due = next(questions)
            if now >= ask_due or new:
                self._ask(ears)
                ask_due = max(ask_due, now) + _ASK_EVERY if now >= ask_due else ask_due
            self._greet_who_is_due(context, now)
            self._show(now)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_TICK):  # wait_for can lose the word to end
                    await self._wake.wait()
            self._wake.clear()

    # ---- where a table may be

    def _look_at_home(self) -> None:
        self._local = tables_here(self._home)
        self._here = frozenset((table.key, table.control) for table in self._local)
        self._recent = recent_tables(self._home)
        self._known = known_hosts(self._home)

    def _take_hints(self, browser: Browser, now: float) -> bool:
        """Take up what points to tables now; True when some of it is new."""
        before, self._hints = self._hints, {}
        for local in self._local:
            self._hint((local.key, local.control), [LOOPBACK], now)
        for record in browser.records.values():
            place = (record.advert.key, record.advert.control)
            self._hint(place, record.addresses, now).advert = record.advert
        for visited in self._recent:
            addresses = _literals(visited)
            place = (visited.key, visited.port)
            if place not in self._hints:
                self._hint(place, addresses, now).greet_every = _GREET_VISITED_EVERY
        for place, hint in self._hints.items():
            hint.since = before[place].since if place in before else now
        return not self._hints.keys() <= before.keys()

    def _hint(self, place: Place, addresses: Iterable[str], now: float) -> _Hint:
        hint = self._hints.setdefault(place, _Hint({}, now))
        hint.addresses.update(dict.fromkeys(addresses))
        return hint

    def _ask(self, ears: Ears) -> None:
        """Ask at every place that is known of, and where the host may have its usual port now."""
        places: dict[tuple[str, int], None] = {}
        for (_key, port), heard in self._heard.items():
            places.update(dict.fromkeys((address, port) for address in heard.answered))
        for (_key, port), hint in self._hints.items():
            places.update(dict.fromkeys((address, port) for address in hint.addresses))
        for visited in self._recent:
            places.update(
                dict.fromkeys((address, limits.CONTROL_PORT) for address in _literals(visited))
            )
        for address, port in list(places)[:_MOST_QUESTIONS]:
            ears.ask(address, port)

    # ---- answers

    def _answered(self, address: str, answer: Answer) -> None:
        advert = advert_in(answer)
        heard = self._heard_at((advert.key, advert.control), advert)
        if heard is not None:
            heard.advert = advert
            heard.answered[address] = _now()
            if self._wake is not None:
                self._wake.set()

    def _heard_at(self, place: Place, advert: Advert) -> _Heard | None:
        if place not in self._heard and len(self._heard) >= MOST_FOUND:
            if not self._is_known(place):
                return None
            stranger = next((other for other in self._heard if not self._is_known(other)), None)
            if stranger is None:
                return None
            del self._heard[stranger]  # whoever invents tables must not hide those that are known
        return self._heard.setdefault(place, _Heard(advert))

    def _is_known(self, place: Place) -> bool:
        key = place[0]
        met = {host.key for host in self._known} | {table.key for table in self._recent}
        return place in self._here or key in met

    # ---- hellos

    def _greet_who_is_due(self, context: Context, now: float) -> None:
        for place, endpoints in list(self._to_greet(now)):
            if place in self._greetings or len(self._greetings) >= _MOST_GREETINGS:
                continue
            self._greeted_at[place] = now
            task = asyncio.get_running_loop().create_task(self._greet(context, place, endpoints))
            self._greetings[place] = task
            task.add_done_callback(functools.partial(self._greeted, place))

    def _greeted(self, place: Place, task: asyncio.Task[None]) -> None:
        del self._greetings[place]
        if not task.cancelled() and task.exception() is not None:
            log.error("a greeting failed", exc_info=task.exception())

    def _to_greet(self, now: float) -> Iterator[tuple[Place, list[Endpoint]]]:
        for place, heard in self._heard.items():
            every = _GREET_EVERY if heard.answered else _GREET_SILENT_EVERY
            if now - self._greeted_at.get(place, -every) >= every:
                yield place, _endpoints(place, heard.answered or [heard.welcomed])
        for place, hint in self._hints.items():
            silent = place not in self._heard and now - hint.since >= _SILENT_AFTER
            every = hint.greet_every
            if silent and now - self._greeted_at.get(place, -every) >= every:
                yield place, _endpoints(place, hint.addresses)

    async def _greet(self, context: Context, place: Place, endpoints: list[Endpoint]) -> None:
        greeting = await greet(context, endpoints, self._identity, GREET_WITHIN)
        heard = self._heard.get(place)
        if greeting is None:
            if heard is not None:
                heard.reached, heard.welcomed_at = False, -FORGET_AFTER
        else:
            self._welcomed(place, heard, greeting)
        if self._wake is not None:
            self._wake.set()

    def _welcomed(self, place: Place, heard: _Heard | None, greeting: Greeting) -> None:
        answer = greeting.answer
        if heard is None:
            hint = self._hints.get(place)
            advert = (
                _unsaid(place, answer) if hint is None else hint.advert or _unsaid(place, answer)
            )
            heard = None if advert is None else self._heard_at(place, advert)
        if heard is None:
            return
        heard.welcomed_at, heard.welcomed = _now(), greeting.endpoint.address
        heard.reached = True
        heard.held_seat = answer.held_seat if isinstance(answer, Welcome) else None
        heard.here = isinstance(answer, Welcome) and answer.here
        heard.other_version = isinstance(answer, Refused) and answer.code == ErrorCode.VERSION

    # ---- what is shown

    def _show(self, now: float) -> None:
        for place in [place for place, heard in self._heard.items() if not heard.is_there(now)]:
            del self._heard[place]
            self._greeted_at.pop(place, None)
        found = [self._entry(place, heard) for place, heard in self._heard.items()]
        found.sort(key=_rank)
        if found != self._shown or self._is_stale:
            self._shown, self._is_stale = found, False
            self._heed()

    def _entry(self, place: Place, heard: _Heard) -> FoundTable:
        advert, hint = heard.advert, self._hints.get(place)
        noted = next((each for each in self._recent if _is_same(each, advert)), None)
        visited = noted is not None and noted.visited > 0  # a mark alone vouches for nothing
        source = Source.VISITED if visited else Source.AROUND
        if place in self._here:
            source = Source.HERE
        # where it has answered, then where it is said to be: whoever joins tries them all
        ways = [*heard.answered, heard.welcomed, *(hint.addresses if hint else ())]
        addresses = [address for address in ways if address]
        if source is not Source.HERE:
            addresses = [each for each in addresses if each != LOOPBACK] or addresses
        is_here = source is Source.HERE
        verified = is_here or visited or any(host.key == advert.key for host in self._known)
        stranger = None if is_here else _stranger(self._known, advert)
        entry = found_from(advert, addresses, source, verified=verified and stranger is None)
        return replace(
            entry,
            versions=() if heard.other_version else entry.versions,
            held_seat=heard.held_seat,
            here=heard.here,
            stranger=stranger or "",
            favourite=noted is not None and noted.favourite,
            reached=heard.reached,
        )


async def find_tables(
    home: Home, seconds: float = LOOK_FOR, identity: Identity | None = None
) -> list[FoundTable]:
    """Look for ``seconds`` and return every table that answers.

    It takes longer where a table has not answered the hello by then, which says whether it can be
    joined. Raises :class:`LinkError` ``bad-known-hosts``.
    """
    changed = asyncio.Event()
    async with looking(Lookout(home, identity, changed.set)) as lookout:
        await asyncio.sleep(seconds)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(2 * GREET_WITHIN):
                while any(table.reached is None for table in lookout.tables()):
                    await changed.wait()
                    changed.clear()
        return lookout.tables()


async def find_named(
    home: Home, name: str, seconds: float, identity: Identity | None = None
) -> list[FoundTable]:
    """Return the tables of that name, whatever its capitals: somewhat after the first answers.

    Raises :class:`LinkError` ``bad-known-hosts``.
    """
    called = name.strip().casefold()
    changed = asyncio.Event()

    async with looking(Lookout(home, identity, changed.set)) as lookout:

        def fitting() -> list[FoundTable]:
            return [table for table in lookout.tables() if table.table.casefold() == called]

        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not fitting():
                    await changed.wait()
                    changed.clear()
        if fitting():
            await asyncio.sleep(_SILENT_AFTER)  # another of that name must not be overlooked
        return fitting()


@contextlib.asynccontextmanager
async def looking(lookout: Lookout) -> AsyncIterator[Lookout]:
    """Look while the block runs; what ended the look early comes out at the block's end."""
    task = asyncio.get_running_loop().create_task(lookout.run())
    try:
        yield lookout
    finally:
        task.cancel()
        await asyncio.wait([task])
    if not task.cancelled():
        task.result()


def _everybody_asked(began: float) -> Iterator[float]:
    due = began
    for after in _ASK_EVERYBODY:
        due = began + after
        yield due
    while True:
        due += _ASK_EVERYBODY_LATER
        yield due


def _literals(visited: RecentTable) -> list[str]:
    literals = (address for address in visited.addresses if is_literal(address))
    return [address for literal in literals for address in scoped(literal)]


def _endpoints(place: Place, addresses: Iterable[str]) -> list[Endpoint]:
    key, port = place
    return [Endpoint(address, port, key) for address in addresses]


def _unsaid(place: Place, answer: Welcome | Refused) -> Advert | None:
    """Say what is known of a table that has answered nothing but a hello."""
    if isinstance(answer, Refused):
        return None
    key, port = place
    return Advert(
        key, port, answer.public_port, list(limits.VERSIONS), answer.table, "", 0, "open", ""
    )


def _is_same(visited: RecentTable, advert: Advert) -> bool:
    return (visited.key, visited.table) == (advert.key, advert.table)


def _stranger(known: Sequence[KnownHost], advert: Advert) -> LinkCode | None:
    return stranger_among(known, advert.table, advert.machine, advert.key)


def _rank(table: FoundTable) -> tuple[bool, bool, int, str, str, str, int]:
    is_here = table.source is Source.HERE
    return (
        not is_here,
        not table.favourite,
        list(Source).index(table.source),
        table.table.casefold(),
        table.machine,
        table.key,
        table.port,
    )


def _now() -> float:
    return time.monotonic()
