"""A game record played again at a table: the views that its player's client would get."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hearts_client.testing.sitting import Sitting
from hearts_net.host.events import GameFact, Stamps, game_events
from hearts_net.host.facts import Dealt, Laid, PassedOn
from hearts_net.protocol import messages as m
from hearts_net.rules.actions import Action, DealCards, PassCards, PlayCard
from hearts_net.rules.cards import CARD_TEXTS, cards_in
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
        line = next(self._lines)
        if isinstance(line, DealLine):
            self._do(DealCards(line.hands), Dealt(""))
        elif isinstance(line, PassLine):
            cards = [CARD_TEXTS[card] for card in cards_in(line.cards)]
            self._do(PassCards(line.seat, line.cards), PassedOn(line.seat, cards, False))
        elif isinstance(line, PlayLine):
            laid = Laid(line.seat, CARD_TEXTS[line.card], line.by_bot)
            self._do(PlayCard(line.seat, line.card), laid)

    def _do(self, action: Action, fact: GameFact) -> None:
        """Go on in the game, and let the client hear what the host would tell of it."""
        before = self.game
        self.game = before.apply(action)
        self.show(game_events(before, self.game, fact, Stamps(0, 0)))

    def follow(self, reached: Callable[[Sitting], bool]) -> None:
        """Go on with the record until something is so."""
        self.until(reached)
