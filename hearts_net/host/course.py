"""How the table goes on: what somebody does, what follows by itself, and what time brings.

Each function takes a table and a moment and returns an :class:`Outcome`: the next table, and the
entry to store before anybody hears of it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hearts_net.host import lobby, play, porter
from hearts_net.host.clocks import Cause
from hearts_net.host.door import OPEN, Asker
from hearts_net.host.facts import (
    Accepted,
    AnyFact,
    Began,
    CodeMissed,
    Decided,
    Entry,
    EpochBegan,
    Freed,
    LetIn,
    MoonPicked,
    Opened,
    PresenceNoted,
    Rekeyed,
    Reopened,
    SharesListed,
    ShuffleBegan,
)
from hearts_net.host.lobby import Moment
from hearts_net.host.names import clean_name, clean_title, distinct
from hearts_net.host.opening import Opening
from hearts_net.host.permissions import Actor, check_when, check_who, refuse
from hearts_net.host.seats import SEATS, Presence
from hearts_net.host.table import IN_GAME, UNSAVED, Guest, Role, Stage, Table
from hearts_net.protocol import messages as wire
from hearts_net.protocol.codes import ErrorCode
from hearts_net.protocol.limits import MOST_ASKING, SHARE_WITHIN
from hearts_net.rules.fair import SECRET_BYTES, Share
from hearts_net.rules.options import Options

_MOST_STEPS: Final = 64


class Outcome(Struct, frozen=True):
    """What came of something."""

    table: Table
    entry: Entry | None = None
    """To be stored first; None when nothing durable has changed."""
    changed: bool = False
    """Whether there is a new state to tell."""


# ---- what somebody does ------------------------------------------------------------------------


def handle(
    table: Table,
    key: str,
    actor: Actor,
    command: wire.Command,
    moment: Moment,
    *,
    changed: bool = False,
) -> Outcome:
    """Do what a command says; raises :class:`HeartsError` where it is refused.

    ``changed`` where its sender had gone quiet, and is back.

    A command already accepted is not done again: the outcome has no entry then, and
    ``table.answers`` has what was answered.
    """
    if table.answers.get((key, command.id)) is not None:
        return Outcome(table)
    if command.epoch != table.epoch:
        refuse(ErrorCode.STALE_EPOCH, epoch=table.epoch)
    act = command.do
    check_who(table, actor, act)
    if play.is_play(act):
        play.check_moment(table, command)
    check_when(table, act)
    if isinstance(act, wire.GoUnsaved):
        return _go_unsaved(table, moment, (key, command.id))
    if table.store_broken:
        refuse(ErrorCode.STORE_FAILED)
    if play.is_play(act):
        facts = play.decide(table, actor, act)
    else:
        facts = lobby.decide(table, actor, act, moment)
    if isinstance(act, wire.Admit) and act.admit:
        asker = table.door.asking[act.key]
        guest = guest_for(table, act.key, asker.join, moment.clock)
        if guest.role is not Role.WATCHER:
            facts += _seat_facts(table, act.key, guest)
        table = with_guest(table, act.key, guest)
    return _settled(table, facts, moment, asked=(key, command.id), changed=changed)


def check_join(join: wire.Join) -> None:
    """Raise :class:`Refusal` ``bad-role`` or ``bad-name`` for a join that can never be granted."""
    if join.role not in (Role.PLAYER, Role.BOT, Role.WATCHER):
        refuse(ErrorCode.BAD_ROLE, role=join.role[:40])
    if not clean_name(join.name):
        refuse(ErrorCode.BAD_NAME)


def ask(table: Table, key: str, route: bytes, join: wire.Join, moment: Moment) -> Outcome:
    """Have the host's player asked about a newcomer; raises :class:`Refusal` ``table-full``."""
    before = table.door.asking.get(key)
    if before is not None and (before.route, before.join) == (route, join):
        return Outcome(table)
    if before is None and len(table.door.asking) >= MOST_ASKING:
        refuse(ErrorCode.TABLE_FULL)
    name = distinct(clean_name(join.name), table.names_taken(key))
    door = table.door.with_asker(key, Asker(route, join, name))
    return _settled(replace(table, door=door), [], moment, changed=True)


def without_askers(table: Table, keys: Iterable[str]) -> Table:
    """Return the table without newcomers who have gone before they were answered."""
    door = table.door
    for key in keys:
        door = door.without(key)
    return table if door is table.door else replace(table, door=door)


def miss_code(table: Table, moment: Moment) -> Outcome:
    """Count a wrong code; after the last one allowed, newcomers are asked about instead."""
    return _settled(table, [CodeMissed()], moment, changed=True)


