"""The one way out: all that leaves the host is made here, from the table and who is to see it.

A seat's own hand is in :func:`own_view` and nowhere else; all the rest is made of what everybody
may see. The events in views and pages come from the table's log, which holds public events alone
(:mod:`hearts_net.host.events`).

After a card nearly everything is as it was before it. Tables are values that never change, so what
is made of the same value is the same again: :class:`Memory` keeps it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Generic, ParamSpec, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from hearts_net.host.door import CODE
from hearts_net.host.events import deal_summary, trick_view
from hearts_net.host.permissions import Actor, Capacity, actor_for, deputy_for, open_acts
from hearts_net.host.seats import Presence, Seats, SeatState
from hearts_net.host.table import Guest, Role, Stage, Table
from hearts_net.protocol import messages as wire
from hearts_net.protocol.limits import MOST_ASKING, PAGE
from hearts_net.rules.cards import (
    CARD_TEXTS,
    HAND_SIZE,
    QUEEN_OF_SPADES,
    SEATS,
    SUIT_MASK_OF,
    SUITS,
    Mask,
    hand_texts,
    mask_of,
    suit_of,
)
from hearts_net.rules.deal import Deal, Trick
from hearts_net.rules.errors import FairError, HeartsError
from hearts_net.rules.fair import Origin, SeatShare, read_shuffle
from hearts_net.rules.options import Options
from hearts_net.rules.scoring import Scores, penalty_of

MAX_EVENTS: Final = 16
MAX_WORD: Final = 16
MOST_STANDING: Final = 32
"""Those without a seat whom the host's player sees: the newest."""
_P = ParamSpec("_P")
_T = TypeVar("_T")


class Again(Generic[_P, _T]):
    """Makes something of values that never change, and gives it again while they are the same."""

    __slots__ = ("_given", "_made", "_make")

    def __init__(self, make: Callable[_P, _T]) -> None:
        self._make = make
        self._given: tuple[object, ...] | None = None
        self._made: _T

    def of(self, *given: _P.args, **_: _P.kwargs) -> _T:
        """Return what is made of these; nobody may change it."""
        if given != self._given:
            self._made = self._make(*given, **_)
            self._given = given
        return self._made


class Viewer(Struct, frozen=True):
    """Who is to see something."""

    key: str
    role: Role
    seat: int | None
    """The seat whose hand may be shown; None: no hand at all."""
    actor: Actor | None = None
    """What it may act as, where that is known."""
    may: list[str] | None = None
    """What is open to it besides the acts of its seat, where that is known."""

    @classmethod
    def of(cls, table: Table, key: str) -> Viewer:
        """Return what somebody who has joined may see, heard of late or not."""
        guest, seat = table.guests.get(key), table.seat_of(key)
        if guest is not None:
            role = guest.role
        elif seat is None:
            role = Role.WATCHER
        else:  # silent for so long that the seat is away; what still gets through is its own
            role = Role.PLAYER if table.seats[seat].is_person else Role.BOT
        return cls(key, role, None if role is Role.WATCHER else seat, actor_for(table, key))

    @classmethod
    def deputy(cls, table: Table, key: str, seat: int | None) -> Viewer:
        """Return what a deputy may see: its seat's hand, while it plays for it."""
        shown = seat if seat is not None and table.seats[seat].deputy else None
        return cls(key, Role.DEPUTY, shown, deputy_for(shown))


class Memory:
    """What views have in common with the ones made before them."""

    __slots__ = (
        "_seen_in", "_viewers", "deals", "own", "presences", "rules", "seats", "trick", "tricks",
        "watchers",
    )  # fmt: skip

    def __init__(self) -> None:
        self._seen_in: tuple[object, ...] = ()
        self._viewers: dict[str, Viewer] = {}
        self.rules = Again(Options.to_dict)
        self.deals = Again(deal_summary)
        self.trick = Again(trick_view)
        self.tricks = Again(_look_back)
        self.seats = [Again(_seat_view) for _ in SEATS]
        self.own = [Again(_own_view) for _ in SEATS]
        self.presences = Again(_shown_presences)
        self.watchers = Again(_watchers)

    def viewer(self, table: Table, key: str) -> Viewer:
        """Return what somebody who has joined may see and do: for all of a deal mostly the same.

        Nothing of it depends on the cards.
        """
        seen_in = (
            table.seats,
            table.guests,
            table.host_key,
            table.stage,
            table.door,
            table.paused,
            table.store_broken,
        )
        if seen_in != self._seen_in:
            self._seen_in = seen_in
            self._viewers = {}
        viewer = self._viewers.get(key)
        if viewer is None:
            viewer = Viewer.of(table, key)
            may = open_acts(table, actor_of(table, viewer), of_seat=False)
            viewer = self._viewers[key] = replace(viewer, may=may)
        return viewer


