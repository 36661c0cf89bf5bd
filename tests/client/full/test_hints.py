"""The bottom row names what applies now, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hearts_client.doors import ListedTable
from hearts_client.full.at_start import with_tables
from hearts_client.full.intents import Intent, Want
from hearts_client.full.layout import Size
from hearts_client.full.model import Model, StartState
from hearts_client.full.screens.draw import draw
from hearts_client.full.steps import press
from hearts_client.settings import ClientSettings
from hearts_net.rules.options import MoonRule, Options, PassingRule

Sit = Callable[..., Any]


def bottom(table: Any) -> str:
    return str(table.text(120, 40).splitlines()[-1])


def test_a_card_is_hinted_at_while_the_table_waits_for_it(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=3)
    assert "Enter play  ←→ move  1-9 0 pick" in bottom(table)
    table.until(lambda at: at.game.deal.turn != 0 and at.model.public.trick)
    assert "play" not in bottom(table)
    assert "pick" not in bottom(table)
    assert "←→ move" in bottom(table)


def test_no_card_is_hinted_at_while_the_game_is_paused(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=3)
    table.changes["paused"] = "player"
    table.show()
    assert "play" not in bottom(table)


def test_sending_is_hinted_at_once_three_are_marked(sitting: Sit) -> None:
    table = sitting()
    table.step()
    table.step()
    for number in range(3):
        assert "send" not in bottom(table)
        assert "Space mark" in bottom(table)
        table.press(Intent(Want.PICK, number))
    assert "Enter send" in bottom(table)


def test_the_moon_is_a_choice_of_who_shot_it(
    sitting: Sit, moon_hands: tuple[int, int, int, int]
) -> None:
    options = Options(moon=MoonRule.SHOOTER_CHOOSES, passing=PassingRule.NONE)
    shooter, other = (
        sitting(options=options, hands=moon_hands, me=seat).until(
            lambda at: at.game.phase == "moon"
        )
        for seat in (0, 1)
    )
    shooter.now, other.now = shooter.now + 2000, other.now + 2000
    assert "Enter choose" in bottom(shooter)
    assert "choose" not in bottom(other)


def test_who_watches_is_hinted_at_no_next_deal(sitting: Sit) -> None:
    player, watcher = (
        sitting(me=seat).until(lambda at: len(at.game.results) == 1) for seat in (0, None)
    )
    player.now, watcher.now = player.now + 2000, watcher.now + 2000
    assert "next deal" in bottom(player)
    assert "next deal" not in bottom(watcher)


def test_the_start_screen_hints_at_tables_where_some_are_found() -> None:
    def last(model: Model) -> str:
        return draw(model, Size(120, 40), 0).text().splitlines()[-1]

    model = Model(ClientSettings(name="Asha"), at_table=False, start=StartState())
    assert "table" not in last(model)
    model = with_tables(model, [ListedTable("kitchen", "10.0.0.7:26052", True, "2 seats free")])
    assert "1-9 table" in last(model)
    assert "favourite" not in last(model)
    model, _effects = press(model, Intent(Want.FOUND, 0), 0)
    assert "f favourite" in last(model)
