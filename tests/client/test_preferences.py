"""Settings that are kept: only their own lines of ``config.toml`` change."""

from __future__ import annotations

import os
import stat
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hearts_client.config import FileValue, read_config
from hearts_client.preferences import Preferences
from hearts_net.peer.errors import LinkError
from hearts_net.peer.home import Home, find_home

FILE = """\
# what I like
name = "Asha"   # not Asher
no-bell = true

set = ["target=50"]  # short games

[other]
key = "of somebody else"
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return find_home({"HEARTS_NET_HOME": str(tmp_path)})


def test_the_first_setting_makes_the_file(home: Home) -> None:
    Preferences(home).keep({"theme": "felt", "speed": 600, "mouse": True})
    config = read_config(home.config / "config.toml")
    assert config.values["theme"] == FileValue("felt", 1)
    assert config.values["speed"] == FileValue("600", 2)
    assert config.values["mouse"] == FileValue(True, 3)
    assert config.warnings == ()
    if os.name == "posix":
        assert stat.S_IMODE((home.config / "config.toml").stat().st_mode) == 0o600


def test_comments_and_what_others_wrote_stay(home: Home) -> None:
    path = home.config / "config.toml"
    path.write_text(FILE)
    Preferences(home).keep({"no_bell": False, "theme": "paper"})
    text = path.read_text()
    for line in FILE.splitlines():
        assert line in text or line == "no-bell = true"
    assert "no-bell = false" in text
    assert "no_bell" not in text
    config = read_config(path)
    assert config.values["theme"].value == "paper"
    assert config.values["no_bell"].value is False
    assert config.values["set"].value == ["target=50"]


def test_a_file_that_is_a_link_stays_one(home: Home, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    real.write_text('name = "Asha"\n')
    (home.config / "config.toml").symlink_to(real)
    Preferences(home).keep({"theme": "felt"})
    assert (home.config / "config.toml").is_symlink()
    assert 'theme = "felt"' in real.read_text()
    assert 'name = "Asha"' in real.read_text()


@pytest.mark.parametrize("content", [b"name = \n", b"\xff\xfe"])
def test_a_file_that_cannot_be_read_is_left_as_it_is(home: Home, content: bytes) -> None:
    path = home.config / "config.toml"
    path.write_bytes(content)
    with pytest.raises(LinkError, match="bad-config"):
        Preferences(home).keep({"theme": "felt"})
    assert path.read_bytes() == content


def test_a_folder_in_the_files_place_is_a_typed_error(home: Home) -> None:
    (home.config / "config.toml").mkdir()
    with pytest.raises(LinkError):
        Preferences(home).keep({"theme": "felt"})


def test_the_first_game_is_remembered_as_played(home: Home) -> None:
    assert Preferences(home).is_first_game
    Preferences(home).game_over()
    Preferences(home).game_over()
    assert not Preferences(home).is_first_game


def test_two_clients_that_keep_something_at_once_undo_nothing(home: Home) -> None:
    themes = [f"{number}" for number in range(20)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda name: Preferences(home).keep({f"option_{name}": name}), themes))
    kept = tomllib.loads((home.config / "config.toml").read_text())
    assert kept == {f"option_{name}": name for name in themes}
