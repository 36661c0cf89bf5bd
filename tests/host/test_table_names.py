from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearts_net.host.names import clean_name, clean_text, distinct, skeleton


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Asha", "Asha"),
        ("  Asha  B. ", "Asha B."),
        ("Chloe\u0301", "Chloé"),
        ("\x1b[31mred\x1b[0m", "[31mred[0m"),
        ("a\u202eb\u2066c", "abc"),
        ("a\x9bb\x00c\x7f", "abc"),
        ("one\ntwo\ttab", "one two tab"),
        ("हिन्दी", "हिन्दी"),
        ("क\u094d\u200dष", "क\u094d\u200dष"),
        ("♥\ufe0f", "♥"),
        ("e" + "\u0332" * 30, "e" + "\u0332" * 3),
        ("\ud800", ""),
        ("\u0301", ""),
        ("x" * 40, "x" * 24),
        ("\U0001f0a1" * 30, "\U0001f0a1" * 16),
    ],
)
def test_names_are_cleaned(text: str, shown: str) -> None:
    assert clean_name(text) == shown


@given(st.text(max_size=300))
def test_what_is_shown_is_clean_short_and_stays_so(text: str) -> None:
    for clean, most in ((clean_name, 64), (clean_text, 400)):
        shown = clean(text)
        assert len(shown.encode()) <= most
        assert shown == clean(shown)
        assert shown == shown.strip()
        for letter in shown:
            category = unicodedata.category(letter)
            assert category not in ("Cc", "Cs", "Co", "Cn", "Zl", "Zp")
            assert category != "Cf" or letter in "\u200c\u200d"


@pytest.mark.parametrize(
    "other",
    ["Bob", "bob", "BOB", " Bob", "B ob", "B\u043eb", "B\u00f6b", "\uff22ob", "B0b", "\u0412ob"],
)
def test_names_that_look_alike_are_told_apart(other: str) -> None:
    shown = distinct(clean_name(other), ["Bob"])
    assert shown != clean_name(other)
    assert shown.endswith(" 2")


@given(st.text(min_size=1, max_size=40), st.integers(1, 12))
def test_any_number_of_the_same_name_are_told_apart(text: str, count: int) -> None:
    name = clean_name(text) or "x"
    taken: list[str] = []
    for _ in range(count):
        taken.append(distinct(name, taken))
    assert len({skeleton(each) for each in taken}) == count
    assert all(len(each.encode()) <= 64 for each in taken)
