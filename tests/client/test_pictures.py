"""The pictures of the README show what the client shows."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from hearts_client.testing.pictures import pictures

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "pictures"


@pytest.fixture(scope="module")
def drawn() -> dict[str, str]:
    return pictures(FOLDER)


def test_they_are_current(drawn: dict[str, str]) -> None:
    kept = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.svg")}
    assert kept.keys() == drawn.keys()
    old = [name for name in kept if kept[name] != drawn[name]]
    assert not old, "run make pictures, and look at them"


def test_the_readme_shows_each_and_says_what_it_is(drawn: dict[str, str]) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name, picture in drawn.items():
        title = ET.fromstring(picture).findtext("{http://www.w3.org/2000/svg}title")
        assert f"![{title}](docs/pictures/{name})" in readme


def test_they_show_what_they_are_of(drawn: dict[str, str]) -> None:
    said = {name: " ".join(ET.fromstring(picture).itertext()) for name, picture in drawn.items()}
    assert "YOUR TURN" in said["table.svg"]
    assert "hearts://" in said["lobby.svg"]
    assert "Score sheet" in said["scores.svg"]
