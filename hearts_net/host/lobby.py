"""Seats, bots, rules, starting, talking: all that is no card. From an act to facts or a refusal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from hearts_net.host import porter
from hearts_net.host.facts import (
    AnyFact,
    Balloted,
    Began,
    Freed,
    Moved,
    PauseSet,
    Reopened,
    RulesChanged,
    SaidReady,
    Seated,
    Spoke,
)
from hearts_net.host.names import clean_text, distinct
from hearts_net.host.permissions import Actor, may_be_given_away, refuse
from hearts_net.host.seats import Kind
from hearts_net.host.table import BETWEEN, Guest, Role, Stage, Table
from hearts_net.protocol import messages as wire
from hearts_net.protocol.codes import ErrorCode
from hearts_net.rules.cards import SEATS

BOT_NAMES: Final = ("Tamsin", "Igor", "Wanjiru", "Matteo", "Freya", "Kenji", "Paloma", "Arjun")


class Moment(Struct, frozen=True):
    """When something happens, and where what is random or new comes from."""

    now: int
    """Monotonic milliseconds."""
    clock: int
    """UTC milliseconds."""
    entropy: Callable[[int], bytes]
    new_key: Callable[[], str]
    levels: tuple[str, ...]


def decide(table: Table, actor: Actor, act: wire.AnyAct, moment: Moment) -> list[AnyFact]:
    """Return the facts that an act makes, once who may do it and when has been checked."""
    match act:
        case wire.Sit(seat):
            return _sit(table, actor, seat)
        case wire.Stand():
            return [Freed(_own_seat(actor))]
        case wire.AddBot(seat, level):
            return _add_bot(table, seat, level, moment)
        case wire.RemoveBot(seat):
            return _remove_bot(table, seat)
        case wire.Ready(ready):
            return _ready(table, _own_seat(actor), ready)
        case wire.SetRules(rules):
            changed = table.options.changed(rules)
            return [] if changed == table.options else [_rules(changed.to_dict(), actor.seat)]
        case wire.Start():
            return _start(table, moment)
        case wire.Pause() | wire.GoOn():
            return _pause(table, isinstance(act, wire.Pause))
        case wire.Rematch():
            return [Reopened(keep_ready=False)]
        case wire.Say(text):
            return _say(table, actor, text)
        case wire.GiveSeat(seat):
            return _give_seat(table, seat)
        case wire.Admit() | wire.Kick() | wire.Ban() | wire.Unban() | wire.SetAdmission():
            return porter.decide(table, act, moment.entropy)
        case wire.Vote(seat, choice):
            return _vote(table, _own_seat(actor), seat, choice)
        case _:
            return []


def _own_seat(actor: Actor) -> int:
    assert actor.seat is not None
    return actor.seat


def _rules(values: dict[str, bool | int | str], keep: int | None) -> RulesChanged:
    return RulesChanged(values, keep)


def _sit(table: Table, actor: Actor, seat: int) -> list[AnyFact]:
    if actor.seat == seat:
        refuse(ErrorCode.ALREADY_SEATED, seat=seat)
    if actor.seat is not None and table.stage is not Stage.LOBBY:
        refuse(ErrorCode.ALREADY_SEATED, seat=actor.seat)
    guest = table.guests[actor.key]
    target = table.seats[seat]
    facts: list[AnyFact] = []
    if target.taken:
        gives_way = target.table_bot and table.stage is Stage.LOBBY
        if not gives_way or guest.role is not Role.PLAYER:
            refuse(ErrorCode.SEAT_TAKEN, seat=seat)
        facts.append(Freed(seat))
    if actor.seat is not None:
        return [*facts, Moved(actor.seat, seat)]
    return [*facts, seated(seat, actor.key, guest.role, guest.name, guest.level)]


def seated(seat: int, key: str, role: Role, name: str, level: str) -> Seated:
    """Return the fact that somebody who came over the network sits down."""
    kind = Kind.PERSON if role is Role.PLAYER else Kind.BOT
    return Seated(seat, kind.value, key, name, level if kind is Kind.BOT else "")


def _add_bot(table: Table, seat: int, level: str, moment: Moment) -> list[AnyFact]:
    if table.seats[seat].taken:
        refuse(ErrorCode.SEAT_TAKEN, seat=seat)
    if level not in moment.levels:
        refuse(ErrorCode.UNKNOWN_LEVEL, level=level, levels=", ".join(moment.levels))
    return [new_bot(table, seat, level, moment)]


def new_bot(table: Table, seat: int, level: str, moment: Moment) -> Seated:
    """Return the fact that a bot of the table's own sits down, under a name not taken."""
    taken = table.names_taken("")
    free = [name for name in BOT_NAMES if distinct(name, taken) == name]
    name = free[0] if free else distinct(BOT_NAMES[seat], taken)
    return Seated(seat, Kind.BOT.value, moment.new_key(), name, level, table_bot=True)


