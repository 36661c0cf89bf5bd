"""What a bot does next: one command at a time, decided anew from the newest view."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from hearts_net.bots.from_deal import view_of
from hearts_net.bots.levels import make_player
from hearts_net.bots.mind import LONELY, NO_PAUSE, PAUSE, RETRY, Deed, Kind, Mind, Question, answer
from hearts_net.protocol.messages import (
    ChooseMoon,
    Claim,
    Pass,
    Play,
    Ready,
    Reply,
    SeatView,
    Sit,
    View,
)
from hearts_net.rules.options import Options

if TYPE_CHECKING:
    from tests.bots.conftest import Kitchen


@pytest.fixture
def passing(kitchen: Kitchen) -> View:
    return at(view_of(kitchen.deal(Options(), 1, "mind"), 2), 5)


@pytest.fixture
def playing(kitchen: Kitchen) -> View:
    """Somebody else has led, and it is this seat's turn."""
    deal = kitchen.deal(Options(), 4, "mind")
    deal = deal.play(0)
    assert deal.turn is not None
    return at(view_of(deal, deal.turn), 5)


def at(view: View, seq: int) -> View:
    return replace(view, epoch=1, seq=seq)


def own(view: View, **changes: object) -> View:
    assert view.own is not None
    return replace(view, own=replace(view.own, **changes))


def with_person(view: View, seat: int, presence: str = "present") -> View:
    seats: list[SeatView] = list(view.public.seats)
    seats[seat] = replace(seats[seat], kind="person", presence=presence)
    return replace(view, public=replace(view.public, seats=seats))


def in_phase(view: View, phase: str) -> View:
    return own(replace(view, public=replace(view.public, phase=phase)), may=[], legal=[])


def reply(code: str = "", seq: int = 6) -> Reply:
    return Reply(1, not code, code, {}, 1, seq)


def asked(mind: Mind, now: int = 0) -> Question:
    wish = mind.due(now)
    assert isinstance(wish, Question)
    return wish


def test_it_passes_plays_and_chooses_what_its_player_says(passing: View, playing: View) -> None:
    player = make_player("medium")
    for view, kind, act in (
        (passing, Kind.PASS, Pass),
        (playing, Kind.PLAY, Play),
        (own(playing, may=["choose-moon"]), Kind.MOON, ChooseMoon),
    ):
        mind = Mind("s", NO_PAUSE)
        mind.saw(view, 0)
        question = asked(mind)
        assert question.kind is kind
        chosen = answer(question, player)
        assert isinstance(chosen, act)
        assert chosen == answer(question, player)
        assert mind.deed(chosen, question.view) == Deed(chosen, None)


def test_it_does_nothing_without_a_view_or_before_its_turn(playing: View) -> None:
    mind = Mind("s", NO_PAUSE)
    assert mind.due(0) is None
    assert mind.deadline() is None
    mind.saw(own(playing, may=[], legal=[]), 0)
    assert mind.due(0) is None
    assert mind.deadline() is None


def test_nothing_more_is_done_until_the_answer_and_the_view_that_follows(playing: View) -> None:
    mind = Mind("s", NO_PAUSE)
    mind.saw(playing, 0)
    assert isinstance(mind.due(0), Question)
    mind.sent(70)
    assert mind.due(0) is None
    mind.saw(at(playing, 6), 1)
    assert mind.due(1) is None
    mind.heard(69, reply(), 2)  # another command's answer
    assert mind.due(2) is None
    mind.heard(70, reply(seq=7), 3)
    assert mind.due(3) is None, "the view does not show what was done yet"
    assert mind.deadline() is None
    mind.saw(at(playing, 7), 4)
    assert isinstance(mind.due(4), Question)


