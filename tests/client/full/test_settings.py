"""The page of settings: every line changes the client at once and is kept for the next time."""

from __future__ import annotations

import asyncio
import io
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from prompt_toolkit.data_structures import Size as Rows
from prompt_toolkit.output.vt100 import Vt100_Output

from hearts_client import flags
from hearts_client.chosen import choose
from hearts_client.config import read_config
from hearts_client.full.app import FullScreen
from hearts_client.full.at_settings import SETTINGS
from hearts_client.full.intents import Intent, Want
from hearts_client.full.layout import Size
from hearts_client.full.model import (
    CallPlayer,
    Field,
    Keep,
    Model,
    Purpose,
    Restyle,
    Wear,
    Where,
    where,
)
from hearts_client.full.screens.draw import draw
from hearts_client.full.steps import press, type_key, type_text
from hearts_client.preferences import Preferences, Value
from hearts_client.settings import ClientSettings, Colours, Signal
from hearts_client.themefile import Background, own_themes
from hearts_net.peer.home import find_home

Sit = Callable[..., Any]


def line_of(label: str) -> int:
    return next(number for number, setting in enumerate(SETTINGS) if setting.label == label)


def turned(table: Any, label: str, want: Want = Want.RIGHT) -> Any:
    """Open the page, change a line once, and close it; give the settings."""
    table.effects = table.press(Want.SETTINGS, *[Want.DOWN] * line_of(label), want, Want.BACK)
    return table.model.settings


@pytest.mark.parametrize(
    ("label", "changed", "kept"),
    [
        ("Deck", {"colours": Colours.TWO}, (("colours", "two"),)),
        ("Background", {"background": Background.LIGHT}, (("background", "light"),)),
        ("Suits", {"ascii": True}, (("ascii", True),)),
        ("Trick stays", {"speed_ms": 2000}, (("speed", 2000),)),
        ("At your turn", {"signal": Signal.FLASH}, (("no_bell", False), ("flash", True))),
        ("Mouse", {"mouse": True}, (("mouse", True),)),
        ("Chat", {"chat": False}, (("no_chat", True),)),
        ("Hints", {"hints": True}, (("hints", True),)),
        ("Choosing ahead", {"preselect": True}, (("preselect", True),)),
        ("Queen of spades", {"confirm_queen": True}, (("confirm_queen", True),)),
    ],
)
def test_a_line_changes_its_setting_and_keeps_it(
    sitting: Sit, label: str, changed: dict[str, object], kept: tuple[tuple[str, Value], ...]
) -> None:
    table = sitting().until_my_turn(trick=2)
    before = table.model.settings
    after = turned(table, label)
    assert after == replace(before, **changed)
    assert Keep(kept) in table.effects
    assert turned(table, label, Want.LEFT) == before


def test_what_is_kept_is_read_as_it_was_set(sitting: Sit, tmp_path: Path) -> None:
    preferences = Preferences(find_home({"HEARTS_NET_HOME": str(tmp_path)}))
    table = sitting().until_my_turn(trick=2)
    for setting in SETTINGS:
        turned(table, setting.label)
        for effect in table.effects:
            if isinstance(effect, Keep):
                preferences.keep(dict(effect.values))
    config = read_config(tmp_path / "config" / "config.toml")
    assert config.warnings == ()
    chosen = choose(flags.CLIENT, {}, {}, lambda: config)
    assert chosen.text("colours") == "two"
    assert chosen.number("speed") == 2000
    switches = ("ascii", "flash", "mouse", "no_chat", "hints", "preselect", "confirm_queen")
    assert all(chosen.switch(key) for key in switches)
    assert not chosen.switch("no_bell")


def test_the_chosen_line_is_always_in_sight(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=3)
    table.press(Want.SETTINGS)
    for setting in SETTINGS:
        assert any(
            line.startswith("  > ") and setting.label in line
            for line in table.text(40, 12).splitlines()
        )
        table.press(Want.DOWN)
    table.lobby()
    table.press(Want.BACK, Want.PRESET, Want.UP)
    assert " > " in table.text(40, 12)


def test_any_speed_of_the_command_line_is_kept_among_the_choices(sitting: Sit) -> None:
    table = sitting(settings=ClientSettings(name="Asha", speed_ms=777)).until_my_turn(trick=2)
    assert turned(table, "Trick stays").speed_ms == 1200
    assert "0.777" not in table.text()
    assert turned(table, "Trick stays", Want.LEFT).speed_ms == 600


