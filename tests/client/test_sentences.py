from __future__ import annotations

import importlib
import pkgutil
from enum import StrEnum
from typing import get_args

import msgspec
import pytest

import hearts_net
from hearts_client import refusals, sentences
from hearts_client.optionwords import option_lines, value_words
from hearts_client.speech import Style, card_name, choice_words, hand_words
from hearts_client.themefile import ThemeCode
from hearts_net.protocol import messages as m
from hearts_net.rules.options import (
    MAX_TARGET,
    MIN_TARGET,
    OPTION_SPECS,
    PRESETS,
    Options,
    OptionSpec,
)


def declared_codes() -> set[str]:
    """Every code of every ``*Code`` enumeration of hearts_net, and of themes."""
    found: set[str] = set(ThemeCode)
    for module in pkgutil.walk_packages(hearts_net.__path__, "hearts_net."):
        if module.name.endswith("__main__") or module.name.startswith("hearts_net.testing"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            if name.endswith("Code") and isinstance(value, type) and issubclass(value, StrEnum):
                found.update(member.value for member in value)
    return found


def seat(name: str, kind: str = "person") -> m.SeatView:
    return m.SeatView(
        kind=kind, name=name, key="", level="", presence="present", since=0, held_until=0,
        deputy=False, ready=False, host=False, cards=13, passed=False, points=0, total=0, tricks=0,
    )  # fmt: skip


def tied(seats: list[m.SeatView], phase: str) -> m.PublicView:
    return m.PublicView(
        "attic", "g", phase, "", Options().to_dict(), seats, 0, 3, "across", 0, None, None,
        0, 0, [], None, False, None, 0, [], [], None, None, 0, "",
    )  # fmt: skip


SEATS = [seat("Me"), seat("Bram"), seat("Asha"), seat("Chloé", "bot")]
CARDS = [m.TrickCard(seat, card) for seat, card in enumerate(("7H", "2S", "3H", "9H"))]
SUMMARY = m.DealSummary(deal=3, points=[3, 16, 1, 6], totals=[30, 40, 50, 60], moon=None)

EVENTS: list[tuple[m.AnyEvent, str, str]] = [
    (m.SeatTaken(1, 0, 1, "Bram", "person"), "Bram takes seat 2.", "Bram takes seat 2."),
    (m.SeatLeft(1, 0, 1, "Bram"), "Bram leaves seat 2.", "Bram leaves seat 2."),
    (m.PresenceChanged(1, 0, 1, "Bram", "away", False),
     "Bram has lost the connection; the seat is held.",
     "Bram has lost the connection; the seat is held."),
    (m.Voted(1, 0, 1, "Bram", 0, "wait"), "You want to wait longer for Bram.",
     "Me wants to wait longer for Bram."),
    (m.VoteEnded(1, 0, 1, "Bram", "wait"), "It is agreed: the seat of Bram is held for longer.",
     "It is agreed: the seat of Bram is held for longer."),
    (m.RulesSet(1, 0, {"target": 50}),
     "Standard rules, but: the game ends at 50 points.",
     "Standard rules, but: the game ends at 50 points."),
    (m.GameStarted(1, 0, "g1"), "The game begins.", "The game begins."),
    (m.DealStarted(1, 0, 3, "left"),
     "Deal 3. Pass three cards to the left, to Bram.",
     "Deal 3. Three cards are passed to the left."),
    (m.Passed(1, 0, 0, False), "You have passed.", "Me has passed."),
    (m.PlayStarted(1, 0, 0), "Everybody has their cards. You lead.",
     "Everybody has their cards. Me leads."),
    (m.Played(1, 0, 0, "QS", False), "You play queen of spades.", "Me plays queen of spades."),
    (m.TrickTaken(1, 0, m.TrickView(7, CARDS, 0, 3)),
     "You take trick 7: 3 points.", "Me takes trick 7: 3 points."),
    (m.HeartsBroken(1, 0, 2), "Hearts are broken.", "Hearts are broken."),
    (m.Claimed(1, 0, 1), "Bram claims the rest, and the cards bear it out.",
     "Bram claims the rest, and the cards bear it out."),
    (m.Settled(1, 0), "Every card that counts has been taken; the rest is not played.",
     "Every card that counts has been taken; the rest is not played."),
    (m.MoonChosen(1, 0, 0, "others-gain"), "You give 26 points to each of the others.",
     "Me gives 26 points to each of the others."),
    (m.DealEnded(1, 0, SUMMARY),
     "Deal 3 is over. Points: you 3, Bram 16, Asha 1, Chloé 6. "
     "Totals: you 30, Bram 40, Asha 50, Chloé 60.",
     "Deal 3 is over. Points: Me 3, Bram 16, Asha 1, Chloé 6. "
     "Totals: Me 30, Bram 40, Asha 50, Chloé 60."),
    (m.GameEnded(1, 0, [3, 1, 2, 100], 1),
     "The game is over. Bram wins. Final score: you 3, Bram 1, Asha 2, Chloé 100.",
     "The game is over. Bram wins. Final score: Me 3, Bram 1, Asha 2, Chloé 100."),
    (m.PausedChanged(1, 0, "player"), "The host's player has paused the game.",
     "The host's player has paused the game."),
    (m.Said(1, 0, "Bram", 1, "sorry, wifi"), "Bram says: sorry, wifi", "Bram says: sorry, wifi"),
    (m.SentAway(1, 0, "Bram", "kicked"), "The host's player has sent Bram away.",
     "The host's player has sent Bram away."),
    (m.SentAway(1, 0, "Bram", "banned"), "The host's player has sent Bram away for good.",
     "The host's player has sent Bram away for good."),
    (m.HostRestarted(1, 0, 2), "The table has been restarted, and everything is as it was.",
     "The table has been restarted, and everything is as it was."),
]  # fmt: skip


@pytest.mark.parametrize("code", sorted(declared_codes()))
def test_every_code_has_a_sentence_that_ends(code: str) -> None:
    said = sentences.error_sentence(code, {})
    assert code in refusals.WORDINGS, f"no sentence for {code}"
    assert said.endswith(".")
    assert "{" not in said


def test_one_point_is_no_points() -> None:
    assert value_words("target", 1) == "the game ends at 1 point"
    assert value_words("target", 50) == "the game ends at 50 points"


@pytest.mark.parametrize("facts", [{}, {"host": "10.0.0.5", "port": 7}])
def test_broken_handshakes_may_be_another_key_or_another_program(
    facts: dict[str, str | int],
) -> None:
    said = sentences.error_sentence("wrong-key", facts)
    assert "not this game, or" in said
    assert "key" in said


def test_a_tie_at_the_target_is_said_between_deals_alone() -> None:
    totals = [
        msgspec.structs.replace(SEATS[n], total=total) for n, total in enumerate((40, 100, 40, 60))
    ]
    public = tied(totals, "deal-over")
    said = "100 points are reached, but you and Asha have equally few: the game goes on."
    assert sentences.tie_words(public, 0) == said
    assert sentences.tie_words(tied(totals, "playing"), 0) == ""
    apart = [msgspec.structs.replace(seat, total=seat.total + n) for n, seat in enumerate(totals)]
    assert sentences.tie_words(tied(apart, "deal-over"), 0) == ""
    below = [msgspec.structs.replace(seat, total=seat.total - 1) for seat in totals]
    assert sentences.tie_words(tied(below, "deal-over"), 0) == ""


def test_no_sentence_is_for_a_code_that_nobody_raises() -> None:
    assert set(refusals.WORDINGS) - declared_codes() == {"record-unreadable"}


def test_no_error_speaks_of_clients() -> None:
    said = [words for each in refusals.WORDINGS.values() for words in (each.plain, each.fuller)]
    assert not [words for words in said if "client" in words]


def test_facts_of_an_error_are_named_and_made_safe() -> None:
    said = sentences.error_sentence("host-down", {"host": "10.0.0.1\x1b[2J", "port": 7})
    assert said.startswith("Nobody answers at 10.0.0.1[2J, port 7:")


def test_a_code_of_a_later_version_is_named() -> None:
    assert "new-thing" in sentences.error_sentence("new-thing", {"x": 1})


def test_every_event_is_listed_here_once() -> None:
    assert {type(event) for event, *_ in EVENTS} == set(get_args(m.AnyEvent))


@pytest.mark.parametrize(
    ("event", "mine", "theirs"), EVENTS, ids=[type(event).__name__ for event, *_ in EVENTS]
)
def test_events_in_words(event: m.AnyEvent, mine: str, theirs: str) -> None:
    assert sentences.event_sentence(event, SEATS, 0) == mine
    assert sentences.event_sentence(event, SEATS, None) == theirs


def test_a_lead_a_deputy_and_symbols() -> None:
    played = m.Played(1, 0, 1, "7H", False)
    assert sentences.event_sentence(played, SEATS, 0, leads=True) == "Bram leads 7 of hearts."
    by_bot = m.Played(1, 0, 1, "TH", True)
    assert sentences.event_sentence(by_bot, SEATS, 0, Style.SYMBOLS) == "A bot plays 10♥ for Bram."


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (m.SeatTaken(1, 0, 0, "Me", "person"), "You take seat 1."),
        (m.SeatTaken(1, 0, 0, "Dora", "person"), "Dora takes seat 1."),
        (m.SeatTaken(1, 0, 0, "Maple", "bot"), "Maple, a computer player, takes seat 1."),
        (m.SeatLeft(1, 0, 0, "Dora"), "Dora leaves seat 1."),
        (m.PresenceChanged(1, 0, 0, "Dora", "away", True),
         "A bot plays for Dora until they are back."),
        (m.PresenceChanged(1, 0, 0, "Dora", "present", False), "Dora is back at the table."),
        (m.Said(1, 0, "Dora", 0, "bye"), "Dora says: bye"),
        (m.Said(1, 0, "Me", 0, "hi"), "You say: hi"),
    ],
)  # fmt: skip
def test_who_sat_on_the_listeners_seat_before_keeps_their_name(
    event: m.AnyEvent, said: str
) -> None:
    assert sentences.event_sentence(event, SEATS, 0) == said


