"""The doors of the start screen: each way into a game, for a client that is already running."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Self

from hearts_client.chosen import Chosen
from hearts_client.commands.join import named_by
from hearts_client.commands.list import Listed, find_tables
from hearts_client.flags import HOSTING
from hearts_client.full.doors import FoundTable, LinkFactory, NewTable, SavedTable, TableLink
from hearts_client.i18n import _
from hearts_client.keeping import kept, stop_here
from hearts_client.practice import forget_untouched
from hearts_client.reaching import Visitor
from hearts_client.safetext import safe_text
from hearts_client.tables import (
    host_settings,
    practice_settings,
    resume_settings,
    take_up,
    target_of,
)
from hearts_net.host.archive import stored_tables
from hearts_net.host.errors import HostCode, HostError
from hearts_net.host.folder import Running
from hearts_net.host.process import launch_table
from hearts_net.host.settings import HostSettings
from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.home import Home
from hearts_net.peer.identity import Identity
from hearts_net.peer.target import resolve
from hearts_net.protocol.messages import AnyAct


class PracticeLink:
    """A link to a practice table, which ends, saved, when its only player has left it."""

    def __init__(self, link: TableLink, end_table: Callable[[], None]) -> None:
        self._link = link
        self._end_table = end_table

    async def run(self) -> None:
        """Stay connected as the link does, then end the table."""
        await self._link.run()
        await asyncio.to_thread(self._end_table)

    def do(self, act: AnyAct) -> int:
        """Send a command and return its request id."""
        return self._link.do(act)

    def fetch(self, what: str, after: int) -> None:
        """Ask for a page."""
        self._link.fetch(what, after)

    def leave(self) -> None:
        """Say goodbye."""
        self._link.leave()


class StartDoors:
    """The ways into a game; a practice table that was opened ends with the block."""

    def __init__(self, home: Home, identity: Identity, name: str, chosen: Chosen) -> None:
        self._home = home
        self._chosen = chosen
        self._guest = Visitor(home, identity, "player", name)
        self._practice: list[Running] = []
        self._new: set[str] = set()
        """Ids of those that were opened here, and not taken up again."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for running in self._practice:
            self._end(running)

    def _end(self, running: Running) -> None:
        stop_here(running)
        if running.table_id in self._new:
            forget_untouched(running)

    async def play(self) -> LinkFactory:
        """Open a table with three bots on this machine alone."""
        chosen = Chosen({"level": "", "set": (), "rules": ""})
        settings = practice_settings(self._home, self._guest.identity, chosen)
        running = await asyncio.to_thread(launch_table, settings)
        self._new.add(running.table_id)
        return self._practice_at(running, settings)

    def _practice_at(self, running: Running, settings: HostSettings) -> LinkFactory:
        self._practice.append(running)
        factory = self._at(running, settings)

        def make(on_event: Callable[[object], None]) -> TableLink:
            return PracticeLink(factory(on_event), lambda: self._end(running))

        return make

    async def host(self, wanted: NewTable) -> LinkFactory:
        """Open a new table on the local network."""
        chosen = Chosen(
            {**_USUAL, "table": wanted.name, "bots": (wanted.bots, ""), "rules": wanted.preset},
            given={"rules"} if wanted.preset else (),
        )
        settings = host_settings(self._home, self._guest.identity, chosen)
        try:
            return await self._launched(settings)
        except HostError as error:
            if error.code != HostCode.PORT_IN_USE:
                raise
            return await self._launched(replace(settings, port=0))  # a second table, elsewhere

    async def join(self, address: str) -> LinkFactory:
        """Reach a table by invite, address or name."""
        targets = await resolve(address, self._home)
        if not targets:
            raise LinkError(LinkCode.NO_TABLE)
        return self._guest.link_factory(targets, named_by(address))

    async def resume(self, table: str) -> LinkFactory:
        """Take up a saved table again, by its id."""
        identity = self._guest.identity
        chosen = Chosen(_USUAL)
        settings = resume_settings(self._home, identity, chosen, table)
        running = await asyncio.to_thread(take_up, settings)
        self._new.discard(running.table_id)
        at = self._practice_at if running.loopback_only else self._at
        return at(running, settings)

    async def tables(self) -> Sequence[FoundTable]:
        """Look once for tables that answer."""
        return [
            FoundTable(
                safe_text(table.table),
                table.address,
                verified=table.verified,
                note=_note(table),
            )
            for table in await find_tables(self._home)
        ]

    def saved(self) -> Sequence[SavedTable]:
        """List the tables that can be resumed, newest first."""
        return [
            SavedTable(
                table.folder.table_id,
                safe_text(table.name),
                table.deal,
                [safe_text(name) for name in table.players],
            )
            for table in stored_tables(self._home.tables)
            if table.can_resume
        ]

    async def _launched(self, settings: HostSettings) -> LinkFactory:
        return self._at(await asyncio.to_thread(launch_table, settings), settings)

    def _at(self, running: Running, settings: HostSettings) -> LinkFactory:
        return kept(self._guest.link_factory([target_of(running)]), settings, running)


def _note(table: Listed) -> str:
    if table.state == "here":
        return _("on this machine")
    return _("another version") if table.trouble else ""


_USUAL = {flag.key: flag.default for flag in HOSTING}
"""What the command line takes where nothing is said."""