def _remove_bot(table: Table, seat: int) -> list[AnyFact]:
    state = table.seats[seat]
    if not state.taken:
        refuse(ErrorCode.SEAT_EMPTY, seat=seat)
    if not state.table_bot:
        refuse(ErrorCode.NOT_ALLOWED, seat=seat)
    return [Freed(seat)]


def _ready(table: Table, seat: int, ready: bool) -> list[AnyFact]:
    state = table.seats[seat]
    asks_to_wait = not ready and not state.not_yet and table.stage is Stage.DEAL_OVER
    return [SaidReady(seat, ready)] if state.ready != ready or asks_to_wait else []


def _start(table: Table, moment: Moment) -> list[AnyFact]:
    missing = sum(not seat.taken for seat in table.seats)
    if missing:
        refuse(ErrorCode.SEATS_MISSING, missing=missing)
    return [Began(new_game_id(moment))]


def new_game_id(moment: Moment) -> str:
    """Return the id of a new game: it says nothing about anything else."""
    return moment.entropy(8).hex()


def _pause(table: Table, paused: bool) -> list[AnyFact]:
    return [] if table.paused == paused else [PauseSet(paused)]


def _say(table: Table, actor: Actor, text: str) -> list[AnyFact]:
    shown = clean_text(text)
    if not shown:
        refuse(ErrorCode.NOTHING_TO_SAY)
    if actor.seat is not None:
        return [Spoke(table.seats[actor.seat].name, actor.seat, shown)]
    return [Spoke(table.guests[actor.key].name, None, shown)]


def _give_seat(table: Table, seat: int) -> list[AnyFact]:
    if not table.seats[seat].taken:
        refuse(ErrorCode.SEAT_EMPTY, seat=seat)
    if not may_be_given_away(table, seat):
        refuse(ErrorCode.NOT_ALLOWED, seat=seat)
    return [Freed(seat)]


def _vote(table: Table, by: int, seat: int, choice: str) -> list[AnyFact]:
    if not table.seats[seat].taken:
        refuse(ErrorCode.SEAT_EMPTY, seat=seat)
    if not table.is_missed(seat):
        refuse(ErrorCode.NOT_AWAY, seat=seat)
    return [] if by in table.voters(seat, choice) else [Balloted(seat, by, choice)]


def place_for(table: Table, role: Role) -> tuple[int | None, bool]:
    """Return the seat that somebody who joins gets, if any, and whether a bot gives way for it.

    The first free one; in the lobby a person takes a bot's when none is free.
    """
    if table.stage not in BETWEEN:
        return None, False
    free = next((seat for seat in SEATS if not table.seats[seat].taken), None)
    if free is not None or table.stage is not Stage.LOBBY or role is not Role.PLAYER:
        return free, False
    bots = (seat for seat in SEATS if table.seats[seat].table_bot)
    seat = next(bots, None)
    return seat, seat is not None


def seat_facts(table: Table, key: str, guest: Guest) -> list[AnyFact]:
    """Return the facts that give somebody who comes a seat, none where there is none."""
    seat, bot_gives_way = place_for(table, guest.role)
    if seat is None:
        return []
    sits = seated(seat, key, guest.role, guest.name, guest.level)
    return [Freed(seat), sits] if bot_gives_way else [sits]
