"""A game record is written whole, or one sentence says why not."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hearts_client.chosen import UsageError
from hearts_client.recordfile import write_record

Run = Callable[..., tuple[int, str, str]]


def test_a_record_takes_the_place_of_another(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 250)
    path.write_text("before")
    write_record(path, "a line\n")
    assert path.read_bytes() == b"a line\n"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["file/x", "n" * 300, ".", "/", "none/x", "folder"])
def test_what_cannot_be_written_is_said(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("stays")
    (tmp_path / "folder").mkdir()
    with pytest.raises(UsageError, match=r"cannot be written \(.+\): choose another place"):
        write_record(Path(name), "a line\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]
    assert (tmp_path / "file").read_text() == "stays"


@pytest.mark.skipif(sys.platform == "win32", reason="makes a pipe with a name")
def test_what_is_no_file_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_record(pipe, "a line\n")
        assert os.read(reader, 100) == b"a line\n"
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_games_have_no_place_in_a_file(run_main: Run, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("stays")
    code, _out, err = run_main("simulate", "--bots", "easy", "--out", str(path / "x"))
    assert code == 2
    assert err.startswith(f"{path / 'x'} is no folder to write to (")
