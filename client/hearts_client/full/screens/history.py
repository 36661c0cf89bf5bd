"""The page of tricks: every trick of this deal, then of the deals before it, the newest first."""

from __future__ import annotations

from hearts_client.full.cards import card_span
from hearts_client.full.layout import Line, Span, clipped, fitted, line_of, padded
from hearts_client.full.model import Model
from hearts_client.full.screens.picture import around
from hearts_client.full.screens.status import name_of
from hearts_client.i18n import _
from hearts_client.past import PastDeal, deals, missing
from hearts_client.speech import direction_words
from hearts_net.protocol.messages import DealSummary, PublicView, TrickView

NUMBER = 4
TAKER = 13
"""Cells for who took a trick, and for how many points."""


def history_page(model: Model, width: int) -> list[Line]:
    """Draw the deals of this game, the newest first, a line a trick."""
    public = model.public
    if public is None:
        return []
    past = model.table.past
    lines: list[Line] = []
    for deal in reversed(deals(past)):
        lines += [*_deal(model, public, deal, width), ()]
    if missing(past, public.newest_event) is not None:
        lines.append(line_of(Span(_("The tricks before these are being fetched…"), "dim")))
    return lines or [line_of(_("No trick has been taken yet."))]


def _deal(model: Model, public: PublicView, deal: PastDeal, width: int) -> list[Line]:
    room = max(6, min(14, (width - NUMBER - TAKER) // 4))
    lines = [_head(deal)]
    if deal.deal == public.deal:
        lines += _exchanged(model)
    names = [padded(clipped(name_of(public, seat, model.me), room - 2), room)
             for seat in around(model)]  # fmt: skip
    lines.append(line_of(Span(" " * (NUMBER + 1) + "".join(names) + _("taken by"), "dim")))
    lines += [_trick(model, public, trick, room) for trick in deal.tricks]
    lines += _end(model, public, deal)
    summary = _summary(model, deal)
    if summary is not None:
        points = "".join(padded(f" {summary.points[seat]}", room) for seat in around(model))
        lines.append(line_of(Span(" " * NUMBER + points + _("points"), "best")))
    return [fitted(line, width) for line in lines]


def _head(deal: PastDeal) -> Line:
    words = direction_words(deal.direction)
    passed = words if deal.direction == "hold" else _("passed {direction}").format(direction=words)
    text = _("Deal {deal}, {passed}").format(deal=deal.deal, passed=passed)
    return line_of(Span(text, "title"))


def _exchanged(model: Model) -> list[Line]:
    """Say which cards the player has passed and got in this deal."""
    view = model.table.view
    own = view.own if view is not None else None
    lines: list[Line] = []
    if own is None:
        return lines
    received = model.table.received
    for words, cards in ((_("You passed on:"), own.passed), (_("You received:"), received)):
        if cards:
            spans: list[Span | str] = [f"{words} "]
            for card in cards:
                spans += [card_span(card, model.ascii), " "]
            lines.append(line_of(*spans))
    return lines


def _trick(model: Model, public: PublicView, trick: TrickView, room: int) -> Line:
    by_seat = {played.seat: played for played in trick.cards}
    spans: list[Span | str] = [padded(str(trick.number), NUMBER - 1, right=True), " "]
    for seat in around(model):
        played = by_seat[seat]
        led = "*" if played is trick.cards[0] else " "
        look = "won" if seat == trick.winner else ""
        face = card_span(played.card, model.ascii, look)
        rest = room - 1 - len(face.text)
        spans += [led, face, padded(f" {_('(bot)')}" if played.by_bot else "", rest)]
    name = clipped(name_of(public, trick.winner, model.me), TAKER - 5)
    points = f" +{trick.points}" if trick.points > 0 else (f" {trick.points or ''}".rstrip())
    return line_of(*spans, " ", name, points)


def _end(model: Model, public: PublicView, deal: PastDeal) -> list[Line]:
    """Say why tricks of a deal were not played."""
    if deal.claimed_by is not None:
        name = name_of(public, deal.claimed_by, model.me)
        return [line_of("    ", _("{name}: the rest was claimed").format(name=name))]
    if deal.settled:
        return [line_of("    ", _("the rest counted nothing and was not played"))]
    return []


def _summary(model: Model, deal: PastDeal) -> DealSummary | None:
    return next((one for one in model.table.deals if one.deal == deal.deal), None)
