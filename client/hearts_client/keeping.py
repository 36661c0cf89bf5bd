"""Playing at a table that this program has started: where it dies, it is started again."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Sequence

from hearts_client.chosen import Chosen
from hearts_client.ending import uninterrupted
from hearts_client.i18n import _, ngettext
from hearts_client.linkaround import LinkAround
from hearts_client.refusals import error_sentence
from hearts_client.tablelink import LinkFactory, TableLink, TableNotice
from hearts_client.tables import resume_settings
from hearts_net.host.errors import HostError
from hearts_net.host.folder import Running, TableFolder
from hearts_net.host.keeper import DEATHS_WITHIN, KeeperNews, TableKeeper
from hearts_net.host.keeper import Died as TableDied
from hearts_net.host.process import stop_table
from hearts_net.host.settings import HostSettings
from hearts_net.peer.endpoint import Target
from hearts_net.peer.home import Home
from hearts_net.peer.identity import Identity
from hearts_net.peer.local import tables_here


def kept(factory: LinkFactory, settings: HostSettings, running: Running) -> LinkFactory:
    """Make links whose table is started again for as long as they are in use."""

    def make(on_event: Callable[[object], None]) -> TableLink:
        def tell(news: KeeperNews) -> None:
            on_event(TableNotice(keeper_words(news)))

        return KeptLink(factory(on_event), TableKeeper(settings, running, tell))

    return make


def looked_after(
    factory: LinkFactory,
    home: Home,
    identity: Identity,
    chosen: Chosen,
    targets: Sequence[Target],
) -> LinkFactory:
    """Have a table of this machine started again where it dies, as whoever opened it would.

    Only with the key that it was opened with: another could not prove to be that table.
    """
    key = identity.public
    ways = {(target.key, target.control_port) for target in targets}
    for table in tables_here(home):
        if table.key == key and (key, table.control) in ways:
            settings = resume_settings(home, identity, chosen, table.table_id)
            running = TableFolder(home.tables / table.table_id).read_running()
            return factory if running is None else kept(factory, settings, running)
    return factory


def keeper_words(news: KeeperNews) -> str:
    """Say what has become of a table's process."""
    if isinstance(news, TableDied):
        return _("The table's process has died: it is started again as it was saved.")
    if news.error is not None:
        why = error_sentence(news.error.code, news.error.detail)
        return _("The table's process has died and cannot be started again. {why}").format(why=why)
    died = ngettext(
        "The table's process has died {number} time within {seconds} seconds.",
        "The table's process has died {number} times within {seconds} seconds.",
        news.deaths,
    ).format(number=news.deaths, seconds=int(DEATHS_WITHIN))
    return _("{died} It is saved: hearts-net resume takes it up.").format(died=died)


class KeptLink(LinkAround):
    """A link to a table, and beside it whoever keeps the table running."""

    def __init__(self, link: TableLink, keeper: TableKeeper) -> None:
        super().__init__(link)
        self._keeper = keeper

    async def run(self) -> None:
        """Stay connected as the link does."""
        keeping = asyncio.ensure_future(self._keeper.keep())
        try:
            await self._link.run()
        finally:
            keeping.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await keeping


def stop_here(running: Running) -> None:
    """End a table of this machine, saved, whichever process has it by now; or do nothing."""
    with uninterrupted():
        now = TableFolder(running.folder).read_running()
        if now is not None:
            with contextlib.suppress(HostError):  # it has ended by itself meanwhile
                stop_table(now)


@contextlib.contextmanager
def ended_when_left(running: Running) -> Iterator[None]:
    """End a practice table, saved, with the block in which its only player is at it."""
    try:
        yield
    finally:
        stop_here(running)