@pytest.mark.parametrize(
    ("seat", "presence", "deputy", "said"),
    [
        (0, "present", True, ""),
        (1, "present", True, ""),
        (1, "slow", True, ""),
        (0, "left", True, ""),
        (0, "away", True, "A bot plays for you until you are back."),
        (1, "left", True, "A bot plays for Bram until they are back."),
        (1, "away", True, "A bot plays for Bram until they are back."),
        (0, "present", False, "You are back at the table."),
    ],
)
def test_a_bot_plays_for_those_alone_who_are_gone(
    seat: int, presence: str, deputy: bool, said: str
) -> None:
    event = m.PresenceChanged(1, 0, seat, SEATS[seat].name, presence, deputy)
    assert sentences.event_sentence(event, SEATS, 0) == said


def test_nobody_is_back_after_one_slow_turn() -> None:
    turns = sentences.SlowTurns()
    events: list[m.AnyEvent] = [
        m.PresenceChanged(1, 0, 1, "Bram", "present", True),
        m.Played(2, 0, 1, "7H", True),
        m.PresenceChanged(3, 0, 1, "Bram", "present", False),
        m.PresenceChanged(4, 0, 1, "Bram", "away", True),
        m.PresenceChanged(5, 0, 1, "Bram", "present", False),
    ]
    assert [turns.is_end_of_one(event) for event in events] == [False, False, True, False, False]


