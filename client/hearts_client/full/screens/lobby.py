"""The lobby: who is here, the rules in words, and how others can join."""

from __future__ import annotations

from hearts_client import table_state
from hearts_client.doorwords import admission_words
from hearts_client.full.cards import glyphs
from hearts_client.full.intents import Intent, Want
from hearts_client.full.layout import (
    Line,
    Screenful,
    Size,
    Span,
    bottom,
    line_of,
    padded,
    screenful,
    wrapped,
)
from hearts_client.full.model import Model
from hearts_client.full.screens.hints import bottom_lines
from hearts_client.full.screens.invite import lobby_invite
from hearts_client.full.screens.status import (
    is_troubled,
    link_words,
    name_of,
    notice_lines,
    presence_words,
    top_bar,
)
from hearts_client.full.screens.talk import log_lines
from hearts_client.i18n import _, ngettext
from hearts_client.safetext import safe_text
from hearts_client.sentences import rules_summary
from hearts_client.speech import watchers_words
from hearts_net.protocol.messages import PublicView

HINT_ROWS = 2
"""More keys mean something here than a row of a usual terminal can name."""


def lobby_screen(model: Model, size: Size, now: int) -> Screenful:
    """Draw the lobby."""
    public = model.public
    assert public is not None
    marks = glyphs(model.ascii)
    rule = line_of(Span(marks.rule * size.columns, "rule"))
    last, column = bottom_lines(model, size.columns, now, HINT_ROWS)
    gap: list[Line] = [()] if size.rows >= 22 else []
    upper = [
        top_bar(model, size.columns, now),
        *gap,
        *seat_lines(model, public, size.columns, now),
        *watcher_lines(public),
        *gap,
        *rules_lines(public, size.columns),
        *address_lines(model, public, size.columns),
        *gap,
        line_of(" ", *_state_words(model, public, now)),
        *([line_of(" ", part) for part in notice_lines(model, size.columns - 2, now)] or [()]),
        rule,
    ]
    room = max(0, size.rows - len(upper) - 1 - HINT_ROWS)
    lines = [*upper, *bottom(log_lines(model, size.columns, room), room), rule, *last]
    cursor = None if column is None else (column, size.rows - 1)
    return screenful(lines, size, cursor)


def seat_lines(model: Model, public: PublicView, width: int, now: int) -> list[Line]:
    """Draw a line for each seat: who sits there, of what kind, and whether they are ready."""
    lines = []
    name_room = max(8, min(26, width - 40))
    for seat, view in enumerate(public.seats):
        chosen = seat == model.choice
        press = Intent(Want.PICK, seat)
        name = _("(free)") if view.kind == "empty" else name_of(public, seat, None)
        if seat == model.me:
            name = _("{name} (you)").format(name=name)
        ready = _("ready") if view.ready or view.kind == "bot" else _("not ready")
        note = {"empty": "", "bot": _("bot, {level}").format(level=safe_text(view.level))}.get(
            view.kind, _("host") if view.host else _("player")
        )
        link = presence_words(model, seat, now) if is_troubled(view) else ""
        lines.append(
            line_of(
                Span(" > " if chosen else "   ", "pointer"),
                Span(_("Seat {seat}").format(seat=seat + 1), "dim"),
                "  ",
                Span(padded(name, name_room), "chosen" if chosen else "name", press),
                " ",
                padded(note, 14),
                Span("" if view.kind == "empty" else ready, "best" if view.ready else "dim"),
                "  ",
                Span(link, "alert"),
            )
        )
    return lines


def watcher_lines(public: PublicView) -> list[Line]:
    """Say how many look on, where somebody does."""
    words = watchers_words(public)
    return [line_of("   ", Span(words, "dim"))] if words else []


def rules_lines(public: PublicView, width: int) -> list[Line]:
    """Say the rules in words, as they differ from the standard ones."""
    text = rules_summary(public.rules)
    return [line_of(" ", part) for part in wrapped(text, width - 2)[:4]]


def address_lines(model: Model, public: PublicView, width: int) -> list[Line]:
    """Say how others join: the address to type, and the invite to paste where it is known."""
    lines: list[Line] = []
    if public.address:
        text = _("Others join with: hearts-net join {address}").format(
            address=safe_text(public.address)
        )
        lines.append(line_of(" ", Span(text, "notice")))
    desk = model.table.view.desk if model.table.view is not None else None
    if desk is not None and desk.admission != "open":
        words = _("{admission} (a changes that)").format(admission=admission_words(desk))
        lines.append(line_of(" ", Span(words, "notice")))
    return [*lines, *(lobby_invite(model, width) if model.invite else [])]


def _state_words(model: Model, public: PublicView, now: int) -> Line:
    trouble = link_words(model, now)
    if trouble:
        return line_of(Span(trouble, "alert"))
    if model.me is None:
        words = _("Choose a free seat and press s to sit down.")
        return line_of(Span(_("You are watching.") if model.watches else words, "turn"))
    free = sum(view.kind == "empty" for view in public.seats)
    waiting = sum(view.kind == "person" and not view.ready for view in public.seats)
    if free:
        text = ngettext(
            "{free} seat is free: wait for a player, or put a bot there (b).",
            "{free} seats are free: wait for players, or put bots there (b).",
            free,
        ) if "add-bot" in table_state.may(model.table) else ngettext(
            "Waiting for {free} more player.", "Waiting for {free} more players.", free
        )  # fmt: skip
        return line_of(Span(text.format(free=free), "turn"))
    if not public.seats[model.me].ready:
        return line_of(Span(_("Press Enter when you are ready."), "turn", Intent(Want.ENTER)))
    text = ngettext(
        "You are ready; waiting for {count} player.",
        "You are ready; waiting for {count} players.",
        waiting,
    )
    return line_of(text.format(count=waiting))
