"""What each fact makes of a table: the one way in which it changes, live or read from the store."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

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
from hearts_net.host.gathering import begun
from hearts_net.host.seats import (
    EMPTY_SEAT,
    Ballot,
    Kind,
    Presence,
    Seats,
    SeatState,
    with_seat,
)
from hearts_net.host.table import PROOFS, FinishedDeal, Stage, Table
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
from hearts_net.rules.errors import HeartsError
from hearts_net.rules.game import Game, Phase
from hearts_net.rules.options import MoonRule, Options
from hearts_net.rules.shuffle import deal_hands

_STAGES = {
    Phase.PASSING: Stage.PASSING,
    Phase.PLAYING: Stage.PLAYING,
    Phase.MOON: Stage.MOON,
    Phase.DEALING: Stage.DEAL_OVER,
    Phase.OVER: Stage.GAME_OVER,
}


def after_fact(table: Table, fact: AnyFact, clock: int) -> Table:
    """Return the table after a fact; its public events are added to the log and the news."""
    stamps = Stamps(table.log.newest, clock)
    after, events = _applied(table, fact, stamps)
    if not events:
        return after
    return replace(after, log=table.log.added(events), news=(*table.news, *events))


def after_entry(table: Table, entry: Entry) -> Table:
    """Return the table after a stored entry."""
    table = replace(table, news=(), entries=entry.number)
    for fact in entry.facts:
        table = after_fact(table, fact, entry.time)
    accepted = entry.accepted
    if accepted is not None:
        asked, told = (accepted.key, accepted.id), (accepted.epoch, accepted.seq)
        table = replace(table, answers=table.answers.added(asked, told))
    return table


def restored(stored: Iterable[bytes]) -> Table:
    """Return the table that these entries made.

    Raises :class:`StoreError` ``store-damaged``, with the entry's number, for what is no entry,
    is out of order, or what the rules do not allow.
    """
    table = Table()
    for number, body in enumerate(stored, start=1):
        entry = decode_entry(body, number)
        try:
            table = after_entry(table, entry)
        except HeartsError as error:
            raise StoreError(StoreCode.DAMAGED, entry=number, reason=error.code) from error
        except (ValueError, IndexError, AssertionError) as error:
            raise StoreError(StoreCode.DAMAGED, entry=number, reason=str(error)) from error
    return table.durable()


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