def test_a_stale_command_is_decided_anew_from_the_newest_view(playing: View) -> None:
    mind = Mind("s", NO_PAUSE)
    mind.saw(playing, 0)
    mind.sent(1)
    mind.saw(at(playing, 9), 1)
    mind.heard(1, reply("stale-trick", seq=9), 2)
    question = asked(mind, 2)
    assert question.view.seq == 9
    assert not question.plain


def test_what_was_refused_waits_for_a_newer_view_or_a_while(playing: View) -> None:
    mind = Mind("s", NO_PAUSE)
    mind.saw(playing, 0)
    mind.sent(1)
    mind.heard(1, reply("must-follow", seq=5), 10)
    assert mind.due(11) is None
    assert mind.deadline() == 10 + RETRY
    question = asked(mind, 10 + RETRY)
    assert question.plain, "the player's answer was no good, any legal one is better"
    assert playing.own is not None
    chosen = answer(question, make_player("medium"))
    assert isinstance(chosen, Play)
    assert chosen.card in playing.own.legal


def test_a_plain_pass_is_three_cards_of_the_hand(passing: View) -> None:
    assert passing.own is not None
    chosen = answer(Question(Kind.PASS, passing, "s", True), make_player("easy"))
    assert isinstance(chosen, Pass)
    assert len(set(chosen.cards)) == 3
    assert set(chosen.cards) <= set(passing.own.hand)


def test_an_answer_that_could_not_be_sent_is_tried_again(playing: View) -> None:
    mind = Mind("s", NO_PAUSE)
    mind.saw(playing, 0)
    mind.could_not_send("bad-field", 5)
    assert mind.due(6) is None
    assert asked(mind, 5 + RETRY).plain


def test_an_answer_to_an_earlier_moment_is_dropped(playing: View) -> None:
    mind = Mind("s", NO_PAUSE)
    mind.saw(playing, 0)
    question = asked(mind)
    assert mind.holds(question)
    mind.saw(at(replace(playing, public=replace(playing.public, trick_number=2)), 8), 1)
    assert not mind.holds(question)


def test_it_claims_the_rest_when_it_may(playing: View) -> None:
    view = own(playing, can_claim=True, may=["play", "claim"])
    mind = Mind("s", NO_PAUSE)
    mind.saw(view, 0)
    assert mind.due(0) == Deed(Claim(), None)


def test_it_takes_its_time_only_while_people_are_at_the_table(playing: View) -> None:
    low, high = PAUSE
    for view, waits in (
        (playing, False),
        (with_person(playing, 0), True),
        (with_person(playing, 0, "slow"), True),
        (with_person(playing, 0, "away"), False),
        (own(with_person(playing, 0), can_claim=True, may=["claim"]), True),
    ):
        mind = Mind("s", PAUSE)
        mind.saw(view, 1000)
        assert (mind.due(1000) is None) == waits
        due = mind.deadline()
        assert due is not None
        assert mind.due(due) is not None
        if waits:
            assert low <= due - 1000 <= high
            assert mind.due(due - 1) is None


def test_a_newer_view_of_the_same_moment_does_not_begin_the_pause_again(playing: View) -> None:
    mind = Mind("s", PAUSE)
    view = with_person(playing, 0)
    mind.saw(view, 1000)
    due = mind.deadline()
    mind.saw(at(view, 6), 1300)
    assert mind.deadline() == due


def test_a_pause_can_be_switched_off(playing: View) -> None:
    mind = Mind("s", NO_PAUSE)
    mind.saw(with_person(playing, 0), 1000)
    assert isinstance(mind.due(1000), Question)


def test_it_says_ready_when_it_is_asked_and_not_twice(playing: View) -> None:
    for phase in ("lobby", "deal-over"):
        view = own(in_phase(playing, phase), may=["ready"])
        assert view.own is not None
        seats = list(view.public.seats)
        seats[view.own.seat] = replace(seats[view.own.seat], ready=False)
        waiting = replace(view, public=replace(view.public, seats=seats))
        mind = Mind("s", NO_PAUSE)
        mind.saw(waiting, 0)
        assert mind.due(0) == Deed(Ready(), None)
        mind.saw(view, 0)
        assert mind.due(0) is None


