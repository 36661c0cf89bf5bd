"""Why a card may not be played: the code of the rule that bars it, from the seat's own view."""

from __future__ import annotations

from hearts_net.protocol.messages import View
from hearts_net.rules.errors import RuleCode


def why_not(view: View, card: str) -> RuleCode | None:
    """Name the rule that bars a card now; None when it may be played.

    The host alone decides; this only saves a player the wait for its answer. What is legal comes
    from the view, and the order of the questions is that of the rules.
    """
    own, public = view.own, view.public
    if own is None or public.phase != "playing":
        return RuleCode.WRONG_PHASE
    if card not in own.hand:
        return RuleCode.NOT_IN_HAND
    if public.turn != own.seat:
        return RuleCode.NOT_YOUR_TURN
    if card in own.legal or not own.legal:
        return None
    return _bar(view, card, own.hand)


def _bar(view: View, card: str, hand: list[str]) -> RuleCode:
    public = view.public
    leading = not public.trick
    if leading and public.trick_number == 1:
        return RuleCode.LEAD_TWO_OF_CLUBS
    if not leading:
        led = public.trick[0].card[1]
        if any(held[1] == led for held in hand):
            return RuleCode.MUST_FOLLOW
    if public.trick_number == 1 and public.rules.get("first_trick_points") is False:
        return RuleCode.NO_POINTS_FIRST_TRICK
    return RuleCode.QUEEN_BARRED if card == "QS" else RuleCode.HEARTS_NOT_BROKEN