def project(
    table: Table,
    viewer: Viewer,
    clock: int,
    public: wire.PublicView | None = None,
    memory: Memory | None = None,
) -> wire.View:
    """Return the whole state as ``viewer`` may see it; ``public`` is its public part if made."""
    actor = actor_of(table, viewer)
    memory = memory or Memory()
    return wire.View(
        table.epoch,
        table.seq,
        clock,
        public if public is not None else public_view(table, memory),
        None if viewer.seat is None else own_view(table, viewer.seat, actor, memory),
        _events(table),
        viewer.role,
        open_acts(table, actor, of_seat=False) if viewer.may is None else viewer.may,
        desk_view(table) if Capacity.HOST in actor.capacities else None,
    )


def project_public(table: Table, clock: int, public: wire.PublicView) -> wire.Public:
    """Return the state as the public socket tells it."""
    return wire.Public(table.epoch, table.seq, clock, public, _events(table))


def actor_of(table: Table, viewer: Viewer) -> Actor:
    """Return what a viewer may act as."""
    return viewer.actor or actor_for(table, viewer.key)


def _events(table: Table) -> list[wire.AnyEvent]:
    return list(table.news[-MAX_EVENTS:])


# ---- what one seat sees ------------------------------------------------------------------------


def own_view(table: Table, seat: int, actor: Actor, memory: Memory) -> wire.OwnView:
    """Return what the holder of a seat alone sees."""
    deal = table.deal
    may = open_acts(table, actor, of_seat=True)
    make = memory.own[seat]
    if deal is None:
        return make.of(seat, 0, 0, 0, 0, may, False)
    hand = 0 if deal.over else deal.start.hands[seat] & deal.unplayed
    received = deal.received[seat] & hand if hand.bit_count() == HAND_SIZE else 0
    passed = deal.start.passes[seat]
    return make.of(seat, hand, deal.legal_for(seat), passed, received, may, deal.can_claim(seat))


def _own_view(
    seat: int, hand: Mask, legal: Mask, passed: Mask, received: Mask, may: list[str], claim: bool
) -> wire.OwnView:
    return wire.OwnView(
        seat,
        hand_texts(hand),
        hand_texts(legal),
        hand_texts(passed),
        hand_texts(received),
        may,
        claim,
    )


# ---- what the host's player alone sees ---------------------------------------------------------


def desk_view(table: Table) -> wire.DeskView:
    """Return who may come in, and who asks to; without secrets of anybody at the table."""
    door = table.door
    asking = [
        wire.Somebody(key, one.name, one.join.role[:MAX_WORD])
        for key, one in list(door.asking.items())[:MOST_ASKING]
    ]
    seated = {seat.key for seat in table.seats}
    standing = [
        wire.Somebody(key, guest.name, guest.role.value)
        for key, guest in table.guests.items()
        if key != table.host_key and (guest.role is Role.WATCHER or key not in seated)
    ]
    banned = [wire.Somebody(key, name, "") for key, name in door.banned.items()]
    code = door.code if door.way == CODE else ""
    return wire.DeskView(
        door.admission, code, door.wrong_codes, asking, standing[-MOST_STANDING:], banned
    )


# ---- what everybody sees -----------------------------------------------------------------------


def public_view(table: Table, memory: Memory | None = None) -> wire.PublicView:
    """Return all that everybody may see."""
    memory = memory or Memory()
    game, deal, stage = table.game, table.deal, table.stage
    playing = stage is Stage.PLAYING and deal is not None
    so_far = _so_far(deal, memory)
    tricks = deal.tricks if deal is not None else ()
    results = game.results if game is not None else ()
    return wire.PublicView(
        table=table.name,
        game=table.game_id if game is not None else "",
        phase=stage,
        paused=table.pause,
        rules=memory.rules.of(table.options),
        seats=_seat_views(table, so_far, memory),
        watchers=memory.watchers.of(table.seats, table.guests),
        deal=table.deal_number,
        direction=deal.direction if deal is not None else "",
        trick_number=table.trick_number,
        leader=deal.leader if playing and deal is not None else None,
        turn=_turn(table),
        turn_until=_turn_until(table),
        next_at=table.clocks.until(table.next_deal_cause()) if table.clocks.counting else 0,
        trick=_trick(deal),
        last_trick=(
            memory.trick.of(tricks[-1], len(tricks), deal.bot_cards)
            if deal is not None and tricks
            else None
        ),
        hearts_broken=deal is not None and deal.hearts_broken,
        queen_taken_by=so_far.queen_taker,
        points_out=so_far.points_out,
        seen=so_far.seen,
        shown_voids=[_SUITS_IN[suits] for suits in so_far.voids],
        last_deal=memory.deals.of(results[-1]) if results else None,
        winner=game.winner if game is not None else None,
        newest_event=table.log.newest,
        address=table.address,
        votes=_votes(table) if table.ballots else [],
        saving=table.saving,
    )


