"""Who is away, for how long their seat is held, and what those who are here want: in words."""

from __future__ import annotations

from typing import Final

from hearts_client.i18n import _, ngettext
from hearts_net.protocol.messages import PublicView, SeatView, VoteView

VOTED_IN: Final = frozenset({"dealing", "passing", "playing", "moon", "deal-over"})
"""The phases in which a game waits for whoever is away, so that others may vote about the seat."""


def missed_seats(public: PublicView) -> list[int]:
    """List the seats about which there can be a vote, the one that the game waits for first."""
    if public.phase not in VOTED_IN:
        return []
    away = [n for n, seat in enumerate(public.seats) if seat.presence == "away"]
    return sorted(away, key=lambda n: (public.turn != n, public.seats[n].deputy, n))


def vote_on(public: PublicView, seat: int) -> VoteView | None:
    """Give how the vote about a seat stands; None where nobody has voted."""
    return next((vote for vote in public.votes if vote.seat == seat), None)


def vote_words(public: PublicView, seat: int) -> str:
    """Say in a few words how many want what for a seat; "" where nobody has said anything."""
    vote = vote_on(public, seat)
    if vote is None:
        return ""
    parts = []
    if vote.bot:
        parts.append(
            ngettext(
                "{votes} of {needed} wants a bot now", "{votes} of {needed} want a bot now",
                len(vote.bot),
            ).format(votes=len(vote.bot), needed=vote.needed)
        )  # fmt: skip
    if vote.wait:
        parts.append(
            ngettext(
                "{votes} of {needed} wants to wait", "{votes} of {needed} want to wait",
                len(vote.wait),
            ).format(votes=len(vote.wait), needed=vote.needed)
        )  # fmt: skip
    return ", ".join(parts)


def presence_note(seat: SeatView, host_time: int) -> str:
    """Say how somebody is there: a few words for a list, "" for who is present."""
    if seat.presence == "slow":
        return _("slow to answer")
    if seat.presence == "left":
        return _("gone")
    if seat.presence != "away":
        return ""
    gone = max(0, (host_time - seat.since) // 1000)
    words = ngettext("away for {seconds} second", "away for {seconds} seconds", gone)
    away = words.format(seconds=gone)
    left = -(-(seat.held_until - host_time) // 1000)
    if not seat.held_until or left <= 0:
        return away
    held = ngettext(
        "the seat is held for another {seconds} second",
        "the seat is held for another {seconds} seconds",
        left,
    )
    return f"{away}, {held.format(seconds=left)}"
