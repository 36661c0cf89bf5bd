"""What the end of a deal is worth: points, and near the target the game."""

from __future__ import annotations

import pytest

from hearts_net.bots.stakes import Stakes
from hearts_net.rules.options import MoonRule, Options
from hearts_net.rules.playout import PlayedOut


def worth(
    points: list[int],
    totals: tuple[int, int, int, int] = (0, 0, 0, 0),
    shooter: int | None = None,
    moon: MoonRule = MoonRule.OTHERS_GAIN,
) -> float:
    return Stakes(Options(moon=moon), totals, 0).worth(PlayedOut(points, shooter))


def test_at_the_start_a_deal_is_worth_the_others_mean_less_ones_own() -> None:
    assert worth([0, 13, 13, 0]) == pytest.approx(26 / 3)
    assert worth([26, 0, 0, 0], shooter=0) == pytest.approx(26)
    assert worth([0, 26, 0, 0], shooter=1) == pytest.approx(52 / 3 - 26)


@pytest.mark.parametrize("moon", [MoonRule.SHOOTER_LOSES])
def test_a_moon_can_take_points_off_the_shooter(moon: MoonRule) -> None:
    assert worth([26, 0, 0, 0], shooter=0, moon=moon) == pytest.approx(26)


def test_near_the_end_the_leader_does_not_let_the_last_one_end_the_game_too_soon() -> None:
    totals = (66, 60, 98, 90)
    ends = worth([0, 1, 25, 0], totals)  # seat 1 wins
    goes_on = worth([0, 18, 0, 8], totals)
    assert goes_on > ends + 2


def test_who_can_win_now_does_so() -> None:
    totals = (70, 95, 74, 75)
    wins = worth([0, 21, 3, 2], totals)
    goes_on = worth([3, 4, 1, 18], totals)
    assert wins > goes_on + 1


def test_a_choice_of_moons_is_made_as_the_rules_make_it() -> None:
    totals = (90, 40, 80, 85)
    chosen = worth([26, 0, 0, 0], totals, 0, MoonRule.SHOOTER_CHOOSES)
    assert chosen == worth([26, 0, 0, 0], totals, 0, MoonRule.SHOOTER_LOSES)
    assert chosen > worth([0, 10, 10, 6], totals)
    assert worth([26, 0, 0, 0], (0, 0, 0, 0), 0, MoonRule.SHOOTER_CHOOSES) == pytest.approx(26)
