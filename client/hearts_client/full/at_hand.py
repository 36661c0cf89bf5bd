"""What a person does with the cards in hand: choosing, marking, passing, playing, claiming."""

from __future__ import annotations

from dataclasses import replace

from hearts_client.full.intents import Intent, Want
from hearts_client.full.model import (
    START,
    Do,
    Field,
    Model,
    Notice,
    Purpose,
    Step,
    ThinkOfHint,
    Tone,
    looked_at,
    signalled,
    with_link_notice,
    with_notice,
)
from hearts_client.full.why import why_not
from hearts_client.hintwords import hint_words, why_no_hint
from hearts_client.i18n import N_, _
from hearts_client.sentences import error_sentence
from hearts_client.speech import card_name, joined, seat_name
from hearts_client.table_state import clear_shown, my_turn, own
from hearts_net.bots.hint import Hint
from hearts_net.protocol.messages import ChooseMoon, Claim, Pass, Play, Start, View
from hearts_net.rules.errors import RuleCode

PASSED_CARDS = 3
QUEEN = "QS"
MOON_CHOICES = ("others-gain", "shooter-loses")


def moved(model: Model, step: int) -> Model:
    """Move the selection one card to the left or right, around the ends."""
    hand = model.hand
    if not hand:
        return model
    at = hand.index(model.chosen) if model.chosen in hand else (-1 if step > 0 else 0)
    return replace(model, chosen=hand[(at + step) % len(hand)])


def moved_suit(model: Model, step: int) -> Model:
    """Move the selection to the first card of the suit before or after."""
    suits = list(dict.fromkeys(card[1] for card in model.hand))
    if not suits:
        return model
    at = suits.index(model.chosen[1]) if model.chosen in model.hand else 0
    suit = suits[(at + step) % len(suits)]
    candidates = [card for card in model.hand if card[1] == suit]
    legal = [card for card in candidates if card in model.legal]
    return replace(model, chosen=(legal or candidates)[0])


def with_selection(model: Model) -> Model:
    """Keep the selection on a card that is held, and at one's turn on one that is legal."""
    hand, legal = model.hand, model.legal
    if model.chosen in (legal or hand) or not hand:
        return model if hand else replace(model, chosen="")
    after = [card for card in legal or hand if _place(card) >= _place(model.chosen)]
    return replace(model, chosen=(after or list(legal or hand))[0])


def _place(card: str) -> tuple[int, int]:
    if not card:
        return (-1, -1)
    return ("CDSH".index(card[1]), "23456789TJQKA".index(card[0]))


def with_marks(model: Model) -> Model:
    """Forget marks on cards that may not be passed any more."""
    legal = model.legal
    passing = model.public is not None and model.public.phase == "passing"
    kept = tuple(card for card in model.marked if passing and card in legal)
    return model if kept == model.marked else replace(model, marked=kept)


def press_passing(model: Model, intent: Intent, now: int) -> Step:
    """Take a key while cards are passed."""
    moved_model = _move(model, intent)
    if moved_model is not None:
        return moved_model, ()
    mine = own(model.table)
    if mine is None:
        return with_notice(model, error_sentence("no-seat"), Tone.ERROR)
    if intent.want is Want.HINT:
        return ask_for_hint(model)
    if mine.passed:
        return with_notice(model, _passed_words(model))
    match intent.want:
        case Want.MARK:
            return mark(model, model.chosen)
        case Want.PICK | Want.POINT:
            card = _picked(model, intent)
            return mark(model, card) if card else _no_such_number(model, intent)
        case Want.ENTER:
            return send_pass(model, now)
    return model, ()


def _passed_words(model: Model) -> str:
    return _("You have passed; {names} still choose.").format(names=joined(still_passing(model)))


def still_passing(model: Model) -> list[str]:
    """Name those who have not passed yet."""
    public = model.public
    if public is None:
        return []
    return [seat_name(public.seats, i) for i, seat in enumerate(public.seats) if not seat.passed]


def _move(model: Model, intent: Intent) -> Model | None:
    hand = model.hand
    match intent.want:
        case Want.LEFT:
            return moved(model, -1)
        case Want.RIGHT:
            return moved(model, 1)
        case Want.UP:
            return moved_suit(model, -1)
        case Want.DOWN:
            return moved_suit(model, 1)
        case Want.FIRST:
            return replace(model, chosen=hand[0] if hand else "")
        case Want.LAST:
            return replace(model, chosen=hand[-1] if hand else "")
        case Want.TYPE_CARD:
            return replace(model, field=Field(Purpose.CARD))
    return None


def _picked(model: Model, intent: Intent) -> str:
    if intent.want is Want.POINT:
        return intent.card if intent.card in model.hand else ""
    legal = model.legal
    return legal[intent.number] if intent.number < len(legal) else ""


def _no_such_number(model: Model, intent: Intent) -> Step:
    return with_notice(
        model,
        _("No card has the number {number} now.").format(number=(intent.number + 1) % 10),
        Tone.ERROR,
    )


