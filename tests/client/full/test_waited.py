"""For how long the table has waited for somebody else: in steps, and never for this player."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hearts_client.full.model import next_moment
from hearts_client.table_state import waited
from hearts_net.protocol import messages as m

Sit = Callable[..., Any]
SIZES = ((80, 24), (120, 40), (60, 18), (40, 12))


def anothers_turn(sitting: Sit) -> Any:
    table = sitting().until(
        lambda at: (
            at.game.phase == "playing"
            and at.game.deal.trick_number == 3
            and at.game.deal.turn == 3
            and len(at.game.deal.trick) < 3
        )
    )
    table.now += 2000  # the trick before has been looked at
    return table


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(9, ""), (10, "(for 10 s)"), (19, "(for 10 s)"), (59, "(for 50 s)"), (60, "(for 1 min)"),
     (119, "(for 1 min)"), (7201, "(for 120 min)")],
)  # fmt: skip
def test_it_is_said_for_how_long_somebody_thinks(sitting: Sit, seconds: int, words: str) -> None:
    table = anothers_turn(sitting)
    table.now += 1000 * seconds - 2000
    for size in SIZES:
        line = next(line for line in table.text(*size).splitlines() if "is to play" in line)
        assert f"Dana is to play {words}".rstrip() in line
        assert ("(for" in line) is bool(words)


def test_the_screen_changes_with_the_steps_alone(sitting: Sit) -> None:
    table = anothers_turn(sitting)
    moments: list[int] = []
    while len(moments) < 8:
        moment = next_moment(table.model, table.now)
        assert moment is not None
        table.now = moment
        moments.append(waited(table.model.table, table.now))
    assert moments == [10, 20, 30, 40, 50, 60, 120, 180]


def test_at_ones_own_turn_nothing_counts_and_nothing_changes(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=3)
    table.now += 2000
    assert next_moment(table.model, table.now) is None
    before = table.text()
    table.now += 3_600_000
    assert table.text() == before


def test_what_is_said_meanwhile_starts_nothing_anew_and_a_pause_does(sitting: Sit) -> None:
    table = anothers_turn(sitting)
    table.now += 28_000
    table.show([m.Said(0, 0, "Bram", 1, "well?")])
    assert waited(table.model.table, table.now) == 30
    table.changes["paused"] = "player"
    table.show([m.PausedChanged(0, 0, "player")])
    assert waited(table.model.table, table.now) == 0
    table.changes["paused"] = ""
    table.now += 60_000
    table.show([m.PausedChanged(0, 0, "")])
    assert waited(table.model.table, table.now) == 0
    table.now += 10_000
    assert waited(table.model.table, table.now) == 10


def test_so_it_is_while_others_choose_what_to_pass(sitting: Sit) -> None:
    table = sitting()
    table.step()
    table.show(table._pass(0))
    table.now += 40_000
    assert "to pass. (for 40 s)" in table.text()
