from __future__ import annotations

import logging
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import iter_graphemes

from hearts_net.host.chronicle import Chronicle
from hearts_net.host.names import clean_name, clean_text, distinct, skeleton
from hearts_net.host.opening import Opening
from hearts_net.host.projection import Viewer, project, project_log
from hearts_net.protocol.codec import encode
from hearts_net.protocol.messages import Say
from hearts_net.testing.tables import HOST, LEVELS, Driver

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


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
        ("\u3164\u2800\u115f", ""),
        ("A\u3164da\u034f\U000e0101", "Ada"),
        ("\U0001f1f3\U0001f1f1" * 20, "\U0001f1f3\U0001f1f1" * 8),  # flags: never half of one
        (FAMILY * 5, FAMILY * 3),  # 18 bytes each: three of them fit
        ("\u0915\u094d\u0937\u093f" * 20, "\u0915\u094d\u0937\u093f" * 5),  # 12 bytes each
        ("e\u0332\u0333" * 30, "e\u0332\u0333" * 12),
        ("\u0105\u0332" * 24, "\u0105\u0332" * 16),
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
        assert shown == unicodedata.normalize("NFC", shown)
        assert len(list(iter_graphemes(shown))) <= (24 if clean is clean_name else 400)
        assert shown == shown.strip()
        for letter in shown:
            category = unicodedata.category(letter)
            assert category not in ("Cc", "Cs", "Co", "Cn", "Zl", "Zp")
            assert category != "Cf" or letter in "\u200c\u200d"


@pytest.mark.parametrize(
    "other",
    [
        "Bob",
        "bob",
        "BOB",
        " Bob",
        "B ob",
        "B\u043eb",
        "B\u00f6b",
        "\uff22ob",
        "B0b",
        "\u0412ob",
        "B\u03bfb",
        "B\u00f8b",
        "\U0001d401\U0001d428\U0001d41b",
        "B\u0585b",
        "\u0299\u1d0f\u0299",
        "B\u200dob",
        "Bo\u3164b",
    ],
)
def test_names_that_look_alike_are_told_apart(other: str) -> None:
    shown = distinct(clean_name(other), ["Bob"])
    assert shown != clean_name(other)
    assert shown.endswith(" 2")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Will", "W\u0456ll"),
        ("Will", "WiII"),
        ("Will", "W1|l"),
        ("Marne", "Mame"),
        ("Vivvy", "Viwy"),
        ("Sasha", "5a$ha"),
        ("Hannah", "\u041d\u0430nn\u0430h"),
    ],
)
def test_letters_of_other_scripts_and_digits_fool_nobody(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)
    assert distinct(clean_name(other), [one]).endswith(" 2")


@pytest.mark.parametrize(
    "other", ["Bobby", "Rob", "\u0411\u043e\u0440\u0438\u0441", "\u5f20\u4f1f"]
)
def test_other_names_are_left_alone(other: str) -> None:
    assert distinct(other, ["Bob", "Boris"]) == other


@given(st.text(min_size=1, max_size=40), st.integers(1, 12))
def test_any_number_of_the_same_name_are_told_apart(text: str, count: int) -> None:
    name = clean_name(text) or "x"
    taken: list[str] = []
    for _ in range(count):
        taken.append(distinct(name, taken))
    assert len({skeleton(each) for each in taken}) == count
    assert all(len(each.encode()) <= 64 for each in taken)


def test_nothing_that_a_terminal_acts_on_is_stored_told_or_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    evil = "\x1b]0;x\x07A\u202eda\u2066\x9b2J"
    driver = Driver(opening=Opening("t1", f"attic{evil}", HOST, levels=LEVELS))
    driver.join(HOST, name=f"host{evil}", level=evil)
    driver.act(HOST, Say(f"hello{evil}"))
    chronicle = Chronicle()
    chronicle.look(driver.table)
    driver.join("bram", name=evil)
    chronicle.look(driver.table)
    view = project(driver.table, Viewer.of(driver.table, HOST), 0)
    told = encode(view) + encode(project_log(driver.table, 0))
    for text in (*driver.stored, told, caplog.text.replace("\n", "").encode()):
        shown = text.decode("utf-8", "ignore") if text is told else text.decode()
        assert not {"\x1b", "\x07", "\u202e", "\u2066", "\x9b"} & set(shown)
        assert "\\u001b" not in shown
    assert driver.table.seats[1].name == "]0;xAda2J"
    assert "]0;xAda2J" in caplog.text
