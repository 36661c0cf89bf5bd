"""A terminal's cells as an SVG picture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import groupby

import pyte
from pyte.screens import Char

CELL_WIDTH, CELL_HEIGHT, MARGIN = 9, 19, 12
FONT = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
GROUND, INK = "#16181d", "#d8dade"
COLOURS = {
    "black": "#2a2d34",
    "red": "#e5534b",
    "green": "#57ab5a",
    "brown": "#c69026",
    "blue": "#539bf5",
    "magenta": "#b083f0",
    "cyan": "#39c5cf",
    "white": "#adbac7",
    "brightblack": "#8b949e",
    "brightred": "#ff7b72",
    "brightgreen": "#7ee787",
    "brightbrown": "#e3b341",
    "brightyellow": "#e3b341",
    "brightblue": "#79c0ff",
    "brightmagenta": "#d2a8ff",
    "brightcyan": "#56d4dd",
    "brightwhite": "#ffffff",
}
"""The sixteen colours of a terminal, by pyte's names; shades that are read well on the ground."""


@dataclass(frozen=True, slots=True)
class Run:
    """Cells of one look beside each other in a row."""

    column: int
    text: str
    ink: str
    ground: str
    look: str


def picture_of(screen: pyte.Screen, title: str) -> str:
    """Draw the screen; ``title`` says in words what it shows, for those who cannot see it."""
    width = screen.columns * CELL_WIDTH + 2 * MARGIN
    height = screen.lines * CELL_HEIGHT + 2 * MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="{GROUND}"/>',
        f'<g font-family="{FONT}" font-size="15" xml:space="preserve" style="white-space:pre">',
    ]
    for row in range(screen.lines):
        for run in _runs(screen, row):
            lines.extend(_drawn(run, row))
    return "\n".join([*lines, "</g>", "</svg>", ""])


def _runs(screen: pyte.Screen, row: int) -> Iterator[Run]:
    cells = [screen.buffer[row][column] for column in range(screen.columns)]
    for look, group in groupby(enumerate(cells), key=lambda cell: _look(cell[1])):
        members = list(group)
        text = "".join(cell.data for _, cell in members)
        ink, ground, style = look
        if text.strip() or ground != GROUND or "underline" in style:
            yield Run(members[0][0], text, ink, ground, style)


def _look(cell: Char) -> tuple[str, str, str]:
    ink, ground = _colour(cell.fg, INK), _colour(cell.bg, GROUND)
    if cell.reverse:
        ink, ground = ground, ink
    style = ""
    style += ' font-weight="bold"' if cell.bold else ""
    style += ' font-style="italic"' if cell.italics else ""
    style += ' text-decoration="underline"' if cell.underscore else ""
    return ink, ground, style


def _colour(name: str, usual: str) -> str:
    if name == "default":
        return usual
    return COLOURS.get(name) or f"#{name}"


def _drawn(run: Run, row: int) -> Iterator[str]:
    x, y = MARGIN + run.column * CELL_WIDTH, MARGIN + row * CELL_HEIGHT
    width = len(run.text) * CELL_WIDTH
    if run.ground != GROUND:
        yield f'<rect x="{x}" y="{y}" width="{width}" height="{CELL_HEIGHT}" fill="{run.ground}"/>'
    text = run.text.rstrip() if "underline" not in run.look else run.text
    lead = len(text) - len(text.lstrip())
    if text.strip():
        length = (len(text) - lead) * CELL_WIDTH
        yield (
            f'<text x="{x + lead * CELL_WIDTH}" y="{y + 14}" textLength="{length}" '
            f'fill="{run.ink}"{run.look}>{escape(text[lead:])}</text>'
        )
