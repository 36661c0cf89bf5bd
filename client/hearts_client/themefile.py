"""Themes: small TOML files that say which colours each kind of text has, and reading them.

A theme has up to three tables: ``[light]`` and ``[dark]``, each with a background of its own, and
``[terminal]``, used where nobody knows the terminal's background: there the sixteen colours that
the user's terminal has decide. Pure but for reading files; prompt_toolkit is not needed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final

from hearts_client.i18n import N_, _
from hearts_client.safetext import safe_text
from hearts_net.peer.home import Home
from hearts_net.rules.errors import HeartsError

BUILT_IN: Final = ("standard", "felt", "paper", "contrast")
"""The themes that come with the program, the usual one first."""
LONGEST_FILE: Final = 100_000
"""Bytes; a theme has two thousand or so."""
MOST_THEMES: Final = 50
_FOLDER: Final = Path(__file__).parent / "themes"
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
_HEX: Final = re.compile(r"#[0-9a-fA-F]{6}")

STYLES: Final = (
    "top", "title", "rule", "name", "turn", "alert", "error", "notice", "chat", "dim", "best",
    "won", "chosen", "raised", "illegal", "pointer", "flag", "number", "key", "hint", "field",
    "card", "flash",
)  # fmt: skip
"""What a theme may style: the classes of :class:`hearts_client.full.layout.Span`."""
SUITS: Final = ("club", "diamond", "spade", "heart")
ATTRIBUTES: Final = ("bold", "italic", "underline", "reverse")
_ANSI: Final = {
    name: "ansi" + name.replace("-", "")
    for name in (
        "black", "red", "green", "yellow", "blue", "magenta", "cyan", "gray", "bright-black",
        "bright-red", "bright-green", "bright-yellow", "bright-blue", "bright-magenta",
        "bright-cyan", "white",
    )
}  # fmt: skip

ATTRIBUTES_ALONE: Final[Mapping[str, str]] = {
    "top": "reverse",
    "title": "bold",
    "turn": "bold",
    "alert": "bold reverse",
    "error": "bold",
    "notice": "italic",
    "chat": "italic",
    "best": "bold",
    "won": "bold underline",
    "chosen": "reverse",
    "raised": "bold",
    "pointer": "bold",
    "flag": "bold",
    "key": "bold",
    "field": "underline",
    "flash": "reverse",
    "card": "bold",
}
"""How kinds of text differ where there is no colour, and where a theme says nothing of them."""


class ThemeCode(StrEnum):
    """Codes of :class:`ThemeError`."""

    UNKNOWN = "unknown-theme"
    BAD_FILE = "bad-theme"


THEME_WORDS: Final[Mapping[str, tuple[str, str]]] = {
    ThemeCode.UNKNOWN: (
        N_("There is no such theme: standard, felt, paper and contrast are built in."),
        N_("There is no theme “{theme}”; there are: {themes}."),
    ),
    ThemeCode.BAD_FILE: (
        N_("The theme cannot be read: mend its file, or choose another."),
        N_("The theme {path} cannot be read ({reason}): mend it, or choose another."),
    ),
}
"""What is said of each code: in general, and with its facts."""


class ThemeError(HeartsError):
    """There is no such theme, or its file will not do."""


@dataclass(frozen=True, slots=True)
class Variant:
    """The looks for one kind of background, in prompt_toolkit's words for styles."""

    base: str
    """Text and background of everything; "" leaves both to the terminal."""
    styles: Mapping[str, str]
    """By class, for :data:`STYLES`."""
    suits: Mapping[str, str]
    """By suit, for :data:`SUITS`."""
    illegal: Mapping[str, str] = field(default_factory=dict)
    """The same for cards that may not be played now."""


@dataclass(frozen=True, slots=True)
class Theme:
    """The looks of one theme."""

    name: str
    terminal: Variant
    light: Variant
    dark: Variant


class Background(StrEnum):
    """What is behind the text in the user's terminal."""

    UNKNOWN = "auto"
    LIGHT = "light"
    DARK = "dark"


def background_of(colorfgbg: str) -> Background:
    """Tell the background by what some terminals say in the variable COLORFGBG.

    It reads ``15;0`` or ``0;default;15``, numbers of the sixteen colours.
    """
    behind = colorfgbg.rpartition(";")[2]
    if ";" not in colorfgbg or not (behind.isascii() and behind.isdecimal()):
        return Background.UNKNOWN
    if int(behind) > 15:
        return Background.UNKNOWN
    return Background.DARK if int(behind) in (0, 1, 2, 3, 4, 5, 6, 8) else Background.LIGHT


def own_themes(home: Home) -> Path:
    """Where the player's own themes are."""
    return home.config / "themes"


def theme_names(folder: Path | None) -> tuple[str, ...]:
    """List the built-in themes, then the user's own by name."""
    own: list[str] = []
    if folder is not None:
        try:
            own = sorted(path.stem for path in folder.glob("*.toml"))
        except OSError:
            own = []
    fitting = [name for name in own if _NAME.fullmatch(name) and name not in BUILT_IN]
    return (*BUILT_IN, *fitting[:MOST_THEMES])


