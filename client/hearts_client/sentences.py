"""What happened at the table, in whole sentences; errors and options are at hand here too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hearts_client.i18n import N_, _, ngettext
from hearts_client.optionwords import (
    differences,
    option_words,
    preset_words,
    rules_summary,
    value_words,
)
from hearts_client.refusals import error_sentence
from hearts_client.safetext import safe_text
from hearts_client.speech import (
    Style,
    card_name,
    direction_words,
    joined,
    pass_target,
    seat_name,
    who,
)
from hearts_net.protocol import messages as m

__all__ = [
    "SlowTurns",
    "differences",
    "error_sentence",
    "event_sentence",
    "option_words",
    "points_words",
    "preset_words",
    "refusal_sentence",
    "rules_summary",
    "tie_words",
    "totals_words",
    "value_words",
]


_HERE = ("present", "slow")


class SlowTurns:
    """Follows who is away, so that nobody is said to come or go who has not.

    A bot may play one slow turn for somebody who has been at the table throughout, and a vote to
    wait takes the bot off a seat whose player has been away before.
    """

    def __init__(self, seats: Sequence[m.SeatView] = ()) -> None:
        """Begin at ``seats`` as they are before the first event."""
        self._seats = {
            number for number, seat in enumerate(seats) if seat.deputy and seat.presence in _HERE
        }
        self._waited_for: int | None = None
        """Whose seat a vote has just left to them: its event comes before that of the bot."""

    def is_end_of_one(self, event: m.AnyEvent) -> bool:
        """Take the next event; tell whether it only ends a bot's play, so that nobody is back."""
        waited_for, self._waited_for = self._waited_for, None
        if isinstance(event, m.VoteEnded) and event.choice == "wait":
            self._waited_for = event.seat
        if not isinstance(event, m.PresenceChanged):
            return False
        if event.seat == waited_for and event.presence not in _HERE and not event.deputy:
            return True
        if event.deputy and event.presence in _HERE:
            self._seats.add(event.seat)
            return False
        slow = event.seat in self._seats
        self._seats.discard(event.seat)
        return slow and event.presence in _HERE


@dataclass(frozen=True, slots=True)
class Listener:
    """For whom an event is told."""

    seats: Sequence[m.SeatView]
    me: int | None
    style: Style
    leads: bool

    def name(self, seat: int) -> str:
        """Name a seat, safe to show."""
        return seat_name(self.seats, seat)

    def is_mine(self, seat: int | None, name: str) -> bool:
        """Tell whether an event is about the listener, who may sit where another sat before."""
        return seat is not None and seat == self.me and name == self.seats[seat].name

    def card(self, card: str) -> str:
        """Name a card in the listener's style."""
        return card_name(card, self.style)


def event_sentence(
    event: m.AnyEvent,
    seats: Sequence[m.SeatView],
    me: int | None,
    style: Style = Style.SPOKEN,
    *,
    leads: bool = False,
) -> str:
    """Say an event in one line.

    ``seats`` are those of the view that came with it, ``me`` the listener's seat (None for a
    watcher); ``leads`` says that a played card is the first of its trick. Returns "" for what
    needs no words.
    """
    tell: Callable[[Any, Listener], str] = _TELLERS[type(event)]
    return tell(event, Listener(seats, me, style, leads))


def refusal_sentence(act: m.AnyAct, reply: m.Reply) -> str:
    """Say why the table refused an act; one at the wrong time is told when its time is."""
    if reply.code == "not-now":
        for acts, words in _TIMES:
            if isinstance(act, acts):
                return _(words)
    return error_sentence(reply.code, reply.detail)


_TIMES: Sequence[tuple[tuple[type, ...], str]] = (
    (
        (m.SetRules, m.Start, m.Stand),
        N_("That can be done only in the lobby, before a game: wait for the next one."),
    ),
    (
        (m.Sit, m.AddBot, m.RemoveBot, m.GiveSeat, m.Ready),
        N_("That can be done only in the lobby or between deals: wait for the end of this deal."),
    ),
    ((m.Rematch,), N_("The lobby comes again only after a game: wait for the end of this one.")),
)


def points_words(points: Sequence[int], seats: Sequence[m.SeatView], me: int | None) -> str:
    """Say four numbers, each after its player, the listener first: ``you 3, Bram 16, …``."""
    first = me or 0
    order = [(first + step) % 4 for step in range(4)]
    return ", ".join(
        _("{name} {points}").format(name=who(seats, seat, me), points=points[seat])
        for seat in order
    )


def totals_words(totals: Sequence[int], seats: Sequence[m.SeatView], me: int | None) -> str:
    """Say the totals of the game."""
    return _("Totals: {points}.").format(points=points_words(totals, seats, me))


