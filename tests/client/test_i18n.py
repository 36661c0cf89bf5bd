from __future__ import annotations

import contextvars
import struct
from pathlib import Path

import pytest

from hearts_client import i18n
from hearts_client.sentences import error_sentence


def write_catalogue(directory: Path, language: str, messages: dict[str, str]) -> None:
    """Write the binary catalogue that gettext reads: a header, two tables, the strings."""
    header = "Content-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=2; plural=(n != 1);\n"
    pairs = sorted({"": header, **messages}.items())
    ids = [key.encode() for key, _ in pairs]
    texts = [value.encode() for _, value in pairs]
    start = 28 + 16 * len(pairs)
    tables, blob = [], b""
    for strings in (ids, texts):
        for string in strings:
            tables.append(struct.pack("<II", len(string), start + len(blob)))
            blob += string + b"\0"
    head = struct.pack("<7I", 0x950412DE, 0, len(pairs), 28, 28 + 8 * len(pairs), 0, start)
    path = directory / language / "LC_MESSAGES" / f"{i18n.DOMAIN}.mo"
    path.parent.mkdir(parents=True)
    path.write_bytes(head + b"".join(tables) + blob)


@pytest.fixture
def locale(tmp_path: Path) -> Path:
    write_catalogue(
        tmp_path,
        "nl",
        {
            "You have already passed: wait for the others.": "Je hebt al doorgegeven: wacht.",
            "{points} point\0{points} points": "{points} punt\0{points} punten",
        },
    )
    return tmp_path


def test_the_language_is_looked_up_when_a_sentence_is_made(locale: Path) -> None:
    def spoken() -> tuple[str, str, str]:
        assert i18n.use_language("nl-BE", {}, locale) == "nl"
        assert i18n.current_language() == "nl"
        return (
            error_sentence("already-passed", {}),
            i18n.ngettext("{points} point", "{points} points", 2),
            error_sentence("paused", {}),
        )

    there = contextvars.copy_context().run(spoken)
    assert there == (
        "Je hebt al doorgegeven: wacht.",
        "{points} punten",
        "The game is paused: wait until it goes on.",
    )
    assert error_sentence("already-passed", {}).startswith("You have")
    assert i18n.current_language() == "en"


@pytest.mark.parametrize(
    ("environ", "language"),
    [
        ({"LANGUAGE": "xx:nl", "LANG": "en_GB.UTF-8"}, "nl"),
        ({"LANG": "nl_NL.UTF-8"}, "nl"),
        ({"LC_ALL": "C", "LANG": "nl_NL"}, "en"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
        ({}, "en"),
    ],
)
def test_the_environment_chooses(locale: Path, environ: dict[str, str], language: str) -> None:
    context = contextvars.copy_context()
    assert context.run(i18n.use_language, None, environ, locale) == language


def test_catalogues_are_listed(locale: Path) -> None:
    assert i18n.catalogue_languages(locale) == ["en", "nl"]
