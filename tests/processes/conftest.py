"""A real table in a process of its own, and people at it over real sockets."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from hearts_net.host.folder import TableFolder
from hearts_net.host.process import Running, launch_table
from hearts_net.host.settings import CRASH_VARIABLE, HostSettings
from hearts_net.host.store import read_journal
from hearts_net.peer.endpoint import Target
from hearts_net.peer.identity import Identity, new_identity
from hearts_net.protocol.messages import View
from hearts_net.rules.options import Options
from hearts_net.testing.ledger import Ledger, check_no_bot
from hearts_net.testing.leftovers import stop_leftovers
from hearts_net.testing.ports import free_port
from hearts_net.testing.seated import PATIENCE, SeatedPlayer

_ENVIRONMENT = threading.Lock()
NAMES = ("Asha", "Bram", "Chloé", "Dai")


@dataclass
class RealTable:
    """A table that can be killed, stopped, and taken up again."""

    settings: HostSettings
    running: Running | None = None
    ledgers: list[Ledger] = field(default_factory=list)

    @property
    def now(self) -> Running:
        """The process that has the table."""
        assert self.running is not None
        return self.running

    @property
    def folder(self) -> TableFolder:
        return TableFolder(self.now.folder)

    def target(self, port: int = 0) -> Target:
        return Target("127.0.0.1", port or self.now.control, self.now.key)

    def start(self, crash_at: str = "") -> Running:
        """Start the table, or take it up again; ``crash_at`` is its crash point."""
        settings = self.settings
        if self.running is not None:
            # whatever port: that of its last run, where it is free
            settings = replace(settings.resumed(self.running.table_id), port=0)
        with _ENVIRONMENT:
            os.environ[CRASH_VARIABLE] = crash_at
            try:
                self.running = launch_table(settings, within=PATIENCE)
            finally:
                del os.environ[CRASH_VARIABLE]
        return self.running

    async def start_again(self, crash_at: str = "") -> Running:
        return await asyncio.to_thread(self.start, crash_at)

    def send(self, number: int) -> None:
        os.kill(self.now.pid, number)

    async def dead(self) -> None:
        """Wait until the process has ended."""
        deadline = time.monotonic() + PATIENCE
        while self.folder.is_running():
            assert time.monotonic() < deadline
            await asyncio.sleep(0.005)

    async def killed(self) -> None:
        self.send(signal.SIGKILL)
        await self.dead()

    def player(self, seat: int, *, port: int = 0, **options: Any) -> SeatedPlayer:
        """Have somebody join; seat 0 is the host's player."""
        own = Identity(self.settings.key, self.settings.secret, "owner")
        identity = options.pop("identity", own if seat == 0 else new_identity())
        player = SeatedPlayer([self.target(port)], identity, NAMES[seat], seed=seat, **options)
        self.ledgers.append(player.ledger)
        return player

    @contextlib.asynccontextmanager
    async def four(self, **options: Any) -> AsyncIterator[list[SeatedPlayer]]:
        """Seat four people, who play a game of their own accord."""
        players = []
        try:
            for seat in range(4):
                players.append(self.player(seat, **options))
                await players[-1].until(lambda: players[-1].is_live)
            yield players
        finally:
            for player in players:
                await player.leave()

    def check(self) -> None:
        """Hold what everybody was told so far against what is stored; no bot has played a card.

        Called in the event loop, so that nobody hears more meanwhile.
        """
        kept = [deepcopy(ledger) for ledger in self.ledgers]
        journal = read_journal(self.folder.store)
        check_no_bot(journal)
        for ledger in kept:
            ledger.check(journal)


@pytest.fixture
def make_table(tmp_path: Path) -> Iterator[Callable[[], RealTable]]:
    """Give a maker of tables; all that run are stopped at the end."""
    if sys.platform == "win32":
        pytest.skip("signals are POSIX's")
    tables = tmp_path / "tables"
    made: list[RealTable] = []

    def make() -> RealTable:
        owner = new_identity()
        settings = HostSettings(
            tables=tables, key=owner.public, secret=owner.secret, table="attic", port=free_port(),
            loopback_only=True, next_deal=600_000, grace=600_000, options=Options(target=1000),
        )  # fmt: skip
        made.append(RealTable(settings))
        return made[-1]

    yield make
    stop_leftovers(tables)
    for table in made:
        if table.running is not None:
            said = table.folder.log.read_text()
            assert "Traceback" not in said, said


@pytest.fixture
def table(make_table: Callable[[], RealTable]) -> RealTable:
    """Give one table."""
    return make_table()


@pytest.fixture
def settings_of(table: RealTable) -> Callable[..., None]:
    """Give what changes the table's settings before its start."""

    def change(**changes: Any) -> None:
        table.settings = replace(table.settings, **changes)

    return change


class PlayerProcess:
    """A player in a process of its own, which acts when it is told to."""

    def __init__(self, table: RealTable, identity: Identity, name: str, *, seed: int = 0) -> None:
        told = {
            "host": "127.0.0.1", "port": table.now.control, "key": table.now.key, "name": name,
            "public": identity.public, "secret": identity.secret, "seed": seed,
        }  # fmt: skip
        self.ledger = Ledger(identity.public)
        table.ledgers.append(self.ledger)
        self.newest = (0, 0)
        self.events: list[str] = []
        self.faults: list[BaseException] = []
        self._process = subprocess.Popen(
            [sys.executable, "-m", "hearts_net.testing.seated", json.dumps(told)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._thread = threading.Thread(target=self._read_to_the_end, daemon=True)
        self._thread.start()

    def _read_to_the_end(self) -> None:
        with contextlib.suppress(ValueError):  # its pipe is closed when the test is over
            self._read()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            try:
                self._take(json.loads(line))
            except BaseException as fault:  # handed to the test
                self.faults.append(fault)

    def _take(self, said: dict[str, Any]) -> None:
        if "view" in said:
            self.newest = (said["view"][0], said["view"][1])
            self.ledger.note_cards(said["game"], said["deal"], said["seen"])
        elif said.get("ok"):
            told = (said["told"][0], said["told"][1])
            assert self.ledger.accepted.setdefault(said["reply"], told) == told
        elif "event" in said:
            self.events.append(said["event"])

    def tell(self, word: str) -> None:
        """Have it ``act`` once, or ``play`` from now on."""
        assert self._process.stdin is not None
        self._process.stdin.write(word.encode() + b"\n")
        self._process.stdin.flush()

    def send(self, number: int) -> None:
        self._process.send_signal(number)

    def wait(self, within: float = PATIENCE) -> int:
        return self._process.wait(within)

    def end(self) -> None:
        """Kill it, and raise what was wrong with what it said."""
        self._process.kill()
        self._process.wait()
        self._thread.join()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
        if self.faults:
            raise self.faults[0]


@pytest.fixture
def start_player() -> Iterator[Callable[..., PlayerProcess]]:
    started: list[PlayerProcess] = []

    def start(*args: Any, **options: Any) -> PlayerProcess:
        started.append(PlayerProcess(*args, **options))
        return started[-1]

    yield start
    for player in started:
        player.end()


def cards_out(view: View) -> tuple[int, int]:
    """Say how far a game has come: its deal, and how many cards of it have been played."""
    return view.public.deal, len(view.public.seen)
