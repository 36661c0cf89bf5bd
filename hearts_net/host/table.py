"""The table: everything that it is, in one value that never changes.

Most of it is made of facts, which are stored: :mod:`hearts_net.host.changes` makes the same table
of them again. The rest (who is connected, the countdowns, the state number) lives as long as an
epoch.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field
from msgspec.structs import replace

from hearts_net.host.clocks import Clocks, Grace, NextDeal, Shares, Turn
from hearts_net.host.door import Door
from hearts_net.host.gathering import Gathering
from hearts_net.host.log import Answers, Log
from hearts_net.host.opening import TableSettings
from hearts_net.host.seats import (
    EMPTY_SEAT,
    Ballot,
    Kind,
    Presence,
    Seats,
)
from hearts_net.protocol import messages as wire
from hearts_net.rules.cards import SEATS
from hearts_net.rules.deal import Deal
from hearts_net.rules.game import Game
from hearts_net.rules.options import Options


class Stage(StrEnum):
    """What the table does; ``phase`` in its views."""

    __hash__ = str.__hash__  # quicker than that of enums, and asked for at every card

    LOBBY = "lobby"
    DEALING = "dealing"
    """The shares of the shuffle are being gathered."""
    PASSING = "passing"
    PLAYING = "playing"
    MOON = "moon"
    DEAL_OVER = "deal-over"
    GAME_OVER = "game-over"


UNSAVED = "off"
"""In :attr:`Table.saving`: the host's player has chosen to go on though nothing can be stored."""
IN_DEAL = frozenset({Stage.PASSING, Stage.PLAYING, Stage.MOON})
IN_GAME = IN_DEAL | {Stage.DEALING, Stage.DEAL_OVER}
BETWEEN = frozenset({Stage.LOBBY, Stage.DEAL_OVER, Stage.GAME_OVER})
"""When seats, bots and who is ready may change."""
PROOFS = 3
"""Finished deals whose proof can be asked for; older ones are in the game's record."""


class Role(StrEnum):
    """What somebody joined as."""

    __hash__ = str.__hash__  # quicker than that of enums, and asked for at every card

    PLAYER = "player"
    BOT = "bot"
    WATCHER = "watcher"
    DEPUTY = "deputy"


class Guest(Struct, frozen=True):
    """Somebody who is connected and joined; deputies are not among them."""

    role: Role
    name: str
    level: str = ""
    slow: bool = False
    since: int = 0
    """UTC milliseconds since when ``slow`` is what it is."""
    shares: bool = False
    """Puts a share into each shuffle."""
    unplaced: bool = False
    """Came while nothing could be stored, or is back and the seat is gone: is to be seated."""


class FinishedDeal(Struct, frozen=True):
    """A deal that everybody may see now."""

    number: int
    deal: Deal


