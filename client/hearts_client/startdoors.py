"""The doors of the start screen: each way into a game, for a client that is already running."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Self

from hearts_client.chosen import Chosen
from hearts_client.doors import ListedTable, NewTable, SavedTable
from hearts_client.foundwords import (
    TROUBLE,
    WATCHED,
    address_of,
    standing_words,
    stranger_words,
    told_apart,
)
from hearts_client.i18n import _
from hearts_client.keeping import kept, looked_after, stop_here
from hearts_client.linkaround import LinkAround
from hearts_client.practice import forget_untouched
from hearts_client.reaching import Visitor, find_targets, named_by
from hearts_client.safetext import safe_text
from hearts_client.tablelink import LinkFactory, TableLink
from hearts_client.tables import (
    host_settings,
    left_open,
    other_port_words,
    owner_of,
    practice_settings,
    resume_settings,
    take_up,
    target_of,
)
from hearts_client.tablestart import TableStart
from hearts_net.host.archive import stored_tables
from hearts_net.host.folder import Running, TableFolder, table_folder
from hearts_net.host.process import launch_table
from hearts_net.host.settings import HostSettings
from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.found import FoundTable, Source
from hearts_net.peer.home import Home
from hearts_net.peer.identity import Identity, load_identity
from hearts_net.peer.invite import Address
from hearts_net.peer.local import LocalTable
from hearts_net.peer.lookout import Lookout
from hearts_net.peer.recent import RecentTable, mark_favourite, recent_tables
from hearts_net.peer.target import Target, ways_to


class PracticeLink(LinkAround):
    """A link to a practice table, which ends, saved, when its only player has left it."""

    def __init__(self, link: TableLink, end_table: Callable[[], None]) -> None:
        super().__init__(link)
        self._end_table = end_table

    async def run(self) -> None:
        """Stay connected as the link does, then end the table."""
        await self._link.run()
        await asyncio.to_thread(self._end_table)


class StartDoors:
    """The ways into a game; a practice table that was opened ends with the block."""

    def __init__(
        self, home: Home, identity: Identity, name: str, chosen: Chosen, note: str = ""
    ) -> None:
        self._home = home
        self._chosen = chosen
        self._guest = Visitor(home, identity, "player", name, note=note)
        self._closing = contextlib.ExitStack()
        """Ends the practice tables that were opened, and lets go of keys."""
        self._new: set[str] = set()
        """Ids of those that were opened here, and not taken up again."""
        self._found: dict[str, FoundTable] = {}
        self._lookout: Lookout | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing.close()

    async def open(self) -> None:
        """Do nothing: they are ready."""

    def rename(self, name: str) -> None:
        """Have the player called this at the next table."""
        self._guest = replace(self._guest, name=name)

    def _end(self, running: Running) -> None:
        if running.table_id in self._new:
            _end_unused(running)
        else:
            stop_here(running)

    async def play(self) -> LinkFactory:
        """Open a table with three bots on this machine alone."""
        settings = practice_settings(self._home, self._guest.identity, self._chosen)
        running = await TableStart(launch_table, _end_unused).table(settings)
        self._new.add(running.table_id)
        return self._practice_at(running, settings, self._guest)

    def _practice_at(self, running: Running, settings: HostSettings, guest: Visitor) -> LinkFactory:
        self._closing.callback(self._end, running)
        factory = self._at(running, settings, guest)

        def make(on_event: Callable[[object], None]) -> TableLink:
            return PracticeLink(factory(on_event), lambda: self._end(running))

        return make

    async def host(self, wanted: NewTable) -> LinkFactory:
        """Open a new table on the local network."""
        chosen = self._chosen.but(table=wanted.name)
        settings = host_settings(self._home, self._guest.identity, chosen)
        running = await TableStart(launch_table, _end_unused).table(settings)
        return self._at(running, settings, self._guest)

    async def join(self, address: str, *, watch: bool = False) -> LinkFactory:
        """Reach a table that was found, or one by invite, address or name."""
        own = None if watch else self._own_at(address)
        if own is not None:
            return await self.resume(own)
        guest = replace(self._guest, role="watcher") if watch else self._guest
        found = self._found.get(address)
        if found is not None:
            targets = ways_to(self._home, found)
            return self._looked_after(guest.link_factory(targets), targets)
        if not address.strip():
            raise LinkError(LinkCode.NO_TABLE)
        targets = await find_targets(address, self._home)
        return self._looked_after(guest.link_factory(targets, named_by(address, targets)), targets)

    def _own_at(self, address: str) -> str | None:
        """Give the id of the player's own table that is listed with this address."""
        tables = left_open(self._home, self._guest.identity.public)
        return next((table.table_id for table in tables if _address(table) == address), None)

    def _looked_after(self, factory: LinkFactory, targets: Sequence[Target]) -> LinkFactory:
        return looked_after(factory, self._home, self._guest.identity, self._chosen, targets)

    async def resume(self, table: str) -> LinkFactory:
        """Take up a saved table again, by its id, as whoever started it where that key is here."""
        guest = self._owner(table_folder(self._home.tables, table))
        settings = resume_settings(self._home, guest.identity, self._chosen, table)
        running = await TableStart(take_up, stop_here).table(settings)
        self._new.discard(running.table_id)
        at = self._practice_at if running.loopback_only else self._at
        return at(running, settings, guest)

    def _owner(self, folder: TableFolder) -> Visitor:
        """Give the player of a saved table, whose key is held until these doors close."""
        profile = owner_of(self._home, folder, self._chosen)
        if profile in (None, self._guest.identity.profile):
            return self._guest
        identity = self._closing.enter_context(load_identity(self._home, profile))
        return replace(self._guest, identity=identity, note="")

    async def look(self, heed: Callable[[Sequence[ListedTable]], None]) -> None:
        """Look for tables until cancelled, and tell of every change."""
        lookout = Lookout(self._home, self._guest.identity, lambda: heed(self._listed(lookout)))
        self._lookout = lookout
        try:
            await lookout.run()
        finally:
            self._lookout = None

    def _listed(self, lookout: Lookout) -> list[ListedTable]:
        tables = lookout.tables()
        self._found = {address_of(table): table for table in tables}
        listed = [
            ListedTable(
                name,
                address_of(table),
                verified=table.verified,
                note=_note(table),
                watched=table.standing in WATCHED,
                trouble=TROUBLE.get(table.standing, ""),
                favourite=table.favourite,
            )
            for table, name in zip(tables, told_apart(tables), strict=True)
        ]
        return [*listed, *_absent(lookout.absent_favourites())]

    def favour(self, address: str, *, favourite: bool) -> None:
        """Mark a table that was found as a favourite, or no longer."""
        found = self._found.get(address)
        visited = favourite_of(self._home, address) if found is None else None
        if found is not None:
            addresses = tuple(each.partition("%")[0] for each in found.addresses)
            visited = RecentTable(found.table, found.key, found.port, addresses, 0, favourite)
        if visited is not None:
            mark_favourite(self._home, replace(visited, favourite=favourite))
        if self._lookout is not None:
            self._lookout.look_again()

    def left_open(self) -> Sequence[ListedTable]:
        """List the tables that this player has opened here and that run on, newest first."""
        return [
            ListedTable(
                safe_text(table.table),
                _address(table),
                verified=True,
                note=_("yours, on this machine"),
                practice=table.loopback_only,
            )
            for table in left_open(self._home, self._guest.identity.public)
        ]

    def saved(self) -> Sequence[SavedTable]:
        """List the tables that can be resumed, newest first."""
        return [
            SavedTable(
                table.folder.table_id,
                safe_text(table.name),
                table.deal,
                [safe_text(name) for name in table.players],
                table.last_change,
            )
            for table in stored_tables(self._home.tables)
            if table.can_resume
        ]

    def _at(self, running: Running, settings: HostSettings, guest: Visitor) -> LinkFactory:
        invite = "" if running.loopback_only else running.invite
        guest = guest.told(other_port_words(running, settings))
        factory = guest.link_factory([target_of(running)], invite=invite)
        return kept(factory, settings, running)


def _address(table: LocalTable) -> str:
    return Address("localhost", table.control).text()


def _end_unused(running: Running) -> None:
    """End a table that was opened here, and keep nothing of one at which no card was played."""
    stop_here(running)
    forget_untouched(running)


def _note(table: FoundTable) -> str:
    words = ", ".join(filter(None, [stranger_words(table), standing_words(table)]))
    if table.source is Source.HERE:
        return _("{standing}, on this machine").format(standing=words)
    return words


def _absent(favourites: Sequence[RecentTable]) -> list[ListedTable]:
    """List the favourites that do not answer, so that they are not looked for elsewhere."""
    return [
        ListedTable(
            safe_text(table.table) or "?",
            Address(table.addresses[0], table.port).text(),
            verified=True,
            note=_("does not answer"),
            trouble="no-answer",
            favourite=True,
        )
        for table in favourites
    ]


def favourite_of(home: Home, address: str) -> RecentTable | None:
    """Find a favourite by the address that it was last at."""
    for table in recent_tables(home):
        if table.favourite and Address(table.addresses[0], table.port).text() == address:
            return table
    return None