def arrive(
    table: Table, key: str, join: wire.Join, moment: Moment, *, has_proved: bool = False
) -> Outcome:
    """Let somebody in; raises :class:`Refusal` ``bad-role`` or ``bad-name``.

    Who holds a seat has it again; others get one where
    :func:`~hearts_net.host.lobby.place_for` finds one. Who ``has_proved`` that they know the
    table's code is known from now on.
    """
    check_join(join)
    guest = guest_for(table, key, join, moment.clock)
    held = table.seat_of(key) is not None
    facts: list[AnyFact] = [LetIn(key)] if has_proved else []
    if not held and guest.role is not Role.WATCHER:
        if table.store_broken:
            guest = replace(guest, unplaced=True)
        else:
            facts += _seat_facts(table, key, guest)
    return _settled(with_guest(table, key, guest), facts, moment, changed=True)


def guest_for(table: Table, key: str, join: wire.Join, clock: int) -> Guest:
    """Return who comes with a join that is in order; who holds a seat keeps its name."""
    seat = table.seat_of(key)
    if seat is not None:
        name = table.seats[seat].name
    else:
        name = distinct(clean_name(join.name), table.names_taken(key))
    level = clean_name(join.level)[:16]
    return Guest(Role(join.role), name, level, since=clock, shares=join.shares)


def back_again(table: Table, key: str, join: wire.Join, clock: int) -> Guest:
    """Return who is heard again after being away: whose seat is gone gets one as with a join."""
    guest = guest_for(table, key, join, clock)
    if guest.role is Role.WATCHER or table.seat_of(key) is not None:
        return guest
    seat, _ = lobby.place_for(table, guest.role)
    return guest if seat is None else replace(guest, unplaced=True)


def _seat_facts(table: Table, key: str, guest: Guest) -> list[AnyFact]:
    seat, bot_gives_way = lobby.place_for(table, guest.role)
    if seat is None:
        return []
    sits = lobby.seated(seat, key, guest.role, guest.name, guest.level)
    return [Freed(seat), sits] if bot_gives_way else [sits]


def depart(table: Table, key: str, moment: Moment) -> Outcome:
    """Let somebody go who leaves on purpose: out of a game, the seat stays theirs."""
    guest = table.guests.get(key)
    if guest is None:
        return Outcome(table)
    seat = table.seat_of(key) if guest.role is not Role.WATCHER else None
    facts: list[AnyFact] = []
    if seat is not None and not table.seats[seat].table_bot and not table.store_broken:
        facts = [porter.leaves(table, seat)]
    return _settled(without(table, key), facts, moment, changed=True)


def take_commitment(
    table: Table, seat: int, commit: wire.Commit, moment: Moment, *, changed: bool
) -> Outcome:
    """Take a commitment to a share of the shuffle; one that is not asked for changes nothing."""
    gathering = table.gathering
    if gathering is not None and (gathering.game, gathering.deal) == (commit.game, commit.deal):
        table = replace(table, gathering=gathering.committed(seat, commit.commitment))
    return _settled(table, [], moment, changed=changed)


def take_share(
    table: Table, seat: int, reveal: wire.Reveal, moment: Moment, *, changed: bool
) -> Outcome:
    """Take an opened share; one that was not committed to so changes nothing."""
    gathering = table.gathering
    if gathering is not None and (gathering.game, gathering.deal) == (reveal.game, reveal.deal):
        share = Share(bytes.fromhex(reveal.seed), bytes.fromhex(reveal.nonce))
        table = replace(table, gathering=gathering.opened(seat, share))
    return _settled(table, [], moment, changed=changed)


def go_on(table: Table, moment: Moment, *, changed: bool = False) -> Outcome:
    """Do what has become due; ``changed`` where guests have come, gone, or gone quiet."""
    return _settled(table, [], moment, changed=changed)


def break_store(table: Table, reason: str, moment: Moment) -> Outcome:
    """Stand still: nothing can be stored, so nothing may happen."""
    return _settled(replace(table, store_broken=True, saving=reason), [], moment, changed=True)


def probe_store(table: Table, moment: Moment) -> Outcome:
    """Go on after all, on condition that the entry can be stored (also when it says nothing)."""
    mended = replace(table, store_broken=False, saving="")
    return _settled(mended, [], moment, changed=True, always_stored=True)


def _go_unsaved(table: Table, moment: Moment, asked: tuple[str, int]) -> Outcome:
    """Go on though nothing can be stored."""
    if not table.store_broken:
        refuse(ErrorCode.NOT_NOW, phase=table.stage.value)
    on = replace(table, store_broken=False, saving=UNSAVED)
    return _settled(on, [], moment, asked=asked, changed=True)


def without(table: Table, key: str) -> Table:
    """Return the table with a guest less: gone, or silent for too long."""
    guests = {other: guest for other, guest in table.guests.items() if other != key}
    return replace(table, guests=guests)


def with_served(table: Table, keys: Container[str]) -> Table:
    """Return the table without the guests whose connections are gone meanwhile."""
    guests = {key: guest for key, guest in table.guests.items() if key in keys}
    return table if len(guests) == len(table.guests) else replace(table, guests=guests)


