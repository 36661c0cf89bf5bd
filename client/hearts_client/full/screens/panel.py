"""The column beside the table: seats and scores, the last trick, what is still out."""

from __future__ import annotations

from collections.abc import Sequence

from hearts_client.full.cards import Glyphs, card_span, glyphs, suit_span
from hearts_client.full.layout import Line, Span, cells, clipped, line_cells, line_of, padded
from hearts_client.full.model import Model
from hearts_client.full.screens.picture import around
from hearts_client.full.screens.status import is_troubled, name_of, presence_words
from hearts_client.i18n import _
from hearts_client.speech import RANKS
from hearts_net.protocol.messages import DealSummary, PublicView, TrickView

SUITS = "CDSH"


_BETWEEN = ("deal-over", "dealing", "game-over")


def seat_mark(marks: Glyphs, place: int) -> str:
    """Mark where a seat is, seen from the player: 0 here, 1 left, 2 across, 3 right."""
    return (marks.here, marks.left, marks.up, marks.right)[place]


def panel(model: Model, width: int, rows: int, now: int) -> list[Line]:
    """Draw the column, the most needed first, as far as there are rows."""
    public = model.public
    if public is None:
        return []
    seats = seats_part(model, public, width, now)
    trick = _last_trick_part(model, public, width)
    if len(seats) + len(trick) > rows:
        trick = _last_trick_line(model, public, width)
    parts = [seats, trick, _out_part(public), _unseen_part(model, public, width)]
    kept: list[list[Line]] = []
    left = rows
    for part in parts:
        if part and len(part) <= left:
            kept.append(part)
            left -= len(part)
    voids = _voids_part(model, public, width, left)
    if voids:
        kept.append(voids)
        left -= len(voids)
    deals = _deals_part(model, public, width, left - len(kept))
    if deals:
        kept.append(deals)
        left -= len(deals)
    return _spaced(kept, left)


def _spaced(parts: list[list[Line]], spare: int) -> list[Line]:
    """Set parts one below the other, with empty lines between them while some are to spare."""
    lines: list[Line] = []
    for part in parts:
        if lines and spare > 0:
            lines.append(())
            spare -= 1
        lines += part
    return lines


def seats_part(model: Model, public: PublicView, width: int, now: int) -> list[Line]:
    """Draw a line for each seat: name, points of this deal and in total, and how it is there."""
    marks = glyphs(model.ascii)
    link_room = 9
    name_room = max(4, width - 15 - link_room)
    heads = [padded(" " + _("Player"), name_room + 3), padded(_("deal"), 5, right=True),
             padded(_("total"), 6, right=True)]  # fmt: skip
    lines = [line_of(Span("".join(heads) + "  ", "dim"))]
    order = [2, 1, 3, 0]
    spots = around(model)
    for place in order:
        seat = spots[place]
        view = public.seats[seat]
        turn = public.turn == seat and public.phase in ("playing", "moon")
        name = padded(name_of(public, seat, model.me), name_room)
        link = presence_words(model, seat, now)
        lines.append(
            line_of(
                Span(" " + seat_mark(marks, place) + " ", "dim"),
                Span(name, "turn" if turn else ""),
                padded(str(view.points), 5, right=True),
                padded(str(view.total), 6, right=True),
                " ",
                Span(clipped(link, link_room - 1), "alert" if is_troubled(view) else "dim"),
            )
        )
    return lines


def _last_trick_part(model: Model, public: PublicView, width: int) -> list[Line]:
    trick = public.last_trick
    if trick is None:
        return []
    name = name_of(public, trick.winner, model.me)
    head = _("Last trick {number}: {name} +{points}").format(
        number=trick.number, name=name, points=trick.points
    )
    return [line_of(" ", clipped(head, width - 1)), *trick_lines(model, public, trick, width)]


def _last_trick_line(model: Model, public: PublicView, width: int) -> list[Line]:
    """Draw the last trick in a line: its cards in the order played, who took it, for how much."""
    trick = public.last_trick
    if trick is None:
        return []
    faces: list[Span | str] = []
    for played in trick.cards:
        faces += [" ", card_span(played.card, model.ascii)]
    tail = f" +{trick.points}"
    room = width - 2 - line_cells(line_of(*faces)) - cells(tail)
    name = clipped(name_of(public, trick.winner, model.me), max(1, room))
    return [line_of(Span(f" {name}{tail}", "dim"), *faces)]


