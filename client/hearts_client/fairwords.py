"""Whether a deal was fair, in a word for the screen and in a sentence that says what it means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hearts_client.i18n import N_, _, ngettext
from hearts_client.speech import joined, seat_name
from hearts_net.protocol.messages import SeatView
from hearts_net.protocol.peer_outputs import DealChecked
from hearts_net.rules.errors import FairCode

FAIR_WORDS: Mapping[str, str] = {
    "not-checkable": N_("The record does not say how the deal was shuffled: nothing proves it."),
    "bad-shuffle": N_("What the host shows of the shuffle is none: take the deal for stacked."),
    "host-share-changed": N_(
        "The host's share of the shuffle is not the one it had promised: it may have chosen the "
        "deck. Play elsewhere."
    ),
    "share-changed": N_(
        "A player's share of the shuffle is not the one that was promised: the host may have "
        "chosen the deck. Play elsewhere."
    ),
    "share-left-out": N_(
        "A player's share is not in the shuffle: a slow connection, or the host left it out. "
        "If it happens again, play elsewhere."
    ),
    "deck-stacked": N_(
        "Cards are not where the shuffle put them: the host has stacked the deck. Play elsewhere."
    ),
    "share-withheld": N_(
        "The host's own player promised a share of the shuffle and held it back, and has no slow "
        "connection to blame: the host may have chosen between two decks. Play elsewhere."
    ),
    "commitments-changed": N_(
        "The host has changed what was promised before the deal: it may have chosen the deck. "
        "Play elsewhere."
    ),
    "share-replaced": N_(
        "The host has put a share of its own in the place of yours: it may have chosen the deck. "
        "Play elsewhere."
    ),
    "shuffled-again": N_(
        "The host has shuffled once more after it had your share: it may have chosen the deck. "
        "Play elsewhere."
    ),
    "hand-changed": N_(
        "Your hand is not the one that was shuffled for you: the host has stacked the deck. "
        "Play elsewhere."
    ),
    "card-changed": N_(
        "Somebody played a card that was not dealt to them: the host has stacked the deck. "
        "Play elsewhere."
    ),
    "no-proof": N_(
        "The host does not show how the deal was shuffled: ask whose program it is, or play "
        "elsewhere."
    ),
    "not-witnessed": N_(
        "Your program came after this deal was shuffled, so it could not watch. Nothing is to be "
        "done: the next deal is checked again."
    ),
}
"""For each code of a deal that was not verified."""

_SHORT: Mapping[str, str] = {
    "bad-shuffle": N_("deal NOT verified: no shuffle"),
    "host-share-changed": N_("deal NOT verified: host's share changed"),
    "share-changed": N_("deal NOT verified: a share changed"),
    "share-left-out": N_("deal NOT verified: a share left out"),
    "deck-stacked": N_("deal NOT verified: deck stacked"),
    "share-withheld": N_("deal NOT verified: a share held back"),
    "commitments-changed": N_("deal NOT verified: promises changed"),
    "share-replaced": N_("deal NOT verified: your share replaced"),
    "shuffled-again": N_("deal NOT verified: shuffled again"),
    "hand-changed": N_("deal NOT verified: your hand changed"),
    "card-changed": N_("deal NOT verified: a card changed"),
    "no-proof": N_("deal NOT verified: no proof"),
    "not-witnessed": N_("deal not witnessed"),
}


def is_alarming(checked: DealChecked) -> bool:
    """Tell whether a deal was found wrong, rather than right or only not witnessed."""
    return bool(checked.code) and not is_unwitnessed(checked)


def is_unwitnessed(checked: DealChecked) -> bool:
    """Tell whether nothing can be said of a deal, as this client came after its shuffle."""
    return checked.code == FairCode.NOT_WITNESSED


def verdict_word(checked: DealChecked) -> str:
    """Say in a word or two what the check of a deal has found."""
    if not checked.code:
        return _("verified; a share late") if checked.late else _("deal verified")
    return _(_SHORT.get(checked.code, N_("deal NOT verified")))


def verdict_sentence(checked: DealChecked, seats: list[SeatView], me: int | None) -> str:
    """Say what the check of a deal has found, and what that means."""
    number = checked.deal
    if is_alarming(checked):
        return _("Deal {deal} NOT verified. {why}").format(
            deal=number, why=_why(checked, seats, me)
        )
    if checked.code:
        said = _("Deal {deal} not witnessed. {why}").format(
            deal=number, why=_(FAIR_WORDS[checked.code])
        )
    else:
        said = _("Deal {deal} verified.").format(deal=number)
    late = [seat_name(seats, seat) for seat in checked.late if seat < len(seats)]
    return f"{said} {late_sentence(late)}" if late else said


def late_sentence(names: Sequence[str]) -> str:
    """Say whose shares came too late, and what that may mean."""
    return ngettext(
        "The share of {names} came too late: a slow connection, or the host and {names} chose "
        "between two decks.",
        "The shares of {names} came too late: slow connections, or the host and they chose "
        "between several decks.",
        len(names),
    ).format(names=joined(names))


def _why(checked: DealChecked, seats: list[SeatView], me: int | None) -> str:
    seat = checked.detail.get("seat")
    if checked.code == FairCode.SHARE_LEFT_OUT and isinstance(seat, int) and seat < len(seats):
        if seat == me:
            return _(
                "Your share is not in the shuffle: your connection was slow, or the host left it "
                "out. If it happens again, play elsewhere."
            )
        return _(
            "The share of {name} is not in the shuffle: the host left it out. Play elsewhere."
        ).format(name=seat_name(seats, seat))
    return _(FAIR_WORDS.get(checked.code, N_("Update hearts-net to know what that means.")))
