"""What a player of plain mode can set: the same settings as on the full screen's page, in words.

Those of looks, mouse and bell mean nothing here, and nothing is shown for a time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from hearts_client.i18n import N_, _, catalogue_languages, current_language, use_language
from hearts_client.plain_cards import NotUnderstoodError
from hearts_client.playername import LONGEST_NAME
from hearts_client.preferences import Value
from hearts_client.safetext import safe_text


@dataclass(frozen=True, slots=True)
class PlainWishes:
    """How one player wants to be told things."""

    hints: bool = False
    chat: bool = True
    ahead: bool = False
    queen: bool = False
    name: str = ""
    """As it is sent to the next table; "" where only the command line knows it."""


USUAL: Final = PlainWishes()


@dataclass(frozen=True, slots=True)
class Switch:
    """A wish that is on or off: what each means, and what ``config.toml`` calls it."""

    on: str
    off: str
    key: str
    turned: bool = False
    """The file says the opposite."""


WISHES: Final[Mapping[str, Switch]] = {
    "hints": Switch(
        N_("at every turn you hear why cards may be played"),
        N_("you do not hear at every turn why cards may be played"),
        "hints",
    ),
    "chat": Switch(
        N_("you hear what others say"), N_("you do not hear what others say"), "no_chat", True
    ),
    "ahead": Switch(
        N_("you can choose a card before your turn"),
        N_("you cannot choose a card before your turn"),
        "preselect",
    ),
    "queen": Switch(
        N_("you are asked before the queen of spades is played"),
        N_("the queen of spades is played like any card"),
        "confirm_queen",
    ),
}
"""By the word that is typed, which is the field's name too."""


def wish_lines(wishes: PlainWishes) -> list[str]:
    """Say every setting, one a line, and how to change one."""
    lines = [_wish_line(word, on=getattr(wishes, word)) for word in WISHES]
    if wishes.name:
        lines.append(_("name {name}: what you are called.").format(name=safe_text(wishes.name)))
    languages = catalogue_languages()
    if len(languages) > 1:
        lines.append(
            _("language {language}: one of {all}.").format(
                language=current_language(), all=", ".join(languages)
            )
        )
    lines.append(
        _("To change one, type settings, its word, and what it is to be: settings hints on.")
    )
    return lines


def _wish_line(word: str, *, on: bool) -> str:
    meaning = _(WISHES[word].on) if on else _(WISHES[word].off)
    pattern = _("{word} on: {meaning}.") if on else _("{word} off: {meaning}.")
    return pattern.format(word=word, meaning=meaning)


def read_wish(text: str) -> tuple[str, str]:
    """Give the word of a setting and what it is to be, as typed; a name keeps its capitals."""
    word, _space, value = text.partition(" ")
    word = word.casefold()
    return word, value if word == "name" else value.casefold()


def with_wish(
    wishes: PlainWishes, word: str, value: str
) -> tuple[PlainWishes, dict[str, Value], str]:
    """Change one setting; give what the file is to keep, and the sentence that says it.

    Raises :class:`NotUnderstoodError`.
    """
    if word == "name":
        return _with_name(wishes, safe_text(value))
    if word == "language":
        return wishes, {"lang": _language(value)}, ""
    switch = WISHES.get(word)
    if switch is None:
        raise NotUnderstoodError(
            _("There is no setting “{word}”: type settings to hear them all.").format(
                word=safe_text(word)[:40]
            )
        )
    if value not in ("on", "off"):
        raise NotUnderstoodError(
            _("Type settings {word} on, or settings {word} off.").format(word=word)
        )
    on = value == "on"
    change: dict[str, Any] = {word: on}
    return replace(wishes, **change), {switch.key: on is not switch.turned}, _wish_line(word, on=on)


def fulfilled(
    wishes: PlainWishes, word: str, value: str
) -> tuple[PlainWishes, dict[str, Value], str]:
    """Change one setting as :func:`with_wish` does; from then on the language is the chosen one."""
    wishes, values, said = with_wish(wishes, word, value)
    if word == "language":
        use_language(value)
        said = _("The language is {language} now.").format(language=value)
    return wishes, values, said[:1].upper() + said[1:]


def _with_name(wishes: PlainWishes, name: str) -> tuple[PlainWishes, dict[str, Value], str]:
    if not name or len(name) > LONGEST_NAME:
        raise NotUnderstoodError(
            _("A name has from 1 to {letters} letters: type settings name and yours.").format(
                letters=LONGEST_NAME
            )
        )
    said = _("From the next table on you are called {name}.").format(name=name)
    return replace(wishes, name=name), {"name": name}, said


def _language(value: str) -> str:
    if value not in catalogue_languages():
        raise NotUnderstoodError(
            _("There are no words in “{wish}”; there are {all}.").format(
                wish=safe_text(value)[:40], all=", ".join(catalogue_languages())
            )
        )
    return value