def trick_lines(model: Model, public: PublicView, trick: TrickView, width: int) -> list[Line]:
    """Draw the four cards of a trick with their players, two to a line, the leader's marked."""
    room = max(8, (width - 1) // 2)
    entries: list[Line] = []
    for place, played in enumerate(trick.cards):
        lead = "*" if place == 0 else " "
        face = card_span(played.card, model.ascii)
        mark = f" {_('(bot)')}" if played.by_bot else ""
        name = name_of(public, played.seat, model.me)
        name = clipped(name, room - 6 - cells(mark)) + mark
        left = 3 - cells(face.text)
        used = 6 + cells(name)
        entries.append(line_of(" " * left + lead, face, " ", name, " " * max(0, room - used)))
    return [line_of(" ", entries[0], entries[1]), line_of(" ", entries[2], entries[3])]


def _out_part(public: PublicView) -> list[Line]:
    if public.phase not in ("playing", "passing"):
        return []
    return [line_of(" ", _("Points still out: {points}").format(points=public.points_out))]


def _unseen_part(model: Model, public: PublicView, width: int) -> list[Line]:
    """Draw the cards not seen yet, where the rules allow it."""
    if public.rules.get("aids") is not True or public.phase != "playing":
        return []
    gone = set(public.seen) | set(model.hand)
    lines = [line_of(" ", Span(_("Not seen yet"), "dim"))]
    for suit in SUITS:
        ranks = [rank for rank in RANKS if rank + suit not in gone]
        text = " ".join("10" if rank == "T" else rank for rank in ranks)
        lines.append(line_of(" ", suit_span(suit, model.ascii), " ", clipped(text, width - 4)))
    return lines


def _voids_part(model: Model, public: PublicView, width: int, rows: int) -> list[Line]:
    """Draw which suits somebody has shown not to hold, where the rules allow it.

    With fewer rows than players they share a line, whose names are cut.
    """
    if public.rules.get("aids") is not True or public.phase != "playing":
        return []
    voids = {
        seat: [suit_span(suit, model.ascii) for suit in SUITS if suit in suits]
        for seat, suits in enumerate(public.shown_voids)
        if suits and seat != model.me
    }
    if len(voids) <= rows:
        return [
            line_of(" ", name_of(public, seat, model.me), " ", _("has no"), " ", suits)
            for seat, suits in voids.items()
        ]
    if not rows:
        return []
    head = f" {_('Void:')}"
    room = width - cells(head) - sum(2 + len(suits) for suits in voids.values())
    each = max(3, room // len(voids))
    line = line_of(head)
    for seat, suits in voids.items():
        line = line_of(line, " ", clipped(name_of(public, seat, model.me), each), " ", suits)
    return [line]


def _deals_part(model: Model, public: PublicView, width: int, rows: int) -> list[Line]:
    """Draw the newest deals of the game, a star where somebody shot the moon."""
    deals = model.table.deals
    if rows < 2 or not deals or width < 36 or public.phase in _BETWEEN:
        return []
    kept = deals[-(rows - 1) :]
    return [*deal_head(model, public, width), *deal_rows(model, kept, width)]


def deal_columns(width: int) -> int:
    """Give the cells of each player's column in a table of deals."""
    return max(5, min(12, (width - 7) // 4))


def deal_head(model: Model, public: PublicView, width: int) -> list[Line]:
    """Draw the head of a table of deals: the players, one's own seat first."""
    room = deal_columns(width)
    names = [clipped(name_of(public, seat, model.me), room - 1) for seat in around(model)]
    cells_ = "".join(padded(name, room, right=True) for name in names)
    return [line_of(Span(padded(" " + _("Deal"), 6) + cells_, "dim"))]


def deal_rows(model: Model, deals: Sequence[DealSummary], width: int) -> list[Line]:
    """Draw the points of each deal."""
    marks = glyphs(model.ascii)
    room = deal_columns(width)
    lines = []
    for deal in deals:
        row = padded(f" {deal.deal}", 6)
        for seat in around(model):
            star = marks.star if deal.moon == seat else ""
            row += padded(f"{deal.points[seat]}{star}", room, right=True)
        lines.append(line_of(row))
    return lines
