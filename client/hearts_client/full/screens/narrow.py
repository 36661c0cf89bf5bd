"""The table on a small terminal: a line for each area, or one sentence on the size needed."""

from __future__ import annotations

from hearts_client.full.cards import card_span
from hearts_client.full.layout import (
    Line,
    Screenful,
    Size,
    Span,
    block,
    bottom,
    fitted,
    line_cells,
    line_of,
    screenful,
)
from hearts_client.full.model import Model, Where, where
from hearts_client.full.screens.hand import flat_hand
from hearts_client.full.screens.hints import bottom_line
from hearts_client.full.screens.lobby import rules_lines
from hearts_client.full.screens.picture import around, on_table, winning
from hearts_client.full.screens.sheet import (
    is_between,
    next_words,
    rematch_words,
    sheet,
    verdict_line,
    winner_words,
)
from hearts_client.full.screens.status import (
    is_troubled,
    link_words,
    name_of,
    notice_line,
    notice_lines,
    presence_words,
    top_bar,
    turn_words,
)
from hearts_client.full.screens.table import moon_choice
from hearts_client.full.screens.talk import log_lines
from hearts_client.i18n import _
from hearts_client.safetext import safe_text
from hearts_net.protocol.messages import PublicView

MOST_HAND = 4
"""Rows of the hand: two lines of cards, and below each its numbers and marks."""


def narrow_screen(model: Model, size: Size, now: int) -> Screenful:
    """Draw the table or the lobby with a line for each area."""
    public = model.public
    assert public is not None
    last, column = bottom_line(model, size.columns, now)
    place = where(model, now)
    width = size.columns
    lines: list[Line] = [top_bar(model, width, now)]
    if public.phase == "lobby":
        lines += _lobby(model, public, width, now)
    elif is_between(public) and place is not Where.PLAYING:
        lines += _sheet(model, public, width, now)
    else:
        lines += _table(model, public, width, size.rows, now)
    room = max(0, size.rows - len(lines) - 1)
    lines += [*bottom(log_lines(model, width, room), room), last]
    cursor = None if column is None else (column, size.rows - 1)
    return screenful(lines, size, cursor)


def _table(model: Model, public: PublicView, width: int, rows: int, now: int) -> list[Line]:
    said = notice_lines(model, width, now)
    moon = [line for line in moon_choice(model) if line]
    above = [
        *_scores(model, public, width, now),
        *_trick(model, public, width, now),
        turn_words(model, now),
        *moon,
        *said,
    ]
    room = rows - len(above) - 2  # the top and the hints
    gap: list[Line] = [()] if not said and room > MOST_HAND else []
    return [*above, *gap, *flat_hand(model, width, max(1, min(MOST_HAND, room)))]


def _joined(parts: list[Line], width: int) -> list[Line]:
    """Set pieces one after another, in as many lines as they need."""
    lines: list[Line] = []
    line: Line = ()
    for part in parts:
        if line and line_cells(line) + 2 + line_cells(part) > width:
            lines.append(line)
            line = part
        else:
            line = line_of(line, "  ", part) if line else part
    return [*lines, line] if line else lines


def _scores(model: Model, public: PublicView, width: int, now: int) -> list[Line]:
    parts = []
    for seat in around(model):
        view = public.seats[seat]
        text = f"{name_of(public, seat, model.me)} {view.total}+{view.points}"
        link = f" {presence_words(model, seat, now)}" if is_troubled(view) else ""
        parts.append(line_of(text, Span(link, "alert")))
    if public.phase == "playing":
        parts.append(line_of(_("{points} out").format(points=public.points_out)))
    return _joined(parts, width)[:2]


def _trick(model: Model, public: PublicView, width: int, now: int) -> list[Line]:
    cards, finished = on_table(model, now)
    if not cards:
        return [line_of(Span("-", "dim"))]
    parts = []
    for place, played in enumerate(cards):
        led = "*" if place == 0 else ""
        taker = winning(cards) if finished is None else finished.winner
        ahead = taker == played.seat
        word = _("high") if finished is None else _("takes")
        name = name_of(public, played.seat, model.me)
        face = card_span(played.card, model.ascii, "won" if ahead else "")
        parts.append(line_of(f"{name} {led}", face, f" {word}" if ahead else ""))
    return _joined(parts, width)[:2]


def _lobby(model: Model, public: PublicView, width: int, now: int) -> list[Line]:
    lines: list[Line] = []
    for seat, view in enumerate(public.seats):
        name = _("(free)") if view.kind == "empty" else name_of(public, seat, model.me)
        ready = "" if view.kind == "empty" else (_("ready") if view.ready else _("not ready"))
        pointer = ">" if seat == model.choice else " "
        lines.append(line_of(Span(pointer, "pointer"), f"{seat + 1} {name}  ", Span(ready, "dim")))
    lines += rules_lines(public, width)[:2]
    if public.address:
        lines.append(line_of(" ", safe_text(public.address)))
    trouble = link_words(model, now)
    if trouble:
        lines.append(line_of(Span(trouble, "alert")))
    return [*lines, *notice_lines(model, width, now)]


def _sheet(model: Model, public: PublicView, width: int, now: int) -> list[Line]:
    over = public.phase == "game-over"
    head = (
        winner_words(model, public) if over else _("Deal {deal} is over.").format(deal=public.deal)
    )
    verdict = verdict_line(model)
    title = line_of(Span(head, "title"), "  " if verdict else "", verdict)
    lines = [fitted(title, width), *sheet(model, public, width, 6)]
    if over:
        lines.append(rematch_words(model, public, now))
    else:
        lines.append(next_words(model, public, now))
    return block([*lines, notice_line(model, now)], len(lines) + 1)
