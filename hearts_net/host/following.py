"""What follows by itself from the table as it is, and from time going on.

Each step looks at the table alone and yields the facts that are due; :mod:`hearts_net.host.course`
has them happen, one step after another, until nothing more follows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from hearts_net.host import lobby
from hearts_net.host.clocks import Cause
from hearts_net.host.facts import (
    AnyFact,
    Began,
    Decided,
    Freed,
    MoonPicked,
    PresenceNoted,
    Reopened,
    SharesListed,
    ShuffleBegan,
)
from hearts_net.host.lobby import Moment
from hearts_net.host.seats import Presence
from hearts_net.host.table import IN_GAME, Role, Stage, Table
from hearts_net.protocol.limits import SHARE_WITHIN
from hearts_net.rules.cards import SEATS
from hearts_net.rules.fair import SECRET_BYTES


def following(table: Table, moment: Moment) -> Iterator[AnyFact]:
    """Yield the facts that follow from the table as it is, the first kind that there is."""
    if table.store_broken or not table.epoch:
        return
    for step in _STEPS:
        facts = list(step(table, moment))
        if facts:
            yield from facts
            return


def _deals_by_itself(table: Table) -> bool:
    """Whether the next deal starts by itself after a while.

    Not for a person who is alone there, whom nobody waits for, and not while somebody who is there
    has said "not yet". Where the wait was set to nothing, deals follow one another all the same.
    """
    if table.stage is not Stage.DEAL_OVER or not table.settings.next_deal:
        return True
    here = [seat for seat in table.seats if seat.is_person and seat.presence is Presence.PRESENT]
    return len(here) != 1 and not any(seat.not_yet for seat in here)


def in_full_swing(table: Table) -> bool:
    """Whether all that can happen now is a card: all are here, and no countdown runs.

    Nothing follows by itself then; nearly every card is played at such a moment.
    """
    if table.stage is not Stage.PLAYING or table.clocks.counting or table.settings.turn_limit:
        return False
    guests = table.guests
    for state in table.seats:
        if state.deputy or state.presence is not Presence.PRESENT:
            return False
        if not state.table_bot:
            guest = guests.get(state.key)
            if guest is None or guest.role is Role.WATCHER:
                return False
    for guest in guests.values():  # noqa: SIM110 - asked after every card
        if guest.unplaced:
            return False
    return True


def with_clocks(table: Table, moment: Moment) -> Table:
    """Return the table with the countdowns that there are to be now."""
    wanted = _counting(table)
    if not wanted and not table.clocks.counting:
        return table
    still = None if _deals_by_itself(table) else table.next_deal_cause()
    clocks = table.clocks.adjusted(
        wanted, running=table.clocks_run, now=moment.now, clock=moment.clock, still=still
    )
    return table if clocks is table.clocks else replace(table, clocks=clocks)


def _counting(table: Table) -> dict[Cause, int]:
    """Return which countdowns there are to be, and how long each is."""
    counting: dict[Cause, int] = {}
    stage = table.stage
    if stage in IN_GAME or stage is Stage.LOBBY:
        for seat in SEATS:
            state = table.seats[seat]
            if state.held and state.presence is Presence.AWAY and (not state.deputy or state.once):
                counting[table.grace_cause(seat)] = table.settings.grace
    if table.settings.turn_limit:
        for seat in table.to_move():
            if not table.seats[seat].deputy:
                counting[table.turn_cause(seat)] = table.settings.turn_limit
    if stage is Stage.DEAL_OVER and table.person_seated and _all_taken(table):
        counting[table.next_deal_cause()] = table.settings.next_deal
    if stage is Stage.DEALING and table.missing_shares():
        counting[table.shares_cause()] = SHARE_WITHIN
    return counting


def _presences(table: Table, moment: Moment) -> Iterator[AnyFact]:
    """Yield who has come back, who is gone, and whose grace is over."""
    for seat in SEATS:
        state = table.seats[seat]
        if not state.taken or state.table_bot:
            continue
        here = table.is_here(seat)
        if here and state.presence is not Presence.PRESENT:
            yield PresenceNoted(seat, Presence.PRESENT, False)
        elif not here and state.presence is Presence.PRESENT:
            yield PresenceNoted(seat, Presence.AWAY, state.deputy, state.once)
        elif table.clocks.is_over(table.grace_cause(seat), moment.now):
            if table.stage is Stage.LOBBY:
                yield Freed(seat)
            else:
                yield PresenceNoted(seat, state.presence, True)


def _verdicts(table: Table, _moment: Moment) -> Iterator[AnyFact]:
    """Yield what most of those present want for the seats of those who are away."""
    if not table.ballots:
        return
    for seat in SEATS:
        state = table.seats[seat]
        if not table.is_missed(seat):
            continue
        if len(table.voters(seat, "wait")) >= table.majority:
            yield Decided(seat, "wait")
        elif len(table.voters(seat, "bot")) >= table.majority and (not state.deputy or state.once):
            yield Decided(seat, "bot")


def _seatings(table: Table, _moment: Moment) -> Iterator[AnyFact]:
    """Yield the seat of somebody who came while nothing could be stored."""
    for key, guest in table.guests.items():
        if guest.unplaced:
            yield from lobby.seat_facts(table, key, guest)
            return


def _deputies(table: Table, moment: Moment) -> Iterator[AnyFact]:
    """Yield whom a deputy plays for from now on, and for whom no more."""
    to_move = table.to_move()
    in_game = table.stage in IN_GAME
    counting, is_over = table.clocks.counting, table.clocks.is_over
    for seat in SEATS:
        state = table.seats[seat]
        present = state.presence is Presence.PRESENT
        if state.deputy and (not in_game or (present and seat not in to_move)):
            yield PresenceNoted(seat, state.presence, False)
        elif not state.deputy:
            if state.presence is Presence.LEFT and in_game:
                yield PresenceNoted(seat, state.presence, True)
            elif counting and is_over(table.turn_cause(seat), moment.now):
                yield PresenceNoted(seat, state.presence, True, once=True)


def _choices(table: Table, _moment: Moment) -> Iterator[AnyFact]:
    """Yield the choice of a bot that has shot the moon, or of whoever is not there to choose."""
    if table.stage is not Stage.MOON or table.pause or table.game is None:
        return
    (shooter,) = table.to_move()
    state = table.seats[shooter]
    if not state.is_person or state.deputy:
        yield MoonPicked(shooter, table.game.default_moon_choice().value)


def _starts(table: Table, moment: Moment) -> Iterator[AnyFact]:
    """Yield the start of a game for which everybody is ready, or the way back to the lobby."""
    if table.stage is Stage.LOBBY and _all_taken(table):
        if all(seat.is_ready and not seat.held for seat in table.seats):
            yield Began(lobby.new_game_id(moment))
    elif table.stage is Stage.GAME_OVER and _present_persons_ready(table):
        yield Reopened(keep_ready=True)


def _shuffles(table: Table, moment: Moment) -> Iterator[AnyFact]:
    """Yield the next step of the shuffle once everything awaited is there, or waited for enough."""
    gathering = table.gathering
    if gathering is None or table.nobody_here:
        return
    if table.missing_shares() and not table.clocks.is_over(table.shares_cause(), moment.now):
        return
    yield gathering.dealt() if gathering.listed else SharesListed(list(gathering.commitments))


def _deals(table: Table, moment: Moment) -> Iterator[AnyFact]:
    """Yield the next deal's shuffle when it is time."""
    if table.stage is not Stage.DEAL_OVER or not _all_taken(table):
        return
    first = table.deal_number == 0
    if first or (not table.pause and _next_deal_is_due(table, moment.now)):
        seed, nonce = moment.entropy(SECRET_BYTES), moment.entropy(SECRET_BYTES)
        yield ShuffleBegan(seed.hex(), nonce.hex(), [seat for seat in SEATS if _draws(table, seat)])


def _draws(table: Table, seat: int) -> bool:
    """Whether a seat's holder is here and puts a share of its own into the shuffle."""
    state = table.seats[seat]
    guest = table.guests.get(state.key)
    return table.is_here(seat) and guest is not None and guest.shares and not state.table_bot


def _next_deal_is_due(table: Table, now: int) -> bool:
    if not table.person_seated or _present_persons_ready(table):
        return True
    return table.clocks.is_over(table.next_deal_cause(), now)


def _present_persons_ready(table: Table) -> bool:
    present = [
        seat.ready for seat in table.seats if seat.is_person and seat.presence is Presence.PRESENT
    ]
    return bool(present) and all(present)


def _all_taken(table: Table) -> bool:
    return all(seat.taken for seat in table.seats)


_STEPS: Final = (
    _presences,
    _verdicts,
    _seatings,
    _deputies,
    _choices,
    _starts,
    _shuffles,
    _deals,
)
"""What follows by itself, in this order; the first that has something to say is heard."""
