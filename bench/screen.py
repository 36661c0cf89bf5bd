"""How quick the screen is: frames, keys and the start against prompt_toolkit's own, and rest.

    python -m bench.screen [--frames N] [--starts N] [--rest SECONDS]

**Frames.** The client at a table in the middle of a deal, and beside it an application that shows
the same text in the same styles, fixed once and for all. Each of the client's frames follows a
change (the selection moves); the other has nothing to do but to draw again. Both write to memory.

**Keys.** From the bytes of an arrow key in the terminal's input to the end of the frame that it
causes, in the same two applications.

**The start.** From starting the process in a pseudo-terminal to the first paint: of `hearts-net`,
with its title and what it is doing, and of an application with one empty window. How long it takes
until the whole start screen stands there, and answers the keys typed by then, is told too.

**Rest.** `hearts-net play` in a pseudo-terminal, waiting for its player: the bytes it writes and
the processor time of the client's process (Linux only).

All are taken in turn in one run and printed as ratios: medians, for keys the 95th percentile.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import fcntl
import io
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles

from prompt_toolkit.application import Application, create_app_session
from prompt_toolkit.data_structures import Size
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import FormattedTextControl, Layout, Window
from prompt_toolkit.output.vt100 import Vt100_Output

from hearts_client.full.app import FullScreen, monotonic_ms
from hearts_client.full.intents import Intent, Want
from hearts_client.full.layout import Size as Cells
from hearts_client.full.screens.draw import draw
from hearts_client.full.steps import press
from hearts_client.full.theme import style_sheet, style_text, variant_of
from hearts_client.settings import ClientSettings
from hearts_client.tablelink import TableLink
from hearts_client.testing.sitting import Sitting
from hearts_client.testing.told import ToldLink
from hearts_client.themefile import load_theme

SIZES = ((80, 24), (120, 40))
RIGHT = "\x1b[C"
A_TURN = 20
"""Frames or keys that one application has before the other has its turn."""
FIRST_FRAME = "\x1b[?1049h"
TITLE = "HEARTS"
START_SCREEN = "Play now"
EMPTY = """
from prompt_toolkit.application import Application
from prompt_toolkit.layout import Layout, Window
Application(layout=Layout(Window()), full_screen=True).run()
"""
WITHIN = 60.0
SETTLED = 2.0
"""Seconds without a byte after which nothing more is to come."""


class Sink(io.StringIO):
    """A terminal that takes everything and shows nothing."""

    def write(self, data: str) -> int:
        """Take it."""
        return len(data)

    def fileno(self) -> int:
        """Refuse: there is no descriptor."""
        raise OSError("no descriptor")


# ---- frames and keys -----------------------------------------------------------------------------


class Drawn:
    """An application that is running, and when it has drawn."""

    def __init__(self, application: Application[int], keys: PipeInput) -> None:
        self.application = application
        self._keys = keys
        self._drawn = asyncio.Event()
        application.after_render += lambda _: self._drawn.set()

    async def until_drawn(self) -> None:
        """Wait for the next frame."""
        await asyncio.wait_for(self._drawn.wait(), WITHIN)
        self._drawn.clear()

    async def frame(self, change: Callable[[], None]) -> float:
        """Have a frame drawn after a change; return the seconds of the frame."""
        self._drawn.clear()
        change()
        began = time.perf_counter()
        self.application.invalidate()
        await self.until_drawn()
        return time.perf_counter() - began

    async def key(self) -> float:
        """Press a key; return the seconds until its frame has been drawn."""
        self._drawn.clear()
        began = time.perf_counter()
        self._keys.send_text(RIGHT)
        await self.until_drawn()
        return time.perf_counter() - began


def _output(columns: int, rows: int) -> Vt100_Output:
    return Vt100_Output(Sink(), lambda: Size(rows=rows, columns=columns), term="xterm")


@contextlib.asynccontextmanager
async def the_client(
    table: Sitting, columns: int, rows: int
) -> AsyncIterator[tuple[Drawn, FullScreen]]:
    """Run the client at a table."""
    with create_pipe_input() as keys:
        screen = FullScreen(
            table.settings, terminal_input=keys, terminal_output=_output(columns, rows)
        )
        drawn = Drawn(screen.application, keys)
        links: list[ToldLink] = []

        def link(on_event: Callable[[object], None]) -> TableLink:
            links.append(ToldLink(on_event, [table.view()]))
            return links[-1]

        running = asyncio.ensure_future(screen.run(link))
        while screen.model.public is None:
            await drawn.until_drawn()
        yield drawn, screen
        links[0].leave()
        with contextlib.redirect_stdout(Sink()):  # goodbye
            await running


@contextlib.asynccontextmanager
async def the_floor(table: Sitting, columns: int, rows: int) -> AsyncIterator[Drawn]:
    """Run an application that shows the same, fixed."""
    fragments: StyleAndTextTuples = []
    for number, line in enumerate(draw(table.model, Cells(columns, rows), table.now).lines):
        fragments += [("", "\n")] if number else []
        fragments += [(style_text(span.style), span.text) for span in line]
    bindings = KeyBindings()

    @bindings.add("right")
    def _(event: KeyPressEvent) -> None:
        event.app.invalidate()

    with create_pipe_input() as keys:
        application: Application[int] = Application(
            layout=Layout(Window(FormattedTextControl(fragments, focusable=True))),
            key_bindings=bindings,
            style=style_sheet(
                variant_of(load_theme(table.settings.theme), table.settings.background),
                table.settings.colours,
            ),
            include_default_pygments_style=False,
            full_screen=True,
            input=keys,
            output=_output(columns, rows),
        )
        drawn = Drawn(application, keys)
        with create_app_session(application.input, application.output):
            running = asyncio.ensure_future(application.run_async(handle_sigint=False))
            await drawn.until_drawn()
            yield drawn
            application.exit(result=0)
            await running


@dataclass
class Pair:
    """What the client took and what the floor took, in seconds."""

    client: list[float] = field(default_factory=list)
    floor: list[float] = field(default_factory=list)

    def told(self, what: str, of: Callable[[list[float]], float], wanted: float | None) -> str:
        """Say both and their ratio."""
        ours, least = of(self.client), of(self.floor)
        return f"{what:38} {ours * 1e3:7.2f} ms {least * 1e3:7.2f} ms  {ours / least:5.2f}" + (
            "" if wanted is None else f"  (wanted: at most {wanted})"
        )


async def in_turn(
    frames: int, client: Callable[[], Awaitable[float]], floor: Callable[[], Awaitable[float]]
) -> Pair:
    """Take turns until each has been measured so often; the first turns warm up."""
    pair = Pair()
    for turn in range(-1, max(1, frames // A_TURN)):
        kept = pair if turn >= 0 else Pair()
        for _ in range(A_TURN):
            kept.client.append(await client())
        for _ in range(A_TURN):
            kept.floor.append(await floor())
    return pair


def p95(times: list[float]) -> float:
    """Return the 95th percentile."""
    return quantiles(times, n=20)[-1]


async def frames_and_keys(columns: int, rows: int, frames: int) -> None:
    """Measure both at one size and say it."""
    table = Sitting(settings=ClientSettings(name="Asha")).until_my_turn(trick=4)
    async with (
        the_client(table, columns, rows) as (client, screen),
        the_floor(table, columns, rows) as floor,
    ):

        def move_on() -> None:
            screen.model = press(screen.model, Intent(Want.RIGHT), monotonic_ms())[0]

        drawn = await in_turn(
            frames, lambda: client.frame(move_on), lambda: floor.frame(lambda: None)
        )
        pressed = await in_turn(frames, client.key, floor.key)
    size = f"{columns}x{rows}"
    print(drawn.told(f"a frame at {size}, median", median, 1.3))
    print(pressed.told(f"a key to its frame at {size}, 95 %", p95, 1.5), flush=True)


# ---- whole programs ------------------------------------------------------------------------------


class Program:
    """A program in a pseudo-terminal."""

    def __init__(self, arguments: Sequence[str], home: Path) -> None:
        self.began = time.perf_counter()
        terminal, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.terminal = terminal
        surroundings = {
            **os.environ,
            "HEARTS_NET_HOME": str(home),
            "TERM": "xterm-256color",
            "LC_ALL": "C.UTF-8",
            "PROMPT_TOOLKIT_NO_CPR": "1",  # nobody is there to answer
        }
        self.child = subprocess.Popen(
            [sys.executable, *arguments],
            stdin=inside,
            stdout=inside,
            stderr=inside,
            env=surroundings,
            start_new_session=True,
        )
        os.close(inside)

    def read(self, until: float) -> bytes:
        """Return what is written until a moment, at once when something is."""
        ready, _, _ = select.select([self.terminal], [], [], max(0.0, until - time.perf_counter()))
        return os.read(self.terminal, 65536) if ready else b""

    def read_to(self, *words: str) -> tuple[bytes, float]:
        """Read until all words are there; return everything and the seconds since the start."""
        said = b""
        deadline = self.began + WITHIN
        while not all(word.encode() in said for word in words):
            assert time.perf_counter() < deadline, said.decode(errors="replace")
            said += self.read(deadline)
        return said, time.perf_counter() - self.began

    def end(self) -> None:
        """End it, and wait for that."""
        self.child.send_signal(signal.SIGTERM)
        with contextlib.suppress(OSError):  # the terminal's other side is gone
            while self.read(time.perf_counter() + WITHIN):
                pass
        self.child.wait(WITHIN)
        os.close(self.terminal)


def until_painted(arguments: Sequence[str], home: Path, *words: str) -> float:
    """Return the seconds until a program has painted something with all these words."""
    program = Program(arguments, home)
    try:
        return program.read_to(FIRST_FRAME, *words)[1]
    finally:
        program.end()


def start(starts: int, home: Path) -> None:
    """Measure the start of both and say it."""
    first, whole = Pair(), Pair()
    for turn in range(-1, starts):
        if turn == 0:
            first, whole = Pair(), Pair()
        first.client.append(until_painted(["-m", "hearts_client"], home, TITLE))
        first.floor.append(until_painted(["-c", EMPTY], home))
        whole.client.append(until_painted(["-m", "hearts_client"], home, START_SCREEN))
    whole.floor = first.floor
    print(first.told("start to the first paint, median", median, 1.3))
    print(whole.told("start to the whole start screen", median, None), flush=True)


def spent(pid: int) -> float:
    """Return the seconds of processor time of all threads of a process."""
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e9


def rest(seconds: float, home: Path) -> None:
    """Measure a client that waits for its player, and say it."""
    program = Program(["-m", "hearts_client", "play", "--speed", "0"], home)
    try:
        program.read_to("0 of 3")
        quiet_since = time.perf_counter()
        while time.perf_counter() < quiet_since + SETTLED:  # the others pass
            if program.read(quiet_since + SETTLED):
                quiet_since = time.perf_counter()
        before, began = spent(program.child.pid), time.perf_counter()
        written = b""
        while time.perf_counter() < began + seconds:
            written += program.read(began + seconds)
        share = (spent(program.child.pid) - before) / (time.perf_counter() - began)
    finally:
        program.end()
    print(f"at rest for {seconds:g} s: {len(written)} bytes written  (wanted: none)")
    print(f"at rest: {share:.2%} of a core  (wanted: under 0.5%)", flush=True)


def main() -> None:
    """Measure everything, and print it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--frames", type=int, default=400, metavar="N")
    parser.add_argument("--starts", type=int, default=20, metavar="N")
    parser.add_argument("--rest", type=float, default=10.0, metavar="SECONDS")
    arguments = parser.parse_args()
    print(f"{os.cpu_count()} cores{'':29} the client  the floor  ratio")
    for columns, rows in SIZES:
        asyncio.run(frames_and_keys(columns, rows, arguments.frames))
    with tempfile.TemporaryDirectory() as folder:
        if arguments.starts:
            start(arguments.starts, Path(folder))
        if arguments.rest:
            rest(arguments.rest, Path(folder))


if __name__ == "__main__":
    main()
