"""What a first game teaches: in a line, why the legal cards are legal and what the points are.

Pure functions of a seat's own view. What is legal comes from the view; these words only explain it.
"""

from __future__ import annotations

from collections.abc import Sequence

from hearts_client.i18n import N_, _, ngettext
from hearts_client.speech import RANKS, Style, card_name, suit_name
from hearts_net.protocol.messages import OwnView, PublicView, TrickCard, View

_LED = {
    "C": N_("Clubs were led: only clubs may be played, and the highest takes the trick."),
    "D": N_("Diamonds were led: only diamonds may be played, and the highest takes the trick."),
    "S": N_("Spades were led: only spades may be played, and the highest takes the trick."),
    "H": N_("Hearts were led: only hearts may be played, and the highest takes the trick."),
}
_VOID = {
    "C": N_("You have no clubs: any card may be played, and takes no trick."),
    "D": N_("You have no diamonds: any card may be played, and takes no trick."),
    "S": N_("You have no spades: any card may be played, and takes no trick."),
    "H": N_("You have no hearts: any card may be played, and takes no trick."),
}


def lesson(view: View | None, style: Style) -> str:
    """Explain what this player may do now; "" while nothing is asked of them."""
    if view is None or view.own is None:
        return ""
    public, own = view.public, view.own
    if public.phase == "passing" and not own.passed and own.hand:
        return " ".join((_passing(style), *_worth_of_cards(public, style)))
    if public.phase == "playing" and public.turn == own.seat and own.legal:
        return " ".join(
            part for part in (_why(public, own, style), _at_stake(public, style)) if part
        )
    return ""


def _passing(style: Style) -> str:
    return _("Pass what takes tricks: high hearts, and {ace}, {king} and {queen}.").format(
        **{word: card_name(f"{word[0].upper()}S", style) for word in ("ace", "king", "queen")}
    )


def _worth_of_cards(public: PublicView, style: Style) -> tuple[str, ...]:
    words = _("A heart costs 1 point, {queen} 13.").format(queen=card_name("QS", style))
    if public.rules.get("jack_of_diamonds") is not True:
        return (words,)
    jack = card_name("JD", style)
    return (words, _("{jack} takes 10 points off again.").format(jack=jack))


def _why(public: PublicView, own: OwnView, style: Style) -> str:
    barred = set(own.hand) - set(own.legal)
    if public.trick:
        led = public.trick[0].card[1]
        if any(card[1] == led for card in own.hand):
            return _(_LED[led])
        if any(card[1] == "H" for card in barred):
            return _("You have none of the suit led: any card, but no points on the first trick.")
        if "QS" in barred:
            queen = card_name("QS", style)
            return _(
                "You have none of the suit led: any card, but {queen} waits for hearts."
            ).format(queen=queen)
        return _(_VOID[led])
    if own.legal == ["2C"] and public.trick_number == 1:
        return _("Whoever holds {card} opens the first trick with it.").format(
            card=card_name("2C", style)
        )
    return _why_lead(public, barred, own, style)


def _why_lead(public: PublicView, barred: set[str], own: OwnView, style: Style) -> str:
    if any(card[1] == "H" for card in barred) and "QS" in barred:
        return _("You lead: any card but {queen} or a heart, until hearts are broken.").format(
            queen=card_name("QS", style)
        )
    if any(card[1] == "H" for card in barred):
        return _("You lead: any card but a heart, as no heart has been played to another suit yet.")
    if "QS" in barred:
        return _("You lead: any card but {queen}, until hearts are broken.").format(
            queen=card_name("QS", style)
        )
    if not public.hearts_broken and all(card[1] == "H" for card in own.hand):
        return _("You lead a {suit}, as you hold nothing else.").format(suit=suit_name("H", style))
    return _("You lead: any card. The others must follow its suit if they can.")


def _at_stake(public: PublicView, style: Style) -> str:
    """Say what the cards on the table cost who takes them."""
    points = points_on_table(public)
    if points <= 0:
        return ""
    return ngettext(
        "{points} point lies there (a heart 1, {queen} 13).",
        "{points} points lie there (a heart 1, {queen} 13).",
        points,
    ).format(points=points, queen=card_name("QS", style))


def highest(cards: Sequence[TrickCard]) -> TrickCard:
    """Give the card that takes a trick as it lies."""
    led = cards[0].card[1]
    following = [played for played in cards if played.card[1] == led]
    return max(following, key=lambda played: RANKS.index(played.card[0]))


def points_on_table(public: PublicView) -> int:
    """Count what the trick is worth: a heart 1, the queen 13, the jack -10 where it counts."""
    cards = [played.card for played in public.trick]
    points = sum(card[1] == "H" for card in cards) + 13 * ("QS" in cards)
    return points - 10 * (public.rules.get("jack_of_diamonds") is True and "JD" in cards)