def tie_words(public: m.PublicView, me: int | None) -> str:
    """Say that the target is reached and the game goes on, as several have the fewest; or ""."""
    totals = [seat.total for seat in public.seats]
    target = public.rules.get("target", 100)
    if public.phase not in ("dealing", "deal-over") or not isinstance(target, int):
        return ""
    fewest = min(totals)
    if max(totals) < target or totals.count(fewest) < 2:
        return ""
    names = [who(public.seats, seat, me) for seat in range(4) if totals[seat] == fewest]
    return _("{target} points are reached, but {names} have equally few: the game goes on.").format(
        target=target, names=joined(names)
    )


def trick_points(points: int) -> str:
    """Say what a trick is worth."""
    if points == 0:
        return _("no points")
    return ngettext("{points} point", "{points} points", points).format(points=points)


def _seat_taken(event: m.SeatTaken, to: Listener) -> str:
    if to.is_mine(event.seat, event.name):
        return _("You take seat {seat}.").format(seat=event.seat + 1)
    name = safe_text(event.name)
    if event.kind == "bot":
        return _("{name}, a computer player, takes seat {seat}.").format(
            name=name, seat=event.seat + 1
        )
    return _("{name} takes seat {seat}.").format(name=name, seat=event.seat + 1)


def _seat_left(event: m.SeatLeft, _to: Listener) -> str:
    return _("{name} leaves seat {seat}.").format(name=safe_text(event.name), seat=event.seat + 1)


def _presence(event: m.PresenceChanged, to: Listener) -> str:
    here = event.presence in _HERE
    if event.deputy and here:
        return ""  # for one turn, which was too slow: the card that the bot plays tells it
    name = safe_text(event.name)
    if to.is_mine(event.seat, event.name):
        if event.presence == "left":
            return ""  # who left knows it; whether a bot has played since, its cards tell
        if event.deputy:
            return _("A bot plays for you until you are back.")
        return _("You are back at the table.") if event.presence == "present" else ""
    if event.deputy:
        return _("A bot plays for {name} until they are back.").format(name=name)
    seat = to.seats[event.seat]
    held = (seat.held_until - event.time) // 1000
    if event.presence == "away" and seat.since == event.time and held > 0:
        words = ngettext(
            "{name} has lost the connection; the seat is held for {seconds} second.",
            "{name} has lost the connection; the seat is held for {seconds} seconds.",
            held,
        )
        return words.format(name=name, seconds=held)
    patterns = {
        "present": _("{name} is back at the table."),
        "slow": _("{name} answers slowly."),
        "away": _("{name} has lost the connection; the seat is held."),
        "left": _("{name} has left the table."),
    }
    return patterns.get(event.presence, "").format(name=name)


def _voted(event: m.Voted, to: Listener) -> str:
    name, wait = safe_text(event.name), event.choice == "wait"
    if event.by == to.me:
        if wait:
            return _("You want to wait longer for {name}.").format(name=name)
        return _("You want a bot to play for {name} now.").format(name=name)
    pattern = (
        _("{voter} wants to wait longer for {name}.")
        if wait
        else _("{voter} wants a bot to play for {name} now.")
    )
    return pattern.format(voter=to.name(event.by), name=name)


def _vote_ended(event: m.VoteEnded, _to: Listener) -> str:
    pattern = (
        _("It is agreed: the seat of {name} is held for longer.")
        if event.choice == "wait"
        else _("It is agreed: nobody waits for {name}.")
    )
    return pattern.format(name=safe_text(event.name))


def _rules_set(event: m.RulesSet, _to: Listener) -> str:
    return rules_summary(event.rules)


def _game_started(_event: m.GameStarted, _to: Listener) -> str:
    return _("The game begins.")


def _deal_started(event: m.DealStarted, to: Listener) -> str:
    if event.direction == "hold":
        return _("Deal {deal}. Nobody passes cards.").format(deal=event.deal)
    target = None if to.me is None else pass_target(event.direction, to.me)
    if target is None:
        return _("Deal {deal}. Three cards are passed {direction}.").format(
            deal=event.deal, direction=direction_words(event.direction)
        )
    return _("Deal {deal}. Pass three cards {direction}, to {name}.").format(
        deal=event.deal, direction=direction_words(event.direction), name=to.name(target)
    )


def _passed(event: m.Passed, to: Listener) -> str:
    if event.seat == to.me:
        return _("A bot has passed for you.") if event.by_bot else _("You have passed.")
    if event.by_bot and to.seats[event.seat].kind != "bot":
        return _("A bot has passed for {name}.").format(name=to.name(event.seat))
    return _("{name} has passed.").format(name=to.name(event.seat))


def _play_started(event: m.PlayStarted, to: Listener) -> str:
    if event.leader == to.me:
        return _("Everybody has their cards. You lead.")
    return _("Everybody has their cards. {name} leads.").format(name=to.name(event.leader))


