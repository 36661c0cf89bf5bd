"""The bottom row: the keys that matter here, or the line of text being typed."""

from __future__ import annotations

from hearts_client.absence import missed_seats
from hearts_client.full.at_hand import PASSED_CARDS
from hearts_client.full.at_start import choices
from hearts_client.full.intents import Want
from hearts_client.full.keys import KeyRow, rows_for
from hearts_client.full.layout import Line, Span, cells, line_cells, line_of
from hearts_client.full.model import Field, Model, Purpose, Where, is_ready, where
from hearts_client.i18n import _
from hearts_client.table_state import may, my_turn
from hearts_net.protocol.messages import PublicView

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


def hint_lines(model: Model, width: int, now: int, rows: int) -> list[Line]:
    """Name the keys that matter most here, as many as fit in so many rows; each can be clicked."""
    allowed = may(model.table) | open_wishes(model)
    place = where(model, now)
    moot = moot_wishes(model, place)
    shown = [
        row
        for row in rows_for(place, watching=model.watches)
        if row.hint and (not row.needs or row.needs in allowed) and row.intent.want not in moot
    ]
    shown.sort(key=lambda row: row.needs != "vote")  # seldom open, and then what matters most
    essential = [row for row in shown if row.intent.want.value in ("help", "leave", "back")]
    others = [row for row in shown if row not in essential]
    kept = [_hint(model, row, place) for row in essential]
    reserved = sum(line_cells(hint) for hint in kept)
    lines: list[Line] = [(Span(" "),)]
    for hint in [_hint(model, row, place) for row in others]:
        spare = reserved if len(lines) == rows else 0
        if line_cells(lines[-1]) + line_cells(hint) + spare > width:
            if spare or len(lines) == rows:
                continue
            lines.append((Span(" "),))
        lines[-1] = line_of(lines[-1], hint)
    if line_cells(lines[-1]) + reserved > width and len(lines) < rows:
        lines.append((Span(" "),))
    lines[-1] = line_of(lines[-1], *kept)
    return [*lines, *[()] * (rows - len(lines))]


def hint_line(model: Model, width: int, now: int) -> Line:
    """Name the keys that matter most here, as many as fit in a row."""
    return hint_lines(model, width, now, 1)[0]


def open_wishes(model: Model) -> frozenset[str]:
    """Name what this client opens, besides the acts of the table."""
    public, acts = model.public, may(model.table)
    wishes: set[str] = set()
    if model.settings.preselect and model.me is not None and not my_turn(model.table):
        wishes.add("ahead")
    if model.invite:
        wishes.add("invite")
    if model.table.view is not None and model.table.view.desk is not None:
        wishes.add("desk")
    if public is not None and public.next_at and "ready" in acts:
        wishes.add("not-yet")
    if public is not None and public.phase == "lobby":
        wishes |= _wishes_for_a_seat(model, public, acts)
    return frozenset(wishes)


def _wishes_for_a_seat(model: Model, public: PublicView, acts: frozenset[str]) -> set[str]:
    chosen = public.seats[model.choice % len(public.seats)]
    mine = model.me is not None and model.choice == model.me
    wishes: set[str] = set()
    if ("stand" if mine else "sit") in acts and (mine or chosen.kind != "person"):
        wishes.add("seat")
    if ("remove-bot" if chosen.kind == "bot" else "add-bot") in acts:
        wishes.add("bot")
    return wishes


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


def _hint(model: Model, row: KeyRow, place: Where) -> Line:
    name = key_name(row, model.ascii, short=True)
    words = _words_now(model, row.intent.want, place) or _(row.hint)
    return line_of(Span(name, "key", row.intent), Span(f" {words}  ", "hint", row.intent))


def _words_now(model: Model, want: Want, place: Where) -> str:
    """Say what a key does to the chosen seat, and to who is ready; "" where it has one meaning."""
    public = model.public
    if public is None or place not in (Where.LOBBY, Where.DEAL_OVER, Where.GAME_OVER):
        return ""
    chosen = public.seats[model.choice % len(public.seats)]
    match want:
        case Want.POINT if place is Where.LOBBY:
            return _("stand up") if model.choice == model.me else _("sit there")
        case Want.BOT if place is Where.LOBBY:
            return _("bot off") if chosen.kind == "bot" else _("add bot")
        case Want.ENTER | Want.REMATCH if is_ready(model):
            return _("not ready") if place is Where.LOBBY else _("not yet")
        case Want.ENTER if place is Where.LOBBY and model.me is None:
            return _("sit there")
    return ""


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
        case Purpose.NAME:
            return _("Your name:")


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


def bottom_lines(model: Model, width: int, now: int, rows: int) -> tuple[list[Line], int | None]:
    """Draw so many bottom rows; the second value is the cursor's column in the last of them."""
    if where(model, now) is Where.FIELD and model.field is not None:
        line, column = field_line(model.field, width)
        return [*[()] * (rows - 1), line], column
    return hint_lines(model, width, now, rows), None


def bottom_line(model: Model, width: int, now: int) -> tuple[Line, int | None]:
    """Draw the bottom row; the second value is the cursor's column where text is typed."""
    lines, column = bottom_lines(model, width, now, 1)
    return lines[0], column