def test_names_and_chat_from_others_are_made_safe() -> None:
    said = m.Said(1, 0, "Br\x1bam\u202e", 1, "hi\x07\r\nQUIT\x9b")
    assert sentences.event_sentence(said, SEATS, 0) == "Bram says: hi  QUIT"


def test_cards_and_hands_in_words() -> None:
    assert card_name("TD") == "10 of diamonds"
    assert card_name("TD", Style.SYMBOLS) == "10♦"
    assert card_name("QS", Style.ASCII) == "Qs"
    assert hand_words(["QS", "5C", "8C", "2S", "7S"]) == "clubs 5 8; spades 2 7 queen"
    assert choice_words(["AH", "5H", "9H"]) == "5, 9 or ace of hearts"
    assert choice_words(["AH", "2C"]) == "2 of clubs; ace of hearts"


@pytest.mark.parametrize("spec", OPTION_SPECS, ids=[spec.name for spec in OPTION_SPECS])
def test_every_option_and_value_is_in_words(spec: OptionSpec) -> None:
    assert sentences.option_words(spec.name) != spec.name
    for value in spec.choices:
        assert "=" not in sentences.value_words(spec.name, value)


def test_every_preset_is_in_words() -> None:
    assert all(sentences.preset_words(name) != name for name in PRESETS)


def test_rules_are_told_by_what_differs() -> None:
    assert sentences.rules_summary(Options().to_dict()) == "Standard rules, to 100 points."
    assert sentences.differences(Options(jack_of_diamonds=True).to_dict()) == [
        "the jack of diamonds counts minus 10"
    ]
    assert sentences.rules_summary(Options(aids=True).to_dict()) == (
        "Standard rules, with aids: everybody may see which cards are still out "
        "and who is out of a suit."
    )
    assert sentences.rules_summary(Options(aids=True, target=50).to_dict()) == (
        "Standard rules, but: the game ends at 50 points; everybody may see which cards are "
        "still out and who is out of a suit."
    )


def test_the_target_names_its_whole_range() -> None:
    words = sentences.option_words("target")
    assert f"from {MIN_TARGET} to {MAX_TARGET}" in words


def test_options_are_told_without_jargon() -> None:
    assert not [line for line in option_lines() if "client" in line or "void" in line]


def test_a_vote_for_a_bot_is_told() -> None:
    for by, said in ((0, "You want a bot to play for Bram now."),
                     (2, "Asha wants a bot to play for Bram now.")):  # fmt: skip
        assert sentences.event_sentence(m.Voted(1, 0, 1, "Bram", by, "bot"), SEATS, 0) == said
    agreed = m.VoteEnded(1, 0, 1, "Bram", "bot")
    assert sentences.event_sentence(agreed, SEATS, 0) == "It is agreed: nobody waits for Bram."


def test_a_vote_to_wait_does_not_tell_again_that_somebody_is_away() -> None:
    turns = sentences.SlowTurns()
    away = m.PresenceChanged(1, 0, 1, "Bram", "away", False)
    deputy = m.PresenceChanged(2, 0, 1, "Bram", "away", True)
    ended = m.VoteEnded(3, 0, 1, "Bram", "wait")
    again = m.PresenceChanged(4, 0, 1, "Bram", "away", False)
    back = m.PresenceChanged(5, 0, 1, "Bram", "present", False)
    lost = m.PresenceChanged(6, 0, 1, "Bram", "away", False)
    events: list[m.AnyEvent] = [away, deputy, ended, again, back, lost]
    assert [turns.is_end_of_one(event) for event in events] == [
        False, False, False, True, False, False
    ]  # fmt: skip
    other = m.PresenceChanged(4, 0, 2, "Asha", "away", False)
    assert not turns.is_end_of_one(ended)
    assert not turns.is_end_of_one(other)
