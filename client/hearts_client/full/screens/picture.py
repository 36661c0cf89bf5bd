"""The middle of the table: the four players around the trick that lies there."""

from __future__ import annotations

from collections.abc import Sequence

from hearts_client.full.cards import BOX_WIDTH, card_box, card_span, glyphs
from hearts_client.full.layout import (
    Line,
    Span,
    cells,
    centred,
    clipped,
    fitted,
    is_shaky,
    line_cells,
    line_of,
)
from hearts_client.full.model import Model, lying_trick
from hearts_client.full.screens.status import is_troubled, name_of, presence_words
from hearts_client.i18n import _
from hearts_client.teaching import highest
from hearts_net.protocol.messages import PublicView, TrickCard, TrickView

MIN_ROWS = 5
BOXED_ROWS = 16
LOW_ROWS = 10
LOW_SIDE = 18
"""Cells to the left and right of the middle, where low boxes stand."""
LOW_WIDTH = 2 * LOW_SIDE + 8
ROOM_FOR_PRESENCE = 20
"""Cells that a name needs to have a word beside it; the column of seats has it anyway."""


def on_table(model: Model, now: int) -> tuple[Sequence[TrickCard], TrickView | None]:
    """Give the cards on the table, and the finished trick that they are, if they are one."""
    public = model.public
    if public is None:
        return (), None
    shown = lying_trick(model, now)
    if shown is not None:
        return shown.cards, shown
    return public.trick, None


def winning(cards: Sequence[TrickCard]) -> int | None:
    """Give whose card takes the trick as it lies; None before there are two to compare."""
    if len(cards) < 2:
        return None
    return highest(cards).seat


def card_words(cards: Sequence[TrickCard], taker: int | None, place: int) -> str:
    """Say of a card on the table that it led, that it is the highest so far, or that it takes."""
    seat = cards[place].seat
    if taker is not None:
        return _("takes") if taker == seat else (_("led") if place == 0 else "")
    high = winning(cards) == seat
    if place == 0:
        return _("led, high") if high else _("led")
    return _("high") if high else ""


def around(model: Model) -> tuple[int, int, int, int]:
    """Give the seats at the bottom, left, top and right of the picture."""
    me = model.me or 0
    return me, (me + 1) % 4, (me + 2) % 4, (me + 3) % 4


def picture(model: Model, width: int, rows: int, now: int) -> list[Line]:
    """Draw the players around the trick, in boxes where there is room."""
    public = model.public
    if public is None:
        return []
    if rows >= BOXED_ROWS:
        return _boxed(model, public, width, rows, now)
    if rows >= LOW_ROWS and width >= LOW_WIDTH:
        return _low(model, public, width, now)
    return _flat(model, public, width, rows, now)


def _name_line(model: Model, public: PublicView, seat: int, now: int, width: int) -> Line:
    name = name_of(public, seat, model.me)
    view = public.seats[seat]
    waited = public.turn == seat and public.phase in ("playing", "moon")
    style = "turn" if waited else "name"
    troubled = is_troubled(view) and width >= ROOM_FOR_PRESENCE
    tail = f" {presence_words(model, seat, now)}" if troubled else ""
    name = clipped(name, max(1, width - cells(tail)))
    return line_of(Span(name, style), Span(tail, "alert"))


def _card_line(model: Model, public: PublicView, seat: int, now: int) -> Line:
    cards, finished = on_table(model, now)
    for place, played in enumerate(cards):
        if played.seat != seat:
            continue
        won = finished is not None and finished.winner == seat
        led = "*" if place == 0 else ""
        word = card_words(cards, None if finished is None else finished.winner, place)
        ahead = won or (finished is None and winning(cards) == seat)
        mark = glyphs(model.ascii).star if won else ("^" if ahead else "")
        tail = f" {_steady(word, mark)}" if word else ""
        tail += f" {_('(bot)')}" if played.by_bot else ""
        return line_of(led, card_span(played.card, model.ascii, "won" if ahead else ""), tail)
    if finished is None and public.phase == "playing" and public.turn == seat:
        return line_of(Span("[..]" if seat == model.me else "..", "turn"))
    if public.phase == "passing":
        return line_of(Span(_passing_word(public, seat), "dim"))
    return ()


def _passing_word(public: PublicView, seat: int) -> str:
    if public.seats[seat].passed:
        return _steady(_("has passed"), "[x]")
    return _steady(_("chooses"), "[ ]")


def _steady(word: str, mark: str) -> str:
    """Give the word, or a mark where its width is uncertain: more stands beside it."""
    return mark if is_shaky(word) else word


