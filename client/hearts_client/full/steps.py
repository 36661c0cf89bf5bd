"""How a client changes: by a key or click, by typed text, by the link's news."""

from __future__ import annotations

from dataclasses import replace

from hearts_client import table_state
from hearts_client.absence import missed_seats
from hearts_client.fairwords import is_alarming, verdict_sentence
from hearts_client.full.at_door import (
    asked_about,
    asked_for_code,
    door_news,
    press_door,
    press_people,
    typed_code,
    wrong_code,
)
from hearts_client.full.at_hand import mark as mark_card
from hearts_client.full.at_hand import (
    play,
    play_ahead,
    press_moon,
    press_passing,
    press_playing,
    press_sure,
    with_marks,
    with_selection,
)
from hearts_client.full.at_lobby import press_between, press_lobby, press_rules_form
from hearts_client.full.at_settings import press_settings, typed_name
from hearts_client.full.at_start import press_start, typed_door
from hearts_client.full.intents import Intent, Want
from hearts_client.full.keys import intent_of, is_idle
from hearts_client.full.model import (
    Do,
    Effect,
    FetchPage,
    Field,
    GameOver,
    LeaveTable,
    Model,
    Page,
    Purpose,
    Quit,
    Redraw,
    Step,
    Tone,
    Where,
    closed_page,
    explained,
    is_ready,
    looked_at,
    signalled,
    where,
    with_link_notice,
    with_notice,
    with_settings,
    without_outdated,
)
from hearts_client.full.typing import edited, inserted
from hearts_client.i18n import _
from hearts_client.plain_cards import NotUnderstoodError, read_cards
from hearts_client.sentences import error_sentence
from hearts_client.settings import Signal
from hearts_client.tablelink import Reached, TableNotice
from hearts_net.protocol import peer_outputs as news
from hearts_net.protocol.messages import (
    Close,
    GiveSeat,
    GoOn,
    GoUnsaved,
    Pause,
    Ready,
    Rematch,
    Reply,
    Say,
    View,
    Vote,
)

PLAYING_WANTS = (Want.ENTER, Want.PICK, Want.POINT, Want.CLAIM, Want.REMATCH)
LOOKED_AT_MS = 1000
"""An Enter so soon after the end of a game was meant for its last card."""
PAGE_STEP = 10
SCROLLS = {Want.UP: -1, Want.DOWN: 1, Want.LEFT: -PAGE_STEP, Want.RIGHT: PAGE_STEP}
FAR = 1_000_000
"""Further than any page is long; what is drawn is bounded by the page."""
PAGES = {
    Want.SCORES: Page.SCORES,
    Want.LOG: Page.LOG,
    Want.RULES: Page.RULES,
    Want.HELP: Page.HELP,
    Want.LAST_TRICK: Page.LAST_TRICK,
    Want.HISTORY: Page.HISTORY,
    Want.INVITE: Page.INVITE,
}


def press(model: Model, intent: Intent, now: int) -> Step:
    """Take a key or a click; whatever was said before is read by now."""
    place = where(model, now)
    model = replace(model, notice=None)
    if intent.want not in (Want.PICK, Want.POINT):
        model = replace(model, picked="")
    if intent.want not in PLAYING_WANTS:  # who presses something else holds no key down
        model = replace(model, dropped_at=0)
    if place is Where.LEAVING and intent.want is not Want.HELP:
        return _press_leaving(model, intent)
    if place is Where.ENDED:
        return model, ((Quit(),) if intent.want is Want.LEAVE else ())
    if model.watches and is_idle(intent.want, place):
        return with_notice(model, _("You are watching, so that does nothing: ? lists the keys."))
    general = _press_anywhere(model, intent)
    if general is not None:
        return general
    if place is Where.PAGE:
        return _press_page(model, intent), ()
    return _press_in_place(model, intent, place, now)


def press_listed(model: Model, key: str, now: int) -> Step | None:
    """Take a key that the open help lists, as if help were closed; None for any other."""
    if where(model, now) is not Where.PAGE or model.page is not Page.HELP:
        return None
    closed = explained(model)
    intent = intent_of(key, where(closed, now))
    return None if intent is None else press(closed, intent, now)