def _votes(table: Table) -> list[wire.VoteView]:
    return [
        wire.VoteView(seat, table.voters(seat, "wait"), table.voters(seat, "bot"), table.majority)
        for seat in SEATS
        if table.is_missed(seat) and any(ballot.seat == seat for ballot in table.ballots)
    ]


def _turn(table: Table) -> int | None:
    if table.stage in (Stage.PLAYING, Stage.MOON):
        return table.to_move()[0]
    return None


def _turn_until(table: Table) -> int:
    if not table.clocks.counting:
        return 0
    times = (table.clocks.until(table.turn_cause(seat)) for seat in table.to_move())
    return min((time for time in times if time), default=0)


def _trick(deal: Deal | None) -> list[wire.TrickCard]:
    if deal is None:
        return []
    seat, shown = deal.leader or 0, []
    for card in deal.table:
        shown.append(wire.TrickCard(seat, CARD_TEXTS[card], bool(deal.bot_cards >> card & 1)))
        seat = (seat + 1) & 3
    return shown


@dataclass(slots=True)
class _SoFar:
    """What the cards of a deal have shown."""

    seen: list[str]
    voids: list[int]
    """For each seat, the suits that it has failed to follow: bit 0 for clubs, and so on."""
    tricks: list[int]
    """For each seat, how many it has taken."""
    points: Scores
    """The points of the deal so far; once it is scored, with the moon in them."""
    queen_taker: int | None = None
    points_out: int = 0


_SUITS_IN: Final = tuple(
    "".join(SUITS[suit] for suit in range(4) if suits >> suit & 1) for suits in range(16)
)


def _look_back(tricks: tuple[Trick, ...]) -> _SoFar:
    """Look at the finished tricks of a deal, in one walk over them."""
    found = _SoFar([], [0, 0, 0, 0], [0, 0, 0, 0], (0, 0, 0, 0))
    points = [0, 0, 0, 0]
    for trick in tricks:
        _look_at(found, trick.leader, trick.order)
        found.tricks[trick.winner] += 1
        points[trick.winner] += trick.points
        if QUEEN_OF_SPADES in trick.order:
            found.queen_taker = trick.winner
    first, second, third, fourth = points
    found.points = (first, second, third, fourth)
    return found


def _so_far(deal: Deal | None, memory: Memory) -> _SoFar:
    if deal is None:
        return _look_back(())
    before = memory.tricks.of(deal.tricks)
    found = _SoFar(before.seen, before.voids, before.tricks, before.points, before.queen_taker)
    if deal.table:
        found.seen, found.voids = before.seen.copy(), before.voids.copy()
        assert deal.leader is not None
        _look_at(found, deal.leader, deal.table)
    if deal.claimed_by is None:
        found.points_out = penalty_of(deal.unplayed | mask_of(deal.table))
    else:
        found.points = deal.points()
        if deal.unplayed >> QUEEN_OF_SPADES & 1:
            found.queen_taker = deal.claimed_by
    return found


def _look_at(found: _SoFar, seat: int, order: tuple[int, ...]) -> None:
    follows = SUIT_MASK_OF[order[0]]
    for card in order:
        found.seen.append(CARD_TEXTS[card])
        if not follows >> card & 1:
            found.voids[seat] |= 1 << suit_of(order[0])
        seat = (seat + 1) & 3


def _watchers(seats: Seats, guests: Mapping[str, Guest]) -> int:
    seated = {state.key for state in seats}
    return sum(guest.role is Role.WATCHER or key not in seated for key, guest in guests.items())


