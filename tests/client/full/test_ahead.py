"""A card chosen before one's turn, a queen that is asked about, and the signals for a turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hearts_client.full.intents import Intent, Want
from hearts_client.full.model import Do, Ring, Where, next_moment, where
from hearts_client.settings import ClientSettings, Signal
from hearts_client.table_state import link_changed, sent
from hearts_net.protocol import messages as m
from hearts_net.protocol.peer_session import LinkChanged, LinkState

Sit = Callable[..., Any]
AHEAD = ClientSettings(name="Asha", preselect=True)


def before_my_turn(sitting: Sit, settings: ClientSettings = AHEAD, trick: int = 3) -> Any:
    """Sit at a table where another player leads the trick that this seat follows to."""
    table = sitting(settings=settings)
    return table.until(
        lambda at: (
            at.game.phase == "playing"
            and at.game.deal.trick_number >= trick
            and at.game.deal.turn == 3
            and len(at.game.deal.trick) < 3
        )
    )


def following(table: Any) -> str:
    """Give a card that will be legal: one of the suit led, or any."""
    led = table.model.public.trick[0].card[1] if table.model.public.trick else ""
    hand = table.model.hand
    return str(next((card for card in hand if card[1] == led), hand[0]))


def choose(table: Any, card: str) -> None:
    table.model = replace(table.model, chosen=card)
    assert table.press(Want.AHEAD) == []


def test_a_card_chosen_ahead_is_played_when_the_turn_comes(sitting: Sit) -> None:
    table = before_my_turn(sitting)
    if not table.model.public.trick:
        table.step()
    card = following(table)
    choose(table, card)
    assert "!" in table.text()
    assert "! plays at your turn" in table.text()
    table.effects.clear()
    while table.model.ahead:
        table.step()
    assert table.game.deal.turn == 0
    assert table.effects == [Do(m.Play(card))]  # and no bell: the player need not come
    table.show()
    assert table.effects == [Do(m.Play(card))]


def test_it_can_be_taken_back_and_changed(sitting: Sit) -> None:
    table = before_my_turn(sitting)
    first, second = table.model.hand[:2]
    choose(table, first)
    choose(table, second)
    assert table.model.ahead == second
    choose(table, second)
    assert table.model.ahead == ""
    assert "taken back" in table.model.notice.text
    table.effects.clear()
    table.until(lambda at: at.game.deal.turn == 0)
    assert table.effects == [Ring()]


def test_a_card_that_may_not_be_played_then_is_not_and_is_explained(sitting: Sit) -> None:
    table = sitting(settings=AHEAD).until(
        lambda at: (
            at.game.phase == "playing"
            and at.game.deal.turn == 3
            and at.model.public.trick
            and any(card[1] == at.model.public.trick[0].card[1] for card in at.model.hand)
            and any(card[1] != at.model.public.trick[0].card[1] for card in at.model.hand)
        )
    )
    led = table.model.public.trick[0].card[1]
    choose(table, next(card for card in table.model.hand if card[1] != led))
    table.effects.clear()
    table.step()
    assert table.effects == [Ring()]
    assert table.model.ahead == ""
    assert "chosen ahead, was not played: you have to follow suit." in table.model.notice.text
    assert table.model.chosen in table.model.legal


def test_it_is_off_unless_set(sitting: Sit) -> None:
    table = before_my_turn(sitting, ClientSettings(name="Asha"))
    choose(table, table.model.hand[0])
    assert table.model.ahead == ""
    assert "a setting" in table.model.notice.text
    assert "d ahead" not in table.text(120, 40)


def test_the_key_is_shown_only_where_it_does_something(sitting: Sit) -> None:
    table = before_my_turn(sitting)
    table.now += 2000
    assert "d ahead" in table.text(120, 40)
    table.until(lambda at: at.game.deal.turn == 0)
    assert "d ahead" not in table.text(120, 40)
    assert table.press(Want.AHEAD) == []
    assert table.model.ahead == ""
    assert "It is your turn" in table.model.notice.text


def test_enter_never_chooses_ahead(sitting: Sit) -> None:
    """A key held down or typed too soon is meant for the turn before."""
    table = before_my_turn(sitting)
    for _ in range(10):
        assert table.press(Want.ENTER) == []
    assert table.model.ahead == ""
    assert "Not your turn" in table.model.notice.text


def test_nothing_is_played_while_the_link_is_lost_or_the_game_is_paused(sitting: Sit) -> None:
    table = before_my_turn(sitting)
    if not table.model.public.trick:
        table.step()
    card = following(table)
    choose(table, card)
    table.changes["paused"] = "player"
    table.until(lambda at: at.game.deal.turn == 0)
    table.model = replace(table.model, table=link_changed(table.model.table, "lost", table.now))
    table.effects.clear()
    table.changes["paused"] = ""
    table.show()
    assert table.effects == []
    assert table.model.ahead == card
    table.told(LinkChanged(LinkState.LIVE, 0))
    assert table.effects == [Do(m.Play(card))]


def test_nothing_is_played_while_an_answer_is_awaited(sitting: Sit) -> None:
    table = before_my_turn(sitting)
    if not table.model.public.trick:
        table.step()
    choose(table, following(table))
    table.model = replace(table.model, table=sent(table.model.table, 7))
    table.effects.clear()
    table.until(lambda at: at.game.deal.turn == 0)
    assert Do(m.Play(table.model.ahead)) not in table.effects


def test_a_card_chosen_ahead_that_was_played_for_one_is_said_to_be_gone(sitting: Sit) -> None:
    table = sitting(settings=AHEAD).until_my_turn(trick=3)
    card = table.model.legal[0]
    table.model = replace(table.model, ahead=card, table=sent(table.model.table, 7))
    table.play(card)  # by a deputy
    assert table.model.ahead == ""
    assert "which you chose ahead, was played for you." in table.model.notice.text


def test_a_new_deal_forgets_it(sitting: Sit) -> None:
    table = sitting(settings=AHEAD).until_my_turn(trick=13)
    table.model = replace(table.model, ahead=table.model.hand[0])
    view = table.view()
    table.until(lambda at: at.game.number == 2 and at.game.phase == "passing")
    assert table.model.ahead == ""
    assert view.public.deal == 1


# ---- the queen -----------------------------------------------------------------------------------


def with_queen(sitting: Sit, settings: ClientSettings) -> Any:
    table = sitting(settings=settings)
    for _ in range(3000):
        table.step()
        if table.game.phase == "playing" and "QS" in table.model.legal:
            return table
    raise AssertionError("no queen to play")


CAREFUL = ClientSettings(name="Asha", confirm_queen=True, preselect=True)


def test_the_queen_of_spades_is_asked_about_where_that_is_set(sitting: Sit) -> None:
    table = with_queen(sitting, CAREFUL)
    table.model = replace(table.model, chosen="QS")
    assert table.press(Want.ENTER) == []
    assert where(table.model, table.now) is Where.SURE
    for size in ((80, 24), (40, 12), (120, 40)):
        assert "Play Q♠? y plays it, n keeps it." in table.text(*size)
    assert "y yes" in table.text()
    assert table.press(Want.NO) == []
    assert where(table.model, table.now) is Where.PLAYING
    table.press(Want.ENTER)
    assert table.press(Want.YES) == [Do(m.Play("QS"))]


def test_the_question_goes_with_the_turn_and_with_a_click(sitting: Sit) -> None:
    table = with_queen(sitting, CAREFUL)
    table.model = replace(table.model, chosen="QS")
    table.press(Want.ENTER)
    assert table.press(Intent(Want.POINT, card="QS")) == []
    assert table.model.sure == ""
    table.press(Want.ENTER)
    table.step()  # a bot has played for this seat
    assert table.model.sure == ""


def test_without_the_setting_the_queen_is_a_card_like_any(sitting: Sit) -> None:
    table = with_queen(sitting, ClientSettings(name="Asha"))
    table.model = replace(table.model, chosen="QS")
    assert table.press(Want.ENTER) == [Do(m.Play("QS"))]


def test_a_queen_chosen_ahead_is_asked_about_at_the_turn(sitting: Sit) -> None:
    table = with_queen(sitting, CAREFUL)
    view = table.view()
    table.model = replace(table.model, ahead="QS")
    table.effects.clear()
    table.hear(view)
    table.show()
    assert Do(m.Play("QS")) not in table.effects
    assert table.model.sure == "QS"
    assert table.press(Want.YES) == [Do(m.Play("QS"))]


# ---- signals -------------------------------------------------------------------------------------


def test_a_flash_stands_in_for_the_bell_and_is_over_by_itself(sitting: Sit) -> None:
    table = sitting(settings=ClientSettings(name="Asha", signal=Signal.FLASH))
    table.until_my_turn(trick=3)
    assert Ring() not in table.effects
    until = table.model.flash_until
    assert next_moment(table.model, until - 1) == until

    def flashes() -> bool:
        spans = [span for line in table.screen().lines for span in line]
        return all("flash" in span.style.split() for span in spans)

    table.now = until - 1
    assert flashes()
    text = table.text()
    table.now = until
    assert not flashes()
    assert table.text() == text


def test_neither_bell_nor_flash(sitting: Sit) -> None:
    table = sitting(settings=ClientSettings(name="Asha", signal=Signal.NONE))
    table.until_my_turn(trick=3)
    assert Ring() not in table.effects
    assert table.model.flash_until == 0
    table.press(Want.BELL)
    table.step()
    table.until_my_turn(trick=4)
    assert Ring() in table.effects
