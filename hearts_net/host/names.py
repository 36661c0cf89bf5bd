"""Names and chat as other people's screens may show them.

What a peer sends is only text that it chose: it may hold control characters, marks that turn the
line round, a thousand accents on one letter, or another player's name in letters that look alike.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
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
_LOOK_ALIKES: Final = str.maketrans(
    "аеорсухіјѕһкмтвнԁԛԝαορνυικτχβεηζμ" + "01|!5$",
    "aeopcyxijshkmtbhdqwaopvuiktxbenzu" + "oilis" + "s",
)


def clean(text: str) -> str:
    """Return text in one line, composed (NFC), without anything that a terminal would act on."""
    kept: list[str] = []
    marks = 0
    for letter in unicodedata.normalize("NFC", text):
        category = unicodedata.category(letter)
        if category in _SPACES or letter in "\t\n\r":
            letter, category = " ", "Zs"
        elif letter in _WIDTH_CHANGERS or (
            category in _DROPPED and not (letter in _KEPT_JOINERS and kept and kept[-1] != " ")
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
    return "".join(kept).translate(_LOOK_ALIKES).replace("l", "i").replace("rn", "m")


def _shortened(text: str, most_bytes: int, most_letters: int) -> str:
    """Cut between letters, a letter with its marks counting as one."""
    size = letters = end = 0
    for index, letter in enumerate(text):
        size += len(letter.encode("utf-8"))
        joined = unicodedata.category(letter) in ("Mn", "Me", "Mc", "Cf")
        letters += not joined
        if size > most_bytes or letters > most_letters:
            break
        end = index + 1
    else:
        return text
    while end and unicodedata.category(text[end]) in ("Mn", "Me", "Mc", "Cf"):
        end -= 1  # the letter whose mark did not fit goes too
    return text[:end].rstrip()
