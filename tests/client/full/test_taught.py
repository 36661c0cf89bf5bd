"""Everything that a first game teaches, and every hint, is to be read to its end."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest

from hearts_client import hintwords, teaching
from hearts_client.full.layout import cells
from hearts_client.full.model import Notice
from hearts_client.i18n import _, catalogue_languages, ngettext, use_language
from hearts_client.settings import ClientSettings
from hearts_client.testing.sitting import Sitting

SIZES = ((60, 18), (80, 24), (120, 40))
FACTS = {"hint": "", "card": "10♠, 10♥ and 10♦", "queen": "Q♠", "jack": "J♦", "suit": "♥",
         "points": 27, "ace": "A♠", "king": "K♠"}  # fmt: skip


def sentences(module: object) -> list[tuple[str, ...]]:
    """Give the arguments of every call that marks words for translation."""
    tree = ast.parse(inspect.getsource(module))  # type: ignore[arg-type]
    found = []
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
            texts = [
                part.value
                for part in call.args
                if isinstance(part, ast.Constant) and isinstance(part.value, str)
            ]
            if call.func.id in ("_", "N_", "ngettext") and texts:
                found.append(tuple(texts))
    return found


def said(texts: tuple[str, ...]) -> str:
    words = _(texts[0]) if len(texts) == 1 else ngettext(texts[0], texts[1], 27)
    return words.format(**FACTS)


def lessons() -> Iterator[str]:
    """Give each lesson as it may stand there: why, and what the points are."""
    every = [said(texts) for texts in sentences(teaching)]
    stakes = [text for text in every if "27" in text]
    passing = [text for text in every if text.startswith(("Pass", "A heart", "J♦"))]
    why = [text for text in every if text not in stakes and text not in passing]
    assert stakes
    assert len(passing) == 3
    assert len(why) >= 16
    for text, stake in product(why, stakes):
        yield f"{text} {stake}"
    yield " ".join([*passing, _("(The key “,” turns hints off.)")])


def shown_whole(table: Sitting, text: str, size: tuple[int, int]) -> bool:
    left = [line.partition("│")[0] for line in table.text(*size).splitlines()]
    return text in " ".join(" ".join(left).split())


@pytest.mark.parametrize("language", catalogue_languages())
def test_nothing_that_is_taught_is_cut(language: str) -> None:
    use_language(language)
    table = Sitting(settings=ClientSettings(name="Asha")).until_my_turn(trick=2)
    hints = [_("Hint: {hint}").format(hint=said(texts)) for texts in sentences(hintwords)]
    longest = sorted({*lessons(), *hints}, key=cells)[-12:]
    for text, size in product(longest, SIZES):
        table.model = replace(table.model, notice=Notice(text))
        assert shown_whole(table, text, size), (text, size)
