"""What keys do, without a terminal: keys are pressed at a table, and what they ask for is seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from hearts_client.doors import NewTable
from hearts_client.full.at_lobby import preset_of
from hearts_client.full.farewell import farewell
from hearts_client.full.intents import Intent, Want
from hearts_client.full.layout import Size
from hearts_client.full.model import (
    CallPlayer,
    Do,
    FetchPage,
    Field,
    GiveCode,
    LeaveTable,
    Model,
    OpenHost,
    OpenJoin,
    Page,
    Purpose,
    Quit,
    Ring,
    Tone,
    Where,
    where,
)
from hearts_client.full.screens.draw import draw
from hearts_client.full.screens.pages import leaving_words
from hearts_client.full.steps import heard, press, type_key, type_text
from hearts_client.full.typing import LIMITS
from hearts_client.playername import LONGEST_NAME
from hearts_client.settings import ClientSettings
from hearts_client.speech import Style, card_name
from hearts_client.table_state import sent
from hearts_client.testing.sitting import EPOCH, NOON
from hearts_net.peer.identity import new_identity
from hearts_net.peer.invite import MAX_TEXT, Invite
from hearts_net.protocol import messages as m
from hearts_net.protocol import peer_session as news
from hearts_net.rules.options import PRESETS, MoonRule, Options, PassingRule

Sit = Callable[..., Any]


def pick(number: int) -> Intent:
    return Intent(Want.PICK, number)


def typed(table: Any, text: str) -> list[Any]:
    """Type a line into the open field and end it with Enter."""
    table.model = type_text(table.model, text)
    table.model, effects = type_key(table.model, "enter", table.now)
    return list(effects)


def passing(sitting: Sit, **fields: Any) -> Any:
    table = sitting(**fields)
    table.step()
    table.now += 1000
    return table


# ---- passing -------------------------------------------------------------------------------------


def test_passing_takes_two_steps(sitting: Sit) -> None:
    table = passing(sitting)
    hand = table.model.hand
    assert table.press(Want.ENTER) == []
    assert "0 of 3" in table.model.notice.text
    assert table.press(pick(0), pick(4), pick(7)) == []
    assert table.model.marked == (hand[0], hand[4], hand[7])
    assert table.press(Want.ENTER) == [Do(m.Pass([hand[0], hand[4], hand[7]]))]


def test_a_fourth_card_is_not_marked(sitting: Sit) -> None:
    table = passing(sitting)
    table.press(pick(0), pick(1), pick(2), pick(3))
    assert len(table.model.marked) == 3
    assert "Three cards are marked" in table.model.notice.text
    table.press(pick(1), pick(3))
    assert table.model.marked == tuple(table.model.hand[n] for n in (0, 2, 3))


def test_marks_are_gone_once_cards_are_passed(sitting: Sit) -> None:
    table = passing(sitting)
    table.press(pick(0), pick(1), pick(2))
    table.until(lambda at: at.game.deal.passes[0])
    assert table.model.marked == ()
    assert table.press(Want.ENTER) == []


def test_cards_can_be_typed_for_passing(sitting: Sit) -> None:
    table = passing(sitting)
    hand = table.model.hand
    table.press(Want.TYPE_CARD)
    assert table.model.field.purpose is Purpose.CARD
    assert typed(table, " ".join(hand[:3]).lower()) == []
    assert table.model.marked == hand[:3]


# ---- playing -------------------------------------------------------------------------------------


def test_enter_plays_the_chosen_card(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    assert table.press(Want.ENTER) == [Do(m.Play(table.model.legal[0]))]


def test_a_number_chooses_and_again_plays(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    card = table.model.legal[2]
    assert table.press(pick(2)) == []
    assert table.model.chosen == card
    assert table.press(pick(2)) == [Do(m.Play(card))]
    table.press(pick(9))
    assert "No card has the number 0" in table.model.notice.text


def test_a_typed_card_is_played(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    card = table.model.legal[3]
    table.press(Want.TYPE_CARD)
    assert typed(table, card.lower()) == [Do(m.Play(card))]
    assert table.model.field is None
    table.press(Want.TYPE_CARD)
    assert typed(table, "zz") == []
    assert "no card" in table.model.notice.text


def test_a_number_only_picks_the_card_that_is_chosen_already(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    card = table.model.legal[0]
    assert table.model.chosen == card
    assert table.press(pick(0)) == []
    assert "is chosen: Enter plays it." in table.text()
    assert table.press(Want.RIGHT, Want.LEFT, pick(0)) == []
    assert table.press(pick(0)) == [Do(m.Play(card))]


def test_a_bot_takes_the_first_free_seat_when_the_chosen_one_is_taken(sitting: Sit) -> None:
    table = sitting().lobby()
    assert table.model.choice == table.model.me
    assert table.press(Want.BOT) == [Do(m.AddBot(2, table.model.level))]
    table.lobby(seated=3)
    assert table.press(Want.BOT) == [Do(m.AddBot(3, table.model.level))]
    table.lobby(seated=4)
    assert table.press(Want.BOT) == []
    assert "All four seats are taken." in table.text()


def test_the_keys_of_the_lobby_say_what_they_do_to_the_chosen_seat(sitting: Sit) -> None:
    table = sitting().lobby(seated=3)  # this player, a person, a bot, and a free seat
    bottom = [" ".join(table.text().splitlines()[-2:])]
    for _ in range(3):
        table.press(Want.DOWN)
        bottom.append(" ".join(table.text().splitlines()[-2:]))
    assert ["s stand up" in row for row in bottom] == [True, False, False, False]
    assert ["s sit there" in row for row in bottom] == [False, False, True, True]
    assert ["b bot off" in row for row in bottom] == [False, False, True, False]
    assert ["b add bot" in row for row in bottom] == [True, True, False, True]
    for row in bottom:
        for hint in ("v level", "o options", "g go", "c chat", ", settings", "? help"):
            assert hint in row


def test_no_seat_is_given_away_while_everybody_is_here(sitting: Sit) -> None:
    table = sitting().lobby()
    assert table.press(Want.GIVE) == []
    assert "Everybody is here; there is no seat to give away." in table.text()


def test_what_cannot_be_saved_is_not_said_to_be(sitting: Sit) -> None:
    alone = sitting(bots=frozenset({1, 2, 3})).until_my_turn(trick=2)
    view = alone.model.table.view
    assert view is not None
    unsaved = msgspec.structs.replace(
        view, public=msgspec.structs.replace(view.public, saving="off")
    )
    alone.model = replace(alone.model, table=replace(alone.model.table, view=unsaved))
    assert "lost" in farewell(alone.model)
    assert "It is saved" not in farewell(alone.model)
    alone.press(Want.LEAVE)
    assert "what is not saved by then is lost" in alone.text()


def as_a_joiner(model: Model) -> Model:
    """Have the table be somebody else's."""
    view = model.table.view
    assert view is not None
    seats = [msgspec.structs.replace(seat, host=False) for seat in view.public.seats]
    public = msgspec.structs.replace(view.public, seats=seats)
    theirs = msgspec.structs.replace(view, public=public, desk=None)
    return replace(model, table=replace(model.table, view=theirs))


