"""Every screen as it looks, at every size and in every manner: one file a screen, to be read.

The files are in ``golden/screens``. `make screens` writes them anew; what differs is to be looked
at before it is kept. Letters under a line tell how it stands out without colours: bold, underlined,
italic, reverse, and in capitals bold as well.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from prompt_toolkit.styles import BaseStyle

from hearts_client.full.layout import Line, Screenful, Size, cells
from hearts_client.full.model import Page, Where, where
from hearts_client.full.screens.draw import draw
from hearts_client.full.theme import style_sheet, style_text
from hearts_client.settings import ClientSettings, Colours
from hearts_client.testing.screens import SCREENS, Case
from hearts_client.themefile import ATTRIBUTES_ALONE, Variant

FOLDER = Path(__file__).parent / "golden" / "screens"
SIZES = (Size(80, 24), Size(120, 40), Size(60, 18), Size(40, 12))
USUAL = SIZES[0]


def without_colours(screen: Screenful) -> str:
    """Write a screen with marks under what stands out though there are no colours."""
    sheet = style_sheet(Variant("", ATTRIBUTES_ALONE, {}), Colours.NONE)
    rows = []
    for line, text in zip(screen.lines, screen.text().split("\n"), strict=True):
        rows.append(text)
        marks = "".join(_mark(sheet, line, number) for number in range(len(line))).rstrip()
        rows += [marks] if marks else []
    return "\n".join(rows)


def _mark(sheet: BaseStyle, line: Line, number: int) -> str:
    span = line[number]
    look = sheet.get_attrs_for_style_str(style_text(span.style))
    assert look.color in ("", None), f"{span.style} has a colour"
    assert look.bgcolor in ("", None), f"{span.style} has a colour"
    mark = "r" if look.reverse else "u" if look.underline else "i" if look.italic else ""
    mark = (mark or "b").upper() if look.bold and mark else ("b" if look.bold else mark)
    return (mark or " ") * cells(span.text)


def sheet_of(case: Case) -> str:
    """Draw a screen in every manner."""
    usual = ClientSettings(name="Asha")
    model, now = case(usual)
    parts = [(f"{size.columns}x{size.rows}", draw(model, size, now).text()) for size in SIZES]
    model, now = case(replace(usual, ascii=True))
    in_ascii = draw(model, USUAL, now).text()
    strange = {letter for letter in in_ascii if not letter.isascii()}
    assert strange <= {"é"}, strange  # of a name
    parts.append(("80x24 in ASCII", in_ascii))
    model, now = case(replace(usual, colours=Colours.NONE))
    parts.append(("80x24 without colours", without_colours(draw(model, USUAL, now))))
    return "".join(f"{f' {head} ':=^80}\n{text}\n" for head, text in parts)


@pytest.mark.parametrize("name", SCREENS)
def test_it_looks_as_it_did(name: str) -> None:
    path, drawn = FOLDER / f"{name}.txt", sheet_of(SCREENS[name])
    if os.environ.get("HEARTS_GOLDEN") == "write":
        FOLDER.mkdir(exist_ok=True)
        path.write_text(drawn, encoding="utf-8")
    assert path.is_file(), "run make screens, and look at it"
    assert drawn == path.read_text(encoding="utf-8"), "run make screens if this is meant"


def test_no_screen_is_kept_that_is_not_drawn() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == SCREENS.keys()


def test_every_place_and_page_is_among_them() -> None:
    shown = [case(ClientSettings(name="Asha")) for case in SCREENS.values()]
    assert {where(model, now) for model, now in shown} == set(Where)
    assert {model.page for model, _ in shown} >= set(Page)