def _played(event: m.Played, to: Listener) -> str:
    card = to.card(event.card)
    mine = event.seat == to.me
    name = to.name(event.seat)
    if event.by_bot and to.seats[event.seat].kind != "bot":
        if mine:
            return _("A bot plays {card} for you.").format(card=card)
        return _("A bot plays {card} for {name}.").format(card=card, name=name)
    if to.leads:
        return (
            _("You lead {card}.").format(card=card)
            if mine
            else _("{name} leads {card}.").format(card=card, name=name)
        )
    if mine:
        return _("You play {card}.").format(card=card)
    return _("{name} plays {card}.").format(card=card, name=name)


def _trick_taken(event: m.TrickTaken, to: Listener) -> str:
    trick = event.trick
    facts: dict[str, Any] = {"number": trick.number, "points": trick_points(trick.points)}
    if trick.winner == to.me:
        return _("You take trick {number}: {points}.").format(**facts)
    return _("{name} takes trick {number}: {points}.").format(name=to.name(trick.winner), **facts)


def _hearts_broken(_event: m.HeartsBroken, _to: Listener) -> str:
    return _("Hearts are broken.")


def _claimed(event: m.Claimed, to: Listener) -> str:
    if event.seat == to.me:
        return _("You claim the rest, and the cards bear it out.")
    return _("{name} claims the rest, and the cards bear it out.").format(name=to.name(event.seat))


def _settled(_event: m.Settled, _to: Listener) -> str:
    return _("Every card that counts has been taken; the rest is not played.")


def _moon_chosen(event: m.MoonChosen, to: Listener) -> str:
    gain = event.choice == "others-gain"
    if event.seat == to.me:
        return (
            _("You give 26 points to each of the others.")
            if gain
            else _("You take 26 off your score.")
        )
    pattern = (
        _("{name} gives 26 points to each of the others.")
        if gain
        else _("{name} takes 26 off their own score.")
    )
    return pattern.format(name=to.name(event.seat))


def _deal_ended(event: m.DealEnded, to: Listener) -> str:
    summary = event.summary
    said = _("Deal {deal} is over. Points: {points}. Totals: {totals}.").format(
        deal=summary.deal,
        points=points_words(summary.points, to.seats, to.me),
        totals=points_words(summary.totals, to.seats, to.me),
    )
    if summary.moon is None:
        return said
    if summary.moon == to.me:
        return _("You shot the moon!") + " " + said
    return _("{name} shot the moon!").format(name=to.name(summary.moon)) + " " + said


def _game_ended(event: m.GameEnded, to: Listener) -> str:
    facts: dict[str, Any] = {"points": points_words(event.totals, to.seats, to.me)}
    if event.winner == to.me:
        return _("The game is over, and you win! Final score: {points}.").format(**facts)
    return _("The game is over. {name} wins. Final score: {points}.").format(
        name=to.name(event.winner), **facts
    )


def _paused(event: m.PausedChanged, to: Listener) -> str:
    if event.paused == "away":
        away = [
            to.name(seat)
            for seat, view in enumerate(to.seats)
            if view.presence in ("away", "left") and seat != to.me
        ]
        if away:
            return _("The game waits for {names}.").format(names=joined(away))
        return _("The game waits for a player.")
    patterns = {
        "": _("The game goes on."),
        "player": _("The host's player has paused the game."),
        "store": _("The game is paused: the host cannot save it."),
    }
    return patterns.get(event.paused, _("The game is paused."))


def _said(event: m.Said, to: Listener) -> str:
    name, text = safe_text(event.name), safe_text(event.text)
    if to.is_mine(event.seat, event.name):
        return _("You say: {text}").format(text=text)
    return _("{name} says: {text}").format(name=name, text=text)


def _sent_away(event: m.SentAway, _to: Listener) -> str:
    name = safe_text(event.name)
    if event.reason == "banned":
        return _("The host's player has sent {name} away for good.").format(name=name)
    return _("The host's player has sent {name} away.").format(name=name)


def _host_restarted(_event: m.HostRestarted, _to: Listener) -> str:
    return _("The table has been restarted, and everything is as it was.")


_TELLERS: Mapping[type, Callable[[Any, Listener], str]] = {
    m.SeatTaken: _seat_taken,
    m.SeatLeft: _seat_left,
    m.PresenceChanged: _presence,
    m.Voted: _voted,
    m.VoteEnded: _vote_ended,
    m.RulesSet: _rules_set,
    m.GameStarted: _game_started,
    m.DealStarted: _deal_started,
    m.Passed: _passed,
    m.PlayStarted: _play_started,
    m.Played: _played,
    m.TrickTaken: _trick_taken,
    m.HeartsBroken: _hearts_broken,
    m.Claimed: _claimed,
    m.Settled: _settled,
    m.MoonChosen: _moon_chosen,
    m.DealEnded: _deal_ended,
    m.GameEnded: _game_ended,
    m.PausedChanged: _paused,
    m.Said: _said,
    m.HostRestarted: _host_restarted,
    m.SentAway: _sent_away,
}
