"""Watches a table in memory, step by step, and says what must not be so."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Final

import msgspec

from hearts_net.host.changes import restored
from hearts_net.host.effects import Write
from hearts_net.host.facts import (
    Accepted,
    AnyFact,
    ClaimStood,
    Decided,
    Entry,
    EpochBegan,
    Laid,
    PassedOn,
    decode_entry,
)
from hearts_net.host.projection import Viewer, project, public_view
from hearts_net.host.seats import Presence
from hearts_net.host.table import Role, Table
from hearts_net.protocol import messages as wire
from hearts_net.protocol.codec import decode_to_host
from hearts_net.protocol.peer_session import Replied
from hearts_net.rules.cards import SEATS
from hearts_net.testing.network import MemoryNetwork, MemoryPeer

_COMMAND: Final = b"\xa4type\xa7command"

Stamp = tuple[int, int]


class Violation(AssertionError):  # noqa: N818 - what a witness reports
    """Something that a table promises was not so."""


class Witness:
    """Sees everything that the host stores and tells and that the peers ask and show.

    Attributes:
        checked: how many views have been compared with what their seat was to see.

    """

    def __init__(self, network: MemoryNetwork) -> None:
        """Watch a network from its first table on."""
        self.checked = 0
        self._network = network
        self._tables: dict[Stamp, Table] = {}
        self._publics: dict[int, tuple[Table, wire.PublicView]] = {}
        self._accepted: dict[tuple[str, int], Accepted] = {}
        self._commands: dict[tuple[str, int], tuple[wire.Command, wire.View | None]] = {}
        self._before = Table()
        self._stored = Table()
        self._views: dict[MemoryPeer, wire.View] = {}
        self._heard: dict[MemoryPeer, int] = {}
        self._turns: dict[int, tuple[object, int]] = {}
        self._away: dict[int, int] = {}
        network.on_table = self._note_table
        network.on_stored = self._note_stored
        network.on_sent = self._note_sent

    # ---- the host ------------------------------------------------------------------------------

    def begin(self) -> None:
        """Take note of the table as it is, whose host has been started before anybody watched."""
        self._note_table(self._network.authority.table)
        self._stored = self._network.authority.table

    def _note_table(self, table: Table) -> None:
        self._tables[table.epoch, table.seq] = table

    def _note_stored(self, store: Write) -> None:
        after = self._network.authority.table
        (body,) = store.entries
        entry = decode_entry(body, store.first)
        before = self._stored
        if any(isinstance(fact, EpochBegan) for fact in entry.facts):
            self._check_resumed(before)
            self._turns.clear()
            self._away.clear()
        elif entry.accepted is not None:
            self._check_accepted(entry, entry.accepted, before)
        # not the table's news, which stay where an answer is stored that changes nothing
        decided = {(fact.seat, fact.choice) for fact in entry.facts if isinstance(fact, Decided)}
        self._check_deputies(before, after, decided)
        self._note_clocks(after, decided)
        self._stored = after

    def _check_resumed(self, before: Table) -> None:
        """Hold that the table taken up is the one that was stored last."""
        entries = self._network.store.read()
        again = restored(entries[:-1])
        _hold(again == before.durable(), "a host took up another table than was stored")

    def _check_accepted(self, entry: Entry, accepted: Accepted, before: Table) -> None:
        asked = (accepted.key, accepted.id)
        _hold(asked not in self._accepted, "a command was applied twice", asked)
        self._accepted[asked] = accepted
        _hold(asked in self._commands, "a command was applied that nobody gave", asked)
        command, view = self._commands[asked]
        _hold(command.epoch == before.epoch, "a command of another epoch was applied", command)
        for fact in entry.facts:
            if isinstance(fact, Laid | PassedOn | ClaimStood):
                self._check_played(fact, accepted.key, command, view, before)

    def _check_played(
        self,
        fact: Laid | PassedOn | ClaimStood,
        key: str,
        command: wire.Command,
        view: wire.View | None,
        before: Table,
    ) -> None:
        meant, now = (command.deal, command.trick), (before.deal_number, before.trick_number)
        _hold(meant == now, "a card was played late", command)
        _hold(_is_asked(fact, command.do), "another card was played than was asked", fact, command)
        deal = before.deal
        if view is not None and deal is not None and isinstance(fact, Laid):
            seen = len(view.public.seen)
            _hold(seen == deal.played.bit_count(), "a card was played late", command)
        state = before.seats[fact.seat]
        if isinstance(fact, ClaimStood):
            return
        if fact.by_bot:
            _hold(state.deputy, "a bot played for somebody, unannounced", fact)
            _hold(key in self._network.staff, "a card is marked as a bot's, and is not", fact)
        else:
            _hold(key == state.key, "somebody else played a player's card", fact)

    def _check_deputies(self, before: Table, after: Table, decided: Set[tuple[int, str]]) -> None:
        """Hold that a bot plays for somebody only after grace or limit, or where it is agreed."""
        now, settings = self._network.clock.now, after.settings
        for seat in SEATS:
            state = after.seats[seat]
            old = before.seats[seat]
            if not state.deputy or (old.deputy and old.once == state.once):
                continue
            if state.once:
                _, since = self._turns.get(seat, (None, now))
                fits = 0 < settings.turn_limit <= now - since
            elif state.presence is Presence.LEFT:
                fits = True
            else:
                fits = (seat, "bot") in decided or now - self._away.get(seat, now) >= settings.grace
            _hold(fits, "a bot plays for somebody before it may", seat, state)

    def _note_clocks(self, after: Table, decided: Set[tuple[int, str]]) -> None:
        """Note since when each seat has been away, and each turn has lasted."""
        now = self._network.clock.now
        for seat in SEATS:
            if after.seats[seat].presence is not Presence.AWAY:
                self._away.pop(seat, None)
            elif seat not in self._away or (seat, "wait") in decided:
                self._away[seat] = now
        moving = after.to_move()
        for seat in SEATS:
            cause = after.turn_cause(seat) if seat in moving else None
            if self._turns.get(seat, (None, 0))[0] != cause:
                self._turns[seat] = (cause, now)

    # ---- the peers -----------------------------------------------------------------------------

    def _note_sent(self, peer: MemoryPeer, body: bytes) -> None:
        if body[1 : 1 + len(_COMMAND)] != _COMMAND:
            return
        command = decode_to_host(body)
        assert isinstance(command, wire.Command)
        known = self._commands.setdefault((peer.key, command.id), (command, peer.view))
        _hold(known[0] == command, "a command was sent again with another meaning", command)

    def look(self) -> None:
        """Compare what each peer has got since the last look with what it was to get."""
        touched = self._network.touched
        if not touched:
            return
        for peer in touched:
            view = peer.session.view
            if view is not None and view is not self._views.get(peer):
                self._check_view(peer, view)
                self._views[peer] = view
            if len(peer.events) != self._heard.get(peer, 0):
                self._check_replies(peer)
        touched.clear()

    def _check_view(self, peer: MemoryPeer, view: wire.View) -> None:
        stamp = (view.epoch, view.seq)
        table = self._tables.get(stamp)
        _hold(table is not None, "a view of a state that never was", stamp)
        assert table is not None
        older = self._views.get(peer)
        if older is not None:
            _hold((older.epoch, older.seq) <= stamp, "a view took the place of a newer one", stamp)
        viewer = self._viewer(peer, view, table)
        expected = project(table, viewer, view.time, self._public(table))
        if view != expected:
            differing = "\n  ".join(_differences(view, expected, "view"))
            raise Violation(f"a view is not the projection: {peer.key} at {stamp}\n  {differing}")
        self.checked += 1

    @staticmethod
    def _viewer(peer: MemoryPeer, view: wire.View, table: Table) -> Viewer:
        if view.role != Role.DEPUTY:
            return Viewer.of(table, peer.key)
        return Viewer.deputy(table, peer.key, view.own.seat if view.own is not None else None)

    def _public(self, table: Table) -> wire.PublicView:
        """Return a table's public view, made once; the table is kept, so its id is its own."""
        found = self._publics.get(id(table))
        if found is None:
            found = self._publics[id(table)] = table, public_view(table)
        return found[1]

    def _check_replies(self, peer: MemoryPeer) -> None:
        for event in peer.events[self._heard.get(peer, 0) :]:
            if isinstance(event, Replied) and event.reply.ok:
                told = self._accepted.get((peer.key, event.reply.id))
                _hold(told is not None, "an answer was given to what was not stored", event)
                assert told is not None
                same = (told.epoch, told.seq) == (event.reply.epoch, event.reply.seq)
                _hold(same, "a command has had two answers", event)
        self._heard[peer] = len(peer.events)


def _is_asked(fact: AnyFact, act: wire.AnyAct) -> bool:
    match fact, act:
        case Laid(_, card, _), wire.Play(asked):
            return card == asked
        case PassedOn(_, cards, _), wire.Pass(asked):
            return set(cards) == set(asked)
        case ClaimStood(), wire.Claim():
            return True
    return False


def _differences(found: object, expected: object, where: str) -> Iterator[str]:
    """Yield what differs between two messages, and where in them."""
    if found == expected:
        return
    if isinstance(found, msgspec.Struct) and type(found) is type(expected):
        for name in found.__struct_fields__:
            yield from _differences(
                getattr(found, name), getattr(expected, name), f"{where}.{name}"
            )
    elif isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        for place, (one, other) in enumerate(zip(found, expected, strict=True)):
            yield from _differences(one, other, f"{where}[{place}]")
    else:
        yield f"{where} is {found!r}, to be {expected!r}"


def _hold(so: bool, promise: str, *facts: object) -> None:
    if not so:
        raise Violation("\n  ".join([promise, *map(repr, facts)]))