def test_colours_are_shown_anew_and_a_theme_is_put_on_once_it_is_read(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    for label in ("Deck", "Background"):
        turned(table, label)
        assert Restyle() in table.effects
    before = table.model.settings.theme
    assert turned(table, "Theme").theme == before
    assert table.effects == [Wear("felt")]


def test_a_terminal_without_utf8_keeps_ascii(sitting: Sit) -> None:
    settings = ClientSettings(name="Asha", ascii=True, utf8=False)
    table = sitting(settings=settings).until_my_turn(trick=2)
    table.press(Want.SETTINGS, *[Want.DOWN] * line_of("Suits"), Want.ENTER)
    assert table.model.settings.ascii
    assert "no more than ASCII" in table.model.notice.text


def test_hints_of_the_first_game_can_be_switched_off_for_good(sitting: Sit) -> None:
    settings = ClientSettings(name="Asha", first_game=True)
    table = sitting(settings=settings).until_my_turn(trick=2)
    after = turned(table, "Hints")
    assert not after.explains
    assert Keep((("hints", False),)) in table.effects


def test_a_click_chooses_a_line_and_the_next_changes_it(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    table.press(Want.SETTINGS)
    presses = [span.press for line in table.screen().lines for span in line if span.press]
    number = line_of("Mouse")
    assert Intent(Want.PICK, number) in presses
    table.press(Intent(Want.PICK, number))
    assert not table.model.settings.mouse
    table.press(Intent(Want.PICK, number))
    assert table.model.settings.mouse


def test_the_start_screen_has_settings_too() -> None:
    model = Model(ClientSettings(name="Asha"), at_table=False)
    assert "Settings" in draw(model, Size(80, 24), 0).text()
    model, _effects = press(model, Intent(Want.SETTINGS), 0)
    assert where(model, 0) is Where.SETTINGS
    assert "Choosing ahead" in draw(model, Size(80, 24), 0).text()
    model, _effects = press(model, Intent(Want.BACK), 0)
    assert where(model, 0) is Where.START


def test_the_game_goes_on_below_the_page(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    table.now += 2000
    table.press(Want.SETTINGS)
    assert "YOUR TURN" in table.text().splitlines()[-2]


# ---- the application -----------------------------------------------------------------------------


def made(tmp_path: Path, **settings: Any) -> FullScreen:
    home = find_home({"HEARTS_NET_HOME": str(tmp_path)})
    own_themes(home).mkdir(exist_ok=True)
    return FullScreen(
        ClientSettings(name="Asha", theme_folder=own_themes(home), **settings),
        preferences=Preferences(home),
        terminal_output=Vt100_Output(io.StringIO(), lambda: Rows(24, 80), term="xterm-256color"),
    )


def test_a_theme_chosen_on_the_page_is_worn_and_kept(tmp_path: Path) -> None:
    async def work() -> None:
        screen = made(tmp_path, background=Background.DARK)
        style = screen.application.style
        assert style is not None
        before = style.get_attrs_for_style_str("class:turn")
        screen._take((screen.model, (Wear("felt"),)))
        assert style.get_attrs_for_style_str("class:turn") != before
        assert screen.model.settings.theme == "felt"

    asyncio.run(work())
    kept = tomllib.loads((tmp_path / "config" / "config.toml").read_text())
    assert kept == {"theme": "felt"}


def test_a_theme_that_will_not_do_is_said_and_changes_nothing(tmp_path: Path) -> None:
    async def work() -> None:
        screen = made(tmp_path)
        (tmp_path / "config" / "themes" / "mine.toml").write_text('[dark]\ntext = "purpel"\n')
        screen._take((screen.model, (Wear("mine"),)))
        assert screen.model.settings.theme == "standard"
        assert screen.model.notice is not None
        assert "mine.toml" in screen.model.notice.text

    asyncio.run(work())
    assert not (tmp_path / "config" / "config.toml").exists()


def test_a_file_that_cannot_be_changed_is_said_and_the_setting_holds_for_now(
    tmp_path: Path,
) -> None:
    async def work() -> None:
        screen = made(tmp_path)
        (tmp_path / "config" / "config.toml").write_text("name = \n")
        screen._take(press(replace(screen.model, at_table=False), Intent(Want.SETTINGS), 0))
        screen._take(press(screen.model, Intent(Want.DOWN), 0))
        screen._take(press(screen.model, Intent(Want.RIGHT), 0))
        assert screen.model.settings.background is Background.LIGHT
        assert screen.model.notice is not None
        assert "config.toml cannot be read" in screen.model.notice.text

    asyncio.run(work())


def test_ones_name_is_typed_kept_and_given_to_the_next_table() -> None:
    model = Model(ClientSettings(name="Asha"), at_table=False)
    for want in (Want.SETTINGS, *[Want.DOWN] * line_of("Your name"), Want.ENTER):
        model, _ = press(model, Intent(want), 0)
    assert where(model, 0) is Where.FIELD
    assert "Your name: Asha" in draw(model, Size(80, 24), 0).text()
    model = type_text(model, "ley")
    model, effects = type_key(model, "enter", 0)
    assert effects == (Keep((("name", "Ashaley"),)), CallPlayer("Ashaley"))
    assert model.settings.name == "Ashaley"
    assert model.field is None
    assert "Ashaley" in draw(model, Size(80, 24), 0).text()


@pytest.mark.parametrize(
    ("typed", "said"),
    [("", "needs a letter"), ("\u202e ", "needs a letter"), ("x" * 25, "at most 24")],
)
def test_what_can_be_no_name_is_said_and_changes_nothing(typed: str, said: str) -> None:
    model = Model(ClientSettings(name="Asha"), at_table=False)
    for want in (Want.SETTINGS, *[Want.DOWN] * line_of("Your name"), Want.ENTER):
        model, _ = press(model, Intent(want), 0)
    model = replace(model, field=Field(Purpose.NAME, typed, len(typed)))
    model, effects = type_key(model, "enter", 0)
    assert effects == ()
    assert model.settings.name == "Asha"
    assert where(model, 0) is Where.FIELD
    assert model.notice is not None
    assert said in model.notice.text
    assert said in draw(model, Size(80, 24), 0).text()


def test_at_a_table_the_new_name_is_for_the_next_one(sitting: Sit) -> None:
    table = sitting().lobby()
    table.press(Want.SETTINGS, *[Want.DOWN] * line_of("Your name"), Want.ENTER)
    table.model = type_text(table.model, "x")
    table.model, _ = type_key(table.model, "enter", table.now)
    assert "is your name at the next table" in table.text()
