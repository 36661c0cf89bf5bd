"""Names and chat as other people's screens may show them.

What a peer sends is only text that it chose: it may hold control characters, marks that turn the
line round, a thousand accents on one letter, or another player's name in letters that look alike.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable
from typing import Final

MAX_NAME_BYTES: Final = 64
MAX_NAME_LETTERS: Final = 24
MAX_TITLE_LETTERS: Final = 40
MAX_TEXT_BYTES: Final = 400
MAX_MARKS: Final = 3
"""Combining marks on one letter; more would climb over the lines above."""
_DROPPED: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
"""Controls, invisible format characters (some turn the line round), and what is no character."""
_KEPT_JOINERS: Final = frozenset("\u200c\u200d")
"""Without these, names in Indic and Persian scripts come out misspelt."""
_SPACES: Final = frozenset({"Zs", "Zl", "Zp"})
_WIDTH_CHANGERS: Final = frozenset(chr(code) for code in range(0xFE00, 0xFE10))
"""Variation selectors: terminals disagree about their width."""
_UNSEEN: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\U0001d159"
) | frozenset(chr(code) for code in range(0xE0100, 0xE01F0))
"""Letters, marks and signs that show nothing: fillers, a blank pattern, more selectors."""
_LOOK_ALIKES: Final = {
    ord(letter): plain
    for plain, letters in {
        "a": "\u0430\u03b1\u0251\u1d00",
        "b": "\u0432\u044c\u03b2\u0185\u0299",
        "c": "\u0441\u03f2\u1d04",
        "d": "\u0501\u0111\u1d05",
        "e": "\u0435\u0454\u03b5\u1d07",
        "f": "\u0192\ua730",
        "g": "\u050d\u0261\u0581",
        "h": "\u043d\u04bb\u0127\u0570\u029c",
        "i": "\u0456\u04cf\u03b9\u0131\u026a\u0142\u029fl1|!",
        "j": "\u0458\u03f3\u0575\u1d0a",
        "k": "\u043a\u03ba\u1d0b",
        "m": "\u043c\u1d0d",
        "n": "\u043f\u03b7\u0578\u0274",
        "o": "\u043e\u03bf\u03c3\u0585\u00f8\u1d0f0",
        "p": "\u0440\u03c1\u1d18",
        "q": "\u051b\u0566",
        "r": "\u0433\u0280",
        "s": "\u0455\ua7315$",
        "t": "\u0442\u03c4\u0167\u1d1b",
        "u": "\u0438\u03c5\u03bc\u057d\u1d1c",
        "v": "\u0475\u03bd\u1d20",
        "w": "\u051d\u03c9\u1d21",
        "x": "\u0445\u03c7",
        "y": "\u0443\u04af\u03b3\u028f",
        "z": "\u03b6\u1d22",
    }.items()
    for letter in letters
}
"""Small letters and signs that look like a Latin letter: Cyrillic, Greek, Armenian, Latin ones.

The table of Unicode has 6,000 of them in 0.9 MB, most for scripts that no name mixes with Latin;
full-width, mathematical and accented letters are made plain before this.
"""


def clean(text: str) -> str:
    """Return text in one line, composed (NFC), without anything that a terminal would act on."""
    kept: list[str] = []
    marks = 0
    for letter in unicodedata.normalize("NFC", text):
        category = unicodedata.category(letter)
        if category in _SPACES or letter in "\t\n\r":
            letter, category = " ", "Zs"
        elif (
            letter in _WIDTH_CHANGERS
            or letter in _UNSEEN
            or (category in _DROPPED and not (letter in _KEPT_JOINERS and kept and kept[-1] != " "))
        ):
            continue
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if marks > MAX_MARKS or (marks and not kept):
            continue
        if letter == " " and (not kept or kept[-1] == " "):
            continue
        kept.append(letter)
    return "".join(kept).rstrip()


def clean_name(text: str) -> str:
    """Return a name of at most 24 letters and 64 bytes; "" if nothing of it can be shown."""
    return _shortened(clean(text), MAX_NAME_BYTES, MAX_NAME_LETTERS)


def clean_title(text: str) -> str:
    """Return a table's name, at most 40 letters; ``hearts`` if nothing of it can be shown."""
    return _shortened(clean(text), MAX_NAME_BYTES, MAX_TITLE_LETTERS) or "hearts"


def clean_text(text: str) -> str:
    """Return what somebody says, at most 400 bytes; "" if nothing of it can be shown."""
    return _shortened(clean(text), MAX_TEXT_BYTES, MAX_TEXT_BYTES)


def distinct(name: str, taken: Collection[str]) -> str:
    """Return a clean name, with a number where it would look like one that is taken."""
    looks = {skeleton(other) for other in taken}
    if skeleton(name) not in looks:
        return name
    number = 2
    while True:
        ending = f" {number}"
        short = _shortened(name, MAX_NAME_BYTES - len(ending), MAX_NAME_LETTERS - len(ending))
        if skeleton(short + ending) not in looks:
            return short + ending
        number += 1


def skeleton(name: str) -> str:
    """Return what names that look alike share: no accents, case or spaces, one letter for each."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    kept = (
        letter for letter in plain if unicodedata.category(letter) not in {"Mn", "Me", "Cf", "Zs"}
    )
    return "".join(kept).translate(_LOOK_ALIKES).replace("rn", "m").replace("vv", "w")


def _shortened(text: str, most_bytes: int, most_letters: int) -> str:
    """Cut between letters as a person counts them: grapheme clusters."""
    if len(text) <= most_letters and len(text.encode("utf-8")) <= most_bytes:
        return text
    size = 0
    kept: list[str] = []
    for letter in _letters(text):
        size += len(letter.encode("utf-8"))
        if size > most_bytes or len(kept) == most_letters:
            break
        kept.append(letter)
    return "".join(kept).rstrip()


def _letters(text: str) -> Iterable[str]:
    """Return the grapheme clusters of a text."""
    if text.isascii():
        return text
    from wcwidth import iter_graphemes  # its tables take time to load, and few names need them

    return iter_graphemes(text)
