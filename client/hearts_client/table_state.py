"""What a client keeps of a table: the newest view, the log, earlier deals, and how the link stands.

Pure: every function takes a state and gives a new one. ``now`` is the caller's monotonic clock and
the times in views are the host's clock, both in milliseconds; :func:`host_now` translates.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from hearts_client.past import Past, answered, missing, seen
from hearts_net.protocol.messages import (
    AnyEvent,
    DealsPage,
    DealStarted,
    DealSummary,
    HostRestarted,
    LogPage,
    OwnView,
    PausedChanged,
    Played,
    PlayStarted,
    Reply,
    Said,
    SeatView,
    TrickTaken,
    TrickView,
    View,
)
from hearts_net.protocol.peer_outputs import DealChecked

KEPT_EVENTS = 500
"""Events kept for the log; older ones can be fetched again."""
KEPT_DEALS = 200
FETCHED_EVENTS = 50
"""How far back the log is asked for at the start."""


@dataclass(frozen=True, slots=True)
class TableState:
    """All that one client knows of its table."""

    view: View | None = None
    received_at: int = 0
    """When the view came, on this client's clock."""
    link: str = "connecting"
    """A :class:`hearts_net.protocol.peer_session.LinkState`, as text."""
    link_since: int = 0
    log: tuple[AnyEvent, ...] = ()
    """What happened, oldest first, each event once."""
    deals: tuple[DealSummary, ...] = ()
    """The finished deals of the running game, oldest first."""
    shown_trick: TrickView | None = None
    """A finished trick that is still on the table, until ``shown_until``."""
    shown_until: int = 0
    turn_since: int = 0
    """When the question put to this player (whose turn, which deal and trick) changed last."""
    pending: int | None = None
    """The request whose answer is awaited, so that nothing is sent twice."""
    pending_state: tuple[int, int] | None = None
    """The (epoch, seq) that the answer named: until it is seen, the request is still under way."""
    unread: int = 0
    """Things said since the chat was looked at last, while it is muted or hidden."""
    closing: str = ""
    """Why the table ended: ``saved``, ``done``; empty while it goes on."""
    superseded: bool = False
    removed: str = ""
    """The host's player has sent this client away: ``kicked`` or ``banned``."""
    past: Past = field(default_factory=Past)
    """The tricks of the running game."""
    past_asked: tuple[int, int] = (-1, 0)
    """After which event they were asked for last, and how often."""
    asked_about: bool = False
    """The host's player is asked whether this client may come in."""
    checked: DealChecked | None = None
    """What the newest check of a deal has found."""
    received: tuple[str, ...] = ()
    """The cards passed to this player in the running deal; views name them until they are played.

    Empty where nothing was passed, or this client came after the first card.
    """


def has_ended(state: TableState) -> bool:
    """Tell whether the table is over for this client, without its having left."""
    return bool(state.superseded or state.closing or state.removed)


def seats(state: TableState) -> list[SeatView]:
    """Give the four seats of the newest view; none before there is one."""
    return list(state.view.public.seats) if state.view else []


def own(state: TableState) -> OwnView | None:
    """Give what this client's seat alone sees; None for a watcher, or standing in the lobby."""
    return state.view.own if state.view else None


def may(state: TableState) -> frozenset[str]:
    """Name the acts that would be accepted in kind now, as a seat and as this key."""
    if state.view is None:
        return frozenset()
    tags = set(state.view.may)
    if state.view.own:
        tags.update(state.view.own.may)
    return frozenset(tags)


def host_now(state: TableState, now: int) -> int:
    """Translate this client's clock into the host's, as the newest view tells it."""
    return 0 if state.view is None else state.view.time + max(0, now - state.received_at)


def my_turn(state: TableState) -> bool:
    """Tell whether the table waits for this player's card."""
    mine = own(state)
    return bool(mine and state.view and state.view.public.phase == "playing" and mine.legal)


def question(view: View | None) -> tuple[int, str, int, bool]:
    """Name what is asked of this player; when it changes, keys meant for the old are dropped."""
    if view is None:
        return (0, "", 0, False)
    public, mine = view.public, view.own
    asked = mine is not None and (
        public.turn == mine.seat or (public.phase == "passing" and not mine.passed)
    )
    return (public.deal, public.phase, public.trick_number, asked)


def is_stale(view: View, kept: View | None) -> bool:
    """Tell whether ``view`` is older: a higher epoch wins even when its seq is lower."""
    return kept is not None and (view.epoch, view.seq) < (kept.epoch, kept.seq)