def test_it_plays_another_game_with_people_but_not_with_bots_for_ever(playing: View) -> None:
    over = own(in_phase(playing, "game-over"), may=["ready"])
    assert over.own is not None
    seats = [replace(seat, ready=False) for seat in over.public.seats]
    alone = replace(over, public=replace(over.public, seats=seats))
    mind = Mind("s", NO_PAUSE)
    mind.saw(alone, 0)
    assert mind.due(0) is None
    mind.saw(with_person(alone, (over.own.seat + 1) % 4), 0)
    assert mind.due(0) == Deed(Ready(), None)


def test_without_a_seat_it_takes_a_free_one(playing: View) -> None:
    lobby = replace(in_phase(playing, "lobby"), own=None, may=["sit"])
    seats = list(lobby.public.seats)
    seats[3] = replace(seats[3], kind="empty", name="")
    mind = Mind("s", NO_PAUSE)
    mind.saw(lobby, 0)
    assert mind.due(0) is None, "all four are taken"
    mind.saw(replace(lobby, public=replace(lobby.public, seats=seats)), 0)
    assert mind.due(0) == Deed(Sit(3), None)


def test_a_deputy_names_the_seat_and_does_nothing_but_play(playing: View) -> None:
    assert playing.own is not None
    mind = Mind("s", NO_PAUSE, deputy=True)
    mind.saw(own(playing, can_claim=True, may=["play", "claim"]), 0)
    question = asked(mind)
    deed = mind.deed(answer(question, make_player("medium")), question.view)
    assert isinstance(deed.act, Play)
    assert deed.seat == playing.own.seat
    mind.saw(own(in_phase(at(playing, 9), "deal-over"), may=["ready"]), 0)
    assert mind.due(0) is None
    mind.saw(replace(playing, seq=12, own=None, may=["sit"]), 0)
    assert mind.due(0) is None


def test_a_guest_leaves_when_the_game_is_over_and_nobody_is_left(playing: View) -> None:
    over = in_phase(playing, "game-over")
    mind = Mind("s", NO_PAUSE, guest=True)
    mind.saw(over, 1000)
    assert mind.due(1000) is None
    assert mind.deadline() == 1000 + LONELY
    assert mind.due(1000 + LONELY) is None
    assert mind.leaves


@pytest.mark.parametrize("why", ["person", "watcher", "no-guest"])
def test_it_stays_for_people_for_watchers_and_where_it_belongs(playing: View, why: str) -> None:
    over = in_phase(playing, "game-over")
    if why == "person":
        over = with_person(over, 0)
    elif why == "watcher":
        over = replace(over, public=replace(over.public, watchers=1))
    mind = Mind("s", NO_PAUSE, guest=why != "no-guest")
    mind.saw(over, 1000)
    assert mind.due(1000 + 2 * LONELY) is None
    assert mind.deadline() is None
    assert not mind.leaves


def test_a_restarted_mind_goes_on_from_one_view(playing: View) -> None:
    first, second = Mind("s", NO_PAUSE), Mind("s", NO_PAUSE)
    first.saw(at(playing, 3), 0)
    first.saw(playing, 0)
    second.saw(playing, 5000)
    one, two = asked(first), asked(second, 5000)
    assert one == two


def test_the_questions_of_one_game_have_seeds_of_their_own(kitchen: Kitchen) -> None:
    seeds = set()
    mind = Mind("s", NO_PAUSE)

    def note(_deal: object, _seat: int, view: View) -> None:
        mind.saw(at(view, view.seq + 1), 0)
        seeds.add(asked(mind).seed)

    deal = kitchen.deal(Options(), 1, "seeds")
    kitchen.play([make_player("easy")] * 4, deal, "seeds", note)
    assert len(seeds) == 4 + 52
