"""Hints in words: who may have them, and the sentence for what the computer player would do."""

from __future__ import annotations

from hearts_client.i18n import N_, _
from hearts_client.refusals import error_sentence
from hearts_client.speech import Style, card_name, joined
from hearts_net.bots.hint import Hint, Reason
from hearts_net.protocol.messages import View

_REASONS = {
    Reason.ONLY_CARD: N_("{card}: nothing else may be played."),
    Reason.PASS: N_("pass {card}: without them your hand carries the least risk."),
    Reason.SHOOT: N_("{card}: you may take everything and shoot the moon."),
    Reason.STOP_MOON: N_("{card}: a point must not go to whoever has taken all so far."),
    Reason.SHED_QUEEN: N_("{card}: get rid of the queen while you can."),
    Reason.SHED_POINTS: N_("{card}: the points go to somebody else."),
    Reason.SHED_RISK: N_("{card}: it would be dangerous to keep."),
    Reason.DUCK_QUEEN: N_("{card}: duck, the queen of spades is still out."),
    Reason.DUCK: N_("{card}: the highest card worth playing that does not take the trick."),
    Reason.TAKE_SAFELY: N_("{card}: the trick costs nothing, so a high card may go."),
    Reason.TAKE_ANYWAY: N_("{card}: of the cards that may take the trick it costs least."),
    Reason.LEAD_AT_QUEEN: N_("{card}: it may drive the queen of spades out."),
    Reason.LEAD_LOW: N_("{card}: most of the others must go above it."),
    Reason.LEAD: N_("{card}: of all leads it costs least."),
}


def why_no_hint(view: View) -> str:
    """Return why there is no hint for the player of a view now; empty when there is one."""
    if view.own is None:
        return error_sentence("no-seat")
    if view.public.rules.get("aids") is not True:
        return _("There are no hints at this table: it is played without aids.")
    if "pass" not in view.own.may and not view.own.legal:
        return _("There is a hint when it is your turn.")
    return ""


def hint_words(hint: Hint, style: Style) -> str:
    """Say what the computer player would do, and why."""
    cards = joined([card_name(card, style) for card in hint.cards])
    return _("Hint: {hint}").format(hint=_(_REASONS[hint.reason]).format(card=cards))
