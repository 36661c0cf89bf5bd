"""Every connection of the table, and which of them is served for each key."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from msgspec import Struct

from hearts_net.protocol.host_session import HostSession, HostState
from hearts_net.protocol.limits import CONNECTIONS, CONNECTIONS_PER_KEY
from hearts_net.protocol.messages import Join

MAX_SESSIONS: Final = CONNECTIONS
"""Connections at once; beyond it the longest silent one that is not served makes room."""
FORGET_AFTER: Final = 10_000
"""A connection that has not joined is forgotten after so long in silence."""
_REMEMBERED: Final = 64
_KEYS: Final = 256


@dataclass(frozen=True, slots=True)
class Served:
    """Which connection a key is served on, and as what it joined."""

    route: bytes
    join: Join
    since: tuple[int, int]
    """The (epoch, seq) of the first state that the program there has seen."""


class Snapshot(Struct, frozen=True):
    """What :meth:`Sessions.restore` goes back to: how things were when it was made."""

    served: dict[str, Served]
    states: list[tuple[HostSession, HostState, str]]
    """What sessions were before they were served, or no more; filled as that happens."""


class Sessions:
    """The sessions by route, and the one served for each key.

    Attributes:
        served: by key; a key is served on one connection, the newest that joined.
        hung_up: routes that were given up to make room; whoever closes them clears this.

    """

    __slots__ = ("_before", "_by_route", "hung_up", "served")

    def __init__(self) -> None:
        self._by_route: dict[bytes, HostSession] = {}
        self.served: dict[str, Served] = {}  # replaced, never changed: snapshots keep it
        self._before: list[tuple[HostSession, HostState, str]] = []
        self.hung_up: list[bytes] = []

    def session(self, route: bytes, key: str, now: int) -> HostSession | None:
        """Return a route's session, a new one where there is none; None when there are too many."""
        session = self._by_route.get(route)
        if session is not None and session.key == key:
            return session
        if session is not None:
            self.forget(route)
        self._limit(key)
        if len(self._by_route) >= MAX_SESSIONS and not self._make_room():
            return None
        session = self._by_route[route] = HostSession(route, key, now)
        return session

    def _limit(self, key: str) -> None:
        """Make room for one more connection of a key that has as many as it may have."""
        idle = [each for each in self._by_route.values() if each.key == key]
        if len(idle) >= CONNECTIONS_PER_KEY:
            self._hang_up([session for session in idle if not self.is_served(session)])

    def _make_room(self) -> bool:
        return self._hang_up(
            [session for session in self._by_route.values() if not self.is_served(session)]
        )

    def _hang_up(self, idle: list[HostSession]) -> bool:
        """Give up the one of these that has been silent longest."""
        if not idle:
            return False
        route = min(idle, key=lambda session: session.last_heard).route
        self.forget(route)
        self.hung_up.append(route)
        return True

    def is_served(self, session: HostSession) -> bool:
        """Whether this is the connection on which its key is served."""
        served = self.served.get(session.key)
        return served is not None and served.route == session.route

    def by_route(self, route: bytes) -> HostSession | None:
        """Return the session of a route, None where there is none."""
        return self._by_route.get(route)

    def drop_exchanges(self) -> None:
        """Have every newcomer begin anew: the table's code is another one now."""
        for session in self._by_route.values():
            session.exchange = None

    def of(self, key: str) -> HostSession | None:
        """Return the session on which a key is served."""
        served = self.served.get(key)
        return self._by_route.get(served.route) if served is not None else None

    def all_served(self) -> list[HostSession]:
        """Return every session that is served."""
        return self.still_there(self.served)

    def still_there(self, served: Mapping[str, Served]) -> list[HostSession]:
        """Return the sessions that were served at some time, less the connections gone since."""
        return [
            session
            for each in served.values()
            if (session := self._by_route.get(each.route)) is not None
        ]

    def presences(self, now: int) -> list[tuple[str, str]]:
        """Return how each key that is served is heard at present."""
        return [(session.key, session.presence(now)) for session in self.all_served()]

    def is_older(self, session: HostSession, join: Join) -> bool:
        """Whether a program came to the table before the one on which its key is served.

        Who has seen nothing yet has just been started.
        """
        served = self.served.get(session.key)
        if served is None or served.route == session.route or not join.epoch:
            return False
        return (join.epoch, join.seq) < served.since

    def serve(self, session: HostSession, join: Join, stamp: tuple[int, int]) -> HostSession | None:
        """Serve a key on this connection; return the one served before, superseded now.

        ``stamp`` is the state that the program is to see first, if this is its first.
        """
        older = self.of(session.key)
        since = (join.epoch, join.seq) if join.epoch else stamp
        before = self.served.get(session.key)
        if before is not None and before.route == session.route:
            since = min(since, before.since)  # join sent again, since its answer was lost
        self.served = {**self.served, session.key: Served(session.route, join, since)}
        self._note(session)
        session.joined(join.role)
        if older is None or older is session:
            return None
        self._note(older)
        older.superseded()
        return older

    def stop(self, key: str) -> HostSession | None:
        """Serve a key no more; return the connection that it was served on."""
        session = self.of(key)
        self._serve_no_more(key)
        if session is not None:
            self._note(session)
            session.left()
        return session

    def _serve_no_more(self, key: str) -> None:
        self.served = {other: served for other, served in self.served.items() if other != key}

    def _note(self, session: HostSession) -> None:
        self._before.append((session, session.state, session.role))

    def forget(self, route: bytes) -> HostSession | None:
        """Drop a connection that is gone; return its session if it was served."""
        session = self._by_route.pop(route, None)
        if session is None or not self.is_served(session):
            return None
        self._serve_no_more(session.key)
        return session

    def forget_strangers(self, now: int) -> None:
        """Drop connections that have said nothing for long and are not served."""
        for session in list(self._by_route.values()):
            silent = now - session.last_heard
            superseded = session.state is HostState.SUPERSEDED
            if silent >= FORGET_AFTER and not superseded and not self.is_served(session):
                self.forget(session.route)

    def snapshot(self) -> Snapshot:
        """Return what is to be restored if what comes now cannot be stored."""
        self._before = []
        return Snapshot(self.served, self._before)

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot; connections that are gone stay gone."""
        for session, state, role in reversed(snapshot.states):
            session.state, session.role = state, role
        self.served = {
            key: served for key, served in snapshot.served.items() if served.route in self._by_route
        }


class RefusedAnswers:
    """The newest refusals of each key, so that a command sent again gets the same answer.

    Bounded: 64 for a key, 256 keys. Accepted commands are remembered by the table, for ever.
    """

    __slots__ = ("_by_key",)

    def __init__(self) -> None:
        self._by_key: OrderedDict[str, OrderedDict[int, bytes]] = OrderedDict()

    def get(self, key: str, request: int) -> bytes | None:
        """Return the answer given to a request, as it was sent."""
        answers = self._by_key.get(key)
        return answers.get(request) if answers is not None else None

    def add(self, key: str, request: int, body: bytes) -> None:
        """Remember an answer, forgetting the oldest when there are too many."""
        answers = self._by_key.setdefault(key, OrderedDict())
        self._by_key.move_to_end(key)
        answers[request] = body
        if len(answers) > _REMEMBERED:
            answers.popitem(last=False)
        if len(self._by_key) > _KEYS:
            self._by_key.popitem(last=False)
