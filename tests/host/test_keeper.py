"""A table that dies is started again by whoever has started it, within reason."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hearts_net.host.archive import stored_tables
from hearts_net.host.changes import restored
from hearts_net.host.errors import StoreCode, StoreError
from hearts_net.host.folder import TableFolder
from hearts_net.host.keeper import MOST_DEATHS, Died, GaveUp, KeeperNews, TableKeeper
from hearts_net.host.process import Running, launch_table, stop_table
from hearts_net.host.settings import HostSettings
from hearts_net.host.store import Store, read_journal
from hearts_net.peer.identity import new_identity
from hearts_net.testing.leftovers import stop_leftovers
from hearts_net.testing.ports import free_port, in_the_way

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kills with a signal")


@pytest.fixture
def settings(tmp_path: Path) -> Iterator[HostSettings]:
    owner = new_identity()
    tables = tmp_path / "tables"
    yield HostSettings(
        tables, owner.public, owner.secret, table="attic", port=free_port(), loopback_only=True,
        grace=7000,
    )  # fmt: skip
    stop_leftovers(tables)


class Kept:
    """A table that is looked after, inside a running loop."""

    def __init__(self, settings: HostSettings, running: Running) -> None:
        self.folder = TableFolder(running.folder)
        self.news: list[KeeperNews] = []
        keeper = TableKeeper(settings, running, self.news.append)
        self.task = asyncio.create_task(keeper.keep())

    async def until(self, true: Callable[[], object], within: float = 10) -> None:
        deadline = time.monotonic() + within
        while not true():
            assert time.monotonic() < deadline, self.news
            await asyncio.sleep(0.02)

    async def runs_as_another(self, before: Running) -> Running:
        """Wait for another process of the table."""

        def other() -> Running | None:
            now = self.folder.read_running()
            return now if now is not None and now.pid != before.pid else None

        await self.until(other)
        again = other()
        assert again is not None
        return again


def test_a_killed_table_is_started_again_with_what_it_had(settings: HostSettings) -> None:
    async def test() -> None:
        running = launch_table(settings)
        kept = Kept(settings, running)
        os.kill(running.pid, signal.SIGKILL)
        again = await kept.runs_as_another(running)
        assert (again.control, again.public, again.key) == (
            running.control,
            running.public,
            running.key,
        )
        assert kept.news == [Died()]
        stop_table(again)  # on purpose
        await asyncio.wait_for(kept.task, 2)
        assert kept.news == [Died()]
        table = restored(read_journal(kept.folder.store))
        assert (table.epoch, table.settings.grace) == (2, 7000)

    asyncio.run(test())


def test_a_table_whose_port_is_taken_meanwhile_gets_another(settings: HostSettings) -> None:
    async def test() -> None:
        port = free_port()
        wanted = replace(settings, port=port)
        running = launch_table(wanted)
        kept = Kept(wanted, running)
        os.kill(running.pid, signal.SIGKILL)
        with in_the_way(port):
            again = await kept.runs_as_another(running)
        assert again.control != running.control == port
        kept.task.cancel()

    asyncio.run(test())


@pytest.mark.long
def test_a_table_that_dies_again_and_again_is_left_alone(settings: HostSettings) -> None:
    async def test() -> None:
        running = launch_table(settings)
        kept = Kept(settings, running)
        for _ in range(MOST_DEATHS):
            os.kill(running.pid, signal.SIGKILL)
            running = await kept.runs_as_another(running)
        os.kill(running.pid, signal.SIGKILL)
        await asyncio.wait_for(kept.task, 5)
        assert kept.news == [Died()] * MOST_DEATHS + [GaveUp(MOST_DEATHS + 1)]
        assert not kept.folder.is_running()
        [stored] = stored_tables(settings.tables)
        assert stored.can_resume
        assert stored.has_died

    asyncio.run(test())


def test_a_table_that_cannot_be_started_again_is_said_why(settings: HostSettings) -> None:
    async def test() -> None:
        running = launch_table(settings)
        kept = Kept(settings, running)
        os.kill(running.pid, signal.SIGKILL)
        await kept.until(lambda: not kept.folder.is_running())
        kept.folder.store.write_bytes(b"nonsense" * 999)
        await asyncio.wait_for(kept.task, 10)
        *_, last = kept.news
        assert isinstance(last, GaveUp)
        assert isinstance(last.error, StoreError)
        assert last.error.code == StoreCode.DAMAGED

    asyncio.run(test())


def test_only_a_table_that_was_not_stopped_has_died(settings: HostSettings) -> None:
    running = launch_table(settings)
    folder = TableFolder(running.folder)
    assert not folder.has_died()
    stop_table(running)
    assert not folder.has_died()
    running = launch_table(settings.resumed(running.table_id))
    os.kill(running.pid, signal.SIGKILL)
    deadline = time.monotonic() + 5
    while folder.is_running():
        assert time.monotonic() < deadline
    assert folder.has_died()


def test_a_table_that_was_killed_before_it_began_is_no_table(settings: HostSettings) -> None:
    running = launch_table(settings)
    stop_table(running)
    folder = TableFolder(running.folder)
    folder.store.unlink()
    Store.open(folder).close()  # a store with all that belongs to it, and without an entry
    assert stored_tables(settings.tables) == []
    with pytest.raises(StoreError) as caught:
        launch_table(settings.resumed(running.table_id))
    assert caught.value.code == StoreCode.MISSING
