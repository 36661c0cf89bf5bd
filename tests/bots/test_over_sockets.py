"""Bots at a real table: processes, sockets, kills."""

from __future__ import annotations

import io
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from hearts_net.bots.player import BotError
from hearts_net.bots.runner import run_bot
from hearts_net.host.archive import StoredGame, read_games
from hearts_net.host.folder import Running, TableFolder
from hearts_net.host.process import find_running, launch_table, stop_table
from hearts_net.host.settings import HostSettings
from hearts_net.host.store import read_journal
from hearts_net.peer.errors import LinkError
from hearts_net.peer.identity import Identity, new_identity
from hearts_net.peer.target import Target
from hearts_net.protocol.codes import ProtocolError
from hearts_net.protocol.orders import SitDown
from hearts_net.rules.check import check_file
from hearts_net.rules.options import Options
from hearts_net.testing.leftovers import stop_leftovers

WITHIN = 40.0
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="tables are killed by signals")


@pytest.fixture
def settings(tmp_path: Path) -> Iterator[HostSettings]:
    owner, tables = new_identity(), tmp_path / "tables"
    yield HostSettings(
        tables=tables,
        key=owner.public,
        secret=owner.secret,
        table="attic",
        port=0,
        loopback_only=True,
        exit_when_done=True,
        options=Options(target=20),
    )
    stop_leftovers(tables)


def until(happened: Callable[[], bool], bots: subprocess.Popen[bytes], table: Running) -> None:
    """Wait for something while the bots' process runs; say what both logs say if it fails."""
    deadline = time.monotonic() + WITHIN
    while not happened():
        if bots.poll() is not None or time.monotonic() > deadline:
            bots.kill()
            _, said = bots.communicate()
            log = TableFolder(table.folder).log.read_text()
            pytest.fail(f"it did not come about\nbots: {said.decode()}\ntable: {log}")
        time.sleep(0.02)


def bots_process() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "hearts_net.bots"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def sit_all(process: subprocess.Popen[bytes], orders: list[SitDown]) -> None:
    assert process.stdin is not None
    process.stdin.write(b"".join(msgspec.json.encode(order) + b"\n" for order in orders))
    process.stdin.flush()


def cards_in(store: Path) -> int:
    return sum(b'"played"' in body for body in read_journal(store))


def only_game(folder: Path) -> StoredGame:
    (game,) = read_games(TableFolder(folder))
    record = "".join(f"{line}\n" for line in game.lines()).encode()
    (checked,) = check_file(io.BytesIO(record))
    assert checked.winner == game.winner
    return game


def test_a_bot_that_joins_plays_to_the_end_and_returns_zero(settings: HostSettings) -> None:
    table = launch_table(replace(settings, bots=3))
    target = Target("127.0.0.1", table.control, table.key)
    assert run_bot(target, new_identity(), "easy", "Ada") == 0
    game = only_game(table.folder)
    assert game.winner is not None
    assert "Ada" in [player.name for player in game.header.players]
    assert "traceback" not in TableFolder(table.folder).log.read_text().lower()


def test_a_bot_at_a_full_table_says_so_and_ends(settings: HostSettings) -> None:
    table = launch_table(replace(settings, bots=4, exit_when_done=False))
    began = time.monotonic()
    with pytest.raises(ProtocolError) as caught:
        run_bot(Target("127.0.0.1", table.control, table.key), new_identity())
    assert caught.value.code == "table-full"
    assert time.monotonic() - began < 20


def test_killed_bots_go_on_with_their_seats(settings: HostSettings) -> None:
    table = launch_table(settings)
    orders = []
    for seat in range(4):
        bot: Identity = new_identity()
        orders.append(
            SitDown(table.control, table.key, bot.public, bot.secret, seat, f"Bot{seat}", "medium")
        )
    first = bots_process()
    sit_all(first, orders)
    store = TableFolder(table.folder).store
    until(lambda: cards_in(store) >= 8, first, table)
    first.kill()
    first.communicate()
    second = bots_process()
    sit_all(second, orders)
    until(lambda: not find_running(settings.tables), second, table)
    _, said = second.communicate(timeout=WITHIN)
    assert said == b""
    assert second.returncode == 0
    game = only_game(table.folder)
    assert game.winner is not None
    assert {player.name for player in game.header.players} == {f"Bot{seat}" for seat in range(4)}


@pytest.mark.long
def test_without_a_host_a_bot_fails_with_a_typed_error(settings: HostSettings) -> None:
    table = launch_table(settings)
    stop_table(table)
    with pytest.raises(LinkError) as caught:
        run_bot(Target("127.0.0.1", table.control, table.key), new_identity())
    assert caught.value.code == "host-down"
    with pytest.raises(BotError):
        run_bot(Target("127.0.0.1", table.control, table.key), new_identity(), "nobody")
