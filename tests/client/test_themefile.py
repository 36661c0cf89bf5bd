"""Theme files: what they may say, who wins, and what is said of a bad one."""

from __future__ import annotations

from pathlib import Path

import pytest

from hearts_client.refusals import error_sentence
from hearts_client.themefile import (
    BUILT_IN,
    LONGEST_FILE,
    Background,
    ThemeCode,
    ThemeError,
    background_of,
    load_theme,
    theme_names,
)

SMALL = '[dark]\nbackground = "#000000"\ntext = "white"\n'


@pytest.mark.parametrize("name", BUILT_IN)
def test_each_built_in_theme_has_both_variants_and_all_suits(name: str) -> None:
    theme = load_theme(name)
    assert theme.light != theme.dark
    for variant in (theme.light, theme.dark):
        assert "bg:" in variant.base
        assert set(variant.suits) == {"club", "diamond", "spade", "heart"}
    assert theme.terminal.base == ""
    assert not any("#" in style for style in theme.terminal.styles.values())


def test_the_users_own_theme_is_found_and_wins_over_a_built_in_one(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(SMALL)
    (tmp_path / "felt.toml").write_text(SMALL + 'turn = "bold red on #ffff00"\n')
    (tmp_path / "Not a name.toml").write_text(SMALL)
    assert theme_names(tmp_path) == (*BUILT_IN, "mine")
    assert load_theme("mine", tmp_path).dark.base == "ansiwhite bg:#000000"
    assert load_theme("felt", tmp_path).dark.styles["turn"] == "bold ansired bg:#ffff00"
    assert load_theme("felt").dark.styles["turn"] != "bold ansired bg:#ffff00"


def test_a_theme_with_one_variant_has_it_on_every_background_that_is_known(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(SMALL)
    theme = load_theme("mine", tmp_path)
    assert theme.light == theme.dark
    assert theme.terminal.base == ""


@pytest.mark.parametrize("name", ["nope", "../felt", "", "x" * 200, "felt.toml"])
def test_a_theme_that_is_not_there_is_said_with_those_that_are(name: str) -> None:
    with pytest.raises(ThemeError) as caught:
        load_theme(name)
    assert caught.value.code == ThemeCode.UNKNOWN
    assert "standard, felt, paper, contrast" in error_sentence(
        caught.value.code, caught.value.detail
    )


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (SMALL + 'turn = "bold purpel"\n', "line 4, dark.turn: “purpel” is no colour"),
        (SMALL + 'turn = "blue on bold"\n', "line 4, dark.turn: “bold” is no colour"),
        (SMALL + "turn = 3\n", "line 4, dark.turn: must be text"),
        (SMALL + '\ntrun = "red"\n', "line 5, dark.trun: there is no such key"),
        (SMALL + '[dark.suits]\nhearts = "red"\n', "line 5, dark.suits.hearts: there is no such"),
        (SMALL + '[dark.suits]\nheart = "#12345"\n', "line 5, dark.suits.heart: “#12345” is no"),
        (SMALL + "suits = 1\n", "line 4, dark.suits: must be a table"),
        (SMALL + '[night]\ntext = "red"\n', "line 4, night: there is no such key"),
        ('[dark]\ntext = "white"\n', "line 1, dark: lacks background"),
        ("dark = 1\n", "line 1, dark: must be a table"),
        ('[terminal]\nbackground = "red"\n', "line 2, terminal.background: there is no such key"),
        ('[terminal]\nturn = "red"\n', "neither a table [light] nor [dark]"),
        ("dark = \n", "line 1"),
        (SMALL + "# " + "x" * LONGEST_FILE, "too long"),
    ],
)
def test_a_bad_file_is_a_typed_error_with_its_line_and_key(
    tmp_path: Path, content: str, says: str
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(content)
    with pytest.raises(ThemeError) as caught:
        load_theme("mine", tmp_path)
    assert caught.value.code == ThemeCode.BAD_FILE
    said = error_sentence(caught.value.code, caught.value.detail)
    assert says in said
    assert str(path) in said


def test_a_file_that_is_no_text_is_a_typed_error(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ThemeError, match="bad-theme"):
        load_theme("mine", tmp_path)


@pytest.mark.parametrize(
    ("colorfgbg", "background"),
    [
        ("", Background.UNKNOWN),
        ("15;0", Background.DARK),
        ("0;default;15", Background.LIGHT),
        ("0;7", Background.LIGHT),
        ("7;8", Background.DARK),
        ("15;default", Background.UNKNOWN),
        ("15", Background.UNKNOWN),
        ("15;99", Background.UNKNOWN),
        ("15;²", Background.UNKNOWN),
    ],
)
def test_the_background_is_what_the_terminal_says(colorfgbg: str, background: Background) -> None:
    assert background_of(colorfgbg) is background