def _press_in_place(model: Model, intent: Intent, place: Where, now: int) -> Step:
    if place is Where.PLAYING and _deal_is_over(model):
        if intent.want is Want.ENTER:
            return replace(model, table=table_state.clear_shown(model.table)), ()
        if intent.want is Want.HINT:  # the key of "hold on", which will stand there in a moment
            return _press_in_place(model, Intent(Want.NOT_YET), Where.DEAL_OVER, now)
    match place:
        case Where.START:
            return press_start(model, intent)
        case Where.LOBBY:
            return press_lobby(model, intent)
        case Where.RULES_FORM:
            return press_rules_form(model, intent)
        case Where.PEOPLE:
            return press_people(model, intent)
        case Where.SETTINGS:
            return press_settings(model, intent)
        case Where.SURE:
            return press_sure(model, intent, now)
        case Where.PASSING:
            return press_passing(model, intent, now)
        case Where.PLAYING:
            return press_playing(model, intent, now)
        case Where.MOON:
            return press_moon(model, intent, now)
        case Where.DEAL_OVER if intent.want in (Want.ENTER, Want.NOT_YET):
            return _do_if(model, "ready", Do(Ready(intent.want is Want.ENTER)))
        case Where.DEAL_OVER | Where.GAME_OVER if intent.want in (Want.POINT, Want.BOT):
            return press_between(model, intent)
        case Where.GAME_OVER if intent.want is Want.REMATCH:
            if looked_at(model, now) < LOOKED_AT_MS:
                dropped = replace(model, dropped_at=now)
                return with_notice(dropped, _("The game is over: have a look, then press Enter."))
            return _do_if(model, "ready", Do(Ready(not is_ready(model))))
        case Where.GAME_OVER if intent.want is Want.REOPEN:
            return _do_if(model, "rematch", Do(Rematch()))
    return model, ()


def _deal_is_over(model: Model) -> bool:
    """Tell whether only the last trick is still looked at."""
    return model.public is not None and model.public.phase in ("deal-over", "game-over")


def _do_if(model: Model, tag: str, effect: Do) -> Step:
    if tag in table_state.may(model.table):
        return model, (effect,)
    return with_notice(model, error_sentence("not-now"), Tone.ERROR)


def _press_anywhere(model: Model, intent: Intent) -> Step | None:
    match intent.want:
        case Want.LEAVE:
            return replace(model, page=Page.LEAVING, answer=0, field=None), ()
        case Want.REDRAW:
            return model, (Redraw(),)
        case Want.CHAT:
            table = replace(model.table, unread=0)
            return replace(model, table=table, page=None, field=Field(Purpose.CHAT)), ()
        case Want.MOUSE:
            return _toggled_mouse(model)
        case Want.MUTE:
            return _toggled_chat(model)
        case Want.BELL:
            return _toggled_signal(model)
        case Want.SETTINGS:
            return replace(model, page=Page.SETTINGS, choice=0, scroll=0), ()
        case Want.PAUSE:
            return _pause(model)
        case Want.UNSAVED:
            return _do_if(model, "go-unsaved", Do(GoUnsaved()))
        case Want.GIVE:
            return _give_seat(model)
        case Want.BOT_NOW:
            return _vote(model, "bot")
        case Want.WAIT_LONGER:
            return _vote(model, "wait")
        case Want.SCORES | Want.LOG | Want.RULES | Want.HELP | Want.LAST_TRICK | Want.INVITE:
            return _turned_page(model, PAGES[intent.want]), ()
        case Want.HISTORY:
            return _fetched_past(_turned_page(model, Page.HISTORY))
    return press_door(model, intent)


def _turned_page(model: Model, page: Page) -> Model:
    """Show a page, or put it away when it is there already; help lies on what was there."""
    if model.page is page:
        return closed_page(model)
    under = model.page if page is Page.HELP else None
    return replace(model, page=page, under=under, scroll=0)


def _fetched_past(model: Model) -> Step:
    """Ask for what the page of tricks lacks, a page at a time while it is looked at."""
    if model.page is not Page.HISTORY:
        return model, ()
    table, after = table_state.ask_for_past(model.table)
    model = replace(model, table=table)
    return model, () if after is None else (FetchPage("log", after),)


def _toggled_signal(model: Model) -> Step:
    on = model.settings.signal is Signal.NONE
    model = with_settings(model, signal=Signal.BELL if on else Signal.NONE)
    return with_notice(model, _("The bell rings for your turn.") if on else _("The bell is off."))


def _toggled_mouse(model: Model) -> Step:
    mouse = not model.mouse
    said = (
        _("Mouse on: click a card to choose it, again to play it; m turns it off.")
        if mouse
        else _("Mouse off: text can be selected again.")
    )
    return with_notice(with_settings(model, mouse=mouse), said)


def _toggled_chat(model: Model) -> Step:
    chat = not model.chat
    said = _("What others say is shown.") if chat else _("What others say is hidden; x shows it.")
    table = replace(model.table, unread=0)
    return with_notice(with_settings(replace(model, table=table), chat=chat), said)


def _pause(model: Model) -> Step:
    allowed = table_state.may(model.table)
    if "go-on" in allowed:
        return model, (Do(GoOn()),)
    if "pause" in allowed:
        return model, (Do(Pause()),)
    return with_notice(model, error_sentence("not-allowed"), Tone.ERROR)


