"""The tricks of a game so far, put together from its events as they come and as they are fetched.

Pure. Events are numbered without a gap, so what is still missing can be told; it is fetched from
the newest backwards, since that is what people look at first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from hearts_net.protocol import messages as m
from hearts_net.protocol.limits import PAGE

Spans: TypeAlias = tuple[tuple[int, int], ...]
"""Numbers of events, from and to, both included; apart from each other and in order."""
_TOLD: Final = (m.GameStarted, m.DealStarted, m.TrickTaken, m.Claimed, m.Settled)


@dataclass(frozen=True, slots=True)
class PastDeal:
    """One deal, as far as it has been played and is known."""

    deal: int
    direction: str
    tricks: tuple[m.TrickView, ...] = ()
    claimed_by: int | None = None
    """Who claimed the rest, which was not played."""
    settled: bool = False
    """It ended as every card that counts had been taken."""


@dataclass(frozen=True, slots=True)
class Past:
    """The events of the running game that make up its deals, and which numbers have been seen."""

    events: tuple[m.AnyEvent, ...] = ()
    known: Spans = ()


def seen(past: Past, events: Sequence[m.AnyEvent]) -> Past:
    """Take in events, each once."""
    if not events:
        return past
    return _with(past, events, [(event.n, event.n) for event in events])


def answered(past: Past, after: int, events: Sequence[m.AnyEvent]) -> Past:
    """Take in what came when the events after a number were asked for.

    What did not come is not to be had any more, and is not asked for again.
    """
    last = events[-1].n if events else after + PAGE
    return _with(past, events, [(after + 1, max(last, after + 1))])


def _with(past: Past, events: Sequence[m.AnyEvent], spans: Iterable[tuple[int, int]]) -> Past:
    known = _joined([*past.known, *spans])
    told = [event for event in events if isinstance(event, _TOLD)]
    if not told:
        return replace(past, known=known)
    by_number = {event.n: event for event in (*past.events, *told)}
    ordered = [by_number[number] for number in sorted(by_number)]
    starts = [at for at, event in enumerate(ordered) if isinstance(event, m.GameStarted)]
    return Past(tuple(ordered[starts[-1] :] if starts else ordered), known)


def _joined(spans: list[tuple[int, int]]) -> Spans:
    result: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if result and first <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(result[-1][1], last))
        else:
            result.append((first, last))
    return tuple(result)


def missing(past: Past, newest: int) -> int | None:
    """Give the number after which a page has to be asked for; None where nothing is missing."""
    at, begin = _newest_missing(past, newest), _begin(past)
    return None if at < begin else max(begin - 1, at - PAGE)


def _begin(past: Past) -> int:
    begun = past.events and isinstance(past.events[0], m.GameStarted)
    return past.events[0].n if begun else 1


def _newest_missing(past: Past, newest: int) -> int:
    """Give the newest number that has not been seen; one before the game where all have been."""
    at = newest
    for first, last in reversed(past.known):
        if last < at:
            break
        if first <= at:
            at = first - 1
    return at


def has(past: Past, newest: int, deal: int) -> bool:
    """Tell whether all that has been played of a deal is known; 0 is the newest deal."""
    starts = [event for event in past.events if isinstance(event, m.DealStarted)]
    wanted = [event for event in starts if event.deal == deal] if deal else starts[-1:]
    return bool(wanted) and wanted[-1].n > _newest_missing(past, newest)


def deals(past: Past) -> list[PastDeal]:
    """Put the deals together, oldest first; of the oldest known one tricks may be missing."""
    found: list[PastDeal] = []
    for event in past.events:
        match event:
            case m.DealStarted():
                found.append(PastDeal(event.deal, event.direction))
            case m.TrickTaken() if found:
                found[-1] = replace(found[-1], tricks=(*found[-1].tricks, event.trick))
            case m.Claimed() if found:
                found[-1] = replace(found[-1], claimed_by=event.seat)
            case m.Settled() if found:
                found[-1] = replace(found[-1], settled=True)
    return found
