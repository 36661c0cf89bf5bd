"""The table while a game is played: passing, tricks, the moon's choice, the end of a deal."""

from __future__ import annotations

from dataclasses import dataclass

from hearts_client import table_state
from hearts_client.full.cards import glyphs
from hearts_client.full.intents import Intent, Want
from hearts_client.full.layout import (
    Line,
    Screenful,
    Size,
    Span,
    beside,
    block,
    bottom,
    centred,
    line_of,
    middle,
    screenful,
)
from hearts_client.full.model import Model, Where, where
from hearts_client.full.screens.hand import BOX_ROWS, FLAT_ROWS, boxed_hand, flat_hand, title
from hearts_client.full.screens.hints import bottom_line
from hearts_client.full.screens.over import over_screen
from hearts_client.full.screens.panel import panel
from hearts_client.full.screens.picture import BOXED_ROWS, picture
from hearts_client.full.screens.sheet import deal_over, is_between, next_words
from hearts_client.full.screens.status import notice_lines, top_bar, turn_words
from hearts_client.full.screens.talk import log_lines
from hearts_client.i18n import _

ROWS_FOR_BOXED_HAND = 30
ROWS_FOR_BOXED_PICTURE = 36


@dataclass(frozen=True, slots=True)
class Plan:
    """How the rows and columns are shared out."""

    picture_rows: int
    """Rows of the picture, and of the column beside it."""
    log_rows: int
    hand_rows: int
    picture_width: int
    panel_width: int
    tall_panel: bool
    """The panel reaches down beside the words and the log."""


def plan(size: Size) -> Plan:
    """Share the terminal out: the picture first, then the hand, and the rest for the log."""
    boxed = size.rows >= ROWS_FOR_BOXED_HAND and size.columns >= 80
    hand = BOX_ROWS if boxed else FLAT_ROWS
    panel_width = 44 if size.columns >= 110 else (33 if size.columns >= 76 else 29)
    picture_width = size.columns - panel_width - 1
    spare = size.rows - 7 - hand  # top, two lines of words, two rules, the hand's title, hints
    if size.rows >= ROWS_FOR_BOXED_PICTURE and picture_width >= 60:
        picture_rows = BOXED_ROWS
    else:
        picture_rows = min(10, max(7, spare - 4))
    picture_rows = min(picture_rows, spare)
    log_rows = spare - picture_rows
    return Plan(picture_rows, log_rows, hand, picture_width, panel_width, panel_width >= 44)


def table_screen(model: Model, size: Size, now: int) -> Screenful:
    """Draw the table; once the game is over and its last trick was seen, how it ended."""
    over = model.public is not None and model.public.phase == "game-over"
    if over and where(model, now) is not Where.PLAYING:
        return over_screen(model, size, now)
    shares = plan(size)
    rule = _rule(model, size.columns)
    last, column = bottom_line(model, size.columns, now)
    lines = [
        top_bar(model, size.columns, now),
        *(_two_columns if shares.tall_panel else _one_column)(model, size, shares, now),
        rule,
        title(model, boxed=shares.hand_rows == BOX_ROWS),
        *_hand(model, size, shares),
        last,
    ]
    cursor = None if column is None else (column, size.rows - 1)
    return screenful(lines, size, cursor)


def _rule(model: Model, width: int) -> Line:
    return line_of(Span(glyphs(model.ascii).rule * width, "rule"))


def _one_column(model: Model, size: Size, shares: Plan, now: int) -> list[Line]:
    """Set the words and the log below picture and panel."""
    left = _left(model, shares, now)
    right = panel(model, shares.panel_width, shares.picture_rows, now)
    bar = glyphs(model.ascii).bar
    return [
        *beside(left, shares.picture_width, right, shares.panel_width, bar),
        *_words_and_log(model, size.columns, shares, now),
    ]


def _two_columns(model: Model, size: Size, shares: Plan, now: int) -> list[Line]:
    """Let the panel reach down beside the words and the log."""
    left = [
        *_left(model, shares, now),
        *_words_and_log(model, shares.picture_width, shares, now),
    ]
    right = panel(model, shares.panel_width, len(left), now)
    marks = glyphs(model.ascii)
    bar = marks.bar + marks.tee
    return beside(left, shares.picture_width, right, size.columns - shares.picture_width - 1, bar)


def _words_and_log(model: Model, width: int, shares: Plan, now: int) -> list[Line]:
    words = _words(model, width, now)
    spare = max(0, shares.log_rows + 3 - len(words))
    # with one row left two rules would lie on top of each other: what was said last has that row
    rule = [_rule(model, width)] if spare > 1 else []
    rows = spare - len(rule)
    return [*words, *rule, *bottom(log_lines(model, width, rows), rows)]


def _left(model: Model, shares: Plan, now: int) -> list[Line]:
    place = where(model, now)
    width, rows = shares.picture_width, shares.picture_rows
    public = model.public
    if public is not None and is_between(public) and place is not Where.PLAYING:
        return block(deal_over(model, public, width, rows), rows)
    drawn = moon_choice(model) if place is Where.MOON else []
    return block(middle(drawn or picture(model, width, rows, now), rows), rows)


def _words(model: Model, width: int, now: int) -> list[Line]:
    """Say what the game waits for, and below it what must be said now."""
    public = model.public
    waits = public is not None and public.phase == "deal-over"
    if public is not None and waits and where(model, now) is not Where.PLAYING:
        first = next_words(model, public, now)
    else:
        first = turn_words(model, now)
    said = notice_lines(model, width - 2, now) or [()]
    return [centred(first, width), *(centred(line, width) for line in said)]


def moon_choice(model: Model) -> list[Line]:
    """Draw the two things that a moon can do, for its shooter."""
    public = model.public
    if public is None or public.phase != "moon" or public.turn != model.me:
        return []
    words = [_("each of the others gains 26 points"), _("26 points are taken off your score")]
    lines: list[Line] = []
    for number, text in enumerate(words):
        chosen = number == min(1, model.choice)
        pointer = " > " if chosen else "   "
        style = "chosen" if chosen else ""
        press = Intent(Want.PICK, number)
        lines += [line_of(Span(f"{pointer}{number + 1}  {text} ", style, press)), ()]
    return lines


def _hand(model: Model, size: Size, shares: Plan) -> list[Line]:
    if table_state.own(model.table) is None:
        return block([], shares.hand_rows)
    if shares.hand_rows == BOX_ROWS:
        boxes = boxed_hand(model, size.columns)
        if boxes is not None:
            return block(boxes, BOX_ROWS)
    return block(flat_hand(model, size.columns, shares.hand_rows), shares.hand_rows)
