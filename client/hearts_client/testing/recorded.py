"""A game record played again at a table: the views that its player's client would get."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hearts_client.testing.sitting import Sitting
from hearts_net.protocol import messages as m
from hearts_net.rules.actions import DealCards, PassCards
from hearts_net.rules.reading import DealLine, Event, PassLine, PlayLine, read_lines
from hearts_net.rules.record import Header


@dataclass
class Recorded(Sitting):
    """Seat 0 of a table whose game is that of a record."""

    record: Path = Path()
    bots: frozenset[int] = frozenset()
    views: list[tuple[int, m.View]] = field(default_factory=list)
    """Every view so far, with the time on the client's clock at which it came."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._lines = self._read()

    def _read(self) -> Iterator[Event]:
        with self.record.open("rb") as file:
            for _, line in read_lines(file):
                if not isinstance(line, Header):
                    yield line

    def hear(self, view: m.View) -> None:
        """Keep a view, and let the client take it in."""
        self.views.append((self.now, view))
        super().hear(view)

    def step(self) -> None:
        """Do what the record's next line says."""
        match next(self._lines):
            case DealLine(number, direction, hands):
                self.game = self.game.apply(DealCards(hands))
                self.show([m.DealStarted(0, 0, number, direction.value)])
            case PassLine(seat, cards):
                self.game = self.game.apply(PassCards(seat, cards))
                self.show([m.Passed(0, 0, seat, seat in self.bots)])
            case PlayLine(_, card):
                self.show(self._play(card))

    def follow(self, reached: Callable[[Sitting], bool]) -> None:
        """Go on with the record until something is so."""
        self.until(reached)
