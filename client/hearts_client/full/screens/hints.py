"""The bottom row: the keys that matter here, or the line of text being typed."""

from __future__ import annotations

from hearts_client.absence import missed_seats
from hearts_client.full.at_hand import PASSED_CARDS
from hearts_client.full.at_start import choices
from hearts_client.full.intents import Want
from hearts_client.full.keys import KeyRow, rows_for
from hearts_client.full.layout import Line, Span, cells, line_cells, line_of
from hearts_client.full.model import Field, Model, Purpose, Where, where
from hearts_client.i18n import _
from hearts_client.table_state import may, my_turn

ASCII_KEYS = {"←→": "Left Right", "↑↓": "Up Down"}
OF_A_HAND = frozenset({Want.LEFT, Want.MARK, Want.ENTER, Want.PICK})
"""Wishes that are only hinted at while there are cards in hand."""
OF_A_TURN = frozenset({Want.ENTER, Want.PICK})
"""Wishes that are only hinted at while the table waits for a card."""
OF_A_CHOICE = frozenset({Want.UP, Want.ENTER})
"""Wishes that are only hinted at to whom it is to choose what the moon does."""
ASCII_SHORT = {"←→": "<>", "↑↓": "Up/Dn"}


def key_name(row: KeyRow, ascii_only: bool, *, short: bool = False) -> str:
    """Name a row's keys as a person reads them."""
    if not ascii_only:
        return row.shown
    return (ASCII_SHORT if short else ASCII_KEYS).get(row.shown, row.shown)


def hint_line(model: Model, width: int, now: int) -> Line:
    """Name the keys that matter most here, as many as fit; each can be clicked."""
    line: Line = (Span(" "),)
    allowed = may(model.table) | open_wishes(model)
    place = where(model, now)
    moot = moot_wishes(model, place)
    rows = [
        row
        for row in rows_for(place)
        if row.hint and (not row.needs or row.needs in allowed) and row.intent.want not in moot
    ]
    rows.sort(key=lambda row: row.needs != "vote")  # seldom open, and then what matters most
    essential = [row for row in rows if row.intent.want.value in ("help", "leave", "back")]
    others = [row for row in rows if row not in essential]
    reserved = sum(line_cells(_hint(model, row)) for row in essential)
    for row in others:
        hint = _hint(model, row)
        if line_cells(line) + line_cells(hint) + reserved <= width:
            line = line_of(line, hint)
    for row in essential:
        line = line_of(line, _hint(model, row))
    return line


def open_wishes(model: Model) -> frozenset[str]:
    """Name what a setting of this client opens, besides the acts of the table."""
    ahead = model.settings.preselect and model.me is not None and not my_turn(model.table)
    return frozenset({"ahead"} if ahead else ())


def moot_wishes(model: Model, place: Where) -> frozenset[Want]:
    """Name what would change nothing now."""
    public = model.public
    moot: frozenset[Want] = frozenset()
    match place:
        case Where.START:
            moot = _moot_at_start(model)
        case Where.PASSING:
            moot = _moot_in_passing(model)
        case Where.PLAYING:
            moot = _moot_in_play(model)
        case Where.MOON if public is None or model.me is None or public.turn != model.me:
            moot = OF_A_CHOICE
    missed = [] if public is None else missed_seats(public)
    if public is not None and missed and public.seats[missed[0]].deputy:
        moot |= {Want.BOT_NOW}  # one plays for that seat already
    return moot


def _moot_at_start(model: Model) -> frozenset[Want]:
    found = model.start.found
    lines = choices(model)
    is_found = lines[min(model.start.chosen, len(lines) - 1)].found is not None
    return frozenset(
        ({Want.FOUND} if not found else set()) | ({Want.FAVOUR} if not is_found else set())
    )


def _moot_in_passing(model: Model) -> frozenset[Want]:
    if not model.legal:
        return OF_A_HAND
    is_whole = len(model.marked) == PASSED_CARDS
    return frozenset() if is_whole and _is_heard(model) else frozenset({Want.ENTER})


def _moot_in_play(model: Model) -> frozenset[Want]:
    if not model.hand:
        return OF_A_HAND
    return frozenset() if my_turn(model.table) and _is_heard(model) else OF_A_TURN


def _is_heard(model: Model) -> bool:
    """Tell whether the table takes cards now."""
    return model.table.link == "live" and model.public is not None and not model.public.paused


def _hint(model: Model, row: KeyRow) -> Line:
    name = key_name(row, model.ascii, short=True)
    return line_of(Span(name, "key", row.intent), Span(f" {_(row.hint)}  ", "hint", row.intent))


def prompt(field: Field) -> str:
    """Say what is typed into a field."""
    match field.purpose:
        case Purpose.CHAT:
            return _("Say:")
        case Purpose.CARD:
            return _("Card:")
        case Purpose.ADDRESS:
            return _("Address or invite:")
        case Purpose.TABLE_NAME:
            return _("Name of the table:")
        case Purpose.CODE:
            return _("Code:")


def field_line(field: Field, width: int) -> tuple[Line, int]:
    """Draw the line being typed; the second value is the cursor's column."""
    head = f" {prompt(field)} "
    room = max(4, width - cells(head) - 2)
    start = 0
    while cells(field.text[start : field.at]) > room:
        start += 1
    shown = field.text[start:]
    while cells(shown) > room:
        shown = shown[:-1]
    column = cells(head) + cells(field.text[start : field.at])
    return line_of(Span(head, "key"), Span(shown + " ", "field")), min(column, width - 1)


def bottom_line(model: Model, width: int, now: int) -> tuple[Line, int | None]:
    """Draw the bottom row; the second value is the cursor's column where text is typed."""
    if where(model, now) is Where.FIELD and model.field is not None:
        return field_line(model.field, width)
    return hint_line(model, width, now), None
