"""From what was typed to a link that plays: the key, the table's place, what is kept of a visit."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import zmq

from hearts_client.chosen import Chosen
from hearts_client.i18n import _
from hearts_client.playername import player_name
from hearts_client.playing import ask_yes_or_no, can_ask
from hearts_client.refusals import error_sentence
from hearts_client.tablelink import LinkFactory, Reached, TableLink, TableNotice
from hearts_net.peer.connection import Context
from hearts_net.peer.endpoint import Target
from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.found import FoundTable, Standing
from hearts_net.peer.home import Home
from hearts_net.peer.identity import (
    DEFAULT_PROFILE,
    Identity,
    key_file,
    load_identity,
    read_identity,
)
from hearts_net.peer.invite import MAX_ADDRESSES, Invite, is_invite, parse_address
from hearts_net.peer.link import Link, request_ids
from hearts_net.peer.local import tables_here
from hearts_net.peer.lookup import is_loopback
from hearts_net.peer.loops import in_a_loop
from hearts_net.peer.target import finder_for, resolve, ways_to
from hearts_net.peer.visit import Visit
from hearts_net.protocol.messages import Welcome
from hearts_net.protocol.peer_outputs import Event, JoinedTable, NewView
from hearts_net.protocol.peer_session import PeerSession
from hearts_net.rules.errors import HeartsError

NAMED_WITHIN = 1.5
"""Seconds until a table of the name that was typed has answered, if there is one."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who comes to a table, and as what."""

    home: Home
    identity: Identity
    role: str
    name: str
    level: str = ""
    code: str = field(default="", repr=False)
    """The table's code, where it was given beforehand."""
    note: str = ""
    """What is to be said to the player once at the table."""

    def told(self, words: str) -> Visitor:
        """Give the same visitor, to whom this is to be said as well."""
        return replace(self, note=" ".join(filter(None, [self.note, words])))

    def link_factory(
        self, targets: Sequence[Target], named: str = "", *, invite: str = ""
    ) -> LinkFactory:
        """Say how to make a link to a table.

        ``named`` is what the person typed to find it, ``invite`` what others join with; without it
        one is made of the ways that are known.
        """

        def make(on_event: Callable[[object], None]) -> TableLink:
            session = PeerSession(
                self.role,
                self.name,
                self.level,
                request_ids=request_ids(),
                entropy=secrets.token_bytes,
            )
            if self.code:
                session.give_code(self.code, 0)

            visit = Visit(self.home, named)
            notes = [self.note] if self.note else []

            def heed(event: Event) -> None:
                notes.extend(_kept(visit, link, event))
                if isinstance(event, JoinedTable):
                    on_event(Reached(invite or self._invite(link, targets)))
                on_event(event)
                if isinstance(event, NewView) and notes:
                    on_event(TableNotice(" ".join(notes)))
                    notes.clear()

            link = Link(
                targets,
                self.identity,
                session,
                on_event=heed,
                finder=finder_for(self.home, targets),
            )
            return link

        return make

    def _invite(self, link: Link, targets: Sequence[Target]) -> str:
        """Make the invite to a table that others host; "" where nobody else can reach it."""
        host = link.host
        if host is None:
            return ""
        if is_loopback(host.address):
            here = (each for each in tables_here(self.home) if each.control == host.port)
            return next((each.invite for each in here if not each.loopback_only), "")
        others = (each.host for each in targets if each.key == host.key)
        addresses = dict.fromkeys(each.partition("%")[0] for each in (host.address, *others))
        try:
            return Invite(tuple(addresses)[:MAX_ADDRESSES], host.port, host.key).text()
        except LinkError:
            return ""


def _kept(visit: Visit, link: Link, event: Event) -> list[str]:
    """Have a visit take an event; give what is to be said where it cannot be kept."""
    try:
        visit.heed(link.host, event)
    except HeartsError as error:
        if not isinstance(event, JoinedTable):
            raise
        # a full disk must not keep anybody from playing
        return [error_sentence(error.code, error.detail)]
    return []


def visitor(
    home: Home, chosen: Chosen, role: str = "player", targets: Sequence[Target] = ()
) -> Visitor:
    """Take a key for this run, of the profile chosen, or else the first that is not in use.

    Where that is not the installation's own, because that one is in use in another window, the
    player is told; and asked which it is to be, where the own one has a seat at the table that
    ``targets`` lead to. Raises ``LinkError`` (``key-in-use``, ``bad-profile``, …).
    """
    identity = load_identity(home, chosen.text("profile") or None)
    note = ""
    if role == "player" and not chosen.text("profile") and identity.profile != DEFAULT_PROFILE:
        if targets and can_ask() and in_a_loop(_own_seat(home, targets)) and _is_moved_here():
            identity.release()
            identity = load_identity(home, DEFAULT_PROFILE)
        else:
            note = other_key_words(identity)
    return Visitor(home, identity, role, player_name(chosen), code=chosen.text("code"), note=note)


