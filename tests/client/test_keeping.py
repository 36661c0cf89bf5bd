"""A table cut off is offered again, and one that dies under its player goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hearts_client import sitdown
from hearts_client.chosen import Chosen
from hearts_client.keeping import keeper_words
from hearts_client.reaching import Visitor
from hearts_net.host.archive import StoredTable
from hearts_net.host.errors import StoreCode, StoreError
from hearts_net.host.folder import TableFolder
from hearts_net.host.keeper import Died, GaveUp
from hearts_net.host.process import launch_table
from hearts_net.host.settings import HostSettings
from hearts_net.host.table import Stage
from hearts_net.peer.home import Home, find_home
from hearts_net.peer.identity import load_identity, new_identity
from hearts_net.peer.local import tables_here

TABLE = StoredTable(
    TableFolder(Path("0123456789ab")), "attic", Stage.PLAYING, 3, ("Asha",), 0, False, has_died=True
)


def at_a_terminal(monkeypatch: pytest.MonkeyPatch, *answers: str) -> list[str]:
    """Have questions answered so, one after the other; give what is asked."""
    asked: list[str] = []
    left = iter(answers)

    def answer(question: str) -> str:
        asked.append(question)
        return next(left)

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", answer)
    return asked


@pytest.mark.parametrize(
    ("typed", "wants"), [("", True), ("y", True), ("YES", True), ("n", False), ("no", False)]
)
def test_a_table_that_was_cut_off_is_offered(
    monkeypatch: pytest.MonkeyPatch, typed: str, wants: bool
) -> None:
    asked = at_a_terminal(monkeypatch, typed)
    assert sitdown.wants_back(TABLE, Chosen({"json": False})) is wants
    assert "attic was cut off in deal 3" in asked[0]


def test_what_is_neither_yes_nor_no_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = at_a_terminal(monkeypatch, "maybe", "1", "no")
    assert sitdown.wants_back(TABLE, Chosen({"json": False})) is False
    assert len(asked) == 3


def test_where_nobody_can_be_asked_it_is_mentioned(capsys: pytest.CaptureFixture[str]) -> None:
    assert sitdown.wants_back(TABLE, Chosen({"json": True})) is False
    assert "hearts-net resume takes it up again" in capsys.readouterr().err


def running(home: Home, table_id: str, key: str, **facts: object) -> None:
    """Have a folder say of a table that it runs, as this process."""
    said = {"pid": os.getpid(), "control": 26052, "public": 26053, "key": key, "table": "attic"}
    folder = home.tables / table_id
    folder.mkdir(parents=True)
    (folder / "running.json").write_text(json.dumps(said | facts))


@pytest.mark.parametrize(("typed", "back"), [("", "0123456789ab"), ("no", None)])
def test_a_table_left_open_is_offered_before_another_is_opened(
    monkeypatch: pytest.MonkeyPatch, typed: str, back: str | None
) -> None:
    home = find_home()
    asked = at_a_terminal(monkeypatch, typed, typed)
    with load_identity(home) as identity:
        guest = Visitor(home, identity, "player", "Asha")
        chosen = Chosen({"json": False})
        running(home, "aaaaaaaaaaaa", new_identity().public)
        running(home, "bbbbbbbbbbbb", identity.public, table="practice", loopback_only=True)
        assert sitdown.table_to_go_back_to(guest, chosen, practice=False) is None
        assert asked == [], "somebody else's table, and one that others cannot reach"
        running(home, "0123456789ab", identity.public)
        assert sitdown.table_to_go_back_to(guest, chosen, practice=False) == back
        assert len(asked) == 1
        assert "Your table attic is still open." in asked[0]
        sitdown.table_to_go_back_to(guest, chosen, practice=True)
        assert "Your table practice is still open." in asked[1]


def test_a_program_is_told_of_a_table_left_open_and_opens_another(
    capsys: pytest.CaptureFixture[str],
) -> None:
    home = find_home()
    with load_identity(home) as identity:
        running(home, "0123456789ab", identity.public)
        guest = Visitor(home, identity, "player", "Asha")
        assert sitdown.table_to_go_back_to(guest, Chosen({"json": True}), practice=False) is None
    out, err = capsys.readouterr()
    assert out == ""
    assert "hearts-net resume 0123456789ab" in err


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
