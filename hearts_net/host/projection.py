"""The one way out: all that leaves the host is made here, from the table and who is to see it.

A seat's own hand is in :func:`own_view` and nowhere else; all the rest is made of what everybody
may see. The events in views and pages come from the table's log, which holds public events alone
(:mod:`hearts_net.host.events`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hearts_net.host.door import CODE
from hearts_net.host.events import deal_summary, trick_view
from hearts_net.host.permissions import Actor, Capacity, actor_for, deputy_for, open_acts
from hearts_net.host.seats import SEATS, Presence
from hearts_net.host.table import Role, Stage, Table
from hearts_net.protocol import messages as wire
from hearts_net.protocol.limits import MOST_ASKING, PAGE
from hearts_net.rules.cards import CARD_TEXTS, QUEEN_OF_SPADES, SUITS, hand_texts, mask_of, suit_of
from hearts_net.rules.deal import Deal
from hearts_net.rules.errors import FairError, HeartsError
from hearts_net.rules.fair import Origin, SeatShare, read_shuffle
from hearts_net.rules.scoring import Scores, penalty_of

MAX_EVENTS: Final = 16
MAX_WORD: Final = 16
MOST_STANDING: Final = 32
"""Those without a seat whom the host's player sees: the newest."""


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who is to see something."""

    key: str
    role: Role
    seat: int | None
    """The seat whose hand may be shown; None: no hand at all."""

    @classmethod
    def of(cls, table: Table, key: str) -> Viewer:
        """Return what somebody who has joined may see."""
        guest = table.guests.get(key)
        role = guest.role if guest is not None else Role.WATCHER
        return cls(key, role, table.seat_of(key) if role is not Role.WATCHER else None)

    @classmethod
    def deputy(cls, table: Table, key: str, seat: int) -> Viewer:
        """Return what a deputy may see: its seat's hand, while it plays for it."""
        return cls(key, Role.DEPUTY, seat if table.seats[seat].deputy else None)


def project(
    table: Table, viewer: Viewer, clock: int, public: wire.PublicView | None = None
) -> wire.View:
    """Return the whole state as ``viewer`` may see it; ``public`` is its public part if made."""
    actor = _actor(table, viewer)
    return wire.View(
        table.epoch,
        table.seq,
        clock,
        public if public is not None else public_view(table),
        None if viewer.seat is None else own_view(table, viewer.seat, actor),
        _events(table),
        viewer.role.value,
        open_acts(table, actor, of_seat=False),
        desk_view(table) if Capacity.HOST in actor.capacities else None,
    )


def project_public(table: Table, clock: int, public: wire.PublicView) -> wire.Public:
    """Return the state as the public socket tells it."""
    return wire.Public(table.epoch, table.seq, clock, public, _events(table))


def _actor(table: Table, viewer: Viewer) -> Actor:
    if viewer.role is Role.DEPUTY:
        return deputy_for(viewer.seat) if viewer.seat is not None else Actor("", frozenset(), None)
    return actor_for(table, viewer.key)


def _events(table: Table) -> list[wire.AnyEvent]:
    return list(table.news[-MAX_EVENTS:])


# ---- what one seat sees ------------------------------------------------------------------------


