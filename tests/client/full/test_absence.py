"""What the full screen shows of those who are away, and how one votes about their seats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from msgspec.structs import replace as changed

from hearts_client.absence import VOTED_IN, missed_seats
from hearts_client.full.intents import Want
from hearts_client.full.model import Do
from hearts_client.table_state import is_counting, link_changed
from hearts_net.host.permissions import RULES
from hearts_net.protocol import messages as m
from hearts_net.rules.options import Options

Sit = Callable[..., Any]
NOON = 43_200_000


def at_turn(sitting: Sit, seat: int, gone: int = 0, held: int = 0, **fields: object) -> Any:
    """Sit at a table at which a seat is so, since and until so many seconds from what is shown."""
    table = sitting().until_my_turn(trick=3)
    table.now += 2000
    shown = NOON + table.now + 1000
    fields |= {"since": shown - gone * 1000, "held_until": shown + held * 1000 if held else 0}
    table.seat_changes[seat] = fields
    table.show()
    return table


def test_the_seat_that_is_held_is_shown_counting_down_with_the_keys_to_vote(sitting: Sit) -> None:
    table = at_turn(sitting, 1, 7, 53, presence="away")
    table.own_changes["may"] = ["play", "vote"]
    table.show()
    text = table.text()
    assert "AWAY 8s" in text
    assert "Bram is away: a bot steps in after 52 s." in text
    assert "v bot now  t wait" in text.splitlines()[-1]
    assert is_counting(table.model.table)
    table.now += 3000
    assert "AWAY 11s" in table.text()
    assert "after 49 s." in table.text()


def test_keys_vote_about_who_is_away(sitting: Sit) -> None:
    table = at_turn(sitting, 1, held=60, presence="away")
    table.own_changes["may"] = ["play", "vote"]
    table.show()
    assert table.press(Want.BOT_NOW) == [Do(m.Vote(1, "bot"))]
    assert table.press(Want.WAIT_LONGER) == [Do(m.Vote(1, "wait"))]
    table.changes["votes"] = [m.VoteView(1, [], [0], 2)]
    table.show()
    assert "1 of 2 wants a bot now." in table.text()


def test_one_votes_in_the_phases_in_which_the_host_takes_votes(sitting: Sit) -> None:
    assert {stage.value for stage in RULES[m.Vote].when} == VOTED_IN
    table = at_turn(sitting, 1, presence="away")
    for phase in ("lobby", *VOTED_IN, "game-over"):
        table.changes["phase"] = phase
        table.show()
        assert missed_seats(table.model.public) == ([1] if phase in VOTED_IN else []), phase


def test_of_several_the_one_that_the_game_waits_for_is_voted_about_first(sitting: Sit) -> None:
    table = at_turn(sitting, 1, held=60, presence="away")
    table.seat_changes[3] = {"presence": "away", "held_until": NOON + 10**6}
    table.own_changes["may"] = ["vote"]
    table.changes["turn"] = 3
    table.show()
    assert "Dana is away" in table.text()
    assert table.press(Want.BOT_NOW) == [Do(m.Vote(3, "bot"))]


def test_there_is_no_vote_while_everybody_is_here(sitting: Sit) -> None:
    table = at_turn(sitting, 1, presence="present")
    assert table.press(Want.BOT_NOW) == []
    assert "Nobody is away" in table.text()
    assert "bot now" not in table.text().splitlines()[-1]


def test_a_bot_over_the_network_that_is_away_is_shown_so(sitting: Sit) -> None:
    table = at_turn(sitting, 2, kind="bot", gone=7, presence="away")
    assert "AWAY 7s" in table.text()
    assert is_counting(table.model.table)


def test_who_has_left_and_is_played_for_is_shown_so(sitting: Sit) -> None:
    table = at_turn(sitting, 1, presence="left", deputy=True)
    assert "bot plays" in table.text()
    assert "A bot plays for Bram until they are back." in table.text()


def test_cards_that_a_bot_played_are_marked_on_the_table_and_in_the_last_trick(
    sitting: Sit,
) -> None:
    table = sitting().until(lambda at: at.game.deal is not None and at.game.deal.trick_number == 4)
    table.until(lambda at: len(at.game.deal.trick) == 2)
    table.now += 2000
    public = table.model.public
    assert len(public.trick) == 2
    assert public.last_trick is not None
    assert "(bot)" not in table.text()
    table.changes["trick"] = [changed(card, by_bot=True) for card in public.trick]
    table.show()
    assert table.text().count("(bot)") == len(public.trick)
    last = changed(
        public.last_trick, cards=[changed(card, by_bot=True) for card in public.last_trick.cards]
    )
    table.changes["last_trick"] = last
    table.show()
    assert table.text().count("(bot)") == len(public.trick) + 4
    assert table.text(120, 40).count("(bot)") == len(public.trick) + 4


def test_the_turn_limit_counts_down_while_passing_too(sitting: Sit) -> None:
    table = sitting()
    table.step()
    table.changes["turn_until"] = NOON + table.now + 1000 + 20_000
    table.show()
    assert "20 s left" in table.text()
    table.now += 5000
    assert "15 s left" in table.text()
    assert is_counting(table.model.table)


def test_a_game_that_is_over_waits_for_nobody(sitting: Sit) -> None:
    table = sitting(options=Options(target=50)).until(lambda at: at.game.winner is not None)
    table.now += 2000
    for seat in (1, 3):
        table.seat_changes[seat] = {"presence": "away", "since": NOON}
    table.show()
    text = table.text()
    assert "Waiting for" not in text
    assert "AWAY" not in text
    assert "away" in text
    assert not is_counting(table.model.table)


def test_ones_own_lost_link_says_to_what_it_is_made_again(sitting: Sit) -> None:
    table = at_turn(sitting, 1, presence="present")
    table.model = replace(
        table.model,
        where_to="10.0.0.5",
        table=link_changed(table.model.table, "lost", table.now),
    )
    assert "RECONNECTING to 10.0.0.5: 0 s. Your seat is held." in table.text()
    watching = sitting(me=None).until_my_turn(trick=4)
    watching.now += 2000
    lost = link_changed(watching.model.table, "lost", watching.now)
    watching.model = replace(watching.model, where_to="10.0.0.5", table=lost)
    assert "RECONNECTING to 10.0.0.5: 0 s." in watching.text()
    assert "Your seat" not in watching.text()
