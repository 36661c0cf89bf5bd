"""Newcomers at the table's door, and those who are shown out: what is asked of them, and told.

What the door is, and what an act at it changes, is the table's (:mod:`hearts_net.host.door`,
:mod:`hearts_net.host.porter`); here are the sessions of it.
"""

from __future__ import annotations

from collections.abc import Callable

from hearts_net.host.course import Outcome
from hearts_net.host.effects import Admit, Bar, Cut, Plan, Unadmit, Unbar
from hearts_net.host.sessions import Sessions
from hearts_net.host.table import Role, Table
from hearts_net.host.telling import Teller, to
from hearts_net.protocol import messages as wire
from hearts_net.protocol.codes import ErrorCode, ProtocolError
from hearts_net.protocol.host_session import HostSession, HostState, ProveRequest
from hearts_net.protocol.limits import AWAY_AFTER
from hearts_net.protocol.tablecode import Exchange, Proofs, is_proof


class Entrance:
    """The sessions at the door."""

    __slots__ = ("_entropy", "_sessions", "_teller")

    def __init__(self, sessions: Sessions, teller: Teller, entropy: Callable[[int], bytes]) -> None:
        self._sessions = sessions
        self._teller = teller
        self._entropy = entropy

    # ---- the code --------------------------------------------------------------------------------

    def want_code(self, table: Table, session: HostSession, join: wire.Join) -> Plan:
        """Ask for the table's code, with the same share until that has been answered."""
        exchange = session.exchange
        if exchange is None:
            exchange = Exchange(table.door.code, is_host=True, entropy=self._entropy)
        session.code_wanted(join, exchange)
        return [to(session, wire.CodeWanted(exchange.share.hex()))]

    def proved(self, table: Table, session: HostSession, asked: ProveRequest) -> Proofs:
        """Return both proofs; raises :class:`ProtocolError` ``wrong-code`` where it was another."""
        proofs = asked.exchange.proofs(
            bytes.fromhex(asked.prove.share), peer_key=session.key, host_key=table.host_key
        )
        if not is_proof(bytes.fromhex(asked.prove.proof), proofs.peer):
            raise ProtocolError(ErrorCode.WRONG_CODE)
        return proofs

    # ---- those about whom the host's player is asked ---------------------------------------------

    def asker(self, table: Table, key: str) -> HostSession | None:
        """Return the session of a newcomer who waits for the host's player."""
        asker = table.door.asking.get(key)
        session = self._sessions.by_route(asker.route) if asker is not None else None
        if session is None or session.key != key or session.state is not HostState.GREETED:
            return None
        return session

    def is_asking(self, table: Table, key: str, now: int) -> bool:
        """Whether such a newcomer is still there."""
        session = self.asker(table, key)
        return session is not None and now - session.last_heard < AWAY_AFTER

    def is_waiting(self, table: Table, session: HostSession) -> bool:
        """Whether a session waits already, for the code or the host's player."""
        return session.exchange is not None or self.asker(table, session.key) is session

    def gone(self, table: Table, now: int) -> list[str]:
        """Return the keys that ask no more."""
        return [key for key in table.door.asking if not self.is_asking(table, key, now)]

    def deadlines(self, table: Table) -> list[int]:
        """Return when those who ask would be gone, if nothing more is heard of them."""
        sessions = (self.asker(table, key) for key in table.door.asking)
        return [each.last_heard + AWAY_AFTER if each is not None else 0 for each in sessions]

    # ---- in and out ------------------------------------------------------------------------------

    def let_in(self, session: HostSession, join: wire.Join, outcome: Outcome) -> Plan:
        """Serve a session from now on, and say so."""
        key, table = session.key, outcome.table
        older = self._sessions.serve(session, join, (table.epoch, table.seq))
        guest = table.guests[key]
        seat = None if guest.role is Role.WATCHER else table.seat_of(key)
        session.dirty = False
        first: Plan = [to(older, wire.Superseded())] if older is not None else []
        first += [Admit(key), to(session, wire.Joined(guest.role.value, seat, guest.name))]
        return first + self._teller.shuffle_so_far(table, session)

    def after(self, table: Table, act: wire.AnyAct, outcome: Outcome) -> Plan:
        """Tell whomever an accepted act lets in, turns away or sends away; ``table`` is as before.

        :meth:`is_asking` holds for whom an ``admit`` is about.
        """
        match act:
            case wire.Admit(key, admit):
                session = self.asker(table, key)
                assert session is not None
                if admit:
                    return self.let_in(session, table.door.asking[key].join, outcome)
                return [to(session, wire.Refused(ErrorCode.NOT_ADMITTED, {}))]
            case wire.Kick(key):
                return self._out(table, key, "kicked")
            case wire.Ban(key):
                let_go = table.door.banned.keys() - outcome.table.door.banned.keys()
                return [*self._out(table, key, "banned"), Bar(key), *map(Unbar, let_go)]
            case wire.Unban(key):
                return [Unbar(key)]
            case wire.SetAdmission():
                self._sessions.drop_exchanges()
        return []

    def _out(self, table: Table, key: str, reason: str) -> Plan:
        """Serve a key no more, and end its connections."""
        sessions = (self.asker(table, key), self._sessions.stop(key))
        told = [each for each in sessions if each is not None]
        for each in told:
            each.left()
        return [*(to(each, wire.Removed(reason)) for each in told), Unadmit(key), Cut(key)]
