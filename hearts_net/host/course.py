"""How the table goes on: what somebody does, with all that follows from it by itself.

Each function takes a table and a moment and returns an :class:`Outcome`: the next table, and the
entry to store before anybody hears of it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hearts_net.host import lobby, play, porter
from hearts_net.host.changes import after_fact
from hearts_net.host.door import OPEN, Asker
from hearts_net.host.facts import (
    Accepted,
    AnyFact,
    CodeMissed,
    Entry,
    EpochBegan,
    LetIn,
    Opened,
    Rekeyed,
)
from hearts_net.host.following import following, in_full_swing, with_clocks
from hearts_net.host.lobby import Moment
from hearts_net.host.names import clean_name, clean_title, distinct
from hearts_net.host.opening import Opening
from hearts_net.host.permissions import Actor, check_when, check_who, refuse
from hearts_net.host.table import UNSAVED, Guest, Role, Table
from hearts_net.protocol import messages as wire
from hearts_net.protocol.codes import ErrorCode
from hearts_net.protocol.limits import MOST_ASKING
from hearts_net.rules.cards import SEATS
from hearts_net.rules.fair import Share
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
            facts += lobby.seat_facts(table, act.key, guest)
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
            facts += lobby.seat_facts(table, key, guest)
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
        table = after_fact(table, fact, moment.clock)
    for seat, level in zip((1, 2, 3, 0), opening.bots, strict=False):
        bot = lobby.new_bot(table, seat, level, moment)
        table = after_fact(table, bot, moment.clock)
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
            table = after_fact(table, fact, moment.clock)
        done.extend(facts)
        if in_full_swing(table):
            break
        table = with_clocks(table, moment)
        facts = list(following(table, moment))
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
