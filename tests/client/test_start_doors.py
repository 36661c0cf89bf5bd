from __future__ import annotations

import asyncio

import pytest

from hearts_client.chosen import Chosen
from hearts_client.full.doors import NewTable, TableLink
from hearts_client.startdoors import StartDoors
from hearts_net.peer.errors import LinkError
from hearts_net.peer.home import find_home
from hearts_net.peer.identity import load_identity
from hearts_net.peer.local import tables_here
from hearts_net.protocol.peer_outputs import NewView
from hearts_net.rules.errors import OptionError

pytestmark = [pytest.mark.long, pytest.mark.timeout(120)]


async def play_and_leave(doors: StartDoors, saved: str = "") -> list[str]:
    """Be at a practice table, leave at the first view; give the tables that ran meanwhile."""
    ran: list[str] = []

    def heed(event: object) -> None:
        if isinstance(event, NewView) and not ran:
            ran.extend(table.name for table in found)
            link.leave()

    factory = await doors.resume(saved) if saved else await doors.play()
    found = await doors.tables()
    link: TableLink = factory(heed)
    await asyncio.wait_for(link.run(), 30)
    return ran


def test_a_practice_table_ends_with_its_player_and_can_be_resumed() -> None:
    home = find_home()
    with load_identity(home) as identity, StartDoors(home, identity, "Me", Chosen({})) as doors:
        assert asyncio.run(play_and_leave(doors)) == ["practice"]
        assert tables_here(home) == []
        (saved,) = doors.saved()
        assert saved.name == "practice"
        assert len(saved.players) == 3
        assert asyncio.run(play_and_leave(doors, saved.table)) == ["practice"]
        assert tables_here(home) == [], "taken up again, it ends with its player too"


def test_what_the_start_screen_is_told_of_a_table_that_is_not_there() -> None:
    home = find_home()
    with load_identity(home) as identity, StartDoors(home, identity, "Me", Chosen({})) as doors:
        with pytest.raises(LinkError, match="no-table"):
            asyncio.run(doors.join(""))
        with pytest.raises(OptionError, match="unknown-preset"):
            asyncio.run(doors.host(NewTable("attic", 0, "nope")))
