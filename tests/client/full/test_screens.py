"""What whole screens say in this case and that; how each looks is kept by test_golden."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from hearts_client.doors import ListedTable, SavedTable
from hearts_client.full.at_start import with_tables
from hearts_client.full.intents import Intent, Want
from hearts_client.full.layout import Size, cells
from hearts_client.full.model import Model, Notice, StartState, Tone
from hearts_client.full.screens.draw import draw
from hearts_client.full.screens.picture import winning
from hearts_client.full.steps import heard
from hearts_client.sentences import error_sentence
from hearts_client.settings import ClientSettings
from hearts_client.speech import RANKS
from hearts_client.table_state import TableState, link_changed
from hearts_client.tablelink import Reached
from hearts_net.peer.errors import LinkError
from hearts_net.peer.invite import Invite, parse_invite
from hearts_net.protocol import messages as m
from hearts_net.protocol.peer_outputs import DealChecked
from hearts_net.rules.errors import FairCode
from hearts_net.rules.options import Options

Sit = Callable[..., Any]
Hands = tuple[int, int, int, int]

SIZES = [(80, 24), (120, 40), (40, 12), (60, 18)]


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_ascii(sitting: Sit, columns: int, rows: int) -> None:
    table = sitting(settings=ClientSettings(name="Asha", ascii=True)).until_my_turn(trick=3)
    table.seat_changes[2] = {"name": "Chloe"}
    table.show()
    screen = table.text(columns, rows)
    assert screen.isascii()


def passing(sitting: Sit) -> Any:
    table = sitting()
    table.step()
    table.step()
    return table


def test_finished_trick_stays_and_names_its_taker(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=3)
    table.until(lambda at: len(at.game.deal.tricks) == 3)
    assert "Trick 3/13" in table.text().splitlines()[0]
    assert "takes the trick" in table.text()
    table.now += 1300
    assert "takes the trick" not in table.text()
    assert "Trick 4/13" in table.text().splitlines()[0]


def test_the_score_sheet_is_among_the_hints(sitting: Sit) -> None:
    assert "Tab scores" in sitting().until_my_turn(trick=3).text().splitlines()[-1]


def test_deal_over(sitting: Sit) -> None:
    table = sitting().until(lambda at: len(at.game.results) == 2)
    table.changes["next_at"] = 43_200_000 + table.now + 16_000
    table.show()
    assert " takes" in table.text()
    table.now += 2000


def checked(deal: int, code: str = "", game: str = "g1", late: tuple[int, ...] = ()) -> DealChecked:
    return DealChecked(game, deal, code, {}, late)


def test_a_deal_that_was_verified_is_shown_in_a_word(sitting: Sit) -> None:
    table = sitting().until(lambda at: len(at.game.results) == 2)
    table.now += 2000
    game = table.model.public.game
    table.told(checked(2, game=game))
    for size in ((80, 24), (40, 12), (120, 40)):
        assert "deal verified" in table.text(*size)
    assert "NOT VERIFIED" not in table.text()
    table.press(Want.SCORES)
    assert "deal verified" in table.text()


def test_whose_share_came_too_late_is_said(sitting: Sit) -> None:
    table = sitting().until(lambda at: len(at.game.results) == 2)
    table.now += 2000
    table.told(checked(2, game=table.model.public.game, late=(1,)))
    for size in ((80, 24), (40, 12), (120, 40)):
        assert "verified; a share late" in table.text(*size)
    assert table.model.notice is not None
    assert table.model.notice.tone is Tone.PLAIN
    name = table.model.public.seats[1].name
    assert f"The share of {name} came too late: a slow connection" in table.model.notice.text
    assert "NOT VERIFIED" not in table.text()


def test_a_share_that_the_hosts_player_held_back_is_an_alarm(sitting: Sit) -> None:
    table = sitting().until(lambda at: len(at.game.results) == 2)
    table.now += 2000
    table.told(checked(2, FairCode.SHARE_WITHHELD, table.model.public.game, late=(1,)))
    for size in ((80, 24), (120, 40)):
        assert "deal NOT verified: a share held back" in table.text(*size)
    assert "DEAL 2 NOT VERIFIED" in table.text().splitlines()[0]


def test_a_deal_that_was_not_verified_is_shown_until_the_next_is(sitting: Sit) -> None:
    table = sitting().until(lambda at: len(at.game.results) == 2)
    table.now += 2000
    game = table.model.public.game
    table.told(checked(2, FairCode.DECK_STACKED, game))
    assert "deal NOT verified: deck stacked" in table.text()
    assert table.model.notice is not None
    assert "the host has stacked the deck" in table.model.notice.text
    assert "Deal 2 NOT verified. Cards are not where" in table.text(120, 40)
    for size in ((80, 24), (40, 12), (120, 40)):
        assert "DEAL 2 NOT VERIFIED" in table.text(*size).splitlines()[0]
    table.until_my_turn(trick=1)
    assert "DEAL 2 NOT VERIFIED" in table.text().splitlines()[0]
    table.told(checked(3, game=game))
    assert "NOT VERIFIED" not in table.text()


def test_what_was_found_about_another_deal_is_not_shown_for_this_one(sitting: Sit) -> None:
    table = sitting().until(lambda at: len(at.game.results) == 2)
    table.now += 2000
    for found in (checked(1, game=table.model.public.game), checked(2, game="another")):
        table.told(found)
        assert "verified" not in table.text()


def test_who_came_after_the_shuffle_is_told_without_alarm(sitting: Sit) -> None:
    table = sitting().until(lambda at: len(at.game.results) == 1)
    table.now += 2000
    table.told(checked(1, FairCode.NOT_WITNESSED, table.model.public.game))
    assert "deal not witnessed" in table.text()
    assert "NOT VERIFIED" not in table.text()


def test_shuffling_keeps_the_score_sheet_on_the_screen(sitting: Sit) -> None:
    table = sitting().until(lambda at: len(at.game.results) == 1)
    table.now += 2000
    table.changes["phase"] = "dealing"
    table.show()
    for size in ((80, 24), (120, 40)):
        assert "Deal 1 is over." in table.text(*size)
        assert "Shuffling" in table.text(*size)
    assert "Deal 1 is over." in table.text(40, 12)


def test_a_saved_table_without_players_is_said_as_such() -> None:
    saved = (SavedTable("t1", "solo", 0, []), SavedTable("t2", "attic", 0, ["Asha", "Bram"]))
    model = Model(ClientSettings(name="Asha"), at_table=False, start=StartState(saved=saved))
    lines = draw(model, Size(80, 24), 0).text().splitlines()
    assert any(line.endswith("saved before the first deal") for line in lines)
    assert any(line.endswith("saved before the first deal, with Asha, Bram") for line in lines)


def test_an_error_that_names_a_command_is_read_to_its_end() -> None:
    facts = {"host": "Anna's table (attic-pc)", "forget": "'the table @ attic-pc'"}
    words = error_sentence("host-key-changed", facts)
    model = Model(
        ClientSettings(name="Asha"),
        at_table=False,
        start=StartState(),
        notice=Notice(words, Tone.ERROR),
    )
    for size in (Size(80, 24), Size(60, 18)):
        screen = " ".join(draw(model, size, 0).text().split())
        assert words in screen
        assert "Quit" in screen


def start_lines(start: StartState, *found: ListedTable) -> str:
    model = Model(ClientSettings(name="Asha"), at_table=False, start=start)
    return draw(with_tables(model, found), Size(80, 24), 0).text()


def test_looking_in_vain_is_said_with_what_to_do() -> None:
    kitchen = ListedTable("kitchen", "192.168.1.7:26052", verified=True)
    assert "Looking for tables on your network…" in start_lines(StartState())
    in_vain = start_lines(StartState(looked=True))
    assert "No table answers on your network yet." in in_vain
    assert "hearts-net doctor" in in_vain
    for start in (StartState(), StartState(looked=True)):
        assert "ooking" not in start_lines(start, kitchen)
        assert "No table" not in start_lines(start, kitchen)


def test_each_table_found_says_what_can_be_done_there() -> None:
    found = [
        ListedTable("kitchen (ada-pc)", "10.0.0.7:26052", True, "2 seats free", favourite=True),
        ListedTable("kitchen (ben-pc)", "10.0.0.8:26052", False, "playing, to watch", watched=True),
    ]
    lines = [line.rstrip() for line in start_lines(StartState(), *found).splitlines()]
    assert any(line.startswith(" 1  kitchen (ada-pc)") and "2 seats free, favourite, at" in line
               for line in lines)  # fmt: skip
    assert any(line.startswith(" 2  kitchen (ben-pc)") and "playing, to watch, unverified" in line
               for line in lines)  # fmt: skip


def test_the_lobby_says_how_many_look_on_and_how_others_join(sitting: Sit) -> None:
    table = sitting()
    table.changes["watchers"] = 2
    table.lobby(seated=3)
    both = Invite(("192.168.1.7", "fd00::7"), 26052, "k" * 40)
    first = Invite(("192.168.1.7",), 26052, "k" * 40)
    table.model, _ = heard(table.model, Reached(both.text()), table.now)
    for size, invite in (((80, 24), first), ((120, 40), both)):
        text = table.text(*size)
        assert "2 people look on without a seat." in text
        assert "hearts-net join 192.168.1.7:26052" in text
        assert invite.text() in text.splitlines()


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_the_invite_is_alone_on_a_page_and_in_one_line_where_one_can_hold_it(
    sitting: Sit, columns: int
) -> None:
    table = sitting().lobby(seated=3)
    assert "I invite" not in table.text(120, 40)
    far = Invite(("192.168.178.200", "fd00::7"), 26052, "k" * 40)
    table.model, _ = heard(table.model, Reached(far.text()), table.now)
    assert "I invite" in table.text(columns, 24)
    table.press(Want.INVITE)
    lines = table.text(columns, 24).splitlines()
    whole = [line for line in lines if line.startswith("hearts://") and is_whole(line)]
    if columns == 120:
        assert whole == [far.text()]
    elif columns == 80:
        assert whole == [Invite(("fd00::7",), 26052, "k" * 40).text()]
    else:
        assert whole == []
        at = next(n for n, line in enumerate(lines) if line.startswith("hearts://"))
        assert parse_invite(lines[at] + lines[at + 1]) == far


def is_whole(line: str) -> bool:
    try:
        return bool(parse_invite(line))
    except LinkError:
        return False


def test_a_watcher_sees_no_hand(sitting: Sit) -> None:
    table = sitting(me=None).until_my_turn(trick=4)
    table.now += 2000
    assert table.press(Want.ENTER) == []
    assert "You are watching, so that does nothing" in table.text()


def test_a_table_that_cannot_save_or_goes_on_unsaved_says_so(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    table.changes |= {"paused": "store", "saving": "full"}
    table.show()
    assert "host's disk is full" in table.text()
    assert "u: play on unsaved" not in table.text()
    table.changes |= {"paused": "", "saving": "off"}
    table.show()
    assert "NOT SAVED" in table.text().splitlines()[0]


def test_away_reconnecting_and_paused(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    clock = 43_200_000 + table.now
    table.seat_changes[1] = {
        "presence": "away", "since": clock - 7000, "held_until": clock + 53_000,
    }  # fmt: skip
    table.show()
    table.changes["paused"] = "player"
    table.show()
    assert "PAUSED by the host's player." in table.text()
    table.model = replace(
        table.model, where_to="192.168.1.7:26052",
        table=link_changed(table.model.table, "lost", table.now),
    )  # fmt: skip
    table.now += 8000


def test_a_host_long_gone_is_said_with_what_to_do(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    table.model = replace(table.model, where_to="10.0.0.1:26052",
                          table=link_changed(table.model.table, "lost", table.now))  # fmt: skip
    table.now += 9000
    table.model = replace(
        table.model, table=link_changed(table.model.table, "connecting", table.now)
    )
    assert "hearts-net resume" not in table.text()
    table.now += 2000
    for size in ((80, 24), (40, 12)):
        text = " ".join(table.text(*size).split())
        assert "run hearts-net resume on its machine." in text
    table.press(Want.LEAVE)
    assert "a bot plays for you" not in table.text()
    assert "The host cannot be reached now" in table.text()


def test_a_lobby_whose_host_is_long_gone_says_what_to_do(sitting: Sit) -> None:
    table = sitting().lobby()
    table.model = replace(table.model, table=link_changed(table.model.table, "lost", table.now))
    table.now += 11_000
    for size in ((80, 24), (40, 12)):
        assert "hearts-net resume" in " ".join(table.text(*size).split())


def test_too_small_says_the_size_needed(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    text = " ".join(table.text(39, 11).split())
    assert "needs 40x12" in text
    assert "39x11" in text
    assert "Only q works here." in text


def test_chat_is_clean_and_can_be_muted(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    table.show([m.Said(0, 0, "Bram\x1b[2J", 1, "hi\x07\u202e there\ufe0f")])
    assert "Bram[2J: hi there" in table.text()
    table.press(Want.MUTE)
    assert "hi there" not in table.text()
    table.show([m.Said(0, 0, "Bram", 1, "again")])
    table.press(Want.DOWN)
    assert "again" not in table.text()
    assert "1 message hidden" in table.text()


def test_ended_tables_say_why(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    table.model = replace(table.model, table=replace(table.model.table, superseded=True))
    assert "Your seat is played from another window" in table.text()
    table.model = replace(
        table.model, table=replace(table.model.table, superseded=False, closing="saved")
    )
    assert "the game is saved" in table.text()


def test_waiting_says_for_what() -> None:
    model = Model(ClientSettings(name="Asha"), where_to="10.0.0.1:26052", table=TableState())
    assert "Connecting to 10.0.0.1:26052" in draw(model, Size(80, 24), 3000).text()


def test_any_size_is_filled_exactly(sitting: Sit) -> None:
    states = [passing(sitting), sitting().lobby(), sitting().until_my_turn(trick=5)]
    states.append(sitting().until(lambda at: len(at.game.results) == 1))
    for want in (Want.HELP, Want.SCORES, Want.RULES, Want.LOG, Want.LEAVE, Want.CHAT):
        page = sitting().until_my_turn(trick=5)
        page.press(want)
        states.append(page)
    rng = random.Random(7)
    for table in states:
        for _ in range(40):
            columns, rows = rng.randint(1, 150), rng.randint(1, 60)
            screen = table.screen(columns, rows)
            assert len(screen.lines) == rows
            for line in screen.lines:
                assert cells("".join(span.text for span in line)) == columns
            text = screen.text().replace("\n", "")
            assert all(unicodedata.category(c) not in ("Cc", "Cf", "Cs") for c in text)
            if screen.cursor is not None:
                assert 0 <= screen.cursor[0] < columns
                assert 0 <= screen.cursor[1] < rows


def test_wide_names_keep_the_columns(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=5)
    table.seat_changes[1] = {"name": "日本語の長い名前です"}
    table.seat_changes[3] = {"name": "e\u0301" * 20}
    table.show()
    for line in table.screen().lines:
        assert cells("".join(span.text for span in line)) == 80


def test_clicks_name_the_card(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=5)
    presses = {span.press for line in table.screen().lines for span in line if span.press}
    for card in table.model.hand:
        assert Intent(Want.POINT, card=card) in presses


def test_the_rules_of_a_short_game_name_its_target(sitting: Sit) -> None:
    table = sitting(options=Options(target=5)).until_my_turn(trick=2)
    table.press(Want.RULES)
    text = " ".join(table.text(80, 60).split())
    assert "When somebody has 5 points or more" in text
    assert "100" not in text


def test_a_bot_is_not_offered_for_a_seat_that_one_plays_for(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=2)
    table.own_changes["may"] = ["play", "vote"]
    away = {"presence": "away", "since": 43_200_000}
    table.seat_changes[1] = away
    table.show()
    assert "v bot now" in table.text(120, 40)
    table.seat_changes[1] = {**away, "deputy": True}
    table.show()
    assert "v bot now" not in table.text(120, 40)
    assert "t wait" in table.text(120, 40)


def test_saved_tables_of_one_name_are_told_apart_by_when_they_were_played() -> None:
    saved = (SavedTable("t1", "attic", 3, ["Asha"], 86_400_000), SavedTable("t2", "attic", 3, []))
    text = start_lines(StartState(saved=saved))
    assert "saved in deal 3 on 1970-01-0" in text
    assert "saved in deal 3\n" in "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def test_the_card_that_is_highest_so_far_is_marked(sitting: Sit) -> None:
    table = sitting().until(
        lambda at: at.game.phase == "playing" and len(at.model.public.trick) == 3
    )
    table.now += 2000
    cards = table.model.public.trick
    high = winning(cards)
    assert high is not None
    led = cards[0].card[1]
    ranks = {played.seat: RANKS.index(played.card[0]) for played in cards if played.card[1] == led}
    assert ranks[high] == max(ranks.values())
    for size in ((80, 24), (120, 40), (60, 18), (40, 12)):
        assert table.text(*size).count("high") == 1
    table.until(lambda at: len(at.game.deal.tricks) > 0 and not at.model.public.trick)
    assert "high" not in table.text()
    assert winning(cards[:1]) is None


def presses(table: Any) -> set[Intent]:
    return {span.press for line in table.screen().lines for span in line if span.press}


def test_what_is_said_with_its_key_can_be_clicked(sitting: Sit) -> None:
    assert Intent(Want.ENTER) in presses(sitting().lobby())
    table = sitting().until_my_turn(trick=5)
    table.own_changes["can_claim"] = True
    table.show()
    assert Intent(Want.CLAIM) in presses(table)
    table = sitting().until(lambda at: at.game.results)
    table.now += 2000
    words = [span for line in table.screen().lines for span in line if "Enter: next" in span.text]
    assert [span.press for span in words] == [Intent(Want.ENTER)]


def test_with_long_names_the_top_line_still_says_who_has_the_queen(sitting: Sit) -> None:
    table = sitting(bots=frozenset()).until_my_turn(trick=9)
    names = ("Asha", "Bartholomew1", "Wanjiru12345", "Dana")
    table.seat_changes = {seat: {"name": name} for seat, name in enumerate(names)}
    table.changes = {"queen_taken_by": 2, "hearts_broken": True, "table": "a long table name"}
    table.show()
    head = table.text(80, 24).split("\n")[0]
    assert "Wanjiru12345 +13" in head
    assert "broken" in head
    assert "Pass left" in head


@pytest.mark.parametrize("rows", [24, 40])
def test_all_who_showed_to_be_out_of_a_suit_are_named(sitting: Sit, rows: int) -> None:
    table = sitting(options=Options(aids=True), bots=frozenset()).until_my_turn(trick=9)
    names = ("Asha", "Bartholomew1", "Wanjiru12345", "Dana")
    table.seat_changes = {seat: {"name": name} for seat, name in enumerate(names)}
    for voids in (["", "C", "DS", ""], ["", "CDH", "DS", "SH"]):
        table.changes = {"shown_voids": voids}
        table.show()
        lines = table.text(80, rows).split("\n")
        assert any("Wan" in line and "♦♠" in line for line in lines)
        assert any("Bar" in line and ("♣♦♥" if voids[3] else "♣") in line for line in lines)
        assert not voids[3] or any("Dana" in line and "♠♥" in line for line in lines)


def test_the_smallest_table_shows_what_is_said_below_a_hint_of_two_lines(sitting: Sit) -> None:
    table = sitting(settings=ClientSettings(name="Asha", hints=True)).until_my_turn(trick=6)
    table.show([m.Said(0, 0, "Bram", 1, "good luck")])
    lines = table.text(60, 18).split("\n")
    assert any("Bram: good luck" in line for line in lines)
    assert not any(a == b == "─" * 60 for a, b in pairwise(lines))


def test_a_whole_hand_keeps_its_marks_and_numbers_on_the_smallest_table(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=1)
    lines = table.text(60, 18).split("\n")
    hand = next(n for n, line in enumerate(lines) if "Your hand, 13 cards" in line)
    assert lines[hand + 1].count("+") == 3
    assert lines[hand + 3].split() == ["1", "2"]
    cards = lines[hand + 2].replace("[", " ").replace("]", " ").replace(">", " ").replace("<", " ")
    assert len(cards.split()) == 13


def test_the_last_trick_is_in_a_line_where_there_is_no_room_for_more(sitting: Sit) -> None:
    table = sitting().until_my_turn(trick=6)
    line = next(line for line in table.text(60, 18).splitlines() if "+0 " in line)
    assert line.partition("│")[2].strip() == "Chloé +0 7♠ J♠ 3♠ 2♠"
    table.seat_changes[2] = {"name": "Maximiliane von Thurn"}
    table.show()
    line = next(line for line in table.text(60, 18).splitlines() if "7♠ J♠ 3♠ 2♠" in line)
    assert "… +0 7♠ J♠ 3♠ 2♠" in line


def test_a_whole_hand_on_the_smallest_screen_has_its_marks_and_numbers(sitting: Sit) -> None:
    table = passing(sitting)
    table.press(Want.MARK, Want.RIGHT, Want.RIGHT, Want.MARK)
    lines = table.text(40, 12).splitlines()
    at = next(n for n, line in enumerate(lines) if "[5♣]" in line)
    assert lines[at] == "  [5♣]  8♣ >[A♣]< 7♦   10♦   2♠   4♠"
    assert lines[at + 1].split() == ["1*", "2", "3*", "4", "5", "6", "7"]
    assert lines[at + 3].split() == ["8", "9", "0"]
    table.until_my_turn(trick=1)
    table.now += 2000
    lines = table.text(40, 12).splitlines()
    at = next(n for n, line in enumerate(lines) if "[9♣]" in line)
    assert lines[at + 1].split() == ["1+", "2+", "+"]


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (60, 18), (40, 12)])
def test_what_is_said_of_a_table_found_is_never_cut_for_good(columns: int, rows: int) -> None:
    found = ListedTable(
        "kitchen", "192.168.178.200:26052", False, "playing, to watch", watched=True
    )
    model = with_tables(Model(ClientSettings(name="Asha"), at_table=False), [found])
    model = replace(model, start=replace(model.start, chosen=2))
    text = " ".join(draw(model, Size(columns, rows), 0).text().split())
    assert "at 192.168.178.200:26052" in text
