from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from hearts_client.chosen import Chosen, choose
from hearts_client.cli import BY_NAME, flags_of
from hearts_client.config import Config, read_config
from hearts_client.doors import ListedTable, NewTable
from hearts_client.keeping import stop_here
from hearts_client.startdoors import StartDoors
from hearts_client.tablelink import TableLink, TableNotice
from hearts_client.tables import host_settings, practice_settings
from hearts_net.host.errors import HostCode, HostError
from hearts_net.host.folder import TableFolder
from hearts_net.host.process import launch_table
from hearts_net.host.settings import HostSettings
from hearts_net.peer.errors import LinkError
from hearts_net.peer.home import find_home
from hearts_net.peer.identity import load_identity
from hearts_net.peer.local import tables_here
from hearts_net.protocol import messages as m
from hearts_net.protocol.peer_outputs import NewView
from hearts_net.rules.errors import OptionError

pytestmark = [pytest.mark.long, pytest.mark.timeout(120)]
CHOSEN = choose(flags_of(None), {}, {}, lambda: Config(Path(), {}, ()))
"""Where nobody has chosen anything."""


async def play_and_leave(doors: StartDoors, saved: str = "", *, cards: bool = False) -> list[str]:
    """Be at a practice table, leave at the first view, or once a card lies there.

    Gives the tables that ran meanwhile.
    """
    done: list[str] = []

    def heed(event: object) -> None:
        if not isinstance(event, NewView) or "left" in done:
            return
        view = event.view
        if not cards or view.public.trick or view.public.last_trick:
            done.append("left")
            link.leave()
            return
        act = next_act(view)
        if act is not None and repr(act) not in done:
            done.append(repr(act))
            link.do(act)

    factory = await doors.resume(saved) if saved else await doors.play()
    found = await seen(doors, "practice")
    link: TableLink = factory(heed)
    await asyncio.wait_for(link.run(), 30)
    assert done[-1] == "left"
    return found


async def seen(doors: StartDoors, name: str) -> list[str]:
    """Look until a table of that name is there, and return those names that are like it."""
    names: list[str] = []
    there = asyncio.Event()

    def heed(found: Sequence[ListedTable]) -> None:
        names[:] = [table.name for table in found if table.name.startswith(name)]
        if names:
            there.set()

    looking = asyncio.create_task(doors.look(heed))
    await asyncio.wait_for(there.wait(), 20)
    looking.cancel()
    await asyncio.wait([looking])
    return names


def next_act(view: m.View) -> m.AnyAct | None:
    """Do what is asked, in the plainest way."""
    own = view.own
    if own is None:
        free = [place for place, seat in enumerate(view.public.seats) if seat.kind == "empty"]
        return m.Sit(free[0])
    if "pass" in own.may:
        return m.Pass(own.hand[:3])
    if "play" in own.may and own.legal:
        return m.Play(own.legal[0])
    return m.Ready() if "ready" in own.may else None


def test_a_practice_table_at_which_nothing_was_played_is_not_kept() -> None:
    home = find_home()
    with load_identity(home) as identity, StartDoors(home, identity, "Me", CHOSEN) as doors:
        assert asyncio.run(play_and_leave(doors)) == ["practice"]
        assert doors.saved() == []
        assert list(home.tables.iterdir()) == []


def test_a_practice_table_ends_with_its_player_and_can_be_resumed() -> None:
    home = find_home()
    with load_identity(home) as identity, StartDoors(home, identity, "Me", CHOSEN) as doors:
        assert asyncio.run(play_and_leave(doors, cards=True)) == ["practice"]
        assert tables_here(home) == []
        (saved,) = doors.saved()
        assert saved.name == "practice"
        assert len(saved.players) == 4
        assert asyncio.run(play_and_leave(doors, saved.table)) == ["practice"]
        assert tables_here(home) == [], "taken up again, it ends with its player too"
        assert [table.table for table in doors.saved()] == [saved.table], "and is kept"


