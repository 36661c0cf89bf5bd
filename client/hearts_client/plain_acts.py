"""Commands of plain mode that do something at the table: cards, seats, rules, votes, the door."""

from __future__ import annotations

from collections.abc import Iterator

from hearts_client import doorwords
from hearts_client import plain_answers as answers
from hearts_client.absence import missed_seats
from hearts_client.i18n import _
from hearts_client.optionwords import option_words
from hearts_client.plain_answers import Ask, asked
from hearts_client.plain_cards import NotUnderstoodError, read_cards
from hearts_client.plain_intents import (
    ChooseAhead,
    Do,
    DoAll,
    Handler,
    Intent,
    Knowledge,
    Tell,
    own_view,
)
from hearts_client.refusals import error_sentence
from hearts_client.safetext import safe_text
from hearts_client.speech import card_name
from hearts_net.bots.levels import DEFAULT_LEVEL
from hearts_net.protocol import messages as m
from hearts_net.rules.options import OPTION_SPECS, Options, parse_option, preset

MOST_SAID = 200
"""Letters of a line said; the protocol allows 400."""


# ---- cards ---------------------------------------------------------------------------------------


def cards(known: Knowledge, text: str) -> Intent:
    """Pass or play the cards named, whichever is asked for."""
    return pass_cards(known, text) if asked(known.view) is Ask.PASS else play(known, text)


def pass_cards(known: Knowledge, text: str) -> Intent:
    """Pass three cards."""
    own = own_view(known)
    cards = read_cards(text, own.hand)
    if len(set(cards)) != 3 or len(cards) != 3:
        raise NotUnderstoodError(_("Name three different cards to pass, such as: qs 7s 2s."))
    return Do(m.Pass(cards))


def play(known: Knowledge, text: str) -> Intent:
    """Play a card."""
    own = own_view(known)
    if asked(known.view) is Ask.PASS:
        raise NotUnderstoodError(
            _("Cards are being passed: name three of them, such as pass qs 7s 2s.")
        )
    if not own.legal:
        return Tell((error_sentence("not-your-turn"), answers.waiting(known.view)))
    cards = read_cards(text, own.hand, own.legal)
    if len(cards) != 1:
        raise NotUnderstoodError(_("Name one card to play, such as: qs."))
    return Do(m.Play(cards[0]))


# ---- acts ----------------------------------------------------------------------------------------


def just(act: m.AnyAct) -> Handler:
    """Make the handler of a command that sends this act."""
    return lambda _known, _rest: Do(act)


def ready(known: Knowledge, rest: str) -> Intent:
    """Be ready, or with “no” not yet."""
    own_view(known)
    if rest not in ("", "no"):
        raise NotUnderstoodError(_("Type ready, or ready no."))
    return Do(m.Ready(not rest))


def rematch(known: Knowledge, _rest: str) -> Intent:
    """Play again with these players, as soon as all of them want to."""
    own_view(known)
    if known.view.public.phase != "game-over":
        raise NotUnderstoodError(
            _("There can be another game only after this one: wait for its end.")
        )
    return Do(m.Ready())


def go_on(known: Knowledge, _rest: str) -> Intent:
    """Go on to the next deal."""
    own_view(known)
    return Do(m.Ready())


def ahead(known: Knowledge, rest: str) -> Intent:
    """Choose a card before the turn, say which one is chosen, or take it back."""
    own = own_view(known)
    if not rest:
        if not known.ahead:
            return Tell((_("No card is chosen ahead."),))
        words = _("You have chosen {card} ahead; ahead none takes it back.")
        return Tell((words.format(card=card_name(known.ahead, known.style)),))
    if rest == "none":
        return ChooseAhead("")
    if not known.wishes.ahead:
        raise NotUnderstoodError(_("Choosing ahead is off: settings ahead on turns it on."))
    if known.view.public.phase != "playing":
        raise NotUnderstoodError(_("A card can be chosen ahead only while tricks are played."))
    if asked(known.view) is Ask.PLAY:
        raise NotUnderstoodError(_("It is your turn: type the card alone to play it."))
    chosen = read_cards(rest, own.hand)
    if len(chosen) != 1:
        raise NotUnderstoodError(_("Name one card to choose ahead, such as: ahead qs."))
    if chosen[0] not in own.hand:
        raise NotUnderstoodError(error_sentence("not-in-hand"))
    return ChooseAhead(chosen[0])


def _seat_number(text: str) -> int:
    if text not in ("1", "2", "3", "4"):
        raise NotUnderstoodError(_("Name a seat by its number, from 1 to 4."))
    return int(text) - 1


def sit(known: Knowledge, rest: str) -> Intent:
    """Take a seat."""
    seat = _seat_number(rest)
    if known.view.own is not None and known.view.own.seat == seat:
        return Tell((_("You sit there already."),))
    return Do(m.Sit(seat))


def _free_seat(view: m.View) -> int:
    for seat, player in enumerate(view.public.seats):
        if player.kind == "empty":
            return seat
    raise NotUnderstoodError(_("No seat is free."))


def bot(known: Knowledge, rest: str) -> Intent:
    """Put a bot on a seat."""
    words = rest.split()
    seat = _seat_number(words.pop(0)) if words and words[0].isdigit() else _free_seat(known.view)
    return Do(m.AddBot(seat, words[0] if words else DEFAULT_LEVEL))