def _flat(model: Model, public: PublicView, width: int, rows: int, now: int) -> list[Line]:
    south, west, north, east = around(model)
    half = width // 2

    def name(seat: int) -> Line:
        return _name_line(model, public, seat, now, half - 2)

    def card(seat: int) -> Line:
        return _card_line(model, public, seat, now)

    def pair(left: Line, right: Line) -> Line:
        inset = max(1, (half - 20) // 2)
        room = half - inset
        return line_of(" " * inset, fitted(left, room), centred(right, width - half))

    gap: list[Line] = [()] if rows >= MIN_ROWS + 2 else []
    lines = [
        centred(name(north), width),
        centred(card(north), width),
        *gap,
        pair(name(west), name(east)),
        pair(card(west), card(east)),
        *gap,
    ]
    if rows >= MIN_ROWS + 3:
        return [*lines, centred(name(south), width), centred(card(south), width)]
    return [*lines, centred(line_of(name(south), " ", card(south)), width)]


def _boxed(model: Model, public: PublicView, width: int, rows: int, now: int) -> list[Line]:
    south, west, north, east = around(model)
    side = width // 3

    def column(seat: int, room: int) -> list[Line]:
        return [
            centred(_name_line(model, public, seat, now, room), room),
            *(centred(line, room) for line in _box_of(model, public, seat, now, room)),
        ]

    def middle_row(left: list[Line], right: list[Line]) -> list[Line]:
        gap = width - 2 * side
        return [line_of(a, " " * gap, b) for a, b in zip(left, right, strict=True)]

    lines = [
        *column(north, width),
        *middle_row(column(west, side), column(east, side)),
        *column(south, width),
    ]
    spare = rows - len(lines)
    return [*lines[:5], *([()] if spare > 1 else []), *lines[5:10], *lines[10:]]


def _low(model: Model, public: PublicView, width: int, now: int) -> list[Line]:
    """Draw boxes of three rows: those at the sides stand between the upper and the lower one."""
    south, west, north, east = around(model)
    middle = width - 2 * LOW_SIDE

    def name(seat: int, room: int) -> Line:
        return _name_line(model, public, seat, now, room - 1)

    def box(seat: int) -> list[Line]:
        drawn = _box_of(model, public, seat, now, width, low=True)
        return [centred(line, width) for line in drawn]

    def side(seat: int, *, right: bool) -> list[Line]:
        lines = [name(seat, LOW_SIDE), *_beside(*_face(model, public, seat, now, low=True), right)]
        if not right:
            return [fitted(line_of(" ", line), LOW_SIDE) for line in lines]
        return [line_of(" " * max(0, LOW_SIDE - 1 - line_cells(line)), line, " ") for line in lines]

    left, right = side(west, right=False), side(east, right=True)
    *above, foot = _face(model, public, north, now, low=True)[0]
    centre = [centred(foot, middle), *[line_of(" " * middle)] * 2,
              centred(name(south, middle), middle)]  # fmt: skip
    return [
        centred(name(north, width), width),
        *box(north)[: len(above)],
        *(line_of(*parts) for parts in zip(left, centre, right, strict=True)),
        *box(south),
    ]


def _beside(box: list[Line], notes: dict[int, str], before: bool) -> list[Line]:
    """Set the words of a box beside it, ``before`` it where it stands at the right edge."""
    lines = []
    for row, line in enumerate(box):
        note = notes.get(row, "")
        if not note:
            lines.append(line)
        else:
            lines.append(line_of(note, " ", line) if before else line_of(line, " ", note))
    return lines


def _noted(line: Line, note: str, width: int) -> Line:
    """Set a word beside a row of a box, and as much room on its other side."""
    room = max(0, (width - BOX_WIDTH) // 2)
    whole = line_of(" " * room, line, fitted(line_of(" ", note), room))
    return fitted(whole, BOX_WIDTH + 2 * room)


def _box_of(
    model: Model, public: PublicView, seat: int, now: int, width: int, *, low: bool = False
) -> list[Line]:
    box, notes = _face(model, public, seat, now, low=low)
    return [
        _noted(line, notes[row], width) if row in notes and (row == 1 or notes[row]) else line
        for row, line in enumerate(box)
    ]


def _face(
    model: Model, public: PublicView, seat: int, now: int, *, low: bool
) -> tuple[list[Line], dict[int, str]]:
    """Draw what lies before a player, and the words beside its rows."""
    marks = glyphs(model.ascii)
    cards, finished = on_table(model, now)
    for place, played in enumerate(cards):
        if played.seat == seat:
            won = finished is not None and finished.winner == seat
            ahead = won or (finished is None and winning(cards) == seat)
            style = "won" if ahead else ""
            box = card_box(played.card, model.ascii, heavy=won, style=style, low=low)
            word = card_words(cards, None if finished is None else finished.winner, place)
            mark = marks.star if won else ("*" if place == 0 else "")
            beside = f"{mark} {_steady(word, '')}".strip() if word else ""
            bot = _("(bot)") if played.by_bot else ""
            return box, {0 if low else 2: bot, 1: beside}
    if finished is None and public.phase == "playing" and public.turn == seat:
        style = "turn" if seat == model.me else "dim"
        return card_box(None, model.ascii, style=style, low=low), {}
    word = _passing_word(public, seat) if public.phase == "passing" else ""
    return [(), line_of(Span(word, "dim")), *[()] * (1 if low else 2)], {}
