"""The end of a game: the final table, how the totals came about, and what next."""

from __future__ import annotations

from hearts_client.full.cards import glyphs
from hearts_client.full.layout import (
    Line,
    Screenful,
    Size,
    Span,
    beside,
    bottom,
    cells,
    centred,
    clipped,
    line_of,
    padded,
    screenful,
)
from hearts_client.full.model import Model
from hearts_client.full.screens.hints import bottom_line
from hearts_client.full.screens.picture import around
from hearts_client.full.screens.plot import LEAST_ROWS, plot
from hearts_client.full.screens.sheet import (
    moon_line,
    rematch_words,
    sheet,
    verdict_line,
    winner_words,
)
from hearts_client.full.screens.status import (
    is_troubled,
    name_of,
    notice_lines,
    presence_words,
    top_bar,
)
from hearts_client.full.screens.talk import log_lines
from hearts_client.i18n import _
from hearts_net.protocol.messages import PublicView

WIDE = 100
"""From so many columns on the deals stand beside the final table."""
MOST_PLOT = 20
PRESENCE = 10
LEAST_LOG = 3


def over_screen(model: Model, size: Size, now: int) -> Screenful:
    """Draw the end of a game."""
    public = model.public
    assert public is not None
    width = size.columns
    last, column = bottom_line(model, width, now)
    rule = line_of(Span(glyphs(model.ascii).rule * width, "rule"))
    notices = notice_lines(model, width - 2, now) or [()]
    verdict, moon = verdict_line(model), moon_line(model, public, public.last_deal)
    head = [
        top_bar(model, width, now),
        centred(line_of(Span(winner_words(model, public), "title")), width),
        centred(line_of(moon, "  " if moon and verdict else "", verdict), width),
        *_standings(model, public, width, now),
    ]
    foot = [
        centred(rematch_words(model, public, now), width),
        *(centred(line, width) for line in notices),
        rule,
    ]
    spare = size.rows - len(head) - len(foot) - 1
    rows = min(MOST_PLOT, spare - LEAST_LOG)
    drawn = plot(model, public, width - 2, rows) if rows >= LEAST_ROWS else []
    room = max(0, spare - len(drawn))
    lines = [
        *head,
        *(line_of(" ", line) for line in drawn),
        *foot,
        *bottom(log_lines(model, width, room), room),
        last,
    ]
    cursor = None if column is None else (column, size.rows - 1)
    return screenful(lines, size, cursor)


def _standings(model: Model, public: PublicView, width: int, now: int) -> list[Line]:
    table = final_table(model, public, min(width, 58) - 2, now)
    if width < WIDE or not model.table.deals:
        return [*(line_of(" ", line) for line in table), ()]
    left = 58
    right = width - left - 1
    deals = sheet(model, public, right, 12)
    bar = glyphs(model.ascii).bar
    return [*beside([line_of(" ", line) for line in table], left, deals, right, bar + bar), ()]


def final_table(model: Model, public: PublicView, width: int, now: int) -> list[Line]:
    """Draw the players by their totals: place, points, best and worst deal, moons, presence."""
    heads = (_("total"), _("best"), _("worst"), _("moons"))
    rooms = [max(7, cells(head) + 2) for head in heads]
    names = max(6, width - 5 - sum(rooms) - PRESENCE)
    title = "".join(padded(head, room, right=True) for head, room in zip(heads, rooms, strict=True))
    lines = [line_of(Span(padded(" " * 5 + _("Player"), names + 5) + title, "dim"))]
    deals = model.table.deals
    totals = [view.total for view in public.seats]
    for seat in sorted(around(model), key=lambda seat: totals[seat]):
        place = 1 + sum(other < totals[seat] for other in totals)
        points = [deal.points[seat] for deal in deals]
        moons = sum(deal.moon == seat for deal in deals)
        numbers = [totals[seat], min(points, default=0), max(points, default=0), moons]
        text = "".join(
            padded(str(number), room, right=True)
            for number, room in zip(numbers, rooms, strict=True)
        )
        name = padded(clipped(name_of(public, seat, model.me), names - 1), names)
        style = "best" if seat == public.winner else ""
        there = clipped(presence_words(model, seat, now), PRESENCE - 2)
        troubled = "alert" if is_troubled(public.seats[seat]) else "dim"
        lines.append(line_of(Span(f" {place}.  {name}{text}", style), "  ", Span(there, troubled)))
    return lines
