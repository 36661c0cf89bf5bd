"""Tables that were visited, and tables that run on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from hearts_net.peer.endpoint import Target
from hearts_net.peer.home import Home
from hearts_net.peer.local import is_alive, tables_here
from hearts_net.peer.recent import MOST_RECENT, RecentTable, note_visit, recent_tables

KEY = "k" * 40


def visited(number: int, table: str = "", **changed: Any) -> RecentTable:
    fields: dict[str, Any] = {
        "table": table or f"table {number}",
        "key": KEY,
        "port": 26052,
        "addresses": (f"10.0.0.{number}",),
        "visited": number,
    }
    return RecentTable(**{**fields, **changed})


def test_the_newest_visit_is_first_and_the_oldest_are_forgotten(home: Home) -> None:
    assert recent_tables(home) == []
    for number in range(MOST_RECENT + 3):
        note_visit(home, visited(number))
    tables = recent_tables(home)
    assert [table.visited for table in tables] == list(range(MOST_RECENT + 2, 2, -1))
    assert tables[0].targets() == [Target("10.0.0.22", 26052, KEY, "table 22")]


def test_a_table_visited_again_moves_up_and_keeps_its_addresses(home: Home) -> None:
    note_visit(home, visited(1, "Kitchen"))
    note_visit(home, visited(2, "Attic"))
    note_visit(home, visited(3, "Kitchen", port=7))
    assert recent_tables(home) == [
        visited(3, "Kitchen", port=7, addresses=("10.0.0.3", "10.0.0.1")),
        visited(2, "Attic"),
    ]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[1, null, {}]",
        b"\xff",
        b"[" * 10_000,
        b'[{"table": "a", "key": "short", "port": 1, "addresses": ["a"], "visited": 1}]',
        b'[{"table": "a", "key": "%s", "port": 0, "addresses": ["a"], "visited": 1}]' % (b"k" * 40),
        b'[{"table": "a", "key": "%s", "port": 1, "addresses": [], "visited": 1}]' % (b"k" * 40),
        b'[{"table": "a", "key": "%s", "port": 1, "addresses": ["a b"], "visited": 1}]'
        % (b"k" * 40),
    ],
)
def test_a_damaged_list_is_an_empty_one_and_is_written_anew(home: Home, content: bytes) -> None:
    (home.state / "recent.json").write_bytes(content)
    assert recent_tables(home) == []
    note_visit(home, visited(1))
    assert recent_tables(home) == [visited(1)]


def announce(home: Home, table_id: str, age: float = 0, **changed: Any) -> None:
    fields: dict[str, Any] = {
        "pid": os.getpid(),
        "control": 26052,
        "public": 26053,
        "key": KEY,
        "table": table_id,
    }
    path = home.tables / table_id / "running.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({**fields, **changed}))
    when = path.stat().st_mtime - age
    os.utime(path, (when, when))


def test_running_tables_are_found_the_newest_first(home: Home) -> None:
    assert tables_here(home) == []
    announce(home, "old", age=60)
    announce(home, "new", control=7)
    (home.tables / "stored").mkdir()
    assert [table.table_id for table in tables_here(home)] == ["new", "old"]
    assert tables_here(home)[0].target() == Target("127.0.0.1", 7, KEY, "new")


def test_a_table_whose_process_is_gone_is_not_running(home: Home) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait(10)
    assert not is_alive(gone.pid)
    assert is_alive(os.getpid())
    assert not is_alive(2**40)
    announce(home, "crashed", pid=gone.pid)
    assert tables_here(home) == []


@pytest.mark.parametrize(
    "changed",
    [
        {"pid": 0},
        {"pid": -1},
        {"pid": "1"},
        {"control": 0},
        {"control": 65536},
        {"control": True},
        {"public": None},
        {"key": "short"},
        {"key": "é" * 40},
        {"key": "#" * 40},
        {"table": 1},
    ],
)
def test_what_does_not_say_how_to_reach_it_is_not_running(
    home: Home, changed: dict[str, Any]
) -> None:
    announce(home, "strange", **changed)
    announce(home, "good")
    assert [table.table_id for table in tables_here(home)] == ["good"]


@pytest.mark.parametrize("content", ["", "[]", "null", "[" * 10_000, "{"])
def test_a_file_that_is_being_written_is_not_running(home: Home, content: str) -> None:
    announce(home, "starting")
    (home.tables / "starting" / "running.json").write_text(content)
    assert tables_here(home) == []