def _vote(model: Model, choice: str) -> Step:
    """Vote about whoever the game waits for, or will first."""
    missed = missed_seats(model.public) if model.public is not None else []
    if "vote" in table_state.may(model.table) and missed:
        return model, (Do(Vote(missed[0], choice)),)
    return with_notice(model, _("Nobody is away; there is nothing to vote about."))


def _give_seat(model: Model) -> Step:
    seats = table_state.seats(model.table)
    gone = [i for i, seat in enumerate(seats) if seat.presence == "left"]
    gone += [i for i, seat in enumerate(seats) if seat.presence == "away"]
    hosting = "close" in table_state.may(model.table)
    hosting = hosting or (model.me is not None and seats[model.me].host)
    allowed = "give-seat" in table_state.may(model.table)
    if not (hosting or allowed):
        return with_notice(model, error_sentence("not-allowed"), Tone.ERROR)
    if not gone:
        return with_notice(model, _("Everybody is here; there is no seat to give away."))
    if not allowed:
        return with_notice(model, error_sentence("not-now"), Tone.ERROR)
    return model, (Do(GiveSeat(gone[0])),)


def _press_page(model: Model, intent: Intent) -> Model:
    match intent.want:
        case Want.BACK | Want.ENTER:
            return closed_page(model)
        case Want.FIRST | Want.LAST:
            top = (intent.want is Want.FIRST) is (model.page is not Page.LOG)
            return replace(model, scroll=0 if top else FAR)
    step = SCROLLS.get(intent.want, 0)
    if model.page is Page.LOG:  # its newest line is at the bottom, and that is where it opens
        step = -step
    return replace(model, scroll=max(0, model.scroll + step))


def leave_answers(model: Model) -> list[str]:
    """List the buttons of the page that asks before leaving."""
    answers = [_("Stay"), _("Leave")]
    if model.at_table and "close" in table_state.may(model.table):
        answers.append(_("End the table for all, saved"))
    return answers


def _press_leaving(model: Model, intent: Intent) -> Step:
    count = len(leave_answers(model))
    match intent.want:
        case Want.LEFT | Want.UP:
            return replace(model, answer=(model.answer - 1) % count), ()
        case Want.RIGHT | Want.DOWN:
            return replace(model, answer=(model.answer + 1) % count), ()
        case Want.YES:
            return _answered(model, 1)
        case Want.NO | Want.BACK | Want.LEAVE:
            return _answered(model, 0)
        case Want.PICK:
            return _answered(model, min(intent.number, count - 1))
        case Want.ENTER:
            return _answered(model, model.answer)
        case Want.REDRAW:
            return model, (Redraw(),)
    return model, ()


def _answered(model: Model, answer: int) -> Step:
    stays = replace(model, page=None, answer=0)
    if answer == 0:
        return stays, ()
    if not model.at_table:
        return model, (Quit(),)
    if answer == 1:
        return model, (LeaveTable(),)
    return stays, (Do(Close()),)


# ---- typed text ----------------------------------------------------------------------------------


def type_text(model: Model, text: str) -> Model:
    """Insert typed or pasted text into the open field."""
    if model.field is None:
        return model
    return replace(model, field=inserted(model.field, text), notice=None)


def type_key(model: Model, key: str, now: int) -> Step:
    """Take a key that edits, ends or cancels the open field."""
    field = model.field
    if field is None:
        return model, ()
    if key in ("escape", "c-c") or (key == "c-h" and not field.text):
        closed = replace(model, field=None)
        if field.purpose is Purpose.CODE:  # without it there is nothing to wait for
            return closed, ((LeaveTable(),) if key != "c-h" else ())
        return closed, ()
    if key == "enter":
        return _entered(model, field, now)
    return replace(model, field=edited(field, key)), ()


def _entered(model: Model, field: Field, now: int) -> Step:
    closed = replace(model, field=None)
    text = field.text.strip()
    if field.purpose in (Purpose.ADDRESS, Purpose.TABLE_NAME):
        return typed_door(model, field)
    if field.purpose is Purpose.CODE:
        return typed_code(model, text)
    if field.purpose is Purpose.NAME:
        return typed_name(model, text)
    if not text:
        return closed, ()
    if field.purpose is Purpose.CHAT:
        return closed, (Do(Say(text)),)
    return _entered_card(closed, text, now)


def _entered_card(model: Model, text: str, now: int) -> Step:
    try:
        cards = read_cards(text, model.hand, model.legal)
    except NotUnderstoodError as error:
        return with_notice(model, error.sentence, Tone.ERROR)
    if not set(cards) <= set(model.hand):
        return with_notice(model, error_sentence("not-in-hand"), Tone.ERROR)
    if where(model, now) is not Where.PASSING:
        return play(model, cards[0], now)
    effects: tuple[Effect, ...] = ()
    for card in cards:
        model, effects = mark_card(model, card)
    return model, effects