@pytest.mark.skipif(sys.platform == "win32", reason="kills with a signal")
def test_who_comes_back_to_a_table_of_their_own_looks_after_it() -> None:
    home = find_home()

    async def come_back(doors: StartDoors) -> list[str]:
        told: list[str] = []
        killed: list[int] = []

        def heed(event: object) -> None:
            if isinstance(event, TableNotice):
                told.append(event.text)
            if not isinstance(event, NewView):
                return
            (here,) = tables_here(home)
            if not killed:
                killed.append(here.pid)
                os.kill(here.pid, signal.SIGKILL)
            elif here.pid not in killed:
                link.leave()

        factory = await doors.join("cellar")
        link: TableLink = factory(heed)
        await asyncio.wait_for(link.run(), 60)
        return told

    with load_identity(home) as identity:
        chosen = CHOSEN.but(bots=(3, ""))
        with StartDoors(home, identity, "Asha", chosen) as first:
            asyncio.run(first.host(NewTable("cellar")))
        try:
            with StartDoors(home, identity, "Asha", CHOSEN) as second:
                told = asyncio.run(come_back(second))
        finally:
            for table in tables_here(home):
                running = TableFolder(home.tables / table.table_id).read_running()
                assert running is not None
                stop_here(running)
    assert told == ["The table's process has died: it is started again as it was saved."]


def test_a_practice_table_left_open_ends_with_who_goes_back_to_it() -> None:
    home = find_home()
    with load_identity(home) as identity, StartDoors(home, identity, "Me", CHOSEN) as doors:
        running = launch_table(practice_settings(home, identity, CHOSEN))
        try:
            (own,) = doors.left_open()
            assert (own.name, own.practice) == ("practice", True)

            async def go_back() -> None:
                def heed(event: object) -> None:
                    if isinstance(event, NewView):
                        link.leave()

                link: TableLink = (await doors.join(own.address))(heed)
                await asyncio.wait_for(link.run(), 30)

            asyncio.run(go_back())
            assert doors.left_open() == []
        finally:
            stop_here(running)


def test_what_the_start_screen_is_told_of_a_table_that_is_not_there() -> None:
    home = find_home()
    chosen = CHOSEN.but(rules="nope")
    with load_identity(home) as identity, StartDoors(home, identity, "Me", chosen) as doors:
        with pytest.raises(LinkError, match="no-table"):
            asyncio.run(doors.join(""))
        with pytest.raises(OptionError, match="unknown-preset"):
            asyncio.run(doors.host(NewTable("attic")))


CONFIG = """
admit = "code"
grace = 300
set = ["target=50"]
level = "hard"
rules = "omnibus"
bots = "2:easy"
"""


def test_the_doors_open_what_the_commands_open(monkeypatch: pytest.MonkeyPatch) -> None:
    home = find_home()
    (home.config / "config.toml").write_text(CONFIG)
    monkeypatch.setenv("HEARTS_NET_TURN_LIMIT", "40")
    opened: list[HostSettings] = []

    def launch(settings: HostSettings, **_also: object) -> None:
        opened.append(settings)
        raise HostError(HostCode.NOT_STARTED)

    def said(command: str | None) -> Chosen:
        config = read_config(home.config / "config.toml")
        flags = flags_of(None if command is None else BY_NAME[command])
        return choose(flags, {}, os.environ, lambda: config)

    monkeypatch.setattr("hearts_client.startdoors.launch_table", launch)
    with load_identity(home) as identity, StartDoors(home, identity, "Me", said(None)) as doors:
        for way in (doors.play(), doors.host(NewTable("attic"))):
            with pytest.raises(HostError):
                asyncio.run(way)
        practice, table = opened
        assert practice == practice_settings(home, identity, said("play"))
        assert table == replace(host_settings(home, identity, said("host")), table="attic")
        assert (table.admit, table.grace, table.turn_limit) == ("code", 300_000, 40_000)
        assert (table.options.target, table.bots, practice.level) == (50, 2, "hard")


def test_who_resumes_a_table_of_their_own_is_its_player_and_host_again() -> None:
    home = find_home()
    with (
        load_identity(home) as usual,
        load_identity(home) as second,
        StartDoors(home, second, "Asha", CHOSEN, "the other key") as doors,
    ):
        assert second.profile == "player-2"
        settings = host_settings(home, usual, CHOSEN.but(table="cellar", bots=(3, "")))
        stop_here(launch_table(settings))
        (saved,) = doors.saved()
        views: list[m.View] = []
        notices: list[str] = []

        def heed(event: object) -> None:
            if isinstance(event, TableNotice):
                notices.append(event.text)
            if isinstance(event, NewView):
                views.append(event.view)
                link.leave()

        async def come_back() -> None:
            await asyncio.wait_for(link.run(), 60)

        link: TableLink = asyncio.run(doors.resume(saved.table))(heed)
        try:
            asyncio.run(come_back())
        finally:
            running = TableFolder(home.tables / saved.table).read_running()
            assert running is not None
            stop_here(running)
    assert views[0].desk is not None, "the rights of the host"
    assert notices == []
