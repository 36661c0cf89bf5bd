"""From what was typed to a link that plays: the key, the table's place, what is kept of a visit."""

from __future__ import annotations

import getpass
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hearts_client.chosen import Chosen, UsageError
from hearts_client.full.doors import LinkFactory, TableLink
from hearts_client.i18n import _
from hearts_client.safetext import safe_text
from hearts_net.peer.discovery import FoundTable, ask_around, find_tables
from hearts_net.peer.endpoint import Target
from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.home import Home
from hearts_net.peer.identity import Identity, load_identity
from hearts_net.peer.invite import Address
from hearts_net.peer.link import Link, request_ids
from hearts_net.peer.local import tables_here
from hearts_net.peer.target import finder_for, resolve
from hearts_net.peer.visit import remember_visit
from hearts_net.protocol.peer_outputs import JoinedTable
from hearts_net.protocol.peer_session import PeerSession
from hearts_net.rules.errors import HeartsError

LONGEST_NAME = 24


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who comes to a table, and as what."""

    home: Home
    identity: Identity
    role: str
    name: str
    level: str = ""

    def link_factory(self, targets: Sequence[Target], named: str = "") -> LinkFactory:
        """Say how to make a link to a table; ``named`` is what the person typed to find it."""

        def make(on_event: Callable[[object], None]) -> TableLink:
            session = PeerSession(self.role, self.name, self.level, request_ids=request_ids())

            def heed(event: object) -> None:
                if isinstance(event, JoinedTable):
                    self._remember(link, session, named)
                on_event(event)

            link = Link(
                targets,
                self.identity,
                session,
                on_event=heed,
                finder=finder_for(self.home, targets),
            )
            return link

        return make

    def _remember(self, link: Link, session: PeerSession, named: str) -> None:
        if link.host is None or session.welcome is None:
            return
        try:
            clock = time.time_ns() // 1_000_000
            remember_visit(self.home, link.host, session.welcome.table, clock, named)
        except HeartsError as error:  # a full disk must not keep anybody from playing
            print(f"hearts-net: {error.code}", file=sys.stderr)


def visitor(home: Home, chosen: Chosen, role: str = "player", level: str = "") -> Visitor:
    """Take a key for this run. Raises ``LinkError`` (``key-in-use``, ``bad-profile``, …)."""
    identity = load_identity(home, chosen.text("profile") or None)
    return Visitor(home, identity, role, player_name(chosen), level)


def player_name(chosen: Chosen) -> str:
    """Give the name chosen, or the one that the machine knows the person by."""
    name = safe_text(chosen.text("name"))
    if name:
        if len(name) > LONGEST_NAME:
            raise UsageError(
                _("--name takes at most {letters} letters: choose a shorter one.").format(
                    letters=LONGEST_NAME
                )
            )
        return name
    try:
        login = safe_text(getpass.getuser())[:LONGEST_NAME]
    except (OSError, KeyError, ImportError):
        login = ""
    return login[:1].upper() + login[1:] if login else _("Player")


async def find_targets(where: str, home: Home) -> list[Target]:
    """Say where the table is that a person means: by name, address or invite, or the only one.

    Raises :class:`UsageError` for a choice between several, and what
    :func:`~hearts_net.peer.target.resolve` raises, ``no-table`` when there is none.
    """
    if not where.strip():
        return await _only_one(home)
    try:
        return await resolve(where, home)
    except LinkError as error:
        if error.code not in (LinkCode.NO_TABLE, LinkCode.NO_SUCH_HOST):
            raise
        called = where.strip().casefold()
        around = [found for found in await ask_around() if found.table.casefold() == called]
        if not around:
            raise
        return _chosen(around)


async def _only_one(home: Home) -> list[Target]:
    """Find the table that needs no word: the only one here, or else the only one that answers."""
    here = tables_here(home)
    if len(here) == 1:
        return [here[0].target()]
    found = await find_tables(home)
    if not found:
        raise LinkError(LinkCode.NO_TABLE)
    return _chosen(found)


def _chosen(found: Sequence[FoundTable]) -> list[Target]:
    if len(found) == 1:
        return found[0].targets()
    places = ", ".join(
        f"{safe_text(table.table)} ({Address(table.addresses[0], table.port).text()})"
        for table in found
    )
    raise UsageError(
        _("Several tables answer: {tables}. Say which one, by its address.").format(tables=places)
    )