def received_view(state: TableState, view: View, now: int, speed_ms: int) -> TableState:
    """Take in a view: the newest wins, its events join the log, a finished trick stays on."""
    if is_stale(view, state.view):
        return state
    turn_since = state.turn_since if question(view) == question(state.view) else now
    state = replace(state, turn_since=turn_since)
    state = with_events(state, view.events)
    finished = [event.trick for event in view.events if isinstance(event, TrickTaken)]
    if finished and speed_ms > 0 and state.view is not None:
        state = replace(state, shown_trick=finished[-1], shown_until=now + speed_ms)
    new_game = state.view is not None and state.view.public.game != view.public.game
    deals = () if new_game or not view.public.game else state.deals
    past = Past() if new_game and view.public.game else state.past
    if view.public.last_deal is not None:
        deals = _merged_deals(deals, [view.public.last_deal])
    past = seen(past, view.events)
    received = _received(state, view)
    state = replace(state, view=view, received_at=now, deals=deals, past=past, received=received)
    if state.pending_state and (view.epoch, view.seq) >= state.pending_state:
        state = replace(state, pending=None, pending_state=None)
    return state


def _received(state: TableState, view: View) -> tuple[str, ...]:
    """Keep what was passed to this player for as long as its deal is the newest."""
    if view.own is not None and view.own.received:
        return tuple(view.own.received)
    before, after = state.view, view.public
    same = before is not None and (before.public.game, before.public.deal) == (
        after.game,
        after.deal,
    )
    seat = before.own.seat if before is not None and before.own is not None else None
    return state.received if same and view.own is not None and view.own.seat == seat else ()


def with_events(state: TableState, events: list[AnyEvent]) -> TableState:
    """Add events to the log, each once, in the host's order."""
    known = {event.n for event in state.log}
    fresh = [event for event in events if event.n not in known]
    if not fresh:
        return state
    log = sorted((*state.log, *fresh), key=lambda event: event.n)[-KEPT_EVENTS:]
    said = sum(isinstance(event, Said) for event in fresh)
    return replace(state, log=tuple(log), unread=state.unread + said)


def log_arrived(state: TableState, page: LogPage) -> TableState:
    """Take in a page of the log that was asked for; what was said long ago is not unread."""
    past = seen(state.past, page.events)
    state = replace(state, past=past)
    return replace(with_events(state, list(page.events)), unread=state.unread)


def deals_arrived(state: TableState, page: DealsPage) -> TableState:
    """Take in a page of the finished deals."""
    return replace(state, deals=_merged_deals(state.deals, list(page.deals)))


def deal_checked(state: TableState, checked: DealChecked) -> TableState:
    """Take in what the check of a finished deal has found."""
    return replace(state, checked=checked)


def last_check(state: TableState) -> DealChecked | None:
    """Give what was found about the deal finished last, None where that is not known (yet)."""
    checked, view = state.checked, state.view
    if checked is None or view is None or view.public.last_deal is None:
        return None
    found = (view.public.game, view.public.last_deal.deal) == (checked.game, checked.deal)
    return checked if found else None


def _merged_deals(
    deals: tuple[DealSummary, ...], more: list[DealSummary]
) -> tuple[DealSummary, ...]:
    by_number = {deal.deal: deal for deal in (*deals, *more)}
    return tuple(by_number[number] for number in sorted(by_number))[-KEPT_DEALS:]


def missing_log(state: TableState) -> int | None:
    """Give the number after which the log must be fetched, or None when nothing is missing."""
    if state.view is None:
        return None
    newest = state.view.public.newest_event
    floor = max(0, newest - FETCHED_EVENTS)
    known = {event.n for event in state.log}
    for number in range(floor + 1, newest + 1):
        if number not in known:
            return number - 1
    return None


MOST_ASKED = 3
"""A page of the past that has not come after so many answers is not to be had."""


def ask_for_past(state: TableState) -> tuple[TableState, int | None]:
    """Give the number after which the past has to be fetched, or None; note that it was asked."""
    if state.view is None:
        return state, None
    after = missing(state.past, state.view.public.newest_event)
    while after is not None and state.past_asked == (after, MOST_ASKED):
        state = replace(state, past=answered(state.past, after, []))
        assert state.view is not None
        after = missing(state.past, state.view.public.newest_event)
    if after is None:
        return state, None
    times = state.past_asked[1] + 1 if state.past_asked[0] == after else 1
    return replace(state, past_asked=(after, times)), after


