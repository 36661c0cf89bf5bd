"""A client at a table without host or network: real games, views as a host would make them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from msgspec.structs import replace as changed

from hearts_client.full.intents import Intent, Want
from hearts_client.full.layout import Screenful, Size
from hearts_client.full.model import Effect, Model
from hearts_client.full.screens.draw import draw
from hearts_client.full.steps import heard, heard_view, press
from hearts_client.settings import ClientSettings
from hearts_client.table_state import TableState
from hearts_net.bots.from_deal import plain_rules, view_of
from hearts_net.protocol import messages as m
from hearts_net.rules.actions import DealCards, PassCards, PlayCard
from hearts_net.rules.cards import CARD_TEXTS, cards_in, mask_of, parse_card
from hearts_net.rules.game import Game, Phase
from hearts_net.rules.options import Options
from hearts_net.rules.shuffle import deal_hands

NAMES = ("Asha", "Bram", "Chloé", "Dana")
EPOCH = 1
NOON = 43_200_000
"""The host's clock at the start, which shows 12:00 in the log."""


@dataclass
class Sitting:
    """Seat 0 of a table: a game that is played on card by card, and the client that watches it."""

    options: Options = field(default_factory=Options)
    settings: ClientSettings = field(default_factory=lambda: ClientSettings(name="Asha"))
    hands: tuple[int, int, int, int] | None = None
    """The first deal's hands; dealt by its number otherwise."""
    bots: frozenset[int] = frozenset({2})
    me: int | None = 0

    def __post_init__(self) -> None:
        self.game = Game.start(self.options)
        self.now = 0
        self.seq = 0
        self.events = 0
        self.changes: dict[str, object] = {}
        self.seat_changes: dict[int, dict[str, object]] = {}
        self.own_changes: dict[str, object] = {}
        self.effects: list[Effect] = []
        self.model = Model(
            self.settings,
            table=TableState(link="live"),
        )

    # ---- the game

    def step(self) -> None:
        """Do the one thing that the game waits for: deal, pass three lowest, play the lowest."""
        game = self.game
        deal = game.deal
        said: list[m.AnyEvent] = []
        if game.phase is Phase.DEALING:
            number = game.number + 1
            hands = self.hands if self.hands and number == 1 else deal_hands(bytes([number]) * 32)
            self.game = game.apply(DealCards(hands))
            assert self.game.deal is not None
            said = [m.DealStarted(0, 0, number, self.game.deal.direction.value)]
        elif game.phase is Phase.PASSING:
            assert deal is not None
            seat = next(seat for seat in (1, 2, 3, 0) if not deal.passes[seat])
            said = self._pass(seat)
        elif game.phase is Phase.PLAYING:
            assert deal is not None
            said = self._play(cards_in(deal.legal())[0])
        self.show(said)

    def _pass(self, seat: int) -> list[m.AnyEvent]:
        assert self.game.deal is not None
        cards = cards_in(self.game.deal.hands[seat])[:3]
        self.game = self.game.apply(PassCards(seat, mask_of(cards)))
        return [m.Passed(0, 0, seat, seat in self.bots)]

    def play(self, card: str) -> None:
        """Let whoever is to play put down this card."""
        self.show(self._play(parse_card(card)))

    def _play(self, card: int) -> list[m.AnyEvent]:
        deal = self.game.deal
        assert deal is not None
        assert deal.turn is not None
        seat, tricks, results = deal.turn, len(deal.tricks), len(self.game.results)
        self.game = self.game.apply(PlayCard(seat, card))
        said: list[m.AnyEvent] = [m.Played(0, 0, seat, CARD_TEXTS[card], seat in self.bots)]
        now = self.game.deal
        assert now is not None
        if len(now.tricks) > tricks:
            view = view_of(now, 0)
            assert view.public.last_trick is not None
            said.append(m.TrickTaken(0, 0, view.public.last_trick))
        if len(self.game.results) > results:
            said.append(m.DealEnded(0, 0, self.summary()))
        return said

    def until(self, reached: Callable[[Sitting], bool]) -> Sitting:
        """Play on until something is so."""
        for _ in range(2000):
            if reached(self):
                return self
            self.step()
        raise AssertionError("never reached")

    def until_my_turn(self, trick: int) -> Sitting:
        """Play on until this seat is to play to a trick."""
        return self.until(
            lambda at: (
                at.game.phase is Phase.PLAYING
                and at.game.deal is not None
                and at.game.deal.turn == 0
                and at.game.deal.trick_number == trick
            )
        )

    # ---- what the client sees

    def summary(self) -> m.DealSummary:
        """Give the deal that was finished last as views and events tell it."""
        result = self.game.results[-1]
        return m.DealSummary(
            len(self.game.results), list(result.points), list(result.totals), result.moon
        )

    def view(self) -> m.View:
        """Make the view of now."""
        assert self.game.deal is not None
        base = view_of(
            self.game.deal,
            0 if self.me is None else self.me,
            number=self.game.number,
            totals=self.game.totals,
        )
        phase = {
            Phase.DEALING: "deal-over",
            Phase.OVER: "game-over",
        }.get(self.game.phase, self.game.phase.value)
        over = phase in ("deal-over", "game-over")
        public = changed(
            base.public,
            table="attic",
            game="g1",
            phase=phase,
            seats=[self._seat(seat, view) for seat, view in enumerate(base.public.seats)],
            turn=None if over else base.public.turn,
            trick_number=0 if over else base.public.trick_number,
            last_deal=self.summary() if self.game.results else None,
            winner=self.game.winner,
            newest_event=self.events,
        )
        public = changed(public, **self.changes)
        own = None
        if base.own is not None and self.me is not None:
            own = changed(base.own, may=[*base.own.may, *_acts(phase)])
            own = changed(own, **self.own_changes)
        return changed(
            base, epoch=EPOCH, seq=self.seq, time=NOON + self.now, public=public, own=own,
            role="player" if self.me is not None else "watcher",
        )  # fmt: skip

    def _seat(self, seat: int, view: m.SeatView) -> m.SeatView:
        bot = seat in self.bots
        view = changed(
            view,
            name=NAMES[seat],
            kind="bot" if bot else "person",
            level="medium" if bot else "",
            host=seat == 0,
            ready=bot,
        )
        return changed(view, **self.seat_changes.get(seat, {}))

    def show(self, said: list[m.AnyEvent] | None = None) -> None:
        """Let the client hear of the state as it is now, with these events."""
        self.now += 1000
        self.seq += 1
        events = [self._stamped(event) for event in said or []]
        self.hear(changed(self.view(), events=events))

    def _stamped(self, event: m.AnyEvent) -> m.AnyEvent:
        self.events += 1
        return changed(event, n=self.events, time=NOON + self.now)

    def hear(self, view: m.View) -> None:
        """Let the client take in a view."""
        self.model, effects = heard_view(self.model, view, self.now, gap=False)
        self.effects.extend(effects)

    # ---- what the person does

    def told(self, event: object) -> None:
        """Let the client take another event of the link."""
        self.model, effects = heard(self.model, event, self.now)
        self.effects.extend(effects)

    def press(self, *wants: Want | Intent) -> list[Effect]:
        """Press keys a second apart; give what they ask for."""
        asked: list[Effect] = []
        for want in wants:
            self.now += 1000
            intent = want if isinstance(want, Intent) else Intent(want)
            self.model, effects = press(self.model, intent, self.now)
            asked.extend(effects)
        return asked

    def screen(self, columns: int = 80, rows: int = 24) -> Screenful:
        """Draw what the client shows now."""
        return draw(self.model, Size(columns, rows), self.now)

    def text(self, columns: int = 80, rows: int = 24) -> str:
        """Give what the client shows now as text."""
        return self.screen(columns, rows).text()

    def lobby(self, *, seated: int = 2) -> Sitting:
        """Show a lobby with so many seats taken."""
        self.now += 1000
        self.seq += 1
        seats = [_lobby_seat(seat, seat < seated, seat in self.bots) for seat in range(4)]
        seats = [changed(s, **self.seat_changes.get(n, {})) for n, s in enumerate(seats)]
        public = m.PublicView(
            "attic", "", "lobby", "", plain_rules(self.options), seats, 0, 0, "", 0, None, None,
            0, 0, [], None, False, None, 0, [], [], None, None, 0, "192.168.1.7:26052",
        )  # fmt: skip
        may = ["sit"] if self.me is None else ["stand", "ready"]
        own = None if self.me is None else m.OwnView(self.me, [], [], [], [], may, False)
        hosting = ["sit", "add-bot", "remove-bot", "set-rules", "start", "close", "say"]
        public = changed(public, **self.changes)
        role = "player"
        self.hear(m.View(EPOCH, self.seq, NOON + self.now, public, own, [], role, hosting))
        return self


def _acts(phase: str) -> list[str]:
    return [*{"deal-over": ["ready"], "game-over": ["ready", "rematch"]}.get(phase, []), "say"]


def _lobby_seat(seat: int, taken: bool, bot: bool) -> m.SeatView:
    kind = ("bot" if bot else "person") if taken else "empty"
    return m.SeatView(
        kind, NAMES[seat] if taken else "", "", "medium" if taken and bot else "", "present", 0,
        0, False, bot and taken, seat == 0 and taken, 0, False, 0, 0, 0,
    )  # fmt: skip
