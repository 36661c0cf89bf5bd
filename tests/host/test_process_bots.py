"""The bots' process is kept running, told everything anew, and never waited for."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import os
import signal
import sys
import textwrap
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import ParamSpec

import pytest

from hearts_net.host.bots_supervisor import BotsSupervisor
from hearts_net.host.fed import Patience

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")
P = ParamSpec("P")
WRITES_DOWN = """
    import os, sys
    with open(sys.argv[1], "ab", 0) as file:
        file.write(b"start %d\\n" % os.getpid())
        for line in sys.stdin.buffer:
            file.write(line)
        file.write(b"end\\n")
    """
READS_NOTHING = """
    import sys, time
    open(sys.argv[1], "ab", 0).write(b"start\\n")
    time.sleep(60)
    """


def in_a_loop(test: Callable[P, Coroutine[None, None, None]]) -> Callable[P, None]:
    """Run an asynchronous test."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        asyncio.run(test(*args, **kwargs))

    return run


@contextlib.contextmanager
def supervised(folder: Path, code: str) -> Iterator[BotsSupervisor]:
    command = [sys.executable, "-c", textwrap.dedent(code), str(folder / "heard")]
    bots = BotsSupervisor(4711, "K" * 40, folder / "log", command, pause=300)
    try:
        yield bots
    finally:
        bots.close()
        assert bots.pid is None


def heard(folder: Path) -> list[str]:
    try:
        return (folder / "heard").read_text().splitlines()
    except FileNotFoundError:
        return []


async def hears(folder: Path, what: Callable[[list[str]], bool]) -> list[str]:
    async with asyncio.timeout(10):
        while not what(heard(folder)):
            await asyncio.sleep(0.02)
    return heard(folder)


@in_a_loop
async def test_without_bots_there_is_no_process(tmp_path: Path) -> None:
    with supervised(tmp_path, WRITES_DOWN) as bots:
        bots.dismiss(1, "a")
        assert bots.pid is None
    assert heard(tmp_path) == []


@in_a_loop
async def test_bots_are_told_where_and_as_whom_to_play(tmp_path: Path) -> None:
    with supervised(tmp_path, WRITES_DOWN) as bots:
        bots.sit(1, "a" * 40, "s" * 40, "Tamsin", "easy")
        bots.deputise(2, "b" * 40, "t" * 40, "medium")
        bots.dismiss(1, "a" * 40)
        bots.dismiss(1, "nobody")
        lines = await hears(tmp_path, lambda lines: len(lines) == 4)
    sit, deputy, leave = map(json.loads, lines[1:])
    where = {"control": 4711, "key": "K" * 40}
    assert sit == where | {
        "do": "sit",
        "seat": 1,
        "public": "a" * 40,
        "secret": "s" * 40,
        "name": "Tamsin",
        "level": "easy",
        "pause": 300,
    }
    assert deputy == where | {
        "do": "deputy",
        "seat": 2,
        "public": "b" * 40,
        "secret": "t" * 40,
        "level": "medium",
        "pause": 300,
    }
    assert leave == {"do": "leave", "seat": 1, "public": "a" * 40}
    assert (await hears(tmp_path, lambda lines: lines[-1] == "end"))[-1] == "end"


@in_a_loop
async def test_a_process_that_dies_is_started_again_and_told_everything(tmp_path: Path) -> None:
    with supervised(tmp_path, WRITES_DOWN) as bots:
        bots.sit(1, "a", "s", "Tamsin", "easy")
        bots.sit(2, "b", "s", "Igor", "easy")
        bots.dismiss(1, "a")
        await hears(tmp_path, lambda lines: len(lines) == 4)
        for round_number in (1, 2):
            assert bots.pid is not None
            os.kill(bots.pid, signal.SIGKILL)
            many = 4 + 2 * round_number
            lines = await hears(tmp_path, lambda lines, many=many: len(lines) == many)  # type: ignore[misc]
            assert lines[-2].startswith("start")
            assert json.loads(lines[-1])["name"] == "Igor"


@in_a_loop
async def test_a_command_that_cannot_run_is_tried_again_and_closed_at_once(
    tmp_path: Path,
) -> None:
    bots = BotsSupervisor(4711, "K" * 40, tmp_path / "log", [str(tmp_path / "missing")])
    bots.sit(1, "a", "s", "Tamsin", "easy")
    await asyncio.sleep(0)
    assert bots.pid is None
    bots.close()


@in_a_loop
async def test_a_process_that_reads_nothing_holds_nobody_up(tmp_path: Path) -> None:
    with supervised(tmp_path, READS_NOTHING) as bots:
        bots.sit(1, "a", "s", "x" * 60, "easy")
        first = bots.pid
        start = time.monotonic()
        for number in range(2_000):  # far more than a pipe holds
            bots.sit(1, f"{number}", "s", "x" * 60, "easy")
            bots.dismiss(1, f"{number}")
        assert time.monotonic() - start < 5
        async with asyncio.timeout(10):
            while bots.pid in (first, None):
                await asyncio.sleep(0.02)
        start = time.monotonic()
    assert time.monotonic() - start < 1


def test_patience_grows_with_quick_deaths_and_is_whole_again_after_a_long_life(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 100.0
    monkeypatch.setattr("hearts_net.host.fed.time.monotonic", lambda: now)
    patience = Patience((0.0, 0.5, 5.0), quick=30.0)
    waited = []
    for lived in (1, 1, 29, 1, 30, 1):
        patience.started()
        now += lived
        assert patience.lived == lived
        waited.append(patience.pause())
    assert waited == [0.0, 0.5, 5.0, 5.0, 0.0, 0.5]
