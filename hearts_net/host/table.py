"""The table: everything that it is, in one value that never changes.

Most of it is made of facts, which are stored: :meth:`Table.restore` makes the same table of them
again. The rest (who is connected, the countdowns, the state number) lives as long as an epoch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

from msgspec import Struct, field
from msgspec.structs import replace

from hearts_net.host.clocks import Clocks, Grace, NextDeal, Shares, Turn
from hearts_net.host.door import Door
from hearts_net.host.errors import StoreCode, StoreError
from hearts_net.host.events import GameFact, Stamps, game_events
from hearts_net.host.facts import (
    AdmissionSet,
    AnyFact,
    Balloted,
    Banned,
    Began,
    ClaimStood,
    CodeMissed,
    Dealt,
    Decided,
    Entry,
    EpochBegan,
    Freed,
    Laid,
    LetIn,
    MoonPicked,
    Moved,
    Opened,
    PassedOn,
    PauseSet,
    PresenceNoted,
    Rekeyed,
    Reopened,
    RulesChanged,
    SaidReady,
    Seated,
    SentAway,
    SharesListed,
    ShuffleBegan,
    Spoke,
    Unbanned,
    decode_entry,
)
from hearts_net.host.gathering import Gathering, begun
from hearts_net.host.log import Answers, Log
from hearts_net.host.opening import Settings
from hearts_net.host.seats import (
    EMPTY_SEAT,
    Ballot,
    Kind,
    Presence,
    Seats,
    SeatState,
    with_seat,
)
from hearts_net.protocol import messages as wire
from hearts_net.rules.actions import (
    Action,
    ChooseMoon,
    ClaimRest,
    DealCards,
    PassCards,
    PlayCard,
)
from hearts_net.rules.cards import SEATS, mask_of_texts, parse_card
from hearts_net.rules.deal import Deal
from hearts_net.rules.errors import HeartsError
from hearts_net.rules.game import Game, Phase
from hearts_net.rules.options import MoonRule, Options
from hearts_net.rules.shuffle import deal_hands


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
_STAGES = {
    Phase.PASSING: Stage.PASSING,
    Phase.PLAYING: Stage.PLAYING,
    Phase.MOON: Stage.MOON,
    Phase.DEALING: Stage.DEAL_OVER,
    Phase.OVER: Stage.GAME_OVER,
}


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
    settings: Settings = field(default_factory=Settings)
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
        return self.stage in IN_GAME and state.held and state.presence is Presence.AWAY

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

    # ---- changes -------------------------------------------------------------------------------

    def with_fact(self, fact: AnyFact, clock: int) -> Table:
        """Return the table after a fact; its public events are added to the log and the news."""
        stamps = Stamps(self.log.newest, clock)
        after, events = _applied(self, fact, stamps)
        if not events:
            return after
        return replace(after, log=self.log.added(events), news=(*self.news, *events))

    def with_entry(self, entry: Entry) -> Table:
        """Return the table after a stored entry."""
        table = replace(self, news=(), entries=entry.number)
        for fact in entry.facts:
            table = table.with_fact(fact, entry.time)
        accepted = entry.accepted
        if accepted is not None:
            asked, told = (accepted.key, accepted.id), (accepted.epoch, accepted.seq)
            table = replace(table, answers=table.answers.added(asked, told))
        return table

    @classmethod
    def restore(cls, stored: Iterable[bytes]) -> Table:
        """Return the table that these entries made.

        Raises :class:`StoreError` ``store-damaged``, with the entry's number, for what is no entry,
        is out of order, or what the rules do not allow.
        """
        table = cls()
        for number, body in enumerate(stored, start=1):
            entry = decode_entry(body, number)
            try:
                table = table.with_entry(entry)
            except HeartsError as error:
                raise StoreError(StoreCode.DAMAGED, entry=number, reason=error.code) from error
            except (ValueError, IndexError, AssertionError) as error:
                raise StoreError(StoreCode.DAMAGED, entry=number, reason=str(error)) from error
        return table.durable()

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


# ---- what each fact does -----------------------------------------------------------------------


def _applied(table: Table, fact: AnyFact, stamps: Stamps) -> tuple[Table, list[wire.AnyEvent]]:
    match fact:
        case Dealt() | PassedOn() | Laid() | ClaimStood() | MoonPicked():
            return _in_the_game(table, fact, stamps)
        case Seated() | Freed() | Moved() | Rekeyed() | SaidReady() | PresenceNoted():
            return _of_a_seat(table, fact, stamps)
        case Balloted() | Decided():
            return _of_a_vote(table, fact, stamps)
        case SentAway(key, name, reason):
            guests = {other: guest for other, guest in table.guests.items() if other != key}
            told = [wire.SentAway(*stamps.next(), name, reason)] if name else []
            return replace(table, door=table.door.after(fact), guests=guests), list(told)
        case AdmissionSet() | CodeMissed() | LetIn() | Banned() | Unbanned():
            return replace(table, door=table.door.after(fact)), []
        case ShuffleBegan() | SharesListed():
            return _in_the_shuffle(table, fact), []
        case Spoke(name, seat, text):
            return table, [wire.Said(*stamps.next(), name, seat, text)]
        case PauseSet(paused):
            shown = "player" if paused else ""
            return replace(table, paused=paused), [wire.PausedChanged(*stamps.next(), shown)]
        case Opened(table_id, name, host_key, rules):
            options = Options.from_dict(rules)
            return replace(
                table, table_id=table_id, name=name, host_key=host_key, options=options
            ), []
        case EpochBegan():
            return _new_epoch(table, fact, stamps)
        case RulesChanged():
            return _new_rules(table, fact, stamps)
        case Began(game):
            seats = _unready(table.seats)
            started = Game.start(table.options)
            table = replace(table, game=started, stage=_STAGES[started.phase], game_id=game)
            changed = replace(table, seats=seats, paused=False, promised=None, finished=())
            return changed, [wire.GameStarted(*stamps.next(), game)]
        case Reopened():
            return _back_in_the_lobby(table, fact, stamps)


def action_of(fact: GameFact) -> Action:
    """Return what a fact does to the game."""
    match fact:
        case Dealt(seed, shuffle):
            return DealCards(deal_hands(bytes.fromhex(seed)), shuffle or seed)
        case PassedOn(seat, cards, _):
            return PassCards(seat, mask_of_texts(cards))
        case Laid(seat, card, by_bot):
            return PlayCard(seat, parse_card(card), by_bot)
        case ClaimStood(seat):
            return ClaimRest(seat)
        case MoonPicked(seat, choice):
            return ChooseMoon(seat, MoonRule(choice))


def _in_the_game(table: Table, fact: GameFact, stamps: Stamps) -> tuple[Table, list[wire.AnyEvent]]:
    before = table.game
    if before is None:
        raise StoreError(StoreCode.DAMAGED, reason="no game")
    after = before.apply(action_of(fact))
    changed = replace(table, game=after, stage=_STAGES[after.phase])
    if isinstance(fact, Dealt):
        changed = replace(changed, seats=_unready(table.seats), gathering=None)
    elif len(after.results) > len(before.results):
        assert after.deal is not None
        finished = (*table.finished, FinishedDeal(after.number, after.deal))[-PROOFS:]
        changed = replace(changed, seats=_unready(table.seats), finished=finished)
    events = game_events(before, after, fact, stamps)
    if not isinstance(fact, Dealt) and table.seats[fact.seat].once:
        return _turn_is_over(changed, fact.seat, events, stamps)
    return changed, events


def _turn_is_over(
    table: Table, seat: int, events: list[wire.AnyEvent], stamps: Stamps
) -> tuple[Table, list[wire.AnyEvent]]:
    """End the one turn that a bot was to play: also where the same seat is to move again."""
    state = replace(table.seats[seat], deputy=False, once=False)
    ended = wire.PresenceChanged(
        *stamps.next(), seat, state.name, state.presence.value, state.deputy
    )
    return replace(table, seats=with_seat(table.seats, seat, state)), [*events, ended]


def _in_the_shuffle(table: Table, fact: ShuffleBegan | SharesListed) -> Table:
    if isinstance(fact, ShuffleBegan):
        gathering = begun(table.game_id, table.deal_number + 1, fact)
        return replace(table, stage=Stage.DEALING, gathering=gathering)
    if table.gathering is None:
        raise StoreError(StoreCode.DAMAGED, reason="no shuffle")
    closed = table.gathering.closed(fact.seats)
    promised = wire.Commitments(
        closed.game, closed.deal, closed.host_commitment, list(closed.commitments)
    )
    return replace(table, gathering=closed, promised=promised)


def _unready(seats: Seats, keep: int | None = None) -> Seats:
    for seat in SEATS:
        state = seats[seat]
        if (state.ready and seat != keep) or state.not_yet:
            kept = state.ready and seat == keep
            seats = with_seat(seats, seat, replace(state, ready=kept, not_yet=False))
    return seats


def _of_a_seat(
    table: Table,
    fact: Seated | Freed | Moved | Rekeyed | SaidReady | PresenceNoted,
    stamps: Stamps,
) -> tuple[Table, list[wire.AnyEvent]]:
    events: list[wire.AnyEvent] = []
    old = table.seats[fact.seat]
    new = old
    seats = table.seats
    match fact:
        case Seated(seat, kind, key, name, level, table_bot):
            new = SeatState(Kind(kind), key, name, level, table_bot, since=stamps.time)
            events.append(wire.SeatTaken(*stamps.next(), seat, name, kind))
        case Freed(seat):
            new = EMPTY_SEAT
            events.append(wire.SeatLeft(*stamps.next(), seat, old.name))
        case Moved(seat, to):
            new = EMPTY_SEAT
            seats = with_seat(seats, to, replace(old, ready=False))
            events.append(wire.SeatLeft(*stamps.next(), seat, old.name))
            events.append(wire.SeatTaken(*stamps.next(), to, old.name, old.kind.value))
        case Rekeyed(_, key):
            new = replace(old, key=key)
        case SaidReady(_, ready):
            not_yet = not ready and table.stage is Stage.DEAL_OVER
            new = replace(old, ready=ready, not_yet=not_yet)
        case PresenceNoted(seat, presence, deputy, once):
            new = replace(old, presence=Presence(presence), deputy=deputy, once=once)
            if old.presence != presence:
                new = replace(new, since=stamps.time, waits=0)
            events.append(wire.PresenceChanged(*stamps.next(), seat, old.name, presence, deputy))
    guests = table.guests
    guest = guests.get(new.key)
    if guest is not None and guest.unplaced:
        guests = {**guests, new.key: replace(guest, unplaced=False)}
    if old.table_bot and new.key != old.key and old.key in guests:
        guests = {key: guest for key, guest in guests.items() if key != old.key}
    changed = replace(table, seats=with_seat(seats, fact.seat, new), guests=guests)
    return _without_moot_ballots(changed) if table.ballots else changed, events


def _without_moot_ballots(table: Table) -> Table:
    """Forget what was wanted for seats that nobody misses any more, or by who sits elsewhere."""
    kept = tuple(
        ballot
        for ballot in table.ballots
        if table.is_missed(ballot.seat)
        and table.seats[ballot.by].is_person
        and table.seats[ballot.by].key == ballot.key
    )
    return replace(table, ballots=kept)


def _of_a_vote(
    table: Table, fact: Balloted | Decided, stamps: Stamps
) -> tuple[Table, list[wire.AnyEvent]]:
    state = table.seats[fact.seat]
    match fact:
        case Balloted(seat, by, choice):
            others = tuple(one for one in table.ballots if (one.seat, one.by) != (seat, by))
            ballot = Ballot(seat, by, choice, table.seats[by].key)
            event = wire.Voted(*stamps.next(), seat, state.name, by, choice)
            return replace(table, ballots=(*others, ballot)), [event]
        case Decided(seat, choice):
            ballots = tuple(one for one in table.ballots if one.seat != seat)
            deputy = choice == "bot"
            new = replace(state, deputy=deputy, once=False, waits=state.waits + 1)
            events: list[wire.AnyEvent] = [wire.VoteEnded(*stamps.next(), seat, state.name, choice)]
            if deputy != state.deputy:
                events.append(
                    wire.PresenceChanged(
                        *stamps.next(), seat, state.name, state.presence.value, deputy
                    )
                )
            seats = with_seat(table.seats, seat, new)
            return replace(table, seats=seats, ballots=ballots), events


def _new_epoch(table: Table, fact: EpochBegan, stamps: Stamps) -> tuple[Table, list[wire.AnyEvent]]:
    """Begin anew: nobody is connected, so everybody who plays over the network is away."""
    seats = table.seats
    for seat in SEATS:
        state = seats[seat]
        if state.taken and not state.table_bot and state.presence is not Presence.LEFT:
            away = replace(state, presence=Presence.AWAY, since=stamps.time, waits=0)
            seats = with_seat(seats, seat, away)
        if seats[seat].deputy:
            seats = with_seat(seats, seat, replace(seats[seat], deputy=False, once=False))
    changed = replace(table, epoch=fact.epoch, settings=fact.settings, seats=seats, ballots=())
    if fact.epoch == 1:
        return changed, []
    return changed, [wire.HostRestarted(*stamps.next(), fact.epoch)]


def _new_rules(
    table: Table, fact: RulesChanged, stamps: Stamps
) -> tuple[Table, list[wire.AnyEvent]]:
    options = Options.from_dict(fact.rules)
    seats = _unready(table.seats, fact.keep)
    changed = replace(table, options=options, seats=seats)
    return changed, [wire.RulesSet(*stamps.next(), options.to_dict())]


def _back_in_the_lobby(
    table: Table, fact: Reopened, stamps: Stamps
) -> tuple[Table, list[wire.AnyEvent]]:
    events: list[wire.AnyEvent] = []
    seats = table.seats if fact.keep_ready else _unready(table.seats)
    for seat in SEATS:
        if seats[seat].presence is Presence.LEFT:
            events.append(wire.SeatLeft(*stamps.next(), seat, seats[seat].name))
            seats = with_seat(seats, seat, EMPTY_SEAT)
        elif seats[seat].deputy:
            seats = with_seat(seats, seat, replace(seats[seat], deputy=False, once=False))
    changed = replace(table, game=None, stage=Stage.LOBBY, seats=seats, paused=False, ballots=())
    return replace(changed, promised=None, finished=()), events
