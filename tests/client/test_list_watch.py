"""What ``hearts-net list --watch`` prints as tables come, change and go."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hearts_client.commands.list import changes_between
from hearts_net.peer.found import FoundTable, Source
from hearts_net.peer.home import Home, find_home

ATTIC = FoundTable("attic", "k" * 40, 26052, ("10.0.0.1",), (1,), Source.AROUND, False, free=3)
OTHER = replace(ATTIC, key="l" * 40, addresses=("10.0.0.2",))


def told(home: Home, before: list[FoundTable], now: list[FoundTable]) -> list[str]:
    by_place = [{(each.key, each.port): each for each in tables} for tables in (before, now)]
    return changes_between(home, *by_place, as_json=False)


def test_a_line_is_printed_only_where_it_says_something_new(tmp_path: Path) -> None:
    home = find_home({"HEARTS_NET_HOME": str(tmp_path)})
    (found,) = told(home, [], [ATTIC])
    assert "attic" in found
    assert told(home, [ATTIC], [replace(ATTIC, addresses=("10.0.0.1", "fe80::1%eth0"))]) == []
    (changed,) = told(home, [ATTIC], [replace(ATTIC, free=0)])
    assert changed != found


def test_of_two_tables_with_one_name_it_is_said_which_has_gone(tmp_path: Path) -> None:
    home = find_home({"HEARTS_NET_HOME": str(tmp_path)})
    gone = [line for line in told(home, [ATTIC, OTHER], [ATTIC]) if "no more" in line]
    assert len(gone) == 1
    assert "10.0.0.2" in gone[0]


def test_a_seat_is_held_for_who_is_away_and_not_for_who_sits_on_it(tmp_path: Path) -> None:
    home = find_home({"HEARTS_NET_HOME": str(tmp_path)})
    held = replace(ATTIC, held_seat=1)
    assert "your seat is held" in told(home, [], [held])[0]
    (sitting,) = told(home, [held], [replace(held, here=True)])
    assert "attic: you sit there, in another window" in sitting
    assert "is held" not in sitting