class Table(Struct, frozen=True):
    """One table. Durable fields come from the stored facts alone."""

    # durable
    table_id: str = ""
    name: str = ""
    host_key: str = ""
    options: Options = field(default_factory=Options)
    settings: TableSettings = field(default_factory=TableSettings)
    seats: Seats = (EMPTY_SEAT, EMPTY_SEAT, EMPTY_SEAT, EMPTY_SEAT)
    game_id: str = ""
    game: Game | None = None
    stage: Stage = Stage.LOBBY
    """What the table does at present: the game's phase, or the lobby without one."""
    gathering: Gathering | None = None
    """The shuffle whose shares are being gathered; what peers have just sent is not durable."""
    promised: wire.Commitments | None = None
    """The commitments published last."""
    finished: tuple[FinishedDeal, ...] = ()
    """The deals of this game finished last, the newest at the end."""
    paused: bool = False
    """A player has paused the game."""
    ballots: tuple[Ballot, ...] = ()
    """What those present want for the seats of those who are away, as far as they have said."""
    epoch: int = 0
    entries: int = 0
    """How many entries are stored."""
    log: Log = field(default_factory=Log)
    answers: Answers = field(default_factory=Answers)
    door: Door = field(default_factory=Door)
    # of this epoch
    seq: int = 0
    guests: Mapping[str, Guest] = field(default_factory=dict)
    """By key."""
    clocks: Clocks = field(default_factory=Clocks)
    news: tuple[wire.AnyEvent, ...] = ()
    """The events of the newest change."""
    store_broken: bool = False
    """Nothing can be stored, so nothing happens."""
    saving: str = ""
    """Why nothing can be stored, :data:`UNSAVED` where it goes on all the same; "" otherwise."""
    address: str = ""

    # ---- questions -----------------------------------------------------------------------------

    @property
    def deal(self) -> Deal | None:
        """The current deal, or the one finished last."""
        return self.game.deal if self.game is not None else None

    @property
    def deal_number(self) -> int:
        """The deal's number; 0 in the lobby."""
        return self.game.number if self.game is not None else 0

    @property
    def trick_number(self) -> int:
        """The number of the trick being played; 0 outside play."""
        if self.stage is not Stage.PLAYING or self.deal is None:
            return 0
        return self.deal.trick_number

    @property
    def person_seated(self) -> bool:
        """Whether any person holds a seat."""
        for seat in self.seats:  # noqa: SIM110 - asked many times a card
            if seat.kind is Kind.PERSON:
                return True
        return False

    @property
    def person_present(self) -> bool:
        """Whether a person who holds a seat is here."""
        for seat in self.seats:
            if seat.kind is Kind.PERSON and seat.presence is Presence.PRESENT:
                return True
        return False

    @property
    def nobody_here(self) -> bool:
        """Whether a game waits because every person of it is gone."""
        return not self.person_present and self.person_seated and self.stage in IN_GAME

    @property
    def pause(self) -> str:
        """Why the game stands still: "", ``player``, ``away`` or ``store``."""
        if self.store_broken:
            return "store"
        if self.paused:
            return "player"
        return "away" if self.nobody_here else ""

    @property
    def clocks_run(self) -> bool:
        """Whether countdowns go on: a person is here (or none plays), and nothing is paused."""
        if self.pause:
            return False
        if self.stage is Stage.LOBBY and any(g.role is Role.PLAYER for g in self.guests.values()):
            return True
        return self.person_present or not self.person_seated

    def is_known(self, key: str) -> bool:
        """Whether a key comes in without a code or a question: it has been let in before."""
        return key == self.host_key or self.seat_of(key) is not None or self.door.knows(key)

    def seat_of(self, key: str) -> int | None:
        """Return the seat that a key holds."""
        if key:
            for seat, state in enumerate(self.seats):
                if state.key == key:
                    return seat
        return None

    def is_missed(self, seat: int) -> bool:
        """Whether a game waits, or would, for the holder of a seat, who has lost the connection."""
        state = self.seats[seat]
        return state.presence is Presence.AWAY and state.held and self.stage in IN_GAME

    @property
    def somebody_missed(self) -> bool:
        """Whether a game waits, or would, for anybody who has lost the connection."""
        for seat in self.seats:
            if seat.presence is Presence.AWAY and seat.held:
                return self.stage in IN_GAME
        return False

    @property
    def majority(self) -> int:
        """How many of the persons present decide what becomes of the seat of somebody away."""
        present = sum(seat.is_person and seat.presence is Presence.PRESENT for seat in self.seats)
        return present // 2 + 1

    def voters(self, seat: int, choice: str) -> list[int]:
        """Return the seats of those present who want this for the seat of somebody away."""
        return [
            ballot.by
            for ballot in self.ballots
            if (ballot.seat, ballot.choice) == (seat, choice)
            and self.seats[ballot.by].presence is Presence.PRESENT
        ]

    def is_here(self, seat: int) -> bool:
        """Whether the holder of a seat is connected and came to play."""
        guest = self.guests.get(self.seats[seat].key)
        return guest is not None and guest.role is not Role.WATCHER

    def host_player_here(self) -> bool:
        """Whether the host's player is connected."""
        guest = self.guests.get(self.host_key)
        return guest is not None and guest.role is Role.PLAYER

    def to_move(self) -> tuple[int, ...]:
        """Return the seats that the game waits for."""
        deal, stage = self.deal, self.stage
        if deal is None or self.game is None:
            return ()
        if stage is Stage.PASSING:
            return tuple(seat for seat in SEATS if not deal.passes[seat])
        if stage is Stage.PLAYING:
            assert deal.turn is not None
            return (deal.turn,)
        if stage is Stage.MOON:
            assert self.game.shooter is not None
            return (self.game.shooter,)
        return ()

    def turn_cause(self, seat: int) -> Turn:
        """Return what a countdown for the seat's present turn is for."""
        deal = self.deal
        played = deal.played.bit_count() if deal is not None else 0
        return Turn(seat, self.deal_number, self.stage, played)

    def grace_cause(self, seat: int) -> Grace:
        """Return what a countdown for the seat's present absence is for."""
        return Grace(seat, self.seats[seat].since, self.seats[seat].waits)

    def next_deal_cause(self) -> NextDeal:
        """Return what the countdown between this deal and the next is for."""
        return NextDeal(self.deal_number)

    def missing_shares(self) -> list[int]:
        """Return the seats of which a share of the shuffle is awaited."""
        gathering = self.gathering
        if gathering is None:
            return []
        here = (seat for seat in SEATS if self.seats[seat].presence is not Presence.LEFT)
        return [seat for seat in here if gathering.is_missing(seat)]

    def shares_cause(self) -> Shares:
        """Return what the countdown for missing shares is for."""
        gathering = self.gathering
        return Shares(self.deal_number + 1, gathering is not None and gathering.listed)

    def names_taken(self, key: str) -> list[str]:
        """Return the names of everybody but ``key``."""
        seated = [seat.name for seat in self.seats if seat.taken and seat.key != key]
        return seated + [guest.name for other, guest in self.guests.items() if other != key]

    def durable(self) -> Table:
        """Return only what the stored entries say."""
        gathering = self.gathering.durable() if self.gathering is not None else None
        return replace(
            self,
            gathering=gathering,
            seq=0,
            guests={},
            door=self.door.durable(),
            clocks=Clocks(),
            news=(),
            store_broken=False,
            saving="",
            address="",
        )
