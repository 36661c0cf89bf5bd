"""The table's memory of what happened and what it has answered: values that grow uncopied."""

from __future__ import annotations

from typing import Final, TypeAlias

from msgspec import Struct

from hearts_net.protocol.limits import PAGE
from hearts_net.protocol.messages import AnyEvent

MAX_PAGES: Final = 400
"""The newest 20,000 events can be asked for; older ones are in the store alone."""

Page: TypeAlias = tuple[AnyEvent, ...]


class Log(Struct, frozen=True):
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


Asked: TypeAlias = tuple[str, int]
"""Who asked, and the number of the request."""
Told: TypeAlias = tuple[int, int]
"""The epoch and seq in the answer."""


class Answers:
    """Every accepted request: the same one again is answered and not done again.

    A value like the table it belongs to. The versions of one table share what they have in common:
    each knows how many of the requests are its own.
    """

    __slots__ = ("_count", "_given")

    def __init__(self) -> None:
        self._given: dict[Asked, tuple[Told, int]] = {}
        self._count = 0

    def get(self, asked: Asked) -> Told | None:
        """Return what was answered, None for a request not accepted so far."""
        found = self._given.get(asked)
        return found[0] if found is not None and found[1] <= self._count else None

    def added(self, asked: Asked, told: Told) -> Answers:
        """Return the answers with one more."""
        longer = Answers()
        if len(self._given) == self._count and asked not in self._given:
            longer._given = self._given
        else:  # another version has gone on from here, to where this one does not go
            longer._given = self._own()
            longer._given.pop(asked, None)
        longer._count = self._count + 1
        longer._given[asked] = (told, longer._count)
        return longer

    def _own(self) -> dict[Asked, tuple[Told, int]]:
        return {asked: told for asked, told in self._given.items() if told[1] <= self._count}

    def __eq__(self, other: object) -> bool:
        """Whether the same requests were accepted, and answered alike."""
        return isinstance(other, Answers) and self._own() == other._own()

    def __hash__(self) -> int:
        """Return something that equal answers have in common."""
        return hash(self._count)
