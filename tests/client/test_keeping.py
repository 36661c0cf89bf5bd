"""A table cut off is offered again, and one that dies under its player goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hearts_client.chosen import Chosen
from hearts_client.commands import host as host_command
from hearts_client.keeping import keeper_words
from hearts_net.host.archive import StoredTable
from hearts_net.host.errors import StoreCode, StoreError
from hearts_net.host.folder import TableFolder
from hearts_net.host.keeper import Died, GaveUp
from hearts_net.host.process import launch_table
from hearts_net.host.settings import HostSettings
from hearts_net.host.table import Stage
from hearts_net.peer.home import find_home
from hearts_net.peer.identity import load_identity
from hearts_net.peer.local import tables_here

TABLE = StoredTable(
    TableFolder(Path("0123456789ab")), "attic", Stage.PLAYING, 3, ("Asha",), 0, False, has_died=True
)


@pytest.mark.parametrize(
    ("typed", "wants"), [("", True), ("y", True), ("YES", True), ("n", False), ("no", False)]
)
def test_a_table_that_was_cut_off_is_offered(
    monkeypatch: pytest.MonkeyPatch, typed: str, wants: bool
) -> None:
    asked: list[str] = []

    def answer(question: str) -> str:
        asked.append(question)
        return typed

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", answer)
    assert host_command.wants_back(TABLE, Chosen({"json": False})) is wants
    assert "attic was cut off in deal 3" in asked[0]


def test_what_is_neither_yes_nor_no_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    typed = iter(("maybe", "1", "no"))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda _: next(typed))
    assert host_command.wants_back(TABLE, Chosen({"json": False})) is False
    assert next(typed, "all asked") == "all asked"


def test_where_nobody_can_be_asked_it_is_mentioned(capsys: pytest.CaptureFixture[str]) -> None:
    assert host_command.wants_back(TABLE, Chosen({"json": True})) is False
    assert "hearts-net resume takes it up again" in capsys.readouterr().err


def test_what_the_keeper_does_is_said_in_sentences() -> None:
    error = StoreError(StoreCode.FULL)
    assert "started again" in keeper_words(Died())
    assert "4 times within 60 seconds" in keeper_words(GaveUp(4))
    assert "make room on the disk" in keeper_words(GaveUp(1, error))


@pytest.mark.skipif(sys.platform == "win32", reason="kills with a signal")
def test_a_practice_table_that_is_killed_goes_on_and_ends_with_its_player(tmp_path: Path) -> None:
    home = find_home({"HEARTS_NET_HOME": str(tmp_path)})
    player = subprocess.Popen(
        [sys.executable, "-m", "hearts_client", "play", "--plain"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, "HEARTS_NET_HOME": str(tmp_path), "LANG": "C.UTF-8"},
    )
    assert player.stdout is not None
    assert player.stdin is not None
    told = iter(player.stdout.readline, "")
    try:
        assert any(line == "pass>\n" for line in told)
        (before,) = tables_here(home)
        os.kill(before.pid, signal.SIGKILL)
        assert any("died: it is started again" in line for line in told)
        assert any("everything is as it was" in line for line in told)
        (after,) = tables_here(home)
        assert (after.table_id, after.control) == (before.table_id, before.control)
        player.stdin.write("quit\n")
        player.stdin.flush()
        start = time.monotonic()
        assert player.wait(10) == 0
        assert time.monotonic() - start < 3
        assert tables_here(home) == []
    finally:
        player.kill()
        player.wait()
        player.stdin.close()
        player.stdout.close()


@pytest.mark.skipif(sys.platform == "win32", reason="kills with a signal")
def test_ones_own_table_is_looked_after_also_when_it_is_joined_from_the_command_line(
    tmp_path: Path,
) -> None:
    home = find_home({"HEARTS_NET_HOME": str(tmp_path)})
    key = load_identity(home)
    running = launch_table(HostSettings(home.tables, key.public, key.secret, table="attic", port=0))
    key.release()
    player = subprocess.Popen(
        [sys.executable, "-m", "hearts_client", "join", "attic", "--plain"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, "HEARTS_NET_HOME": str(tmp_path), "LANG": "C.UTF-8"},
    )
    assert player.stdout is not None
    told = iter(player.stdout.readline, "")
    try:
        assert any("sit" in line for line in told)
        os.kill(running.pid, signal.SIGKILL)
        assert any("died: it is started again" in line for line in told)
        assert any("everything is as it was" in line for line in told)
    finally:
        player.kill()
        player.wait()
        assert player.stdin is not None
        player.stdin.close()
        player.stdout.close()
        for table in tables_here(home):
            os.kill(table.pid, signal.SIGKILL)
