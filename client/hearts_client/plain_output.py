"""Lines to a terminal or a pipe, each whole and at once, in whatever encoding it takes."""

from __future__ import annotations

import unicodedata
from typing import Final, TextIO

_PLAIN: Final = {
    "“": '"',
    "”": '"',
    "\u2018": "'",
    "\u2019": "'",
    "\u2013": "-",
    "\u2014": "-",
    "…": "...",
}
_SUITS: Final = {"♣": "c", "♦": "d", "♠": "s", "♥": "h"}


def is_utf8(encoding: str | None) -> bool:
    """Tell whether an output's encoding can say everything."""
    return (encoding or "").lower().replace("-", "").replace("_", "") in ("utf8", "cp65001")


def fitted(text: str, encoding: str) -> str:
    """Say ``text`` with what ``encoding`` has: letters without their marks, ``?`` for the rest."""
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return "".join(_fitted_character(character, encoding) for character in text)
    return text


def _fitted_character(character: str, encoding: str) -> str:
    candidates = (
        character,
        _PLAIN.get(character, _SUITS.get(character, "")),
        "".join(c for c in unicodedata.normalize("NFKD", character) if ord(c) < 128),
    )
    for candidate in candidates:
        try:
            if candidate and candidate.encode(encoding):
                return candidate
        except (UnicodeEncodeError, LookupError):
            continue
    return "?"


class LineWriter:
    """Writes lines and prompts.

    On a terminal a prompt waits at the line's beginning, and whatever is said meanwhile first ends
    that line; elsewhere a prompt is a line of its own, so that a program can wait for it.
    """

    def __init__(self, out: TextIO, *, terminal: bool, ascii_only: bool = False) -> None:
        self._out = out
        self._terminal = terminal
        encoding = getattr(out, "encoding", None) or "utf-8"
        self._encoding = "ascii" if ascii_only else encoding
        self._at_prompt = False

    @property
    def at_prompt(self) -> bool:
        """Whether a prompt is waiting for an answer on the terminal's current line."""
        return self._at_prompt

    def say(self, line: str) -> None:
        """Write one line, and have it leave this process."""
        start = "\n" if self._at_prompt else ""
        self._at_prompt = False
        self._write(f"{start}{line}\n")

    def prompt(self, word: str) -> None:
        """Ask for a line."""
        if self._terminal:
            self._at_prompt = True
            self._write(f"{word}> ")
        else:
            self._write(f"{word}>\n")

    def answered(self) -> None:
        """Note that the person has ended the prompt's line."""
        self._at_prompt = False

    def _write(self, text: str) -> None:
        self._out.write(fitted(text, self._encoding))
        self._out.flush()