# ---- what the link tells -------------------------------------------------------------------------


def heard(model: Model, event: object, now: int) -> Step:
    """Take in an event of the link."""
    table = model.table
    match event:
        case news.NewView(view, gap):
            return heard_view(model, view, now, gap=gap)
        case news.Replied(_, reply, _):
            return _heard_reply(model, reply)
        case news.CodeAsked():
            return asked_for_code(model)
        case news.AskedAbout():
            return asked_about(model)
        case news.RefusedBy("wrong-code", detail, False):
            return wrong_code(model, detail)
        case news.RemovedBy(reason):
            return replace(model, table=replace(table, removed=reason)), ()
        case news.RefusedBy(code, detail, _):
            return with_link_notice(model, error_sentence(code, detail))
        case news.SupersededBy():
            return replace(model, table=replace(table, superseded=True)), ()
        case news.HostClosing(reason):
            return replace(model, table=replace(table, closing=reason)), ()
        case news.LogArrived(page):
            table = table_state.log_arrived(table, page)
            more = page.more and page.events and table_state.missing_log(table) is not None
            after = (FetchPage("log", page.events[-1].n),) if more else ()
            model, further = _fetched_past(replace(model, table=table))
            return model, (*after, *further)
        case news.DealsArrived(page):
            table = table_state.deals_arrived(table, page)
            more_deals = page.more and page.deals
            fetch = (FetchPage("deals", page.deals[-1].deal),) if more_deals else ()
            return replace(model, table=table), fetch
        case news.DealChecked():
            model = replace(model, table=table_state.deal_checked(table, event))
            alarming = is_alarming(event)
            if not (alarming or event.late) or model.public is None:
                return model, ()
            said = verdict_sentence(event, model.public.seats, model.me)
            return with_notice(model, said, Tone.ERROR if alarming else Tone.PLAIN)
        case news.LinkChanged(state, _):
            table = table_state.link_changed(table, state.value, now)
            return play_ahead(without_outdated(replace(model, table=table)), now)
        case TableNotice(text):
            return with_notice(model, text, Tone.ERROR)
        case Reached(invite):
            return replace(model, invite=invite), ()
        case news.HostSilent():
            return with_link_notice(model, error_sentence("host-silent"))
    return model, ()


def heard_view(model: Model, view: View, now: int, *, gap: bool) -> Step:
    """Take in a newer view: selection, marks and bell follow it."""
    before = model.table
    table = table_state.received_view(before, view, now, model.settings.speed_ms)
    if table is before:
        return model, ()
    model = without_outdated(replace(model, table=table))
    model, told = door_news(model, before, now)
    effects: list[Effect] = list(told)
    if gap or before.view is None:
        effects.extend(_fetches(model))
    if table.turn_since != before.turn_since:
        asked = table_state.question(view)[3]
        model = _fresh_question(model, asked=asked)
        if asked and not model.ahead:
            model, called = signalled(model, now)
            effects.extend(called)
    if before.view is None and model.settings.ready_at_once:
        effects.extend(_ready_now(model))
    if _ends_now(before.view, view) and model.me is not None:
        effects.append(GameOver())
        model = with_settings(model, first_game=False)
    if before.view is not None and before.view.public.deal != view.public.deal:
        model = replace(model, ahead="")
    model, played = play_ahead(with_selection(with_marks(model)), now)
    return model, (*effects, *played)


def _ends_now(before: View | None, view: View) -> bool:
    """Tell whether the game has ended with this view."""
    return (
        before is not None
        and before.public.phase != "game-over"
        and view.public.phase == "game-over"
    )


def _ready_now(model: Model) -> list[Effect]:
    public, me = model.public, model.me
    if public is None or me is None or public.phase != "lobby" or public.seats[me].ready:
        return []
    return [Do(Ready(True))]


def _fresh_question(model: Model, *, asked: bool) -> Model:
    """Drop what was typed for the question before."""
    if model.field is not None and model.field.purpose is Purpose.CARD:
        model = replace(model, field=None)
    model = replace(model, picked="", sure="")
    if asked:
        model = replace(model, notice=None)
    if model.public is not None and model.public.phase == "moon":
        model = replace(model, choice=0)
    return model


def _fetches(model: Model) -> list[Effect]:
    effects: list[Effect] = []
    log = table_state.missing_log(model.table)
    if log is not None:
        effects.append(FetchPage("log", log))
    deals = table_state.missing_deals(model.table)
    if deals is not None:
        effects.append(FetchPage("deals", deals))
    return effects


def _heard_reply(model: Model, reply: Reply) -> Step:
    model = without_outdated(replace(model, table=table_state.replied(model.table, reply)))
    if reply.ok:
        return model, ()
    return with_notice(model, error_sentence(reply.code, reply.detail), Tone.ERROR)
