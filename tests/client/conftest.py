from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from hearts_net.peer.mdns import Browser


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep every test out of the player's own folders and settings."""
    for name in ("NAME", "LANG", "PLAIN", "PROFILE", "LOG_FILE", "SET", "TABLE", "PORT", "RULES"):
        monkeypatch.delenv(f"HEARTS_NET_{name}", raising=False)
    monkeypatch.setenv("HEARTS_NET_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LANGUAGE", "en")


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the tables of other tests, and of the neighbours, out of every list of this process."""

    @contextlib.asynccontextmanager
    async def nothing(heed: Callable[[], None]) -> AsyncIterator[Browser]:
        yield Browser(heed)

    monkeypatch.setattr("hearts_net.peer.lookout.browsing", nothing)
    monkeypatch.setattr("hearts_net.peer.ears.Ears.ask_everybody", lambda _ears: None)


@pytest.fixture
def run_main(capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run the command line in this process: exit code, standard output, standard error."""
    from hearts_client.__main__ import main

    def run(*words: str) -> tuple[int, str, str]:
        capfd.readouterr()
        code = main(list(words))
        out, err = capfd.readouterr()
        return code, out, err

    return run
