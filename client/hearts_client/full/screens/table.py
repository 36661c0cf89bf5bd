"""The table while a game is played: passing, tricks, the moon's choice, the end of a deal."""

from __future__ import annotations

from dataclasses import dataclass

from hearts_client import table_state
from hearts_client.full.cards import glyphs
from hearts_client.full.layout import (
    Line,
    Screenful,
    Size,
    Span,
    beside,
    block,
    bottom,
    centred,
    fitted,
    line_of,
    middle,
    screenful,
)
from hearts_client.full.model import Model, Where, where
from hearts_client.full.screens.hand import BOX_ROWS, FLAT_ROWS, boxed_hand, flat_hand, title
from hearts_client.full.screens.hints import bottom_line
from hearts_client.full.screens.panel import panel
from hearts_client.full.screens.picture import BOXED_ROWS, picture
from hearts_client.full.screens.sheet import deal_over, game_over
from hearts_client.full.screens.status import notice_line, top_line, turn_words
from hearts_client.full.screens.talk import log_lines
from hearts_client.i18n import _

ROWS_FOR_BOXED_HAND = 30
ROWS_FOR_BOXED_PICTURE = 36


@dataclass(frozen=True, slots=True)
class Plan:
    """How the rows and columns are shared out."""

    picture_rows: int
    """Rows of the picture with the two lines of words below it."""
    log_rows: int
    hand_rows: int
    picture_width: int
    panel_width: int


def plan(size: Size) -> Plan:
    """Share the terminal out: the picture first, then the hand, and the rest for the log."""
    boxed = size.rows >= ROWS_FOR_BOXED_HAND and size.columns >= 80
    hand = BOX_ROWS if boxed else FLAT_ROWS
    panel_width = 44 if size.columns >= 110 else 30
    picture_width = size.columns - panel_width - 1
    spare = size.rows - 5 - hand  # top, two rules, the hand's title, hints
    if size.rows >= ROWS_FOR_BOXED_PICTURE and picture_width >= 60:
        picture_rows = BOXED_ROWS + 2
    else:
        picture_rows = min(12, max(9, spare - 4))
    picture_rows = min(picture_rows, spare)
    return Plan(picture_rows, spare - picture_rows, hand, picture_width, panel_width)


def table_screen(model: Model, size: Size, now: int) -> Screenful:
    """Draw the table."""
    shares = plan(size)
    marks = glyphs(model.ascii)
    rule = line_of(Span(marks.rule * size.columns, "rule"))
    last, column = bottom_line(model, size.columns, now)
    left = _left(model, shares, now)
    right = panel(model, shares.panel_width, shares.picture_rows, now)
    lines = [
        fitted(top_line(model), size.columns, "top"),
        *beside(left, shares.picture_width, right, shares.panel_width, marks.bar),
        rule,
        *bottom(log_lines(model, size.columns, shares.log_rows), shares.log_rows),
        rule,
        title(model),
        *_hand(model, size, shares),
        last,
    ]
    cursor = None if column is None else (column, size.rows - 1)
    return screenful(lines, size, cursor)


def _left(model: Model, shares: Plan, now: int) -> list[Line]:
    place = where(model, now)
    width, rows = shares.picture_width, shares.picture_rows
    public = model.public
    if public is not None and place is not Where.PLAYING:
        if public.phase == "deal-over":
            return block(deal_over(model, public, width, rows, now), rows)
        if public.phase == "game-over":
            return block(game_over(model, public, width, rows, now), rows)
    above = rows - 2
    drawn = moon_choice(model) if place is Where.MOON else picture(model, width, above, now)
    return [
        *block(middle(drawn, above), above),
        centred(turn_words(model, now), width),
        centred(notice_line(model, now), width),
    ]


def moon_choice(model: Model) -> list[Line]:
    """Draw the two things that a moon can do, for its shooter."""
    public = model.public
    if public is None or public.turn != model.me:
        return []
    words = [_("each of the others gains 26 points"), _("26 points are taken off your score")]
    lines: list[Line] = []
    for number, text in enumerate(words):
        chosen = number == min(1, model.choice)
        pointer = " > " if chosen else "   "
        style = "chosen" if chosen else ""
        lines += [line_of(Span(f"{pointer}{number + 1}  {text} ", style)), ()]
    return lines


def _hand(model: Model, size: Size, shares: Plan) -> list[Line]:
    if table_state.own(model.table) is None:
        return block([], shares.hand_rows)
    if shares.hand_rows == BOX_ROWS:
        boxes = boxed_hand(model, size.columns)
        if boxes is not None:
            return block(boxes, BOX_ROWS)
    return block(flat_hand(model, size.columns, shares.hand_rows), shares.hand_rows)
