"""Draws the pictures of the README: the real client over a recorded game.

    python -m hearts_client.testing.pictures FOLDER

The folder has the record, ``game.hearts.jsonl``, and gets the pictures. The same record gives the
same pictures: the clock and everything that the table says are given.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output

from hearts_client.full.app import FullScreen
from hearts_client.settings import ClientSettings
from hearts_client.tablelink import Reached, TableLink
from hearts_client.testing.glass import Glass
from hearts_client.testing.recorded import Recorded
from hearts_client.testing.sitting import Sitting
from hearts_client.testing.svg import picture_of
from hearts_client.testing.told import ToldLink
from hearts_net.protocol import messages as m
from hearts_net.protocol.peer_outputs import NewView

RECORD = "game.hearts.jsonl"
INVITE = "hearts://192.168.1.7/26052/" + "Jk3" * 14 + "w/4f0c2a"
WITHIN = 20.0
SETTLED = 3
"""Turns of the loop without a frame after which nothing more is drawn."""


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture: of whom, and how."""

    name: str
    table: Recorded
    title: str
    """What it shows, for those who cannot see it."""
    columns: int
    rows: int
    keys: str = ""
    """What is pressed first."""


def pictures(folder: Path) -> dict[str, str]:
    """Draw every picture; give each by its file's name."""
    return {
        f"{shot.name}.svg": asyncio.run(_drawn(shot))
        for shot in (
            Shot("table", _at_the_table(folder), "A trick, with the hand below", 110, 36),
            Shot("lobby", _in_the_lobby(folder), "The lobby: three seats taken, one free", 80, 24),
            Shot("scores", _between_deals(folder), "The score sheet after six deals", 80, 35, "\t"),
        )
    }


def _at_the_table(folder: Path) -> Recorded:
    """Stop at the player's turn in the middle of the third deal."""
    table = Recorded(record=folder / RECORD)

    def my_turn(at: Sitting) -> bool:
        deal = at.game.deal
        return (
            at.game.number == 3 and deal is not None and deal.turn == 0 and deal.trick_number == 7
        )

    table.follow(my_turn)
    table.show([m.Said(0, 0, "Bram", 1, "sorry about the queen, Dana")])
    table.now += 2000
    return table


def _between_deals(folder: Path) -> Recorded:
    table = Recorded(record=folder / RECORD)
    table.follow(lambda at: len(at.game.results) == 6)
    table.now += 2000
    return table


def _in_the_lobby(folder: Path) -> Recorded:
    table = Recorded(record=folder / RECORD)
    table.lobby(seated=3)
    return table


async def _drawn(shot: Shot) -> str:
    """Run the client, tell it all that happened, press keys, and draw what it shows then."""
    table, glass = shot.table, Glass(shot.columns, shot.rows)
    now = 0
    with create_pipe_input() as typed:
        output = Vt100_Output(
            glass,
            glass.size,
            term="xterm-256color",
            default_color_depth=ColorDepth.DEPTH_4_BIT,
            enable_cpr=False,
        )
        client = FullScreen(
            ClientSettings(name="Asha"),
            terminal_input=typed,
            terminal_output=output,
            clock=lambda: now,
            zone=0,
        )
        links: list[ToldLink] = []

        def link(on_event: Callable[[object], None]) -> TableLink:
            links.append(ToldLink(on_event))
            return links[-1]

        running = asyncio.ensure_future(client.run(link))
        await _quiet(client)
        links[0].tell(Reached(INVITE))
        for now, view in table.views:  # noqa: B007 - the client's clock
            links[0].tell(NewView(view, gap=False))
        now = table.now
        client.application.invalidate()
        await _quiet(client)
        for key in shot.keys:
            typed.send_text(key)
            await _quiet(client)
        drawn = picture_of(glass.screen, shot.title)
        links[0].leave()
        with contextlib.redirect_stdout(io.StringIO()):  # goodbye
            await asyncio.wait_for(running, WITHIN)
        return drawn


async def _quiet(client: FullScreen) -> None:
    """Wait until a frame has been drawn, and then no more of them are."""
    drawn = asyncio.Event()

    def note(_: object) -> None:
        drawn.set()

    client.application.after_render += note
    await asyncio.wait_for(drawn.wait(), WITHIN)
    still = 0
    while still < SETTLED:
        drawn.clear()
        await asyncio.sleep(0.02)
        still = 0 if drawn.is_set() else still + 1
    client.application.after_render -= note


def main(arguments: Sequence[str]) -> None:
    """Draw the pictures into a folder."""
    folder = Path(arguments[0])
    for name, drawn in pictures(folder).items():
        (folder / name).write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
