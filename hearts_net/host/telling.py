"""Telling everybody: the messages that carry a state, a page or an answer to a session."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from hearts_net.host.effects import Effect, Later, Plan, Publish, SendTo
from hearts_net.host.permissions import Actor
from hearts_net.host.projection import (
    Memory,
    Viewer,
    actor_of,
    project,
    project_deals,
    project_log,
    project_proof,
    project_public,
    project_shuffling,
    public_view,
)
from hearts_net.host.sessions import Served, Sessions
from hearts_net.host.staff import Staff
from hearts_net.host.table import Role, Table
from hearts_net.protocol import messages as wire
from hearts_net.protocol.codec import encode, pack_public, splice_public, splice_view
from hearts_net.protocol.codes import ErrorCode
from hearts_net.protocol.host_session import HostSession


def to(session: HostSession, message: wire.Message) -> Effect:
    """Return the effect that sends a message to a session."""
    return SendTo(session.route, encode(message))


class Teller:
    """Makes what each session is to be sent; the part common to all views is packed once."""

    __slots__ = ("_memory", "_newest", "_sessions", "_staff")

    def __init__(self, sessions: Sessions, staff: Staff) -> None:
        self._sessions = sessions
        self._staff = staff
        self._memory = Memory()
        self._newest: Table | None = None

    def state(self, table: Table, clock: int, also: HostSession | None) -> Plan:
        """Return a new state for everybody: first for ``also``, who acted, then for the others.

        That is whoever is served by now; who comes before it is told hears of a later one.
        """
        public = public_view(table, self._memory)
        packed = pack_public(public)
        told: Plan = []
        if also is not None and not also.dirty:
            view = project(table, self._viewer(table, also), clock, public, self._memory)
            told.append(SendTo(also.route, splice_view(view, packed)))
        served = self._sessions.served
        others = partial(self._tell_others, table, clock, also, served, public, packed)
        return [*told, Later(others)]

    def _tell_others(
        self,
        table: Table,
        clock: int,
        also: HostSession | None,
        served: Mapping[str, Served],
        public: wire.PublicView,
        packed: bytes,
    ) -> Plan:
        self._newest = table
        seated = {seat.key for seat in table.seats}
        told: Plan = []
        standing: list[HostSession] = []
        for peer in self._sessions.still_there(served):
            if peer is also or peer.dirty or peer.role == Role.WATCHER:
                continue
            if peer.key not in seated and peer.role != Role.DEPUTY:
                standing.append(peer)
                continue
            view = project(table, self._viewer(table, peer), clock, public, self._memory)
            told.append(SendTo(peer.route, splice_view(view, packed)))
        if standing:
            tell = partial(self._tell_standing, table, clock, standing, public, packed)
            told.append(Later(tell, urgent=False))
        publish = partial(self._publish, table, clock, public, packed)
        return [*told, Later(publish, urgent=False)]

    def _tell_standing(
        self,
        table: Table,
        clock: int,
        standing: list[HostSession],
        public: wire.PublicView,
        packed: bytes,
    ) -> Plan:
        """Tell those without a seat, of whom there may be many; not what is past already."""
        if table is not self._newest:
            return []  # they are told of the newer state
        told: Plan = []
        for peer in standing:
            if self._sessions.is_served(peer) and not peer.dirty:
                view = project(table, self._viewer(table, peer), clock, public, self._memory)
                told.append(SendTo(peer.route, splice_view(view, packed)))
        return told

    @staticmethod
    def _publish(table: Table, clock: int, public: wire.PublicView, packed: bytes) -> Plan:
        return [Publish(splice_public(project_public(table, clock, public), packed))]

    def view(self, table: Table, session: HostSession, clock: int) -> Effect:
        """Return the whole state for one session."""
        return to(session, project(table, self._viewer(table, session), clock))

    def page(self, table: Table, session: HostSession, fetch: wire.Fetch) -> Effect:
        """Return the page that a session asks for; ``bad-field`` where there is no such thing."""
        match fetch.what:
            case "log":
                return to(session, project_log(table, fetch.after))
            case "deals":
                return to(session, project_deals(table, fetch.after))
            case "proof":
                proof = project_proof(table, fetch.after)
                if proof is None:
                    refused = wire.Refused(ErrorCode.NOT_NOW, {"phase": table.stage.value})
                    return to(session, refused)
                return to(session, proof)
            case _:
                return to(session, wire.Refused(ErrorCode.BAD_FIELD, {"field": "what"}))

    def actor(self, table: Table, key: str) -> Actor:
        """Return what somebody who has joined may act as."""
        return actor_of(table, self._memory.viewer(table, key))

    def shuffle(self, before: Table, after: Table) -> Plan:
        """Return what is to be told of a shuffle: that it begins, and what was committed to."""
        told: Plan = []
        begins = after.gathering is not None and before.gathering is None
        published = after.promised if after.promised is not before.promised else None
        for session in self._sessions.all_served():
            if begins and not session.dirty:
                told += self._question(after, session)
            if published is not None and not session.dirty:
                told.append(to(session, published))
        return told

    def shuffle_so_far(self, table: Table, session: HostSession) -> Plan:
        """Return what somebody who has just come is to hear of a shuffle that is under way."""
        told = self._question(table, session)
        if table.gathering is not None and table.gathering.listed and table.promised is not None:
            told.append(to(session, table.promised))
        return told

    def _question(self, table: Table, session: HostSession) -> Plan:
        guest, seat = table.guests.get(session.key), table.seat_of(session.key)
        if table.gathering is None or seat is None or guest is None or not guest.shares:
            return []
        if session.role not in (Role.PLAYER, Role.BOT) or table.seats[seat].table_bot:
            return []
        return [to(session, project_shuffling(table, seat))]

    def _viewer(self, table: Table, session: HostSession) -> Viewer:
        if session.role != Role.DEPUTY:
            return self._memory.viewer(table, session.key)
        return Viewer.deputy(table, session.key, self._staff.seat_of(session.key))
