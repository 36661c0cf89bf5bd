"""The herald is told what changes, kept running, and let go with the table."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from hearts_net.host.advertising import Advertising
from hearts_net.protocol.advert import Advert

ADVERT = Advert("k" * 40, 26052, 26053, [1], "Kitchen", "attic-pc", 3, "open", "lobby")
WRITES_DOWN = """
    import sys
    with open(sys.argv[1], "ab", 0) as file:
        file.write(b"start\\n")
        for line in sys.stdin.buffer:
            file.write(line)
        file.write(b"end\\n")
    """


class Told:
    """A table whose sign can be changed, and what its herald has been told."""

    def __init__(self, folder: Path) -> None:
        self.advert = ADVERT
        self._heard = folder / "heard"
        command = [sys.executable, "-c", textwrap.dedent(WRITES_DOWN), str(self._heard)]
        self.advertising = Advertising("abc", lambda: self.advert, folder / "log", command)

    def lines(self) -> list[str]:
        return self._heard.read_text().splitlines() if self._heard.exists() else []

    async def until(self, there: Callable[[list[str]], bool]) -> list[str]:
        deadline = time.monotonic() + 20
        while not there(self.lines()):
            assert time.monotonic() < deadline, self.lines()
            await asyncio.sleep(0.01)
        return self.lines()


def line(advert: Advert) -> str:
    return msgspec.json.encode({"id": "abc", "advert": advert}).decode()


def test_a_herald_is_told_what_changes_and_ends_with_its_table(tmp_path: Path) -> None:
    async def test() -> None:
        told = Told(tmp_path)
        await told.until(lambda lines: lines == ["start", line(ADVERT)])
        told.advert = replace(ADVERT, free=2)
        await told.until(lambda lines: len(lines) == 3)
        told.advertising.close()
        assert told.advertising.pid is None
        lines = await told.until(lambda lines: lines[-1] == "end")
        assert lines[1:-1] == [line(ADVERT), line(told.advert)]

    asyncio.run(test())


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")
def test_a_herald_that_dies_is_replaced_and_told_anew(tmp_path: Path) -> None:
    async def test() -> None:
        told = Told(tmp_path)
        await told.until(lambda lines: len(lines) == 2)
        assert told.advertising.pid is not None
        os.kill(told.advertising.pid, signal.SIGKILL)
        lines = await told.until(lambda lines: len(lines) == 4)
        assert lines == ["start", line(ADVERT)] * 2
        told.advertising.close()

    asyncio.run(test())


def test_a_herald_that_cannot_be_started_costs_the_table_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def test() -> None:
        command = [str(tmp_path / "nothing")]
        advertising = Advertising("abc", lambda: ADVERT, tmp_path / "log", command)
        async with asyncio.timeout(20):
            while "cannot be advertised" not in caplog.text:
                await asyncio.sleep(0.01)
        assert advertising.pid is None
        advertising.close()

    asyncio.run(test())
