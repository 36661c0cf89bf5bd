"""What a first game teaches: the words fit what is legal, in every position of many games."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from hearts_client.speech import Style
from hearts_client.teaching import lesson, points_on_table
from hearts_client.testing.sitting import Sitting
from hearts_net.protocol.messages import TrickCard, View
from hearts_net.rules.options import Options, PassingRule, QueenRule


def view_of(*trick: str, hand: str, legal: str, broken: bool = False, number: int = 5) -> View:
    """Make the view of seat 0 to whose turn it is, the cards given by their texts."""
    view = Sitting(options=Options(passing=PassingRule.NONE)).until_my_turn(trick=2).view()
    assert view.own is not None
    public = replace(
        view.public,
        trick=[TrickCard(seat, card) for seat, card in enumerate(trick, start=1)],
        hearts_broken=broken,
        trick_number=number,
    )
    return replace(view, public=public, own=replace(
        view.own, hand=hand.split(), legal=legal.split()
    ))  # fmt: skip


@pytest.mark.parametrize(
    ("view", "words"),
    [
        (view_of("7H", hand="5H AH 2C", legal="5H AH"), "Hearts were led: only hearts may"),
        (view_of("7C", hand="5C 2S", legal="5C"), "Clubs were led: only clubs may"),
        (view_of("7D", hand="5C 2S", legal="5C 2S"), "You have no diamonds: any card may"),
        (view_of("7D", hand="5C 2H", legal="5C", number=1), "no points on the first trick"),
        (view_of("7D", hand="5C QS", legal="5C"), "Q♠ waits for hearts"),
        (view_of(hand="2C 5H", legal="2C", number=1), "Whoever holds 2♣ opens the first trick"),
        (view_of(hand="3C 5H", legal="3C"), "any card but a heart"),
        (view_of(hand="3C QS", legal="3C"), "any card but Q♠"),
        (view_of(hand="3H 5H", legal="3H 5H"), "you hold nothing else"),
        (view_of(hand="3H 5C", legal="3H 5C", broken=True), "You lead: any card. The others"),
    ],
)
def test_why_the_legal_cards_are_legal(view: View, words: str) -> None:
    assert words in lesson(view, Style.SYMBOLS)


def test_what_lies_on_the_table_is_counted() -> None:
    assert "1 point lies there" in lesson(view_of("7H", hand="5H", legal="5H"), Style.SYMBOLS)
    said = lesson(view_of("7S", "QS", "2H", hand="5S", legal="5S"), Style.SYMBOLS)
    assert "14 points lie there (a heart 1, Q♠ 13)." in said
    omnibus = view_of("7D", "JD", hand="5D", legal="5D")
    rules = {**omnibus.public.rules, "jack_of_diamonds": True}
    assert points_on_table(replace(omnibus.public, rules=rules)) == -10


def test_what_to_pass_and_what_cards_cost_is_said_while_passing() -> None:
    table = Sitting()
    table.step()
    said = lesson(table.model.table.view, Style.SYMBOLS)
    assert "A♠, K♠ and Q♠" in said
    assert "A heart costs 1 point, Q♠ 13." in said
    assert "queen of spades" in lesson(table.model.table.view, Style.SPOKEN)
    table = Sitting(options=Options(jack_of_diamonds=True))
    table.step()
    assert "J♦" in lesson(table.model.table.view, Style.SYMBOLS)


@pytest.mark.parametrize("queen", list(QueenRule))
@pytest.mark.parametrize("points", [True, False])
def test_the_words_fit_every_turn_of_a_game(queen: QueenRule, points: bool) -> None:
    options = Options(queen_of_spades=queen, first_trick_points=points, target=60)
    table = Sitting(options=options)
    turns = 0
    while table.game.winner is None:
        table.step()
        view = table.model.table.view
        assert view is not None
        said = lesson(view, Style.ASCII)
        asked = view.own is not None and view.public.phase == "playing" and bool(view.own.legal)
        passing = view.public.phase == "passing" and view.own is not None and not view.own.passed
        assert bool(said) == (asked or passing)
        if not asked or view.own is None:
            continue
        turns += 1
        everything = set(view.own.legal) == set(view.own.hand)
        if "any card may be played" in said or "any card. The others" in said:
            assert everything
        if ": only " in said:
            led = view.public.trick[0].card[1]
            assert {card[1] for card in view.own.legal} == {led}
        if " but " in said:
            assert not everything
    assert turns > 26
