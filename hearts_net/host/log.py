"""The table's memory of what happened and what it has answered: values that grow uncopied."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from hearts_net.protocol.limits import PAGE
from hearts_net.protocol.messages import AnyEvent

MAX_PAGES: Final = 400
"""The newest 20,000 events can be asked for; older ones are in the store alone."""
_RECENT: Final = 64

Page: TypeAlias = tuple[AnyEvent, ...]


@dataclass(frozen=True, slots=True)
class Log:
    """Public events, numbered from 1 without a gap."""

    newest: int = 0
    """Number of the newest event."""
    _full: tuple[Page, ...] = ()
    _last: Page = ()

    def added(self, events: list[AnyEvent]) -> Log:
        """Return the log with more events; their numbers must follow on ``newest``."""
        full, last = self._full, [*self._last, *events]
        while len(last) >= PAGE:
            full = (*full, tuple(last[:PAGE]))[-MAX_PAGES:]
            last = last[PAGE:]
        return Log(self.newest + len(events), full, tuple(last))

    def after(self, number: int) -> tuple[list[AnyEvent], bool]:
        """Return a page of the oldest events kept after ``number``, and whether there are more."""
        first_kept = self.newest - len(self._last) - PAGE * len(self._full)
        skip = max(0, number - first_kept)
        start, offset = divmod(skip, PAGE)
        found: list[AnyEvent] = []
        for page in (*self._full[start : start + 2], self._last):
            found.extend(page)
        if start > len(self._full):
            found, offset = [], 0
        page_of_it = found[offset : offset + PAGE]
        return page_of_it, first_kept + skip + len(page_of_it) < self.newest

    def newest_events(self, count: int) -> list[AnyEvent]:
        """Return the newest ``count`` events (at most a page), in order."""
        pages = (*self._full[-1:], self._last) if len(self._last) < count else (self._last,)
        events = [event for page in pages for event in page]
        return events[len(events) - min(count, len(events)) :]


Asked: TypeAlias = tuple[str, int]
"""Who asked, and the number of the request."""
Told: TypeAlias = tuple[int, int]
"""The epoch and seq in the answer."""


@dataclass(frozen=True, slots=True)
class Answers:
    """Every accepted request: the same one again is answered and not done again."""

    _old: Mapping[Asked, Told] = field(default_factory=dict)
    _recent: tuple[tuple[Asked, Told], ...] = ()

    def get(self, asked: Asked) -> Told | None:
        """Return what was answered, None for a request not accepted so far."""
        for known, told in self._recent:
            if known == asked:
                return told
        return self._old.get(asked)

    def added(self, asked: Asked, told: Told) -> Answers:
        """Return the answers with one more."""
        recent = (*self._recent, (asked, told))
        if len(recent) < _RECENT:
            return Answers(self._old, recent)
        return Answers({**self._old, **dict(recent)}, ())
