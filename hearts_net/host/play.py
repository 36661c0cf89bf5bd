"""Passing, playing, claiming, choosing: from an act to a fact, or the rules' refusal."""

from __future__ import annotations

from hearts_net.host.facts import AnyFact, ClaimStood, Laid, MoonPicked, PassedOn
from hearts_net.host.permissions import RULES, Actor, Capacity, refuse
from hearts_net.host.table import Table
from hearts_net.protocol import messages as wire
from hearts_net.protocol.codes import ErrorCode
from hearts_net.rules.cards import hand_texts, mask_of_texts
from hearts_net.rules.errors import RuleCode, RuleError
from hearts_net.rules.options import MoonRule


def is_play(act: wire.AnyAct) -> bool:
    """Whether an act is meant for one trick of one deal."""
    return RULES[type(act)].in_play


def check_moment(table: Table, command: wire.Command) -> None:
    """Raise ``stale-trick`` unless the command was meant for this deal and trick."""
    if (command.deal, command.trick) != (table.deal_number, table.trick_number):
        refuse(ErrorCode.STALE_TRICK, deal=table.deal_number, trick=table.trick_number)


def decide(table: Table, actor: Actor, act: wire.AnyAct) -> list[AnyFact]:
    """Return the fact that an act in play makes; whether the rules allow it, the game says."""
    if table.pause:
        refuse(ErrorCode.PAUSED, paused=table.pause)
    return [_fact(actor, act)]


def _fact(actor: Actor, act: wire.AnyAct) -> PassedOn | Laid | ClaimStood | MoonPicked:
    by_bot = Capacity.DEPUTY in actor.capacities
    seat = actor.seat
    assert seat is not None
    match act:
        case wire.Pass(cards):
            mask = mask_of_texts(cards)
            return PassedOn(seat, hand_texts(mask), by_bot)
        case wire.Play(card):
            return Laid(seat, card, by_bot)
        case wire.Claim():
            return ClaimStood(seat)
        case wire.ChooseMoon(choice):
            if choice not in (MoonRule.OTHERS_GAIN, MoonRule.SHOOTER_LOSES):
                raise RuleError(RuleCode.NOT_A_CHOICE, choice=choice[:40])
            return MoonPicked(seat, choice)
        case _:
            raise AssertionError(act)
