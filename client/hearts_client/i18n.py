"""The words in the player's language: gettext looked up when a sentence is made, never before.

The language belongs to the context (:class:`contextvars.ContextVar`), not to the module, so that
clients in different languages can live in one process: ``use_language("nl")`` once in the task that
starts a client, then ``_``, ``ngettext`` and ``pgettext`` anywhere below it. ``N_`` only marks a
sentence for the catalogue; the place that shows it calls ``_`` on it.
"""

from __future__ import annotations

import gettext as _gettext
import os
from collections.abc import Mapping
from contextvars import ContextVar
from typing import TypeAlias

DOMAIN = "hearts-net"
Folder: TypeAlias = "str | os.PathLike[str]"
LOCALE_DIR = os.path.join(os.path.dirname(__file__), "locale")
ENGLISH = "en"

_translations: ContextVar[_gettext.NullTranslations | None] = ContextVar(
    "hearts_net_translations", default=None
)
_language: ContextVar[str] = ContextVar("hearts_net_language", default=ENGLISH)


def N_(message: str) -> str:  # noqa: N802 - gettext's own name for it, which extractors know
    """Mark ``message`` for the catalogue and give it back as it is."""
    return message


def _(message: str) -> str:
    """Give ``message`` in the current language."""
    translations = _translations.get()
    return message if translations is None else translations.gettext(message)


def ngettext(singular: str, plural: str, number: int) -> str:
    """Give the form of a counted sentence that ``number`` takes in the current language."""
    translations = _translations.get()
    if translations is None:
        return singular if number == 1 else plural
    return translations.ngettext(singular, plural, number)


def pgettext(context: str, message: str) -> str:
    """Give ``message`` as it reads in ``context``: for a word with several meanings."""
    translations = _translations.get()
    return message if translations is None else translations.pgettext(context, message)


def current_language() -> str:
    """Name the language in use, such as ``nl``; ``en`` where a wished one has no catalogue."""
    return _language.get()


def wished_languages(environ: Mapping[str, str]) -> list[str]:
    """List the languages that the environment asks for, best first, as gettext reads it."""
    for variable in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = environ.get(variable, "")
        if value:
            return [part for part in value.split(":") if part]
    return []


def catalogue_languages(directory: Folder = LOCALE_DIR) -> list[str]:
    """List the languages that there is a catalogue for, English first."""
    try:
        names = sorted(os.listdir(directory))
    except OSError:
        return [ENGLISH]
    found = [name for name in names if os.path.isfile(_catalogue(directory, name))]
    return [ENGLISH, *(name for name in found if name != ENGLISH)]


def _catalogue(directory: Folder, language: str) -> str:
    return os.path.join(directory, language, "LC_MESSAGES", f"{DOMAIN}.mo")


def _spellings(language: str) -> list[str]:
    """Give ``nl_BE.UTF-8@euro`` as the names that a catalogue may have: ``nl_BE``, ``nl``."""
    name = language.split(".")[0].split("@")[0].replace("-", "_")
    return [name, name.split("_")[0]] if "_" in name else [name]


def is_english(wish: str) -> bool:
    """Tell whether a wish for a language is one for English."""
    return any(name.lower() in ("c", "posix", ENGLISH) for name in _spellings(wish))


def use_language(
    language: str | None,
    environ: Mapping[str, str] | None = None,
    directory: Folder = LOCALE_DIR,
) -> str:
    """Speak ``language`` (or, without one, what the environment asks for) in this context.

    Returns the language that is spoken from here on: English where no wish has a catalogue.
    """
    wished = (
        [language] if language else wished_languages(os.environ if environ is None else environ)
    )
    for wish in wished:
        for name in _spellings(wish):
            if name.lower() in ("c", "posix", ENGLISH):
                return _speak(ENGLISH, None)
            path = _catalogue(directory, name)
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    return _speak(name, _gettext.GNUTranslations(file))
    return _speak(ENGLISH, None)


def _speak(language: str, translations: _gettext.NullTranslations | None) -> str:
    _translations.set(translations)
    _language.set(language)
    return language
