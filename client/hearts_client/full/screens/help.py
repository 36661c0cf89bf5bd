"""The page of help: every key of the place that it was opened in, and what the marks mean."""

from __future__ import annotations

from hearts_client.full.keys import KeyRow, rows_for
from hearts_client.full.layout import Line, Span, cells, fitted, line_of, padded, wrapped
from hearts_client.full.model import Model, Where, explained, where
from hearts_client.full.screens.hints import key_name
from hearts_client.i18n import _

COLUMN = 37
"""Cells that a column of keys needs, for two of them to stand side by side."""


def help_page(model: Model, width: int, rows: int, now: int) -> list[Line]:
    """List the keys, in two columns where they do not fit into one, and what the marks mean."""
    place = where(explained(model), now)
    keys = rows_for(place, watching=model.watches)
    words = _marks_words(place)
    below = [line_of(part) for part in wrapped(words, width - 1)] if words else []
    lines = _column(model, keys, width)
    if len(lines) + 1 + len(below) > rows and width >= 2 * COLUMN:
        room = width // 2
        whole = _column(model, keys, room - 1)
        half = -(-len(whole) // 2)
        left, right = whole[:half], whole[half:]
        right += [()] * (half - len(right))
        lines = [line_of(fitted(one, room), two) for one, two in zip(left, right, strict=True)]
    gap: list[Line] = [()] if len(lines) + 1 + len(below) <= rows else []
    return [*lines, *(gap if below else []), *below]


def _column(model: Model, keys: list[KeyRow], width: int) -> list[Line]:
    names = [key_name(row, model.ascii, short=width < COLUMN) for row in keys]
    room = max(cells(name) for name in names) + 2
    lines: list[Line] = []
    for row, name in zip(keys, names, strict=True):
        for number, part in enumerate(wrapped(_(row.help), max(8, width - room))):
            head = padded(name if number == 0 else "", room)
            lines.append(line_of(Span(head, "key", row.intent), part))
    return lines


def _marks_words(place: Where) -> str:
    """Explain the marks that stand on the screen of a place."""
    match place:
        case Where.PASSING:
            return _("* is marked to pass. The arrows beside the names say where they sit.")
        case Where.PLAYING:
            return _(
                "[ ] may be played; * led; high takes it as it lies; + was passed to you; ! is "
                "played at your turn. The arrows beside the names say where they sit."
            )
        case Where.DEAL_OVER | Where.GAME_OVER:
            return _(
                "“Deal verified”: your program has checked that nobody chose the deck. “Not "
                "witnessed”: it came after the shuffle and could not; the next deal is checked "
                "again."
            )
    return ""