def test_the_farewell_says_what_becomes_of_the_table(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    assert farewell(table.model) == "You have left the table."
    alone = sitting(bots=frozenset({1, 2, 3})).until_my_turn(trick=2)
    assert "It is saved: hearts-net resume takes it up again." in farewell(alone.model)
    early = sitting(bots=frozenset({1, 2, 3}))
    early.step()
    assert farewell(early.model) == "You have left the table."
    early.press(Want.LEAVE)
    assert "No card has been played yet." in early.text()
    assert "which goes on" in farewell(replace(alone.model, invite="hearts://x"))
    assert "hearts-net stop ends it" in farewell(replace(alone.model, invite="hearts://x"))
    joiner = as_a_joiner(replace(alone.model, invite="hearts://x"))
    assert farewell(joiner).endswith("which goes on: hearts-net join brings you back.")
    assert farewell(replace(alone.model, at_table=False)) == ""
    ended = replace(table.model, table=replace(table.model.table, closing="saved"))
    assert "the game is saved" in farewell(ended)


def test_what_is_on_its_way_is_said_until_it_is_answered(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    table.model = replace(table.model, table=sent(table.model.table, 7))
    assert table.press(Want.ENTER) == []
    assert "On its way" in table.text()
    refused = m.Reply(7, False, "not-your-turn", {}, 0, 0)
    table.model, _ = heard(table.model, news.Replied(7, refused, m.Play("2C")), table.now)
    assert "On its way" not in table.text()
    table.model = replace(table.model, table=sent(table.model.table, 8))
    table.press(Want.ENTER)
    done = m.Reply(8, True, "", {}, table.view().epoch, table.seq + 1)
    table.model, _ = heard(table.model, news.Replied(8, done, m.Play("2C")), table.now)
    assert "On its way" in table.text()
    table.step()
    assert "On its way" not in table.text()


def test_clicking_chooses_and_again_plays(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    card = table.model.legal[1]
    click = Intent(Want.POINT, card=card)
    assert table.press(click) == []
    assert table.press(click) == [Do(m.Play(card))]


def follow_turn(sitting: Sit) -> Any:
    """A turn at which a suit must be followed and the hand holds others too."""
    return sitting().until(
        lambda at: at.model.legal and at.game.deal is not None and at.game.deal.trick
        and at.game.deal.turn == 0 and len(at.model.legal) < len(at.model.hand)
        and at.model.legal[0][1] == at.view().public.trick[0].card[1]
    )  # fmt: skip


def test_an_illegal_card_says_why(sitting: Sit) -> None:
    table = follow_turn(sitting)
    card = next(card for card in table.model.hand if card not in table.model.legal)
    assert table.press(Intent(Want.POINT, card=card)) == []
    assert table.press(Want.ENTER) == []
    assert table.model.notice.text == (
        f"{card_name(card, Style.SYMBOLS)} does not follow suit: play a card of the suit led."
    )
    assert "does not follow suit" in table.text()


def test_not_your_turn_is_told_apart(sitting: Sit) -> None:
    table = sitting().until(
        lambda at: at.game.phase == "playing" and at.game.deal.turn not in (0, None)
    )
    table.now += 5000
    for want in (Want.ENTER, pick(0)):
        assert table.press(want) == []
        assert table.model.notice.text.startswith("Not your turn:")


def test_type_ahead_does_not_play(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    table.now -= 900  # the key comes 100 ms after the turn
    assert table.press(Want.ENTER) == []
    assert "only just become your turn" in table.model.notice.text
    assert table.press(Want.ENTER) == [Do(m.Play(table.model.chosen))]


def held(table: Any, want: Want | Intent, times: int, every: int = 35) -> list[Any]:
    """Hold a key down: it comes again and again, without a pause."""
    asked: list[Any] = []
    for _ in range(times):
        table.now += every - 1000  # the fixture itself lets a second go by
        asked += table.press(want)
    return asked


@pytest.mark.parametrize("key", [Want.ENTER, pick(0)])
def test_a_key_held_down_into_the_turn_plays_nothing(sitting: Sit, key: Want | Intent) -> None:
    table = sitting().until_my_turn(trick=2)
    assert held(table, key, 40) == []
    assert "only just become your turn" in table.model.notice.text
    assert table.press(key) == [Do(m.Play(table.model.chosen))]


def test_who_held_a_key_down_and_then_moves_need_not_wait(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    assert held(table, Want.ENTER, 20) == []
    assert held(table, Want.RIGHT, 1) == []
    table.model = replace(table.model, chosen=table.model.legal[0])
    assert held(table, Want.ENTER, 1) == [Do(m.Play(table.model.chosen))]


def test_a_key_held_down_past_the_end_of_a_game_asks_for_no_rematch(sitting: Sit) -> None:
    settings = ClientSettings(name="Asha", speed_ms=0)
    table = sitting(options=Options(target=1), settings=settings)
    table.until(lambda at: at.game.winner is not None)
    table.own_changes = {"may": ["ready"]}
    table.show()
    table.now -= 900  # 100 ms after the end
    assert held(table, Want.REMATCH, 60) == []
    assert table.press(Want.REMATCH) == [Do(m.Ready(True))]


def test_a_second_enter_does_not_play_twice(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    table.press(Want.ENTER)
    table.model = replace(table.model, table=replace(table.model.table, pending=5))
    assert table.press(Want.ENTER) == []
    assert "On its way" in table.model.notice.text


def test_a_card_field_closes_when_the_turn_changes(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    table.press(Want.TYPE_CARD)
    table.model = type_text(table.model, "q")
    table.step()
    assert table.model.field is None


def test_chat_stays_open_when_the_turn_changes(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    table.press(Want.CHAT)
    table.model = type_text(table.model, "wait")
    table.step()
    assert table.model.field.text == "wait"


def test_selection_moves_around_and_by_suit(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    hand = table.model.hand
    table.press(Want.FIRST, Want.LEFT)
    assert table.model.chosen == hand[-1]
    table.press(Want.RIGHT, Want.DOWN)
    assert table.model.chosen[1] != hand[0][1]


def test_nothing_is_played_while_the_link_is_lost(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    table.model, _ = heard(table.model, news.LinkChanged(news.LinkState.LOST, 0), table.now)
    assert table.press(Want.ENTER) == []
    assert "connection is lost" in table.model.notice.text
    table.told(news.LinkChanged(news.LinkState.GREETING, 0))
    assert "connection is lost" in table.model.notice.text
    table.told(news.LinkChanged(news.LinkState.LIVE, 0))
    assert table.model.notice is None, "all is well again"


def test_what_a_host_refused_is_said_until_it_answers(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    for gone in (news.HostSilent(), news.RefusedBy("busy", {}, False)):
        table.told(news.LinkChanged(news.LinkState.LOST, 0))
        table.told(gone)
        assert table.model.notice.tone is Tone.ERROR
        table.told(news.LinkChanged(news.LinkState.LIVE, 0))
        assert table.model.notice is None
    table.told(news.RefusedBy("slow-down", {}, False))
    table.told(news.LinkChanged(news.LinkState.LIVE, 0))
    assert table.model.notice is not None, "a refusal at a table that answers is another matter"


def test_claiming_is_offered_and_asked(sitting: Sit) -> None:
    table = sitting(hands=None).until_my_turn(trick=2)
    assert table.press(Want.CLAIM) == []
    assert "not certainly yours" in table.model.notice.text
    table.own_changes["can_claim"] = True
    table.show()
    assert "k: the rest are yours" in table.text()
    assert table.press(Want.CLAIM) == [Do(m.Claim())]


def test_the_bell_rings_once_for_a_turn(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    assert table.effects.count(Ring()) == 3  # passing and two turns
    table.show()
    assert table.effects.count(Ring()) == 3
    table.press(Want.BELL)
    table.step()
    table.until_my_turn(trick=3)
    assert table.effects.count(Ring()) == 3


def test_the_moon_is_chosen(sitting: Sit, moon_hands: tuple[int, int, int, int]) -> None:
    options = Options(moon=MoonRule.SHOOTER_CHOOSES, passing=PassingRule.NONE)
    table = sitting(options=options, hands=moon_hands)
    table.until(lambda at: at.game.phase == "moon")
    assert table.press(pick(1), Want.ENTER) == [Do(m.ChooseMoon("shooter-loses"))]


def test_enter_does_not_wait_for_the_last_trick_to_be_looked_at(sitting: Sit) -> None:
    table = sitting().until(lambda at: at.game.results)
    table.now -= 500
    assert where(table.model, table.now) is Where.PLAYING
    table.now -= 500
    assert table.press(Want.ENTER) == []
    assert where(table.model, table.now) is Where.DEAL_OVER


def test_between_deals_enter_says_ready(sitting: Sit) -> None:
    table = sitting().until(lambda at: at.game.results)
    table.now += 2000
    assert where(table.model, table.now) is Where.DEAL_OVER
    assert table.press(Want.ENTER) == [Do(m.Ready(True))]


def test_after_the_game_enter_says_that_one_plays_again_and_takes_it_back(sitting: Sit) -> None:
    table = sitting(options=Options(target=1)).until(lambda at: at.game.winner is not None)
    table.now += 2000
    assert "Enter: play again with these players.  o: to the lobby." in table.text()
    assert table.press(Want.REMATCH) == [Do(m.Ready(True))]
    table.seat_changes[0] = {"ready": True}
    table.show()
    for size in ((80, 24), (120, 40), (60, 18)):
        assert "You play again; waiting for Bram and Dana." in table.text(*size)
    assert table.press(Want.REMATCH) == [Do(m.Ready(False))]


def test_who_wants_to_play_again_is_named_to_the_others(sitting: Sit) -> None:
    table = sitting(options=Options(target=1)).until(lambda at: at.game.winner is not None)
    table.now += 2000
    table.seat_changes[1] = {"ready": True}
    table.show()
    assert "Bram wants to play again.  Enter: play along." in table.text()


def test_the_lobby_with_its_rules_and_seats_is_a_key_away_after_the_game(sitting: Sit) -> None:
    table = sitting(options=Options(target=1)).until(lambda at: at.game.winner is not None)
    table.now += 2000
    assert table.press(Want.REOPEN) == [Do(m.Rematch())]


def test_not_yet_counts_already_while_the_last_trick_is_looked_at(sitting: Sit) -> None:
    table = sitting().until(lambda at: len(at.game.results) == 1)
    assert where(table.model, table.now) is Where.PLAYING
    assert table.press(Want.HINT) == [Do(m.Ready(False))]


def test_not_yet_holds_the_next_deal_up_where_it_would_start_by_itself(sitting: Sit) -> None:
    table = sitting().until(lambda at: len(at.game.results) == 1)
    table.now += 2000
    assert "hold on" not in table.text(120, 40)
    table.changes["next_at"] = NOON + table.now + 16_000
    table.show()
    for size in ((80, 24), (120, 40), (60, 18)):
        assert "It starts by itself in" in table.text(*size)
        assert "h: hold on" in table.text(*size)
    assert table.press(Want.NOT_YET) == [Do(m.Ready(False))]
    for page in (Want.HELP, Want.SCORES, Want.HISTORY, Want.RULES, Want.SETTINGS):
        table.press(page)
        assert "It starts by itself in" in table.text(), page
        table.press(Want.BACK)


def test_an_enter_for_the_last_card_asks_for_no_rematch(sitting: Sit) -> None:
    table = sitting(options=Options(target=1), settings=ClientSettings(name="Asha", speed_ms=0))
    table.until(lambda at: at.game.winner is not None)
    table.now -= 500  # pressing takes a second here
    assert table.press(Want.REMATCH) == []
    assert "have a look" in table.model.notice.text
    assert table.press(Want.REMATCH) == [Do(m.Ready(True))]


def test_without_speed_a_trick_is_gone_at_once(sitting: Sit) -> None:
    table = sitting(settings=ClientSettings(name="Asha", speed_ms=0)).until_my_turn(trick=3)
    assert table.model.table.shown_trick is None


# ---- leaving -------------------------------------------------------------------------------------


@pytest.mark.parametrize("again", [Want.LEAVE, Want.NO, Want.ENTER])
def test_leaving_asks_and_stays_by_default(sitting: Sit, again: Want) -> None:
    table = sitting().until_my_turn(trick=2)
    assert table.press(Want.LEAVE) == []
    assert where(table.model, table.now) is Where.LEAVING
    assert table.press(again) == []
    assert table.model.page is None


def test_what_is_said_of_a_table_on_the_network_when_nobody_else_is_there(sitting: Sit) -> None:
    table = sitting().lobby(seated=1)
    told = {
        invite: leaving_words(replace(table.model, invite=invite))[1]
        for invite in ("", "hearts://192.0.2.1/26052/key")
    }
    assert "goes on" in told["hearts://192.0.2.1/26052/key"]
    assert "goes on" not in told[""]


def test_leaving_is_said_twice(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    assert table.press(Want.LEAVE, Want.YES) == [LeaveTable()]
    assert table.press(Want.NO, Want.LEAVE, Want.RIGHT, Want.ENTER) == [LeaveTable()]


def test_who_may_close_can_end_the_table(sitting: Sit) -> None:
    table = sitting().lobby()
    assert table.press(Want.LEAVE, Want.LEFT, Want.ENTER) == [Do(m.Close())]


def test_an_ended_table_is_left_without_asking(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    table.model, _ = heard(table.model, news.SupersededBy(), table.now)
    assert table.press(Want.ENTER) == []
    assert table.press(Want.LEAVE) == [Quit()]


# ---- pages, chat, toggles ------------------------------------------------------------------------


def test_pages_open_and_close_by_their_key(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    for want, page in [(Want.HELP, Page.HELP), (Want.SCORES, Page.SCORES), (Want.LOG, Page.LOG)]:
        table.press(want)
        assert table.model.page is page
        table.press(want)
        assert table.model.page is None
    table.press(Want.RULES, Want.DOWN, Want.DOWN, Want.UP)
    assert table.model.scroll == 1
    table.press(Want.BACK)
    assert table.model.page is None


def test_chat_is_sent(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    table.press(Want.CHAT)
    assert typed(table, "hello  there") == [Do(m.Say("hello  there"))]
    table.press(Want.CHAT)
    assert typed(table, "   ") == []


def test_the_field_is_edited(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    table.press(Want.CHAT)
    table.model = type_text(table.model, "one two\x1b[31m\u202e")
    for key in ("home", "delete", "end", "c-h", "left", "c-k"):
        table.model, _ = type_key(table.model, key, table.now)
    assert table.model.field.text == "ne two[3"
    for key in ("c-w", "c-u"):
        table.model, _ = type_key(table.model, key, table.now)
    assert table.model.field.text == ""
    table.model, _ = type_key(table.model, "escape", table.now)
    assert table.model.field is None


def test_long_pastes_are_bounded(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    table.press(Want.CHAT)
    table.model = type_text(table.model, "x" * 5000)
    assert len(table.model.field.text) == 200


def test_pausing_is_for_those_who_may(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    assert table.press(Want.PAUSE) == []
    assert "host's player" in table.model.notice.text
    table.own_changes["may"] = ["pause"]
    table.show()
    assert table.press(Want.PAUSE) == [Do(m.Pause())]
    table.own_changes["may"] = ["go-on"]
    table.show()
    assert table.press(Want.PAUSE) == [Do(m.GoOn())]


def test_going_on_unsaved_is_for_the_hosts_player(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    assert table.press(Want.UNSAVED) == []
    table.own_changes["may"] = ["go-unsaved"]
    table.changes |= {"paused": "store", "saving": "damaged"}
    table.show()
    assert table.press(Want.UNSAVED) == [Do(m.GoUnsaved())]


# ---- the lobby -----------------------------------------------------------------------------------


def test_ready_sits_and_stands(sitting: Sit) -> None:
    table = sitting().lobby()
    assert table.press(Want.ENTER) == [Do(m.Ready(True))]
    assert table.press(Want.POINT) == [Do(m.Stand())]
    table.me = None
    table.lobby(seated=2)
    assert table.press(Want.DOWN, Want.DOWN, Want.POINT) == [Do(m.Sit(2))]


def test_ready_at_once_for_a_table_to_play_at(sitting: Sit) -> None:
    table = sitting(settings=ClientSettings(name="Asha", ready_at_once=True)).lobby(seated=4)
    assert Do(m.Ready(True)) in table.effects
    table.effects.clear()
    table.lobby(seated=4)
    assert table.effects == []


def test_bots_are_put_on_free_seats_and_taken_off(sitting: Sit) -> None:
    table = sitting().lobby(seated=3)
    assert table.press(Want.DOWN, Want.DOWN, Want.BOT) == [Do(m.RemoveBot(2))]
    assert table.press(Want.LEVEL, Want.DOWN, Want.BOT) == [Do(m.AddBot(3, table.model.level))]


def test_rules_are_set_on_the_form(sitting: Sit) -> None:
    table = sitting().lobby()
    table.press(Want.PRESET)
    assert where(table.model, table.now) is Where.RULES_FORM
    table.press(Want.RIGHT)
    assert preset_of(dict(table.model.draft)) == "classic-computer"
    table.press(Want.DOWN, Want.RIGHT)
    (effect,) = table.press(Want.ENTER)
    wanted = {**PRESETS["classic-computer"].to_dict(), "target": 50}
    assert effect == Do(m.SetRules(wanted))
    assert table.model.page is None


# ---- the link's news -----------------------------------------------------------------------------


def reply(code: str, seq: int, request: int = 5) -> news.Replied:
    answer = m.Reply(request, code == "", code, {}, EPOCH, seq)
    return news.Replied(request, answer, m.Play("2C"))


def test_a_refusal_is_said_and_frees_the_hand(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    table.model = replace(table.model, table=replace(table.model.table, pending=5))
    table.model, _ = heard(table.model, reply("stale-trick", table.seq), table.now)
    assert "earlier moment" in table.model.notice.text
    assert len(table.press(Want.ENTER)) == 1


def test_an_accepted_card_waits_for_its_view(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    table.model = replace(table.model, table=replace(table.model.table, pending=5))
    table.model, _ = heard(table.model, reply("", table.seq + 1), table.now)
    assert table.press(Want.ENTER) == []
    table.show()
    assert table.model.table.pending is None


def test_the_first_view_and_gaps_ask_for_what_is_missing(sitting: Sit) -> None:
    table = sitting()
    table.until(lambda at: len(at.game.results) == 2)
    view = table.view()
    fresh = sitting()
    model, asked = heard(fresh.model, news.NewView(view, gap=False), 1)
    assert FetchPage("deals", 0) in asked
    assert any(isinstance(effect, FetchPage) and effect.what == "log" for effect in asked)
    page = m.LogPage(list(table.model.table.log[-50:]), more=False)
    model, asked = heard(model, news.LogArrived(page), 2)
    assert asked == ()
    assert len(model.table.log) == 50


def test_what_only_a_later_version_knows_is_shown_as_far_as_it_goes(sitting: Sit) -> None:
    table = sitting(options=Options(aids=True)).until_my_turn(trick=3)
    table.changes.update(phase="auction", direction="up", paused="moon", shown_voids=["Z\x1b"] * 4)
    table.seat_changes[1] = {"presence": "asleep", "kind": "ghost"}
    table.show()
    table.press(Want.ENTER, Want.HELP)
    for columns, rows in ((80, 24), (120, 40), (40, 12)):
        assert "\x1b" not in table.text(columns, rows)


def test_older_views_change_nothing(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    old = table.view()
    table.step()
    before = table.model
    table.hear(old)
    assert table.model is before


def test_press_never_fails_wherever_it_comes(sitting: Sit) -> None:
    states = [sitting().lobby(), passing(sitting), sitting().until_my_turn(trick=3)]
    states.append(sitting().until(lambda at: at.game.results))
    for table in states:
        for page in (None, *Page):
            for want in Want:
                model = replace(table.model, page=page)
                changed, _ = press(model, Intent(want, 3), table.now + 5000)
                assert changed.table.view is model.table.view
            assert draw(changed, Size(80, 24), table.now).text()


def test_starting_asks_where_somebody_is_not_ready(sitting: Sit) -> None:
    table = sitting(bots=frozenset()).lobby(seated=4)
    assert table.press(Want.START) == []
    assert where(table.model, table.now) is Where.SURE
    for size in ((80, 24), (40, 12)):
        text = " ".join(table.text(*size).split())
        assert "Bram, Chloé and Dana not ready yet. Start anyway? y starts, n waits." in text
    assert table.press(Want.NO) == []
    assert where(table.model, table.now) is Where.LOBBY
    table.press(Want.START)
    assert table.press(Want.YES) == [Do(m.Start())]


def test_starting_does_not_ask_where_all_are_ready(sitting: Sit) -> None:
    table = sitting(bots=frozenset({1, 2, 3}))
    table.seat_changes[0] = {"ready": True}
    table.lobby(seated=4)
    assert table.press(Want.START) == [Do(m.Start())]


@pytest.mark.parametrize("pasted", [" {} ", "\t{}\n", " {}\r\n"])
def test_space_pasted_around_what_is_typed_is_no_mistake(pasted: str) -> None:
    invite = Invite(("10.0.0.5", "fe80::1"), 26052, new_identity().public).text()
    for purpose, text, asked in (
        (Purpose.ADDRESS, "10.0.0.5", OpenJoin("10.0.0.5")),
        (Purpose.ADDRESS, invite, OpenJoin(invite)),
        (Purpose.TABLE_NAME, "attic", OpenHost(NewTable("attic"))),
        (Purpose.NAME, "n" * LONGEST_NAME, CallPlayer("n" * LONGEST_NAME)),
        (Purpose.CODE, "123 456", GiveCode("123456")),
    ):
        model = Model(ClientSettings(name="Asha"), at_table=False, field=Field(purpose))
        at_once = type_text(model, pasted.format(text))
        by_keys = model
        for key in pasted.format(text).rstrip():  # where the terminal does not mark what is pasted
            by_keys = type_text(by_keys, key)
        for typed in (at_once, by_keys):
            ended, effects = type_key(typed, "enter", 0)
            assert asked in effects
            assert ended.field is None


def test_the_longest_invite_can_be_typed() -> None:
    assert LIMITS[Purpose.ADDRESS] == MAX_TEXT
