"""The totals over the deals of a game as a plot: a line for each player, named at its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from hearts_client.full.cards import glyphs
from hearts_client.full.layout import Line, Span, cells, clipped, line_of, padded
from hearts_client.full.model import Model
from hearts_client.full.screens.picture import around
from hearts_client.full.screens.status import name_of
from hearts_client.i18n import _
from hearts_net.protocol.messages import PublicView

LEAST_ROWS = 6
AXIS = 6
"""Cells for the points beside the plot."""
NAMES = 18
LOOKS = ("card.club", "card.diamond", "card.heart", "card.spade")
"""The look of the players' lines, one's own seat last; letters tell them apart without colour."""


Grid: TypeAlias = "list[list[tuple[str, str]]]"
"""Rows of characters with their styles."""


@dataclass(frozen=True, slots=True)
class Curve:
    """One player's line."""

    mark: str
    name: str
    totals: tuple[int, ...]
    """Before the first deal and after each."""
    look: str


def plot(model: Model, public: PublicView, width: int, rows: int) -> list[Line]:
    """Draw the totals after each deal, within ``rows`` lines; nothing before the second deal."""
    deals = model.table.deals
    if len(deals) < 2 or rows < LEAST_ROWS or deals[0].deal != 1:
        return []
    room = max(10, width - AXIS - NAMES - 1)
    curves = _curves(model, public)
    target = int(public.rules.get("target", 100))
    top = max(target, *(max(curve.totals) for curve in curves))
    least = min(0, *(min(curve.totals) for curve in curves))
    height = rows - 2
    grid: Grid = [[(" ", "")] * room for _row in range(height)]

    def row_of(total: float) -> int:
        return round((top - total) * (height - 1) / (top - least))

    rule = glyphs(model.ascii).rule
    grid[row_of(target)] = [(rule if at % 2 == 0 else " ", "rule") for at in range(room)]
    for curve in curves:
        _dots(grid, curve, row_of, "." if model.ascii else "·")
    for curve in curves:
        for number, total in enumerate(curve.totals):
            at = _column(number, len(curve.totals), room)
            grid[row_of(total)][at] = (curve.mark, f"{curve.look} best")
    ends = _ends(curves, [row_of(curve.totals[-1]) for curve in curves], height)
    scale = {row_of(least): least, 0: top, row_of(target): target}
    lines = [
        _row(model, cells_, scale.get(number), ends.get(number))
        for number, cells_ in enumerate(grid)
    ]
    return [*lines, *_axis(model, len(deals), room)]


def _curves(model: Model, public: PublicView) -> list[Curve]:
    """Give the players' lines, one's own last: it is drawn over the others."""
    seats = around(model)[1:] + around(model)[:1]
    names = [name_of(public, seat, model.me) for seat in seats]
    initials = [name[:1].upper() for name in names]
    plain = all(cells(one) == 1 and one.isalnum() for one in initials)
    if len(set(initials)) < len(initials) or not plain or not _can_show(model, initials):
        initials = [str(seat + 1) for seat in seats]
    return [
        Curve(mark, name, (0, *(deal.totals[seat] for deal in model.table.deals)), look)
        for seat, name, mark, look in zip(seats, names, initials, LOOKS, strict=True)
    ]


def _can_show(model: Model, marks: Sequence[str]) -> bool:
    return not model.ascii or all(mark.isascii() for mark in marks)


def _column(number: int, count: int, room: int) -> int:
    return round(number * (room - 1) / (count - 1))


def _dots(grid: Grid, curve: Curve, row_of: Callable[[float], int], dot: str) -> None:
    """Draw the way from each total to the next, where nothing else is."""
    room = len(grid[0])
    count = len(curve.totals)
    for at in range(room):
        place = at * (count - 1) / (room - 1)
        before = min(int(place), count - 2)
        part = place - before
        total = curve.totals[before] * (1 - part) + curve.totals[before + 1] * part
        row = row_of(total)
        if grid[row][at][0] == " " or grid[row][at][1] == "rule":
            grid[row][at] = (dot, curve.look)


def _ends(curves: Sequence[Curve], rows: Sequence[int], height: int) -> dict[int, Curve]:
    """Find a row for each name: at the end of its line, or as near as there is room."""
    found: dict[int, Curve] = {}
    for curve, row in sorted(zip(curves, rows, strict=True), key=lambda each: -each[0].totals[-1]):
        near = sorted(range(height), key=lambda other: (abs(other - row), other < row))
        found[next(other for other in near if other not in found)] = curve
    return found


def _row(
    model: Model, cells_: Sequence[tuple[str, str]], points: int | None, end: Curve | None
) -> Line:
    spans: list[Span | str] = []
    label = "" if points is None else str(points)
    spans.append(Span(padded(label, AXIS - 2, right=True) + " ", "dim"))
    spans.append(Span(glyphs(model.ascii).bar, "rule"))
    run, look = "", ""
    for character, style in cells_:
        if style != look and run:
            spans.append(Span(run, look))
            run = ""
        run, look = run + character, style
    spans.append(Span(run, look))
    if end is not None:
        name = clipped(end.name, NAMES - 7)
        spans.append(Span(f" {end.mark} {name} {end.totals[-1]}", end.look))
    return line_of(*spans)


def _axis(model: Model, deals: int, room: int) -> list[Line]:
    """Draw the deals below the plot: as many numbers as there is room for."""
    rule = " " * (AXIS - 1) + glyphs(model.ascii).rule * (room + 1)
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200) if room * step >= deals * 4)
    text = [" "] * (room + 4)
    for number in range(step, deals + 1, step):
        at = _column(number, deals + 1, room)
        for place, digit in enumerate(str(number)):
            text[at + place] = digit
    head = padded(_("deal"), AXIS)
    return [line_of(Span(rule, "rule")), line_of(Span(head + "".join(text).rstrip(), "dim"))]