def bots(known: Knowledge, rest: str) -> Intent:
    """Put bots on every free seat."""
    _free_seat(known.view)  # or say that there is none
    free = (s for s, player in enumerate(known.view.public.seats) if player.kind == "empty")
    return DoAll(tuple(m.AddBot(seat, rest or DEFAULT_LEVEL) for seat in free))


def remove(_known: Knowledge, rest: str) -> Intent:
    """Take a bot off its seat."""
    return Do(m.RemoveBot(_seat_number(rest)))


def give(_known: Knowledge, rest: str) -> Intent:
    """Free a seat."""
    return Do(m.GiveSeat(_seat_number(rest)))


def vote(known: Knowledge, rest: str) -> Intent:
    """Vote about somebody who is away."""
    words = rest.casefold().split()
    if not words or words[0] not in ("wait", "bot"):
        raise NotUnderstoodError(_("Type vote wait, or vote bot, and a seat where several wait."))
    missed = missed_seats(known.view.public)
    if len(words) > 1:
        return Do(m.Vote(_seat_number(words[1]), words[0]))
    if not missed:
        raise NotUnderstoodError(error_sentence("not-away"))
    if len(missed) > 1:
        seats = ", ".join(str(seat + 1) for seat in sorted(missed))
        raise NotUnderstoodError(
            _("Several are away: name one of their seats as well ({seats}).").format(seats=seats)
        )
    return Do(m.Vote(missed[0], words[0]))


def set_rules(known: Knowledge, rest: str) -> Intent:
    """Change rules, or say which there are."""
    if not rest:
        return Tell(tuple(_settings()))
    options = Options.from_dict(known.view.public.rules)
    for setting in rest.split():
        options = parse_option(setting, options)
    return Do(m.SetRules(options.to_dict()))


def _settings() -> Iterator[str]:
    yield _("Type a rule and its value, such as set target=50. The rules are:")
    for spec in OPTION_SPECS:
        choices = ", ".join(spec.choice_texts())
        yield _("{option}, {words}: {choices}.").format(
            option=spec.name, words=option_words(spec.name), choices=choices
        )


def preset_rules(_known: Knowledge, rest: str) -> Intent:
    """Choose a set of rules."""
    return Do(m.SetRules(preset(rest).to_dict()))


def moon(_known: Knowledge, rest: str) -> Intent:
    """Choose what the moon does."""
    choice = {"others": "others-gain", "me": "shooter-loses"}.get(rest.casefold())
    if choice is None:
        raise NotUnderstoodError(_("Type moon others, or moon me."))
    return Do(m.ChooseMoon(choice))


def say(_known: Knowledge, rest: str) -> Intent:
    """Say something."""
    text = safe_text(rest)
    if not text:
        raise NotUnderstoodError(error_sentence("nothing-to-say"))
    return Do(m.Say(text[:MOST_SAID]))


# ---- the door ------------------------------------------------------------------------------------


def _host_only(known: Knowledge) -> m.DeskView:
    if known.view.desk is None:
        raise NotUnderstoodError(error_sentence("not-allowed"))
    return known.view.desk


def _person(known: Knowledge, rest: str, *places: str) -> doorwords.Person:
    """Find whom the host's player means; only of those who ask, nobody need be named."""
    _host_only(known)
    found = [person for person in doorwords.people(known.view) if person.place in places]
    if not rest and places != ("asking",):
        raise NotUnderstoodError(_("Name somebody, or a seat by its number; people lists them."))
    person = doorwords.named(found, rest)
    if person is None:
        raise NotUnderstoodError(error_sentence("not-here"))
    return person


def admit(known: Knowledge, rest: str) -> Intent:
    """Let somebody in."""
    return Do(m.Admit(_person(known, rest, "asking").key))


def refuse(known: Knowledge, rest: str) -> Intent:
    """Turn somebody away."""
    return Do(m.Admit(_person(known, rest, "asking").key, admit=False))


def kick(known: Knowledge, rest: str) -> Intent:
    """Send somebody away."""
    return Do(m.Kick(_person(known, rest, "seat", "standing", "asking").key))


def ban(known: Knowledge, rest: str) -> Intent:
    """Send somebody away for good."""
    return Do(m.Ban(_person(known, rest, "asking", "seat", "standing").key))


def unban(known: Knowledge, rest: str) -> Intent:
    """Take a ban back."""
    return Do(m.Unban(_person(known, rest, "banned").key))


def people(known: Knowledge, _rest: str) -> Intent:
    """Say who is here."""
    desk = _host_only(known)
    found = doorwords.people(known.view)
    lines = [
        _("{name}: {words}.").format(name=person.name, words=doorwords.person_words(person))
        for person in found
    ]
    return Tell((doorwords.admission_words(desk), *(lines or [_("Nobody else is here.")])))


def admission(known: Knowledge, rest: str) -> Intent:
    """Say or choose who may join."""
    desk = _host_only(known)
    if not rest:
        return Tell((doorwords.admission_words(desk),))
    if rest not in ("open", "code", "ask"):
        raise NotUnderstoodError(_("Type admission open, admission code, or admission ask."))
    return Do(m.SetAdmission(rest))