def own_view(table: Table, seat: int, actor: Actor) -> wire.OwnView:
    """Return what the holder of a seat alone sees."""
    deal = table.deal
    may = open_acts(table, actor, of_seat=True)
    if deal is None:
        return wire.OwnView(seat, [], [], [], [], may, False)
    hand = 0 if deal.over else deal.start.hands[seat] & deal.unplayed
    received = deal.received[seat] & hand if hand.bit_count() == 13 else 0
    return wire.OwnView(
        seat,
        hand_texts(hand),
        hand_texts(deal.legal_for(seat)),
        hand_texts(deal.passes[seat]),
        hand_texts(received),
        may,
        deal.can_claim(seat),
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


def public_view(table: Table) -> wire.PublicView:
    """Return all that everybody may see."""
    game, deal, stage = table.game, table.deal, table.stage
    playing = stage is Stage.PLAYING and deal is not None
    last_trick = deal.last_trick if deal is not None else None
    so_far = _so_far(deal)
    return wire.PublicView(
        table=table.name,
        game=table.game_id if game is not None else "",
        phase=stage.value,
        paused=table.pause,
        rules=dict(table.options.to_dict()),
        seats=_seat_views(table, so_far),
        watchers=_watchers(table),
        deal=table.deal_number,
        direction=deal.direction.value if deal is not None else "",
        trick_number=table.trick_number,
        leader=deal.leader if playing and deal is not None else None,
        turn=_turn(table),
        turn_until=_turn_until(table),
        next_at=table.clocks.until(table.next_deal_cause()),
        trick=_trick(deal),
        last_trick=(
            trick_view(last_trick, len(deal.tricks), deal.bot_cards)
            if deal is not None and last_trick is not None
            else None
        ),
        hearts_broken=deal is not None and deal.hearts_broken,
        queen_taken_by=so_far.queen_taker,
        points_out=so_far.points_out,
        seen=so_far.seen,
        shown_voids=[_SUITS_IN[suits] for suits in so_far.voids],
        last_deal=deal_summary(game.results[-1]) if game is not None and game.results else None,
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
    bots = deal.bot_cards
    return [
        wire.TrickCard(seat, CARD_TEXTS[card], bool(bots >> card & 1)) for seat, card in deal.trick
    ]


@dataclass(slots=True)
class _SoFar:
    """What the tricks of a deal have shown, gathered in one walk over them."""

    seen: list[str]
    voids: list[int]
    """For each seat, the suits that it has failed to follow: bit 0 for clubs, and so on."""
    tricks: list[int]
    """For each seat, how many it has taken."""
    queen_taker: int | None = None
    points_out: int = 0


_SUITS_IN: Final = tuple(
    "".join(SUITS[suit] for suit in range(4) if suits >> suit & 1) for suits in range(16)
)


def _so_far(deal: Deal | None) -> _SoFar:
    found = _SoFar([], [0, 0, 0, 0], [0, 0, 0, 0])
    if deal is None:
        return found
    for trick in deal.tricks:
        _look_at(found, trick.leader, trick.order)
        found.tricks[trick.winner] += 1
        if QUEEN_OF_SPADES in trick.order:
            found.queen_taker = trick.winner
    if deal.leader is not None and deal.table:
        _look_at(found, deal.leader, deal.table)
    if deal.claimed_by is None:
        found.points_out = penalty_of(deal.unplayed | mask_of(deal.table))
    elif deal.unplayed >> QUEEN_OF_SPADES & 1:
        found.queen_taker = deal.claimed_by
    return found


def _look_at(found: _SoFar, seat: int, order: tuple[int, ...]) -> None:
    led = suit_of(order[0])
    for card in order:
        found.seen.append(CARD_TEXTS[card])
        if suit_of(card) != led:
            found.voids[seat] |= 1 << led
        seat = (seat + 1) & 3


def _watchers(table: Table) -> int:
    count = 0
    for key, guest in table.guests.items():
        if guest.role is Role.WATCHER or table.seat_of(key) is None:
            count += 1
    return count


def _seat_views(table: Table, so_far: _SoFar) -> list[wire.SeatView]:
    points = _points(table)
    deal = table.deal
    over = deal is None or deal.over
    return [
        _seat_view(table, seat, points[seat], so_far.tricks[seat], None if over else deal)
        for seat in SEATS
    ]


def _seat_view(
    table: Table, seat: int, points: int, tricks: int, running: Deal | None
) -> wire.SeatView:
    state = table.seats[seat]
    presence, since = _shown_presence(table, seat)
    game = table.game
    in_hand = 0
    if running is not None:
        in_hand = (running.start.hands[seat] & running.unplayed).bit_count()
    return wire.SeatView(
        kind=state.kind.value,
        name=state.name,
        key=state.key,
        level=state.level,
        presence=presence.value,
        since=since,
        held_until=table.clocks.until(table.grace_cause(seat)),
        deputy=state.deputy,
        ready=state.taken and state.is_ready,
        host=bool(state.key) and state.key == table.host_key,
        cards=in_hand,
        passed=running is not None and bool(running.start.passes[seat]),
        points=points,
        total=game.totals[seat] if game is not None else 0,
        tricks=tricks,
    )


def _points(table: Table) -> Scores:
    """Return the points of the deal so far; once it is scored, with the moon in them."""
    game = table.game
    if game is None or game.deal is None:
        return 0, 0, 0, 0
    if table.stage in (Stage.DEALING, Stage.DEAL_OVER, Stage.GAME_OVER):
        return game.results[-1].points
    return game.deal.points()


def _shown_presence(table: Table, seat: int) -> tuple[Presence, int]:
    """Return the stored presence, or ``slow`` while somebody present has not been heard."""
    state = table.seats[seat]
    guest = table.guests.get(state.key) if state.taken else None
    if state.presence is Presence.PRESENT and guest is not None and guest.slow:
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
