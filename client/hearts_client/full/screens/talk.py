"""The log in words, with the time of day: plays of a trick joined into one line, chat beside it."""

from __future__ import annotations

from dataclasses import dataclass

from hearts_client.full.layout import Line, Span, line_of, wrapped
from hearts_client.full.model import Model
from hearts_client.i18n import _
from hearts_client.safetext import safe_text
from hearts_client.sentences import SlowTurns, event_sentence
from hearts_net.protocol.messages import (
    AnyEvent,
    HeartsBroken,
    HostRestarted,
    Played,
    PlayStarted,
    PresenceChanged,
    Said,
    TrickTaken,
)

DAY_MS = 86_400_000
EVENTS_AN_ENTRY = 5
"""At most: the four cards of a trick, and hearts broken."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the log before it is broken to the screen's width."""

    time: int
    text: str
    style: str = ""


def clock(model: Model, time: int) -> str:
    """Give the local time of day, hours and minutes."""
    minutes = ((time + model.zone * 1000) % DAY_MS) // 60_000
    return f"{minutes // 60:02}:{minutes % 60:02}"


def entries(model: Model, newest: int = 0) -> list[Entry]:
    """Give the log in words; with ``newest`` only the end of it, at least so many entries."""
    events = _end_of(model.table.log, newest) if newest else model.table.log
    result: list[Entry] = []
    joining = False
    leads = True
    slow_turns = SlowTurns()
    for event in model.table.log[: len(model.table.log) - len(events)]:
        slow_turns.is_end_of_one(event)
    for event in events:
        if slow_turns.is_end_of_one(event):
            continue
        text, style = _words(model, event, leads=leads)
        if isinstance(event, PlayStarted | TrickTaken):
            leads = True
        elif isinstance(event, Played):
            leads = False
        if not text:
            continue
        joined = isinstance(event, Played | HeartsBroken)
        if joined and joining:
            last = result.pop()
            text, style = f"{last.text} {text}", last.style
        joining = joined
        result.append(Entry(event.time, text, style))
    return result


def _end_of(log: tuple[AnyEvent, ...], newest: int) -> tuple[AnyEvent, ...]:
    """Cut the log where a trick begins, so that who leads is still known."""
    start = len(log) - EVENTS_AN_ENTRY * newest
    while start > 0 and not isinstance(log[start - 1], PlayStarted | TrickTaken):
        start -= 1
    return log[max(0, start) :]


def _words(model: Model, event: AnyEvent, *, leads: bool) -> tuple[str, str]:
    public = model.public
    if public is None:
        return "", ""
    if isinstance(event, Said):
        if not model.chat and event.seat != model.me:
            return "", ""
        mine = event.seat is not None and event.seat == model.me
        mine = mine and event.name == public.seats[event.seat or 0].name
        name = _("You") if mine else safe_text(event.name)
        return f"{name}: {safe_text(event.text)}", "chat"
    if max((seat for seat in _seats_of(event)), default=0) >= len(public.seats):
        return "", ""
    style = "notice" if isinstance(event, PresenceChanged | HostRestarted) else ""
    return event_sentence(event, public.seats, model.me, model.style, leads=leads), style


def _seats_of(event: AnyEvent) -> list[int]:
    seat = getattr(event, "seat", None)
    return [seat] if isinstance(seat, int) else []


def log_lines(model: Model, width: int, rows: int) -> list[Line]:
    """Give the last lines of the log that fit, oldest first."""
    lines: list[Line] = []
    for entry in reversed(entries(model, rows)[-rows:] if rows else []):
        stamp = clock(model, entry.time)
        broken = wrapped(entry.text, max(8, width - 8))
        drawn = [
            line_of(Span(f" {stamp} " if number == 0 else " " * 7, "dim"), Span(text, entry.style))
            for number, text in enumerate(broken)
        ]
        lines = drawn + lines
        if len(lines) >= rows:
            break
    return lines[-rows:] if rows else []