def with_guest(table: Table, key: str, guest: Guest) -> Table:
    """Return the table with a guest who is back, or heard more or less well."""
    return replace(table, guests={**table.guests, key: guest})


def as_heard(table: Table, presences: Iterable[tuple[str, str]], clock: int) -> Table:
    """Return the table with each guest as present, slow or (left out then) away as it is heard."""
    for key, presence in presences:
        guest = table.guests.get(key)
        if guest is None:
            continue
        is_slow = presence == "slow"
        if presence == "away":
            table = without(table, key)
        elif guest.slow != is_slow:
            table = with_guest(table, key, replace(guest, slow=is_slow, since=clock))
    return table


def open_table(opening: Opening, moment: Moment) -> Outcome:
    """Make a new table, with its first epoch."""
    options = Options.from_dict(opening.rules)
    facts: list[AnyFact] = [
        Opened(opening.table_id, clean_title(opening.name), opening.host_key, options.to_dict()),
        EpochBegan(1, opening.settings),
    ]
    if opening.admission != OPEN:
        facts.append(porter.chosen(opening.admission, moment.entropy))
    table = Table()
    for fact in facts:
        table = table.with_fact(fact, moment.clock)
    for seat, level in zip((1, 2, 3, 0), opening.bots, strict=False):
        bot = lobby.new_bot(table, seat, level, moment)
        table = table.with_fact(bot, moment.clock)
        facts.append(bot)
    return _settled(Table(), facts, moment)


def begin_epoch(table: Table, opening: Opening, moment: Moment) -> Outcome:
    """Take a stored table up: nobody is connected, its own bots get new keys."""
    kept = {name: getattr(table.settings, name) for name in opening.kept}
    bots = [seat for seat in SEATS if table.seats[seat].table_bot]
    facts: list[AnyFact] = [EpochBegan(table.epoch + 1, replace(opening.settings, **kept))]
    facts += [Rekeyed(seat, moment.new_key()) for seat in bots]
    return _settled(replace(table.durable(), seq=0), facts, moment)


# ---- what follows ------------------------------------------------------------------------------


def _settled(
    table: Table,
    facts: list[AnyFact],
    moment: Moment,
    *,
    asked: tuple[str, int] | None = None,
    changed: bool = False,
    always_stored: bool = False,
) -> Outcome:
    """Return what comes of facts, with all that follows from them by itself."""
    before = table
    table = replace(table, news=())
    done: list[AnyFact] = []
    for _ in range(_MOST_STEPS):
        for fact in facts:
            table = table.with_fact(fact, moment.clock)
        done.extend(facts)
        if _in_full_swing(table):
            break
        table = _with_clocks(table, moment)
        facts = list(_following(table, moment))
        if not facts:
            break
    else:
        raise AssertionError("the table does not come to rest")
    changed = changed or bool(done) or table.clocks != before.clocks
    if not changed and asked is None:
        return Outcome(before)
    if not changed:
        table = before  # it keeps its news: whoever asks for it again is to get the same view
    seq = table.seq + 1 if changed else table.seq
    if not done and asked is None and not always_stored:
        return Outcome(replace(table, seq=seq), None, changed)
    return _with_its_entry(table, seq, done, moment, asked, changed)


def _with_its_entry(
    table: Table,
    seq: int,
    done: list[AnyFact],
    moment: Moment,
    asked: tuple[str, int] | None,
    changed: bool,
) -> Outcome:
    accepted = None
    answers = table.answers
    if asked is not None:
        accepted = Accepted(*asked, table.epoch, seq)
        answers = answers.added(asked, (table.epoch, seq))
    number = table.entries + 1
    entry = Entry(number, moment.clock, done, accepted)
    return Outcome(replace(table, seq=seq, entries=number, answers=answers), entry, changed)


def _with_clocks(table: Table, moment: Moment) -> Table:
    wanted = _counting(table)
    if not wanted and not table.clocks.counting:
        return table
    clocks = table.clocks.adjusted(
        wanted, running=table.clocks_run, now=moment.now, clock=moment.clock
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


def _in_full_swing(table: Table) -> bool:
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


def _following(table: Table, moment: Moment) -> Iterator[AnyFact]:
    """Yield the facts that follow from the table as it is, the first kind that there is."""
    if table.store_broken or not table.epoch:
        return
    for step in _STEPS:
        facts = list(step(table, moment))
        if facts:
            yield from facts
            return


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
            yield from _seat_facts(table, key, guest)
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


def _shuffles(table: Table, moment: Moment) -> Iterator[AnyFact]:
    """Yield the next step of the shuffle once everything awaited is there, or waited for enough."""
    gathering = table.gathering
    if gathering is None or table.nobody_here:
        return
    if table.missing_shares() and not table.clocks.is_over(table.shares_cause(), moment.now):
        return
    yield gathering.dealt() if gathering.listed else SharesListed(list(gathering.commitments))


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