def missing_deals(state: TableState) -> int | None:
    """Give the deal after which the finished deals must be fetched, or None."""
    if state.view is None or state.view.public.last_deal is None:
        return None
    known = {deal.deal for deal in state.deals}
    for number in range(1, state.view.public.last_deal.deal + 1):
        if number not in known:
            return number - 1
    return None


def link_changed(state: TableState, link: str, now: int) -> TableState:
    """Take in that the link is up, being made, or lost; attempts to come back count as one loss."""
    if link == state.link:
        return state
    still_lost = state.view is not None and "live" not in (link, state.link)
    return replace(state, link=link, link_since=state.link_since if still_lost else now)


def sent(state: TableState, request: int) -> TableState:
    """Remember a command whose answer is awaited."""
    return replace(state, pending=request, pending_state=None)


def replied(state: TableState, reply: Reply) -> TableState:
    """Take in an answer; what it did is done when the view that it names has come."""
    if state.pending != reply.id:
        return state
    stamp = (reply.epoch, reply.seq)
    if reply.ok and state.view and (state.view.epoch, state.view.seq) < stamp:
        return replace(state, pending_state=stamp)
    return replace(state, pending=None, pending_state=None)


def trick_shown(state: TableState, now: int) -> TrickView | None:
    """Give the finished trick that is still to be shown, if any."""
    return state.shown_trick if now < state.shown_until else None


def clear_shown(state: TableState) -> TableState:
    """Take the finished trick off the table now."""
    return replace(state, shown_trick=None, shown_until=0)


def is_counting(state: TableState) -> bool:
    """Tell whether seconds are shown that go on counting: only then does a client tick."""
    if has_ended(state):
        return False
    if state.link != "live":
        return state.link not in ("leaving", "ended")
    if state.view is None:
        return False
    public = state.view.public
    away = any(seat.presence in ("slow", "away") for seat in public.seats)
    return bool((away and public.phase != "game-over") or public.next_at or public.turn_until)


_TURN_BEGINS = (DealStarted, PlayStarted, Played, TrickTaken, PausedChanged, HostRestarted)
"""After one of these it is somebody's turn, or goes on being it."""
_STEP_MS = 10_000
_MINUTE_MS = 60_000


def waited(state: TableState, now: int) -> int:
    """Count the seconds for which the table has waited for others: in tens, then whole minutes.

    0 while that is not long, and while it waits for this player: nobody is hurried by their own
    screen, and at rest it has nothing to write. Where a limit is counted down, that is shown.
    """
    begun = _waiting_since(state)
    if begun is None:
        return 0
    elapsed = host_now(state, now) - begun
    step = _STEP_MS if elapsed < _MINUTE_MS else _MINUTE_MS
    return max(0, elapsed) // step * (step // 1000)


def _waiting_since(state: TableState) -> int | None:
    """Give when the table began to wait for others, on the host's clock; None if it does not."""
    if state.view is None or state.link != "live" or has_ended(state):
        return None
    public, mine = state.view.public, state.view.own
    if public.paused or public.turn_until:
        return None
    if public.phase == "passing":
        others = mine is None or bool(mine.passed)
    else:
        seat = None if mine is None else mine.seat
        others = public.phase in ("playing", "moon") and public.turn not in (None, seat)
    if not others:
        return None
    begins = (event.time for event in reversed(state.log) if isinstance(event, _TURN_BEGINS))
    return next(begins, None)


def _next_step(state: TableState, now: int) -> int | None:
    """Give when :func:`waited` changes next, on this client's clock."""
    begun = _waiting_since(state)
    if begun is None:
        return None
    elapsed = max(0, host_now(state, now) - begun)
    step = _STEP_MS if elapsed < _MINUTE_MS else _MINUTE_MS
    return now + step - elapsed % step


def next_moment(state: TableState, now: int) -> int | None:
    """Give when the screen changes by itself next: a second counted, a trick taken off; or None."""
    moments = []
    if state.shown_trick is not None and now < state.shown_until:
        moments.append(state.shown_until)
    if is_counting(state):
        moments.append(now + 1000 - host_now(state, now) % 1000)
    step = _next_step(state, now)
    if step is not None:
        moments.append(step)
    return min(moments, default=None)


def seconds_until(state: TableState, moment: int, now: int) -> int:
    """Count whole seconds, rounded up, until a time on the host's clock."""
    return max(0, -(-(moment - host_now(state, now)) // 1000))


def seconds_since(state: TableState, moment: int, now: int) -> int:
    """Count whole seconds since a time on the host's clock."""
    return max(0, (host_now(state, now) - moment) // 1000)