def other_key_words(identity: Identity) -> str:
    """Say that the player has another key than the usual one, and why."""
    return _(
        "Your usual key is in use in another window, so you play with another one here, that of "
        "the profile {profile}; --profile {default} takes yours along, and your seat from there."
    ).format(profile=identity.profile, default=DEFAULT_PROFILE)


async def _own_seat(home: Home, targets: Sequence[Target]) -> bool:
    """Ask a table whether the installation's own key has a seat there."""
    from hearts_net.peer.greeting import greet  # seldom wanted
    from hearts_net.peer.lookup import endpoints_of

    context: Context = zmq.Context()
    try:
        greeting = await greet(context, await endpoints_of(targets), read_identity(home))
    except LinkError:
        return False
    finally:
        context.term()
    answer = None if greeting is None else greeting.answer
    return isinstance(answer, Welcome) and answer.held_seat is not None


def _is_moved_here() -> bool:
    """Ask whether the seat that another window plays from is to be played from here."""
    words = _(
        "You have a seat at this table, and play it from another window. Play it from here? "
        "No: you join as another player. (yes or no) [yes] "
    )
    return ask_yes_or_no(words)


def known_identity(home: Home, chosen: Chosen) -> Identity | None:
    """Give the key with which this player would join, where there is one already."""
    profile = chosen.text("profile") or DEFAULT_PROFILE
    try:
        return read_identity(home, profile) if key_file(home, profile).exists() else None
    except LinkError:
        return None


def named_by(where: str, targets: Sequence[Target]) -> str:
    """Give the host's name as it was typed, for its key to be kept under; "" where none was."""
    if not where or is_invite(where):
        return ""
    try:
        host = parse_address(where).host
    except LinkError:
        return ""
    return host if any(target.host == host for target in targets) else ""


async def find_targets(where: str, home: Home) -> list[Target]:
    """Say where the table is that a person means: by name, address or invite, or the only one.

    Raises :class:`LinkError` ``several-tables`` for a choice between several, and what
    :func:`~hearts_net.peer.target.resolve` raises, ``no-table`` when there is none.
    """
    if not where.strip():
        return await _only_one(home)
    if is_invite(where) or set(where) & set(":.[]%"):
        return await _by_address_or_name(where, home)
    here = [table for table in tables_here(home) if _is_called(where, table.table)]
    if here:
        return [here[0].target()]
    found = await _called(where, home)
    if found:
        return _chosen(home, found)
    try:
        return await resolve(where, home)  # one that was visited and is silent, or a host's name
    except LinkError as error:
        if error.code != LinkCode.NO_SUCH_HOST:
            raise
        raise LinkError(LinkCode.NO_TABLE, table=where.strip()[:80]) from error


async def _by_address_or_name(where: str, home: Home) -> list[Target]:
    try:
        return await resolve(where, home)
    except LinkError as error:
        if error.code not in (LinkCode.NO_TABLE, LinkCode.NO_SUCH_HOST, LinkCode.BAD_ADDRESS):
            raise
        found = await _called(where, home)
        if not found:
            raise
        return _chosen(home, found)


async def _called(where: str, home: Home) -> list[FoundTable]:
    from hearts_net.peer.lookout import find_named  # not for who knows the way

    return await find_named(home, where, NAMED_WITHIN)


async def _only_one(home: Home) -> list[Target]:
    """Find the table that needs no word: the only one here, or else the only one that answers."""
    here = tables_here(home)
    if len(here) == 1:
        return [here[0].target()]
    from hearts_net.peer.lookout import find_tables

    found = await find_tables(home)
    if not found:
        raise LinkError(LinkCode.NO_TABLE)
    ways_in = (Standing.OPEN, Standing.HELD, Standing.SITTING)
    joinable = [table for table in found if table.standing in ways_in]
    return _chosen(home, joinable if len(joinable) == 1 else found)


def _chosen(home: Home, found: Sequence[FoundTable]) -> list[Target]:
    """Take the only one of these tables, or the only one whose host is the one that is known."""
    from hearts_client.foundwords import address_of, told_apart

    good = [table for table in found if not table.stranger]
    if len(found) > 1 and len(good) == 1:
        found = good
    if len(found) == 1:
        return ways_to(home, found[0])
    names = told_apart(found)
    places = ", ".join(
        f"{name}: {address_of(table)}" for name, table in zip(names, found, strict=True)
    )
    raise LinkError(LinkCode.SEVERAL_TABLES, tables=places)


def _is_called(where: str, name: str) -> bool:
    return where.strip().casefold() == name.casefold()
