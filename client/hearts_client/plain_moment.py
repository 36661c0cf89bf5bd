"""Whose turn it is and for how long, what is still out, what was passed: answers to questions."""

from __future__ import annotations

from hearts_client.absence import presence_note
from hearts_client.i18n import N_, _, ngettext
from hearts_client.leavingwords import IN_DEAL
from hearts_client.plain_answers import Ask, asked, is_awaited, limit_words, waiting
from hearts_client.speech import (
    RANKS,
    SUITS,
    Style,
    card_name,
    cards_list,
    direction_words,
    hand_words,
    joined,
    pass_target,
    seat_name,
    suit_name,
    who,
)
from hearts_client.teaching import highest, points_on_table
from hearts_net.protocol.messages import View

_ASKED = {
    Ask.SEAT: N_("You have no seat yet: take one with sit and a number."),
    Ask.READY: N_("The table waits for you to say ready."),
    Ask.PASS: N_("The table waits for you to pass three cards."),
    Ask.PLAY: N_("It is your turn to play a card."),
    Ask.MOON: N_("The table waits for you to choose what your moon does."),
    Ask.NEXT: N_("The next deal waits for you to say next."),
    Ask.AGAIN: N_("The game is over: a rematch waits for you to say rematch."),
}


def turn(view: View, waited: int, host_time: int) -> list[str]:
    """Say for whom the table waits, for how long it has, and how long it will.

    ``waited`` are milliseconds, ``host_time`` is what the host's clock says now.
    """
    ask = asked(view)
    said = _(_ASKED[ask]) if ask in _ASKED else waiting(view)
    lines = [said]
    if view.public.phase in IN_DEAL and not view.public.paused:
        seconds = waited // 1000
        words = ngettext(
            "That has been so for {seconds} second.",
            "That has been so for {seconds} seconds.",
            seconds,
        )
        lines = [f"{said} {words.format(seconds=seconds)}"]
        left = limit_words(view, host_time)
        if left and ask is not Ask.NOTHING:
            lines.append(left)
    return [*lines, *_away(view, host_time)]


def _away(view: View, host_time: int) -> list[str]:
    seats = view.public.seats
    return [
        _("{name}: {note}.").format(name=seat_name(seats, place), note=note)
        for place, seat in enumerate(seats)
        if is_awaited(view.public, place, seat) and (note := presence_note(seat, host_time))
    ]


def still_out(view: View, style: Style) -> list[str]:
    """Say which cards have not been seen, and who has shown to be out of a suit: with aids."""
    public = view.public
    if public.phase != "playing":
        return [_("No cards are being played.")]
    points = ngettext(
        "{points} point is still out.", "{points} points are still out.", public.points_out
    ).format(points=public.points_out)
    if public.rules.get("aids") is not True:
        return [points, _("Which cards they are is not told: this table is played without aids.")]
    gone = set(public.seen) | set(view.own.hand if view.own else ())
    cards = [rank + suit for suit in SUITS for rank in RANKS if rank + suit not in gone]
    lines = [points, _("Not seen yet: {cards}.").format(cards=hand_words(cards, style))]
    me = view.own.seat if view.own else None
    for seat, suits in enumerate(public.shown_voids):
        if suits and seat != me:
            names = joined([suit_name(suit, style) for suit in SUITS if suit in suits])
            lines.append(
                _("{name} has no {suits}.").format(name=seat_name(public.seats, seat), suits=names)
            )
    return lines


def exchanged(view: View, received: tuple[str, ...], style: Style) -> list[str]:
    """Say what this player passed in the running deal, and what they got."""
    public, own = view.public, view.own
    if own is None or not public.deal:
        return [_("You have passed no cards.")]
    if public.direction == "hold":
        return [_("Nobody passes cards in this deal.")]
    if not own.passed:
        return [_("You have passed no cards.")]
    target = pass_target(public.direction, own.seat)
    lines = [
        _("You have passed {cards} {direction}, to {name}.").format(
            cards=cards_list(own.passed, style),
            direction=direction_words(public.direction),
            name=seat_name(public.seats, target) if target is not None else "",
        )
    ]
    if received:
        giver = next(
            (seat for seat in range(4) if pass_target(public.direction, seat) == own.seat), None
        )
        lines.append(
            _("You received {cards} from {name}.").format(
                cards=cards_list(received, style),
                name=seat_name(public.seats, giver) if giver is not None else "",
            )
        )
    return lines


def trick_so_far(view: View, style: Style) -> str:
    """Say which card would take the trick as it lies, and what that would cost; "" for none."""
    public = view.public
    if not public.trick:
        return ""
    best = highest(public.trick)
    facts = {
        "name": who(public.seats, best.seat, view.own.seat if view.own else None),
        "card": card_name(best.card, style),
    }
    points = points_on_table(public)
    if not points:
        return _("So far {name} would take it with {card}; no points.").format(**facts)
    return ngettext(
        "So far {name} would take it with {card}; {points} point.",
        "So far {name} would take it with {card}; {points} points.",
        points,
    ).format(**facts, points=points)
