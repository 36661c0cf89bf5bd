"""What a bot that plays over the network says of itself: where it sits, and how it goes."""

from __future__ import annotations

from collections.abc import Callable

from hearts_client.fairwords import is_alarming, verdict_sentence
from hearts_client.i18n import _, ngettext
from hearts_client.safetext import safe_text
from hearts_net.protocol.messages import PublicView, SeatView, View
from hearts_net.protocol.peer_outputs import DealChecked, HostClosing, LinkChanged, NewView
from hearts_net.protocol.peer_states import LinkState


class BotTeller:
    """Says in a line what whoever has started a bot wants to know, once each time it happens."""

    def __init__(self, say: Callable[[str], None]) -> None:
        """Say lines by ``say``."""
        self._say = say
        self._seat: int | None = None
        self._seats: list[SeatView] = []
        self._over = False
        self._lost = False

    def heed(self, event: object) -> None:
        """Take an event of the bot's link."""
        match event:
            case NewView(view):
                self._saw(view)
            case LinkChanged(LinkState.LOST):
                self._lost = True
                self._say(_("The connection is lost; it is being made again."))
            case LinkChanged(LinkState.LIVE) if self._lost:
                self._lost = False
                self._say(_("The connection is back."))
            case DealChecked() if is_alarming(event) or event.late:
                self._say(verdict_sentence(event, self._seats, self._seat))
            case HostClosing():
                self._say(_("The table has ended."))

    def _saw(self, view: View) -> None:
        seat = view.own.seat if view.own is not None else None
        if seat is not None and seat != self._seat:
            self._say(_seated(view.public, seat))
        self._seat, self._seats = seat, view.public.seats
        over = view.public.phase == "game-over"
        if over and not self._over and seat is not None:
            self._say(_ended(view.public, seat))
        self._over = over


def _seated(public: PublicView, seat: int) -> str:
    return _("{name} sits on seat {seat} at the table {table}, level {level}.").format(
        name=safe_text(public.seats[seat].name),
        seat=seat + 1,
        table=safe_text(public.table),
        level=safe_text(public.seats[seat].level),
    )


def _ended(public: PublicView, seat: int) -> str:
    total = public.seats[seat].total
    if public.winner == seat:
        words = ngettext(
            "The game is over, and {name} wins with {points} point.",
            "The game is over, and {name} wins with {points} points.",
            total,
        )
    else:
        words = ngettext(
            "The game is over; {name} has {points} point.",
            "The game is over; {name} has {points} points.",
            total,
        )
    return words.format(name=safe_text(public.seats[seat].name), points=total)