def mark(model: Model, card: str) -> Step:
    """Mark a card for passing, or take the mark off."""
    if not card:
        return model, ()
    model = replace(model, chosen=card)
    if card in model.marked:
        kept = tuple(other for other in model.marked if other != card)
        return replace(model, marked=kept), ()
    if len(model.marked) == PASSED_CARDS:
        return with_notice(
            model, _("Three cards are marked: take a mark off first, or send them."), Tone.ERROR
        )
    return replace(model, marked=(*model.marked, card)), ()


def send_pass(model: Model, now: int) -> Step:
    """Send the marked cards, if there are three."""
    if len(model.marked) != PASSED_CARDS:
        return with_notice(
            model,
            _("Mark three cards first: {marked} of 3 are marked.").format(marked=len(model.marked)),
            Tone.ERROR,
        )
    return _once(model, Do(Pass(list(model.marked))), now)


def press_playing(model: Model, intent: Intent, now: int) -> Step:
    """Take a key while tricks are played."""
    moved_model = _move(model, intent)
    if moved_model is not None:
        return moved_model, ()
    if own(model.table) is None:
        return with_notice(model, error_sentence("no-seat"), Tone.ERROR)
    match intent.want:
        case Want.HINT:
            return ask_for_hint(model)
        case Want.ENTER:
            return play(model, model.chosen, now)
        case Want.CLAIM:
            return claim(model, now)
        case Want.AHEAD:
            return choose_ahead(model)
        case Want.PICK | Want.POINT:
            return _pick_or_play(model, intent, now)
    return model, ()


def _pick_or_play(model: Model, intent: Intent, now: int) -> Step:
    if not model.legal and intent.want is Want.PICK:
        return not_your_turn(model)
    card = _picked(model, intent)
    if not card:
        return _no_such_number(model, intent)
    if card == model.picked:
        return play(model, card, now)
    picked = replace(model, chosen=card, picked=card)
    if card != model.chosen:
        return replace(picked, dropped_at=0), ()
    words = _("{card} is chosen: Enter plays it.").format(card=card_name(card, model.style))
    return with_notice(picked, words)


def press_sure(model: Model, intent: Intent, now: int) -> Step:
    """Take a key while it is asked whether the player is sure: only yes does it."""
    card = model.sure
    model = replace(model, sure="")
    if intent.want is not Want.YES:
        return model, ()
    if card == START:
        return model, (Do(Start()),)
    return play(model, card, now, sure=True)


def choose_ahead(model: Model) -> Step:
    """Choose the card to be played when the turn comes, or take that back."""
    public, card = model.public, model.chosen
    if not model.settings.preselect:
        return with_notice(model, _("Choosing ahead is off: a setting (,) turns it on."))
    if my_turn(model.table):
        return with_notice(model, _("It is your turn: Enter plays the chosen card."))
    if public is None or public.phase != "playing" or not card:
        return with_notice(model, error_sentence("not-now"), Tone.ERROR)
    name = card_name(card, model.style)
    if model.ahead == card:
        words = _("{card} is taken back: nothing is chosen ahead.").format(card=name)
        return with_notice(replace(model, ahead=""), words)
    words = _("{card} is played at your turn, if it may be; d takes it back.").format(card=name)
    return with_notice(replace(model, ahead=card), words)


def play_ahead(model: Model, now: int) -> Step:
    """Play the card that was chosen ahead, once the turn is there and it may be played."""
    view, card = model.table.view, model.ahead
    if not card or view is None:
        return model, ()
    if view.own is None or view.public.phase != "playing":
        return replace(model, ahead=""), ()
    if card not in view.own.hand:
        words = _("{card}, which you chose ahead, was played for you.")
        return with_notice(
            replace(model, ahead=""), words.format(card=card_name(card, model.style))
        )
    table = model.table
    if not my_turn(table) or table.link != "live" or view.public.paused or table.pending:
        return model, ()
    model = replace(model, ahead="", chosen=card)
    code = why_not(view, card)
    if code is not None:
        said, _none = with_notice(model, _not_ahead(model, card, code), Tone.ERROR)
        said, effects = signalled(said, now)
        return with_selection(said), effects
    if card == QUEEN and model.settings.confirm_queen:
        asked, effects = signalled(model, now)
        return replace(asked, sure=card), effects
    return replace(model, notice=None), (Do(Play(card)),)


def play(model: Model, card: str, now: int, *, sure: bool = False) -> Step:
    """Play a card, or say why it cannot be played; ask first for a queen, where that is set."""
    view = model.table.view
    if view is None or not card:
        return model, ()
    if view.own is None:
        return with_notice(model, error_sentence("no-seat"), Tone.ERROR)
    code = why_not(view, card)
    if code is RuleCode.NOT_YOUR_TURN:
        return not_your_turn(model)
    if code is not None:
        return with_notice(
            replace(model, chosen=card), illegal_words(model, card, code), Tone.ERROR
        )
    if card == QUEEN and model.settings.confirm_queen and not sure:
        return replace(model, chosen=card, sure=card, notice=None), ()
    return _once(replace(model, chosen=card), Do(Play(card)), now)


