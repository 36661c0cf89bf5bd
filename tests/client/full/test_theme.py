"""Colours on the screen: each built-in theme is readable on its own backgrounds."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from prompt_toolkit.output.vt100 import _256ColorCache
from prompt_toolkit.styles import Attrs, Style

from hearts_client.full.theme import style_sheet, style_text, variant_of
from hearts_client.settings import Colours
from hearts_client.themefile import BUILT_IN, STYLES, SUITS, Background, load_theme

AA = 4.5
"""The least contrast of text to what is behind it, WCAG 2.2, level AA."""
AAA = 7.0
ON_CARDS = ("", "chosen", "illegal", "chosen illegal", "won", "raised", "raised illegal", "turn")
KNOWN = (Background.LIGHT, Background.DARK)
PALETTE = _256ColorCache()


def looks() -> list[str]:
    """Every style that a screen gives to text."""
    cards = [f"card.{suit} {more}".strip() for suit, more in product(SUITS, ON_CARDS)]
    return ["", *(style for style in STYLES if style != "card"), *cards, "top alert"]


def shown(colour: str) -> tuple[int, int, int]:
    """The colour of the palette that a terminal shows for one of a style sheet."""
    wanted = (int(colour[:2], 16), int(colour[2:4], 16), int(colour[4:], 16))
    red, green, blue = PALETTE.colors[PALETTE[wanted]]
    return red, green, blue


def luminance(colour: tuple[int, int, int]) -> float:
    parts = [part / 255 for part in colour]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(attrs: Attrs) -> float:
    """Of text and background; reverse only changes which is which."""
    assert attrs.color
    assert attrs.bgcolor
    light, dark = sorted(
        (luminance(shown(attrs.color)), luminance(shown(attrs.bgcolor))), reverse=True
    )
    return (light + 0.05) / (dark + 0.05)


def sheet(name: str, background: Background, colours: Colours = Colours.FOUR) -> Style:
    return style_sheet(variant_of(load_theme(name), background), colours)


@pytest.mark.parametrize("colours", [Colours.FOUR, Colours.TWO])
@pytest.mark.parametrize("background", KNOWN)
@pytest.mark.parametrize("name", BUILT_IN)
def test_every_text_is_readable_on_the_themes_own_background(
    name: str, background: Background, colours: Colours
) -> None:
    style = sheet(name, background, colours)
    found = {
        look: round(contrast(style.get_attrs_for_style_str(style_text(look))), 2)
        for look in looks()
    }
    least = AAA if name == "contrast" else AA
    assert {look: ratio for look, ratio in found.items() if ratio < least} == {}


@pytest.mark.parametrize("background", KNOWN)
@pytest.mark.parametrize("name", BUILT_IN)
def test_a_theme_names_colours_that_the_palette_has(name: str, background: Background) -> None:
    style = sheet(name, background)
    for look in looks():
        attrs = style.get_attrs_for_style_str(style_text(look))
        for colour in (attrs.color, attrs.bgcolor):
            assert colour
            assert "".join(f"{part:02x}" for part in shown(colour)) == colour


@pytest.mark.parametrize("background", KNOWN)
@pytest.mark.parametrize("name", BUILT_IN)
def test_suits_differ_in_a_deck_of_four_colours_and_pair_up_in_one_of_two(
    name: str, background: Background
) -> None:
    def suits(colours: Colours) -> list[str | None]:
        style = sheet(name, background, colours)
        return [style.get_attrs_for_style_str(f"class:card.{suit}").color for suit in SUITS]

    assert len(set(suits(Colours.FOUR))) == 4
    club, diamond, spade, heart = suits(Colours.TWO)
    assert club == spade
    assert diamond == heart
    assert club != heart


@pytest.mark.parametrize("name", BUILT_IN)
def test_on_an_unknown_background_the_terminals_own_colours_decide(name: str) -> None:
    for style in (
        sheet(name, Background.UNKNOWN),
        style_sheet(variant_of(load_theme(name), Background.DARK, sixteen=True), Colours.FOUR),
    ):
        base = style.get_attrs_for_style_str("")
        assert (base.color, base.bgcolor) == ("", "")
        for look in looks():
            attrs = style.get_attrs_for_style_str(style_text(look))
            for colour in (attrs.color, attrs.bgcolor):
                assert not colour or colour.startswith("ansi")


@pytest.mark.parametrize("name", BUILT_IN)
def test_without_colour_bold_reverse_and_underline_are_left(name: str) -> None:
    style = sheet(name, Background.DARK, Colours.NONE)
    for look in looks():
        attrs = style.get_attrs_for_style_str(style_text(look))
        assert (attrs.color, attrs.bgcolor) == ("", "")
    assert style.get_attrs_for_style_str("class:chosen").reverse
    assert style.get_attrs_for_style_str("class:turn").bold
    assert style.get_attrs_for_style_str("class:won").underline


@pytest.mark.parametrize("background", [*KNOWN, Background.UNKNOWN])
@pytest.mark.parametrize("name", BUILT_IN)
def test_a_card_that_may_not_be_played_looks_unlike_one_that_may(
    name: str, background: Background
) -> None:
    style = sheet(name, background)
    for suit in SUITS:
        legal = style.get_attrs_for_style_str(style_text(f"card.{suit}"))
        illegal = style.get_attrs_for_style_str(style_text(f"card.{suit} illegal"))
        assert legal != illegal
        assert not illegal.bold


@pytest.mark.parametrize("background", KNOWN)
@pytest.mark.parametrize("name", BUILT_IN)
def test_the_suit_of_a_card_that_may_not_be_played_is_still_to_be_told(
    name: str, background: Background
) -> None:
    for colours, many in ((Colours.FOUR, 4), (Colours.TWO, 2)):
        style = sheet(name, background, colours)
        for more in ("illegal", "raised illegal", "chosen illegal"):
            looks = [
                style.get_attrs_for_style_str(style_text(f"card.{suit} {more}")) for suit in SUITS
            ]
            assert len({look.color for look in looks}) == many
        plain = [style.get_attrs_for_style_str(style_text(f"card.{suit}")) for suit in SUITS]
        barred = [
            style.get_attrs_for_style_str(style_text(f"card.{suit} illegal")) for suit in SUITS
        ]
        assert not {look.color for look in plain} & {look.color for look in barred}


def test_a_theme_of_ones_own_need_not_say_how_illegal_cards_look(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        '[dark]\nbackground = "#000000"\ntext = "#ffffff"\n[dark.suits]\nheart = "#ff8787"\n'
        '[dark.illegal-suits]\nclub = "#878787"\n'
    )
    dark = load_theme("mine", tmp_path).dark
    assert dark.illegal == {"heart": "#ff8787", "club": "#878787"}
    assert dark.suits == {"heart": "#ff8787"}
