"""Who may do what, and when: one table, which checks commands and fills the ``may`` of views."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Final, NoReturn

from msgspec import Struct

from hearts_net.host.seats import Presence
from hearts_net.host.table import BETWEEN, IN_DEAL, IN_GAME, Role, Stage, Table
from hearts_net.protocol import messages as wire
from hearts_net.protocol.codes import ErrorCode
from hearts_net.protocol.messages import Act, AnyAct
from hearts_net.rules.deal import Direction
from hearts_net.rules.errors import HeartsError


class Refusal(HeartsError):  # noqa: N818 - an answer rather than a fault
    """A command that is not accepted; nothing has changed."""


class Capacity(Enum):
    """What somebody may act as; one may have several."""

    __hash__ = object.__hash__  # members are alone of their kind, and looked up for every card

    HOST = "the host's player"
    STAND_IN = "a seated person while the host's player is away"
    PERSON = "a person with a seat"
    STANDING = "a player without a seat"
    BOT = "a bot over the network, with a seat"
    STANDING_BOT = "a bot over the network, without a seat"
    TABLE_BOT = "a bot of the table's own"
    DEPUTY = "whoever plays for an absent player"
    WATCHER = "a watcher"


class Actor(Struct, frozen=True):
    """Somebody who acts: in what capacities, and for which seat."""

    key: str
    capacities: frozenset[Capacity]
    seat: int | None


_C = Capacity
_SEATED: Final = frozenset({_C.PERSON, _C.BOT, _C.TABLE_BOT})
_PLAYS: Final = _SEATED | {_C.DEPUTY}
_HOST: Final = frozenset({_C.HOST})
_WATCHES: Final = frozenset({_C.WATCHER})
_ANY_STAGE: Final = frozenset(Stage)


@dataclass(frozen=True, slots=True)
class Rule:
    """Who may do an act, in which stages, and what else must be so."""

    who: frozenset[Capacity]
    when: frozenset[Stage]
    of_seat: bool = False
    """Done by a seat, so nobody without one can."""
    in_play: bool = False
    """Meant for one trick of one deal, by whoever is to move, and not while the game is paused."""
    if_so: Callable[[Table, Actor], bool] | None = None
    """Whether it makes sense at present; checked for views, and answered by ``not-now``."""


def _can_sit(table: Table, actor: Actor) -> bool:
    if table.stage is not Stage.LOBBY and actor.seat is not None:
        return False
    person = actor.capacities & {_C.PERSON, _C.STANDING}
    return any(
        not seat.taken or (person and seat.table_bot and table.stage is Stage.LOBBY)
        for seat in table.seats
    )


def _seat_free(table: Table, _actor: Actor) -> bool:
    return not all(seat.taken for seat in table.seats)


def _bot_seated(table: Table, _actor: Actor) -> bool:
    return any(seat.table_bot for seat in table.seats)


def _somebody_gone(table: Table, _actor: Actor) -> bool:
    return any(seat.held for seat in table.seats)


def _somebody_else(table: Table, actor: Actor) -> bool:
    return (
        bool(table.door.asking)
        or any(seat.taken and not seat.table_bot and seat.key != actor.key for seat in table.seats)
        or any(key != actor.key for key in table.guests)
    )


def _passes(table: Table, _actor: Actor) -> bool:
    return table.deal is not None and table.deal.direction is not Direction.HOLD


def _can_claim(table: Table, actor: Actor) -> bool:
    deal = table.deal
    return deal is not None and actor.seat is not None and deal.can_claim(actor.seat)


RULES: Final[dict[type[Act], Rule]] = {
    wire.Sit: Rule(
        frozenset({_C.PERSON, _C.STANDING, _C.BOT, _C.STANDING_BOT}),
        BETWEEN,
        if_so=_can_sit,
    ),
    wire.Stand: Rule(frozenset({_C.PERSON, _C.BOT}), frozenset({Stage.LOBBY}), of_seat=True),
    wire.AddBot: Rule(_HOST, BETWEEN, if_so=_seat_free),
    wire.RemoveBot: Rule(_HOST, BETWEEN, if_so=_bot_seated),
    wire.Ready: Rule(frozenset({_C.PERSON}), BETWEEN, of_seat=True),
    wire.SetRules: Rule(_HOST, frozenset({Stage.LOBBY})),
    wire.Start: Rule(
        _HOST, frozenset({Stage.LOBBY}), if_so=lambda table, actor: not _seat_free(table, actor)
    ),
    wire.Pass: Rule(_PLAYS, IN_DEAL, of_seat=True, in_play=True, if_so=_passes),
    wire.Play: Rule(_PLAYS, IN_DEAL, of_seat=True, in_play=True),
    # a deputy plays card by card: each is marked, and its player may be back before the next
    wire.Claim: Rule(_SEATED, IN_DEAL, of_seat=True, in_play=True, if_so=_can_claim),
    wire.ChooseMoon: Rule(_PLAYS, IN_DEAL, of_seat=True, in_play=True),
    wire.Pause: Rule(
        frozenset({_C.HOST, _C.STAND_IN}), IN_GAME, if_so=lambda table, _: not table.paused
    ),
    wire.GoOn: Rule(
        frozenset({_C.HOST, _C.STAND_IN}), IN_GAME, if_so=lambda table, _: table.paused
    ),
    wire.GoUnsaved: Rule(_HOST, _ANY_STAGE, if_so=lambda table, _: table.store_broken),
    wire.Rematch: Rule(frozenset({_C.PERSON}), frozenset({Stage.GAME_OVER}), of_seat=True),
    wire.Say: Rule(frozenset({_C.HOST, _C.PERSON, _C.STANDING}), _ANY_STAGE),
    wire.Close: Rule(_HOST, _ANY_STAGE),
    wire.Admit: Rule(_HOST, _ANY_STAGE, if_so=lambda table, _: bool(table.door.asking)),
    wire.Kick: Rule(_HOST, _ANY_STAGE, if_so=_somebody_else),
    wire.Ban: Rule(_HOST, _ANY_STAGE, if_so=_somebody_else),
    wire.Unban: Rule(_HOST, _ANY_STAGE, if_so=lambda table, _: bool(table.door.banned)),
    wire.SetAdmission: Rule(_HOST, _ANY_STAGE),
    wire.GiveSeat: Rule(_HOST, BETWEEN, if_so=_somebody_gone),
    wire.Vote: Rule(
        frozenset({_C.PERSON}), IN_GAME, of_seat=True, if_so=lambda table, _: table.somebody_missed
    ),
}
"""For each act. The rules of the game decide the rest for the acts in play."""

_STAGE_OF: Final = {
    wire.Pass: Stage.PASSING,
    wire.Play: Stage.PLAYING,
    wire.Claim: Stage.PLAYING,
    wire.ChooseMoon: Stage.MOON,
}
"""The one stage in which an act in play can be accepted; in another, the rules say why not."""


def _together(kind: Capacity, is_host: bool, stands_in: bool) -> frozenset[Capacity]:
    found = {kind}
    if is_host:
        found.add(_C.HOST)
    if stands_in:
        found.add(_C.STAND_IN)
    return frozenset(found)


_TOGETHER: Final = {
    (kind, is_host, stands_in): _together(kind, is_host, stands_in)
    for kind in Capacity
    for is_host in (False, True)
    for stands_in in (False, True)
}
"""Capacities that somebody may have at once, made once."""


def actor_for(table: Table, key: str) -> Actor:
    """Return what a key that has joined may act as."""
    guest = table.guests.get(key)
    seat = table.seat_of(key)
    if guest is None or guest.role is Role.WATCHER:
        return Actor(key, _WATCHES, None)
    is_host = guest.role is Role.PLAYER and key == table.host_key
    if seat is None:
        stands = _C.STANDING if guest.role is Role.PLAYER else _C.STANDING_BOT
        return Actor(key, _TOGETHER[stands, is_host, False], None)
    state = table.seats[seat]
    if state.is_person:
        stands_in = not is_host and not table.host_player_here()
        return Actor(key, _TOGETHER[_C.PERSON, is_host, stands_in], seat)
    kind = _C.TABLE_BOT if state.table_bot else _C.BOT
    return Actor(key, _TOGETHER[kind, is_host, False], seat)


def deputy_for(seat: int | None) -> Actor:
    """Return what plays for an absent player; with None, for nobody any more."""
    return Actor("", frozenset() if seat is None else frozenset({_C.DEPUTY}), seat)


def check_who(table: Table, actor: Actor, act: AnyAct) -> None:
    """Raise :class:`Refusal` ``no-seat`` or ``not-allowed`` unless the act is open to the actor."""
    rule = RULES[type(act)]
    if not rule.who & actor.capacities:
        refuse(ErrorCode.NO_SEAT if rule.of_seat and actor.seat is None else ErrorCode.NOT_ALLOWED)
    if _C.DEPUTY in actor.capacities and not table.seats[actor.seat or 0].deputy:
        refuse(ErrorCode.NOT_ALLOWED)


def check_when(table: Table, act: AnyAct) -> None:
    """Raise :class:`Refusal` ``not-now`` unless the act belongs to the present stage."""
    if table.stage not in RULES[type(act)].when:
        refuse(ErrorCode.NOT_NOW, phase=table.stage.value)


def open_acts(table: Table, actor: Actor, *, of_seat: bool) -> list[str]:
    """Return the tags of the acts that would be accepted in kind now."""
    plays = of_seat and actor.seat in table.to_move() and not table.pause
    return [
        tag
        for tag, rule in _open_to(table.stage, of_seat, actor.capacities)
        if (plays or not rule.in_play) and (rule.if_so is None or rule.if_so(table, actor))
    ]


@functools.cache
def _open_to(
    stage: Stage, of_seat: bool, capacities: frozenset[Capacity]
) -> tuple[tuple[str, Rule], ...]:
    """Return the acts that somebody may do at all in a stage: those of seats, or the others."""
    return tuple(
        (str(kind.__struct_config__.tag), rule)
        for kind, rule in RULES.items()
        if rule.of_seat is of_seat
        and stage in rule.when
        and _STAGE_OF.get(kind, stage) is stage
        and not rule.who.isdisjoint(capacities)
    )


def refuse(code: ErrorCode, **detail: str | int) -> NoReturn:
    """Raise :class:`Refusal`."""
    raise Refusal(code, **detail)


def may_be_given_away(table: Table, seat: int) -> bool:
    """Whether the holder of a seat is gone, so that the host's player may free it."""
    state = table.seats[seat]
    return state.held and state.presence in (Presence.AWAY, Presence.LEFT)