_ILLEGAL = {
    RuleCode.LEAD_TWO_OF_CLUBS: N_("{card} cannot open the first trick: play the two of clubs."),
    RuleCode.MUST_FOLLOW: N_("{card} does not follow suit: play a card of the suit led."),
    RuleCode.HEARTS_NOT_BROKEN: N_(
        "{card} may not be led before hearts are broken: lead another suit."
    ),
    RuleCode.QUEEN_BARRED: N_(
        "{card} may not be played before hearts are broken: play another card."
    ),
    RuleCode.NO_POINTS_FIRST_TRICK: N_(
        "{card} may not fall on the first trick: play another card."
    ),
}


_NOT_AHEAD = {
    RuleCode.LEAD_TWO_OF_CLUBS: N_("the two of clubs opens the first trick"),
    RuleCode.MUST_FOLLOW: N_("you have to follow suit"),
    RuleCode.HEARTS_NOT_BROKEN: N_("hearts are not broken yet"),
    RuleCode.QUEEN_BARRED: N_("hearts are not broken yet"),
    RuleCode.NO_POINTS_FIRST_TRICK: N_("no points may fall on the first trick"),
}


def _not_ahead(model: Model, card: str, code: RuleCode) -> str:
    """Say that the card chosen ahead was not played, and why."""
    why = _NOT_AHEAD.get(code)
    reason = _("it may not be played now") if why is None else _(why)
    words = _("{card}, chosen ahead, was not played: {reason}. Choose another card.")
    return words.format(card=card_name(card, model.style), reason=reason)


def illegal_words(model: Model, card: str, code: RuleCode) -> str:
    """Say why a card may not be played."""
    pattern = _ILLEGAL.get(code)
    if pattern is None:
        return error_sentence(code)
    return _(pattern).format(card=card_name(card, model.style))


def not_your_turn(model: Model) -> Step:
    """Say whose turn it is instead."""
    public = model.public
    if public is None or public.turn is None:
        return with_notice(model, error_sentence("not-now"), Tone.ERROR)
    name = seat_name(public.seats, public.turn)
    return with_notice(model, _("Not your turn: {name} is to play.").format(name=name), Tone.ERROR)


def claim(model: Model, now: int) -> Step:
    """Claim the rest, when the cards bear it out."""
    mine, public = own(model.table), model.public
    if mine is None or public is None:
        return model, ()
    if public.turn != mine.seat or public.trick:
        return with_notice(model, error_sentence(RuleCode.NOT_ON_LEAD), Tone.ERROR)
    if not mine.can_claim:
        return with_notice(model, error_sentence(RuleCode.CLAIM_REFUSED), Tone.ERROR)
    return _once(model, Do(Claim()), now)


def _once(model: Model, effect: Do, now: int) -> Step:
    """Send a card once: not before the player can have seen the turn, and not twice."""
    table = model.table
    if table.link != "live":
        words = _("The connection is lost: wait until it is back, then play.")
        return with_link_notice(model, words)
    if model.public is not None and model.public.paused:
        return with_notice(model, error_sentence("paused"), Tone.ERROR)
    if table.pending is not None:
        words = _("On its way to the table; one moment.")
        return replace(model, notice=Notice(words, pending=True)), ()
    if looked_at(model, now) < model.settings.guard_ms:
        return with_notice(
            replace(model, dropped_at=now),
            _("It has only just become your turn: that key was not taken. Press it again."),
        )
    return replace(model, notice=None, table=clear_shown(table)), (effect,)


def ask_for_hint(model: Model) -> Step:
    """Have a hint worked out, or say why there is none."""
    view = model.table.view
    if view is None:
        return model, ()
    refusal = why_no_hint(view)
    if refusal:
        return with_notice(model, refusal, Tone.ERROR)
    thinking = with_notice(model, _("Thinking about a hint …"))[0]
    return thinking, (ThinkOfHint(view),)


def with_hint(model: Model, view: View, hint: Hint) -> Model:
    """Show a hint that was asked for with ``view``, unless the table has gone on since."""
    now = model.table.view
    if now is None or now.own is None or view.own is None:
        return model
    if (now.public.deal, now.own.hand, now.own.legal) != (
        view.public.deal,
        view.own.hand,
        view.own.legal,
    ):
        return replace(model, notice=None)
    chosen = model if len(hint.cards) > 1 else replace(model, chosen=hint.cards[0])
    return with_notice(chosen, hint_words(hint, model.style))[0]


def press_moon(model: Model, intent: Intent, now: int) -> Step:
    """Take a key while the shooter chooses what the moon does."""
    public = model.public
    mine = model.me is not None and public is not None and public.turn == model.me
    match intent.want:
        case Want.UP | Want.DOWN | Want.LEFT | Want.RIGHT:
            return replace(model, choice=1 - min(1, model.choice)), ()
        case Want.PICK | Want.ENTER if not mine:
            return with_notice(model, error_sentence(RuleCode.NOT_THE_SHOOTER), Tone.ERROR)
        case Want.PICK:
            return replace(model, choice=min(1, intent.number)), ()
        case Want.ENTER:
            return _once(model, Do(ChooseMoon(MOON_CHOICES[min(1, model.choice)])), now)
    return model, ()
