"""The folders of an installation."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.home import Home, find_home, write_private

posix = pytest.mark.skipif(os.name != "posix", reason="modes of files are POSIX")


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_one_variable_puts_everything_under_one_folder(tmp_path: Path) -> None:
    home = find_home({"HEARTS_NET_HOME": str(tmp_path / "stick" / "hearts")})
    root = tmp_path / "stick" / "hearts"
    assert home == Home(root / "config", root / "data", root / "state")
    assert home.tables == root / "state" / "tables"
    assert all(path.is_dir() for path in (home.config, home.data, home.state))


def test_without_it_the_platforms_folders_are_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    home = find_home({"HEARTS_NET_HOME": ""})
    for folder in (home.config, home.data, home.state):
        assert folder.is_dir()
        assert "hearts-net" in folder.parts


def test_a_relative_folder_and_a_tilde_are_made_absolute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find_home({"HEARTS_NET_HOME": "here"}).config == tmp_path / "here" / "config"
    if os.name == "posix":
        assert find_home({"HEARTS_NET_HOME": "~/there"}).data == tmp_path / "there" / "data"


@posix
def test_the_folders_are_private_and_one_that_exists_is_left_alone(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o755)
    home = find_home({"HEARTS_NET_HOME": str(shared)})
    assert mode(shared) == 0o755
    assert [mode(path) for path in (home.config, home.data, home.state)] == [0o700] * 3


@pytest.mark.parametrize("place", ["file", "file/below", "nul\0byte"])
def test_a_place_that_cannot_be_a_folder_is_a_typed_error(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(LinkError) as caught:
        find_home({"HEARTS_NET_HOME": str(tmp_path / place)})
    assert caught.value.code == LinkCode.HOME_UNWRITABLE
    assert str(tmp_path) in str(caught.value.detail["path"])
    assert (tmp_path / "file").read_text() == "in the way"


@pytest.fixture
def not_root() -> Iterator[None]:
    """Go on as nobody where the tests run as root, who may write anywhere."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)
    yield
    os.seteuid(before)


@posix
@pytest.mark.usefixtures("not_root")
def test_a_folder_that_may_not_be_written_is_a_typed_error() -> None:
    with tempfile.TemporaryDirectory() as folder:  # a place that nobody can reach, too
        find_home({"HEARTS_NET_HOME": folder})
        state = Path(folder) / "state"
        state.chmod(0o500)
        try:
            with pytest.raises(LinkError) as caught:
                find_home({"HEARTS_NET_HOME": folder})
        finally:
            state.chmod(0o700)
    assert caught.value.code == LinkCode.HOME_UNWRITABLE


def test_a_file_is_written_whole_and_private(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    assert write_private(path, b"one")
    assert write_private(path, b"two")
    assert path.read_bytes() == b"two"
    assert [entry.name for entry in path.parent.iterdir()] == ["file"]
    if os.name == "posix":
        assert mode(path) == 0o600


def test_a_file_in_the_way_stays_when_it_may_not_be_replaced(tmp_path: Path) -> None:
    path = tmp_path / "file"
    assert write_private(path, b"mine", replace=False)
    assert not write_private(path, b"yours", replace=False)
    assert path.read_bytes() == b"mine"


def test_of_several_writers_exactly_one_makes_the_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    won: list[int] = []
    start = threading.Barrier(8)

    def write(number: int) -> None:
        start.wait()
        if write_private(path, b"%d" % number, replace=False):
            won.append(number)

    writers = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert path.read_bytes() == b"%d" % won[0]
    assert len(won) == 1
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_a_folder_where_the_file_should_be_is_a_typed_error(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()
    with pytest.raises(LinkError) as caught:
        write_private(tmp_path / "file", b"x")
    assert caught.value.code == LinkCode.HOME_UNWRITABLE
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
