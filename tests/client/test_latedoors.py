"""The start screen is there before what is behind its doors; nothing is lost by that."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from hearts_client.chosen import choose
from hearts_client.cli import flags_of
from hearts_client.config import Config
from hearts_client.latedoors import LateDoors
from hearts_client.startdoors import StartDoors
from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.home import find_home
from hearts_net.peer.identity import DEFAULT_PROFILE, load_identity

CHOSEN = choose(flags_of(None), {}, {}, lambda: Config(Path(), {}, ()))


def test_the_start_screen_is_there_before_anything_of_the_network_is_loaded() -> None:
    program = (
        "import sys\n"
        "import hearts_client.commands.start, hearts_client.latedoors, hearts_client.full.app\n"
        "heavy = {'zmq', 'nacl', 'sqlite3', 'zeroconf', 'hearts_client.startdoors'}\n"
        "found = heavy & set(sys.modules)\n"
        "assert not found, found\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_doors_are_made_once_by_whoever_comes_first() -> None:
    made: list[StartDoors] = []

    async def work(doors: LateDoors) -> None:
        assert (list(doors.saved()), list(doors.left_open())) == ([], [])
        doors.favour("10.0.0.5", favourite=True)
        doors.rename("Bo")
        opening = [doors.open(), doors.open(), doors.join("")]
        *_, refused = await asyncio.gather(*opening, return_exceptions=True)
        assert isinstance(refused, LinkError)
        assert refused.code == LinkCode.NO_TABLE

    home = find_home()
    begin = StartDoors.__enter__

    def noted(doors: StartDoors) -> StartDoors:
        made.append(doors)
        return begin(doors)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(StartDoors, "__enter__", noted)
        with LateDoors(home, CHOSEN, "Asha") as doors:
            asyncio.run(work(doors))
            (one,) = made
            assert one._guest.name == "Bo"
            with load_identity(home) as second:
                assert second.profile != DEFAULT_PROFILE, "the player's key is in use"
    with load_identity(home) as again:
        assert again.profile == DEFAULT_PROFILE, "and is let go of at the end"


def test_doors_that_cannot_be_made_are_tried_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    def visitor(*_: object) -> None:
        raise LinkError(LinkCode.KEY_IN_USE)

    async def refused(doors: LateDoors) -> None:
        with pytest.raises(LinkError, match=LinkCode.KEY_IN_USE):
            await doors.play()

    async def opened(doors: LateDoors) -> None:
        await doors.open()

    with LateDoors(find_home(), CHOSEN, "Asha") as doors:
        with monkeypatch.context() as patch:
            patch.setattr("hearts_client.reaching.visitor", visitor)
            asyncio.run(refused(doors))
        asyncio.run(opened(doors))