def load_theme(name: str, folder: Path | None = None) -> Theme:
    """Read a theme, the user's own before a built-in one of that name.

    Raises :class:`ThemeError`: ``unknown-theme``, or ``bad-theme`` with the file and, where one is
    to blame, the line and the key.
    """
    return _read(name, find_theme(name, folder))


def find_theme(name: str, folder: Path | None = None) -> Path:
    """Give a theme's file; raises :class:`ThemeError` ``unknown-theme``."""
    if _NAME.fullmatch(name):
        for place in (folder, _FOLDER):
            if place is not None and (place / f"{name}.toml").is_file():
                return place / f"{name}.toml"
    raise ThemeError(
        ThemeCode.UNKNOWN, theme=safe_text(name)[:32], themes=", ".join(theme_names(folder))
    )


def _read(name: str, path: Path) -> Theme:
    try:
        with path.open("rb") as file:
            content = file.read(LONGEST_FILE + 1)
        if len(content) > LONGEST_FILE:
            raise _bad(path, _("it is too long"))
        text = content.decode("utf-8")
        tables = tomllib.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        raise _bad(path, safe_text(str(error))[:200]) from error
    return _Reader(path, text).theme(name, tables)


def _bad(path: Path, reason: str) -> ThemeError:
    return ThemeError(ThemeCode.BAD_FILE, path=str(path), reason=reason)


class _Reader:
    """Reads the tables of one file; every complaint names the line and the key."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._lines = text.splitlines()

    def theme(self, name: str, tables: Mapping[str, object]) -> Theme:
        """Make a theme of the tables of a file."""
        self._known(tables, ("terminal", "light", "dark"), "")
        found = {key: self._variant(key, table) for key, table in tables.items()}
        whole = [found[key] for key in ("dark", "light") if key in found]
        if not whole:
            raise _bad(self._path, _("it has neither a table [light] nor [dark]"))
        usual = Variant("", ATTRIBUTES_ALONE, {})
        return Theme(
            name,
            found.get("terminal", usual),
            found.get("light", whole[0]),
            found.get("dark", whole[-1]),
        )

    def _variant(self, key: str, table: object) -> Variant:
        if not isinstance(table, Mapping):
            raise self._complaint("", key, _("must be a table"))
        painted = ("background", "text") if key != "terminal" else ()
        self._known(table, (*painted, *STYLES, "suits", "illegal-suits"), key)
        for part in painted:
            if part not in table:
                raise self._complaint("", key, _("lacks {part}").format(part=part))
        base = ""
        if painted:
            base = (
                f"{self._colour(key, 'text', table['text'])} "
                f"bg:{self._colour(key, 'background', table['background'])}"
            )
        styles = dict(ATTRIBUTES_ALONE)
        styles.update(
            {name: self._style(key, name, table[name]) for name in STYLES if name in table}
        )
        suits = self._suits(key, "suits", table)
        return Variant(base, styles, suits, suits | self._suits(key, "illegal-suits", table))

    def _suits(self, key: str, name: str, table: Mapping[str, object]) -> dict[str, str]:
        suits = table.get(name, {})
        if not isinstance(suits, Mapping):
            raise self._complaint(key, name, _("must be a table"))
        section = f"{key}.{name}"
        self._known(suits, SUITS, section)
        return {suit: self._colour(section, suit, value) for suit, value in suits.items()}

    def _style(self, section: str, key: str, value: object) -> str:
        """Translate ``bold #ffffff on #000000``."""
        words = value.split() if isinstance(value, str) else None
        if words is None:
            raise self._complaint(section, key, _("must be text"))
        parts: list[str] = ["nobold"] if key == "illegal" else []
        behind = False
        for word in words:
            if word == "on":
                behind = True
            elif word in ATTRIBUTES and not behind:
                parts.append(word)
            else:
                colour = self._colour(section, key, word)
                parts.append(f"bg:{colour}" if behind else colour)
        return " ".join(parts)

    def _colour(self, section: str, key: str, value: object) -> str:
        if isinstance(value, str):
            if _HEX.fullmatch(value):
                return value.lower()
            if value in _ANSI:
                return _ANSI[value]
        word = safe_text(str(value))[:20]
        raise self._complaint(section, key, _("“{word}” is no colour").format(word=word))

    def _known(self, table: Mapping[str, object], keys: tuple[str, ...], section: str) -> None:
        for key in table:
            if key not in keys:
                raise self._complaint(section, key, _("there is no such key"))

    def _complaint(self, section: str, key: str, words: str) -> ThemeError:
        where = f"{section}.{key}" if section else key
        reason = _("line {line}, {key}: {complaint}").format(
            line=self._line_of(section, key), key=safe_text(where)[:60], complaint=words
        )
        return _bad(self._path, reason)

    def _line_of(self, section: str, key: str) -> int:
        """Find the line of a key within its table; the parser does not tell."""
        name = re.escape(key)
        wanted = re.compile(rf"""\s*["']?{name}["']?\s*=""")
        header = re.compile(
            rf"""\s*\[\s*{re.escape(f"{section}.{key}" if section else key)}\s*\]"""
        )
        inside = not section
        for number, line in enumerate(self._lines, start=1):
            if header.match(line) or (inside and wanted.match(line)):
                return number
            if line.lstrip().startswith("["):
                inside = line.strip().startswith(f"[{section}]")
        return 1
