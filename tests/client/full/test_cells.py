"""What stands in the terminal's cells: every screen, at changing sizes, with every hint clicked."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace

import pytest
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

from hearts_client.full.app import FullScreen
from hearts_client.full.intents import Intent
from hearts_client.full.layout import Screenful, Size, cells
from hearts_client.full.model import Model, Where, where
from hearts_client.full.screens.draw import draw
from hearts_client.full.steps import press
from hearts_client.settings import ClientSettings
from hearts_client.testing.glass import Glass
from hearts_client.testing.screens import SCREENS
from hearts_client.testing.told import ToldLink

ASHA = ClientSettings(name="Asha")
WITHIN = 10.0


class Window:
    """A client whose state the test sets, on a terminal in memory."""

    def __init__(self, keys: PipeInput) -> None:
        self.glass = Glass()
        self.keys = keys
        self.now = 0
        self.client = FullScreen(
            ASHA,
            terminal_input=keys,
            terminal_output=Vt100_Output(self.glass, self.glass.size, term="xterm"),
            clock=lambda: self.now,
            zone=0,
        )

    def show(self, model: Model, now: int) -> None:
        """Put the client into a state."""
        self.client.model, self.now = model, now
        self.client.application.invalidate()

    async def until(self, condition: Callable[[], bool], why: Callable[[], str]) -> None:
        async with asyncio.timeout(WITHIN):
            while not condition():
                try:
                    await asyncio.sleep(0.002)
                except asyncio.CancelledError:
                    raise AssertionError(why()) from None

    async def until_shown(self, drawn: Screenful) -> None:
        """Wait until the cells are exactly these lines."""
        wanted = [line.rstrip() for line in drawn.text().split("\n")]
        await self.until(
            lambda: [line.rstrip() for line in self.glass.screen.display] == wanted,
            lambda: f"{self.glass.text()}\n--- but wanted:\n{drawn.text()}",
        )


@contextlib.asynccontextmanager
async def window() -> AsyncIterator[Window]:
    with create_pipe_input() as keys:
        opened = Window(keys)
        links: list[ToldLink] = []

        def link(on_event: Callable[[object], None]) -> ToldLink:
            links.append(ToldLink(on_event))
            return links[-1]

        running = asyncio.create_task(opened.client.run(link))
        await opened.until(lambda: "HEARTS" in opened.glass.text(), opened.glass.text)
        try:
            yield opened
        finally:
            opened.show(Model(ASHA), 0)
            links[0].leave()
            await asyncio.wait_for(running, WITHIN)


def test_the_cells_are_what_is_drawn_whatever_the_size_was_before() -> None:
    rng = random.Random(8)

    async def work() -> None:
        async with window() as at:
            for name, case in SCREENS.items():
                model, now = case(ASHA)
                size = Size(rng.randint(30, 130), rng.randint(8, 45))
                for each in (size, Size(80, 24)):
                    at.glass.screen.resize(each.rows, each.columns)
                    at.show(model, now)
                    drawn = draw(model, each, now)
                    assert "\t" not in drawn.text(), name
                    await at.until_shown(drawn)

    asyncio.run(work())


def spots(drawn: Screenful) -> Iterator[tuple[int, int, Intent]]:
    """Give a cell of everything that can be clicked, with what that means."""
    seen = set()
    for row, line in enumerate(drawn.lines):
        column = 0
        for span in line:
            if span.press is not None and span.press not in seen:
                seen.add(span.press)
                yield column, row, span.press
            column += cells(span.text)


@pytest.mark.parametrize(
    "size", [Size(80, 24), pytest.param(Size(120, 40), marks=pytest.mark.long)]
)
def test_everything_that_can_be_clicked_does_what_its_key_does(size: Size) -> None:
    clicked: set[tuple[Where, Intent]] = set()

    async def work() -> None:
        async with window() as at:
            at.glass.screen.resize(size.rows, size.columns)
            for name, case in SCREENS.items():
                model, now = case(replace(ASHA, mouse=True))
                drawn = draw(model, size, now)
                for column, row, intent in spots(drawn):
                    if (where(model, now), intent) in clicked:
                        continue
                    after, asked = press(model, intent, now)
                    if asked or after == model:  # tested where acts are
                        continue
                    at.show(model, now)
                    await at.until_shown(drawn)
                    at.keys.send_text(f"\x1b[<0;{column + 1};{row + 1}M")
                    at.keys.send_text(f"\x1b[<0;{column + 1};{row + 1}m")
                    await at.until(
                        lambda after=after: at.client.model == after,  # type: ignore[misc]
                        lambda name=name, intent=intent: f"{name}: {intent}",  # type: ignore[misc]
                    )
                    clicked.add((where(model, now), intent))

    asyncio.run(work())
    assert len(clicked) > 60