def _seat_views(table: Table, so_far: _SoFar, memory: Memory) -> list[wire.SeatView]:
    """Return the four seats; between two cards most of them are as they were."""
    game, deal = table.game, table.deal
    running = deal if deal is not None and not deal.over else None
    scored = (
        game is not None
        and table.stage in (Stage.DEALING, Stage.DEAL_OVER, Stage.GAME_OVER)
        and deal
    )
    points = game.results[-1].points if game is not None and scored else so_far.points
    totals = game.totals if game is not None else (0, 0, 0, 0)
    presences = memory.presences.of(table.seats, table.guests)
    until = table.clocks.until
    counting = bool(table.clocks.counting)
    return [
        memory.seats[seat].of(
            state,
            *presences[seat],
            until(table.grace_cause(seat)) if counting else 0,
            bool(state.key) and state.key == table.host_key,
            (running.start.hands[seat] & running.unplayed).bit_count() if running else 0,
            bool(running and running.start.passes[seat]),
            points[seat],
            totals[seat],
            so_far.tricks[seat],
        )
        for seat, state in enumerate(table.seats)
    ]


def _seat_view(
    state: SeatState,
    presence: Presence,
    since: int,
    held_until: int,
    is_host: bool,
    cards: int,
    passed: bool,
    points: int,
    total: int,
    tricks: int,
) -> wire.SeatView:
    return wire.SeatView(
        kind=state.kind,
        name=state.name,
        key=state.key,
        level=state.level,
        presence=presence,
        since=since,
        held_until=held_until,
        deputy=state.deputy,
        ready=state.taken and state.is_ready,
        host=is_host,
        cards=cards,
        passed=passed,
        points=points,
        total=total,
        tricks=tricks,
    )


def _shown_presences(seats: Seats, guests: Mapping[str, Guest]) -> list[tuple[Presence, int]]:
    return [_shown_presence(state, guests) for state in seats]


def _shown_presence(state: SeatState, guests: Mapping[str, Guest]) -> tuple[Presence, int]:
    """Return the stored presence, or ``slow`` while somebody present has not been heard."""
    if state.presence is Presence.PRESENT and state.key:
        guest = guests.get(state.key)
        if guest is not None and guest.slow:
            return Presence.SLOW, guest.since
    return state.presence, state.since


# ---- the other answers -------------------------------------------------------------------------


def project_log(table: Table, after: int) -> wire.LogPage:
    """Return a page of what happened after event ``after``."""
    events, more = table.log.after(after)
    return wire.LogPage(events, more)


def project_deals(table: Table, after: int) -> wire.DealsPage:
    """Return a page of the finished deals of this game after deal ``after``."""
    results = table.game.results if table.game is not None else ()
    found = results[after : after + PAGE] if after < len(results) else ()
    more = after + len(found) < len(results)
    return wire.DealsPage([deal_summary(result) for result in found], more)


def project_shuffling(table: Table, seat: int) -> wire.Shuffling:
    """Return the question for the share of one seat; the host's own is only committed to."""
    gathering = table.gathering
    assert gathering is not None
    return wire.Shuffling(gathering.game, gathering.deal, seat, gathering.host_commitment)


def project_proof(table: Table, after: int) -> wire.Proof | None:
    """Return what the deal after deal ``after`` was dealt from; None unless it is finished."""
    found = next((each for each in table.finished if each.number == after + 1), None)
    if found is None:
        return None
    start = found.deal.start
    try:
        shuffle = read_shuffle(start.shuffle or "")
    except FairError:
        return None  # dealt by an earlier version
    host = SeatShare(Origin.HOST, shuffle.commitment, shuffle.host)
    return wire.Proof(
        table.game_id,
        found.number,
        _share_view(host),
        [_share_view(each) for each in shuffle.seats],
        [hand_texts(hand) for hand in start.dealt],
        [hand_texts(cards) for cards in start.passes],
    )


def _share_view(each: SeatShare) -> wire.ShareView:
    share = each.share
    seed, nonce = (share.seed.hex(), share.nonce.hex()) if share is not None else ("", "")
    return wire.ShareView(each.origin.value, each.commitment, seed, nonce)


def project_accepted(table: Table, key: str, request: int) -> wire.Reply:
    """Return the answer to an accepted command: the stored one, however often it is asked."""
    told = table.answers.get((key, request))
    assert told is not None
    return wire.Reply(request, True, "", {}, *told)


def project_refused(table: Table, request: int, error: HeartsError) -> wire.Reply:
    """Return the answer to a refused command; what it says is about the sender's own doing."""
    return wire.Reply(request, False, error.code, dict(error.detail), table.epoch, table.seq)
