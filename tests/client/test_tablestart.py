from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from hearts_client.tablestart import TableStart
from hearts_net.host.folder import Running
from hearts_net.host.settings import HostSettings
from hearts_net.rules.errors import HeartsError

DEADLINE = 8.0
TABLE = Running("t1", Path("tables/t1"), 1, 26052, 26053, "k" * 40, "attic", "", False)
SETTINGS = HostSettings(tables=Path("tables"), key="k" * 40, secret="s" * 40)


class Launching:
    """A table whose start waits, as told, before and after it is there."""

    def __init__(self, error: HeartsError | None = None) -> None:
        self.error = error
        self.begun = threading.Event()
        self.start = threading.Event()
        self.is_there = threading.Event()
        self.finish = threading.Event()

    def __call__(self, settings: HostSettings, *, started: Callable[[Running], None]) -> Running:
        assert settings is SETTINGS
        self.begun.set()
        assert self.start.wait(DEADLINE)
        if self.error is not None:
            raise self.error
        started(TABLE)
        self.is_there.set()
        assert self.finish.wait(DEADLINE)
        return TABLE


async def given_up(launching: Launching, ended: list[Running], reached: threading.Event) -> None:
    """Open a table, and give it up once its start has come so far."""
    task = asyncio.create_task(TableStart(launching, ended.append).table(SETTINGS))
    assert await asyncio.to_thread(reached.wait, DEADLINE)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_a_table_that_is_waited_for_stays() -> None:
    launching = Launching()
    ended: list[Running] = []
    launching.start.set()
    launching.finish.set()
    assert asyncio.run(TableStart(launching, ended.append).table(SETTINGS)) is TABLE
    assert ended == []


def test_a_table_that_is_given_up_before_it_is_there_ends_as_soon_as_it_is() -> None:
    launching = Launching()
    ended: list[Running] = []

    async def work() -> None:
        await given_up(launching, ended, launching.begun)
        assert ended == []
        launching.start.set()
        launching.finish.set()

    asyncio.run(work())  # its end waits for the thread
    assert ended == [TABLE]


def test_a_table_that_is_given_up_when_it_is_there_ends_at_once() -> None:
    launching = Launching()
    ended: list[Running] = []
    launching.start.set()

    async def work() -> None:
        await given_up(launching, ended, launching.is_there)
        assert ended == [TABLE]
        launching.finish.set()

    asyncio.run(work())
    assert ended == [TABLE]


def test_what_goes_wrong_is_told() -> None:
    launching = Launching(HeartsError("host-not-started"))
    ended: list[Running] = []
    launching.start.set()
    with pytest.raises(HeartsError, match="host-not-started"):
        asyncio.run(TableStart(launching, ended.append).table(SETTINGS))
    assert ended == []
