"""Nothing hidden leaves the host: the bytes for a viewer do not depend on cards hidden from it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from hearts_net.host.changes import action_of
from hearts_net.host.course import without
from hearts_net.host.events import GameFact
from hearts_net.host.projection import (
    Viewer,
    project,
    project_deals,
    project_log,
    project_public,
    project_refused,
    public_view,
)
from hearts_net.host.table import Role, Stage, Table
from hearts_net.protocol.codec import encode, pack_public, splice_view
from hearts_net.protocol.messages import AnyAct, ChooseMoon, Claim, Pass, Play
from hearts_net.rules.actions import Action, DealCards, PassCards
from hearts_net.rules.cards import CARD_TEXTS, SEATS, TWO_OF_CLUBS, Hands, Mask, cards_in
from hearts_net.rules.deal import Deal
from hearts_net.rules.errors import HeartsError, RuleError
from hearts_net.rules.fair import read_shuffle
from hearts_net.rules.game import Game
from hearts_net.testing.tables import Driver

RULES: list[dict[str, bool | int | str]] = [
    {"target": 1000},
    {"target": 1000, "first_trick_points": False, "queen_of_spades": "after-hearts"},
    {"target": 1000, "moon": "shooter-chooses", "jack_of_diamonds": True, "finish_early": True},
    {"target": 1000, "passing": "none", "queen_breaks_hearts": True},
]


# ---- another world, in which two hidden cards are exchanged ------------------------------------


def swapped(mask: Mask, one: int, other: int) -> Mask:
    if (mask >> one & 1) != (mask >> other & 1):
        mask ^= 1 << one | 1 << other
    return mask


def swapped_hands(hands: Hands, one: int, other: int) -> Hands:
    first, second, third, fourth = (swapped(mask, one, other) for mask in hands)
    return first, second, third, fourth


def hidden_from(deal: Deal, viewer: int | None) -> list[int]:
    """Cards of which the viewer cannot know where they are."""
    known = deal.played
    if viewer is not None:
        known |= deal.hands[viewer] | deal.dealt[viewer] | deal.passes[viewer]
    if not deal.passing:
        known |= 1 << TWO_OF_CLUBS  # whoever is to lead has it, as everybody knows
    return [card for card in range(52) if not known >> card & 1]


def game_actions(driver: Driver) -> list[Action]:
    facts = (fact for entry in driver.entries for fact in entry.facts)
    return [action_of(fact) for fact in facts if isinstance(fact, GameFact)]


def worlds(driver: Driver, viewer: int | None, count: int) -> Iterator[Table]:
    """Yield tables that differ from the driver's only in what the viewer cannot see.

    The deal is played again with two hidden cards exchanged; where the rules would not have allowed
    what was seen to be played, there is no such world.
    """
    deal, rng = driver.table.deal, driver.rng
    assert deal is not None
    hidden = hidden_from(deal, viewer)
    actions = game_actions(driver)
    start = max(place for place, action in enumerate(actions) if isinstance(action, DealCards))
    before = Game.start(driver.table.options)
    for action in actions[:start]:
        before = before.apply(action)
    for _ in range(20):
        if len(hidden) < 2 or not count:
            return
        one, other = rng.sample(hidden, 2)
        where = (deal.hands, deal.passes)
        if where == tuple(swapped_hands(masks, one, other) for masks in where):
            continue
        with suppress(RuleError):
            yield replace(driver.table, game=replayed(before, actions[start:], one, other))
            count -= 1


def replayed(game: Game, actions: list[Action], one: int, other: int) -> Game:
    for action in actions:
        match action:
            case DealCards(hands):
                game = game.apply(DealCards(swapped_hands(hands, one, other), "f" * 64))
            case PassCards(seat, cards):
                game = game.apply(PassCards(seat, swapped(cards, one, other)))
            case _:
                game = game.apply(action)
    return game


# ---- everything that the viewer can get --------------------------------------------------------


def everything_told(table: Table, viewer: Viewer) -> list[bytes]:
    public = public_view(table)
    packed = pack_public(public)
    told = [splice_view(project(table, viewer, 5, public), packed)]
    told.append(encode(project_public(table, 5, public)))
    told += [encode(project_log(table, after)) for after in range(0, table.log.newest + 1, 50)]
    told.append(encode(project_deals(table, 0)))
    return told


def acts_of(table: Table, seat: int) -> list[AnyAct]:
    deal = table.deal
    assert deal is not None
    own = [CARD_TEXTS[card] for card in cards_in(deal.hands[seat])]
    acts: list[AnyAct] = [Play(card) for card in (*own, "QS", "2C", "AH")]
    acts += [Claim(), ChooseMoon("others-gain"), Pass(["2C", "3C", "4C"])]
    last_to_pass = table.stage is Stage.PASSING and len(table.to_move()) == 1
    if len(own) >= 3 and not last_to_pass:  # the last pass shows what one receives, and who leads
        acts.append(Pass(own[:3]))
    return acts


def answers_told(driver: Driver, table: Table, seat: int) -> list[bytes]:
    """What the holder of a seat is told when trying each act: the answer, and what it sees then."""
    told = []
    kept, driver.table = driver.table, table
    key = table.seats[seat].key
    for act in acts_of(table, seat):
        driver.rng.seed(7)
        try:
            after = driver.try_act(key, act, id=900).table
        except HeartsError as error:
            told.append(encode(project_refused(table, 900, error)))
        else:
            told += everything_told(after, Viewer.of(after, key))
    driver.table = kept
    return told


@pytest.mark.parametrize("rules", RULES)
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 2**32), steps=st.integers(0, 140))
def test_bytes_do_not_depend_on_hidden_cards(
    rules: dict[str, bool | int | str], seed: int, steps: int
) -> None:
    driver = Driver(seed)
    driver.start_game(**rules)
    driver.steps(steps)
    table = driver.table
    for seat in (*SEATS, None):
        viewer = (
            Viewer.of(table, table.seats[seat].key)
            if seat is not None
            else Viewer("w", Role.WATCHER, None)
        )
        told = everything_told(table, viewer)
        answers = answers_told(driver, table, seat) if seat is not None else []
        for other in worlds(driver, seat, 2):
            assert everything_told(other, viewer) == told
            if seat is not None:
                assert answers_told(driver, other, seat) == answers


def test_the_other_world_is_really_another_one() -> None:
    driver = Driver(3)
    driver.start_game(target=1000)
    driver.steps(20)
    table = driver.table
    found = list(worlds(driver, 0, 3))
    assert found
    for other in found:
        assert other != table
        seen = [project(t, Viewer.of(t, t.seats[1].key), 5) for t in (table, other)]
        also = [project(t, Viewer.of(t, t.seats[2].key), 5) for t in (table, other)]
        last = [project(t, Viewer.of(t, t.seats[3].key), 5) for t in (table, other)]
        assert seen[0] != seen[1] or also[0] != also[1] or last[0] != last[1]


# ---- who sees which hand -----------------------------------------------------------------------


def in_play(seed: int = 1) -> tuple[Driver, list[str]]:
    driver = Driver(seed)
    keys = driver.start_game(target=1000)
    driver.play_to(Stage.PLAYING)
    driver.steps(9)
    return driver, keys


def test_a_watcher_sees_no_hand_even_with_the_key_of_a_seat() -> None:
    driver, keys = in_play()
    driver.join("w", role="watcher")
    assert project(driver.table, Viewer.of(driver.table, "w"), 0).own is None
    driver.join(keys[2], role="watcher")
    view = project(driver.table, Viewer.of(driver.table, keys[2]), 0)
    assert view.own is None
    assert view.role == "watcher"
    assert view.public.seats[2].presence == "away"


def test_who_has_been_silent_for_long_still_sees_the_own_hand() -> None:
    driver, keys = in_play()
    heard = project(driver.table, Viewer.of(driver.table, keys[1]), 0)
    silent = without(driver.table, keys[1])
    view = project(silent, Viewer.of(silent, keys[1]), 0)
    assert view.own is not None
    assert heard.own is not None
    assert view.own.hand == heard.own.hand
    assert view.role == heard.role == "player"


def test_somebody_unknown_sees_no_hand() -> None:
    driver, _ = in_play()
    view = project(driver.table, Viewer.of(driver.table, "stranger"), 0)
    assert view.own is None
    assert view.may == []


def test_a_player_without_a_seat_sees_no_hand() -> None:
    driver, _ = in_play()
    assert driver.join("late") is None
    view = project(driver.table, Viewer.of(driver.table, "late"), 0)
    assert view.own is None
    assert view.may == ["say"]


def test_a_deputy_sees_its_seat_only_while_it_plays_for_it() -> None:
    driver, keys = in_play()
    assert project(driver.table, Viewer.deputy(driver.table, "d", 1), 0).own is None
    driver.leave(keys[1])
    view = project(driver.table, Viewer.deputy(driver.table, "d", 1), 0)
    assert view.own is not None
    assert view.own.seat == 1
    assert view.role == "deputy"
    driver.join(keys[1])
    assert project(driver.table, Viewer.deputy(driver.table, "d", 1), 0).own is None


def test_the_seed_of_a_deal_is_in_nothing_that_leaves() -> None:
    driver, keys = in_play()
    deal = driver.table.deal
    assert deal is not None
    shuffle = read_shuffle(deal.start.shuffle or "")
    key_of_the_deck = shuffle.key(driver.table.game_id, 1)
    for key in keys:
        for body in everything_told(driver.table, Viewer.of(driver.table, key)):
            for secret in (key_of_the_deck, shuffle.host.seed, shuffle.host.nonce):
                assert secret.hex().encode() not in body
                assert secret not in body


def test_passed_cards_are_told_to_nobody_but_who_passed_and_who_gets_them() -> None:
    driver = Driver(4)
    driver.start_game(target=1000)
    driver.play_to(Stage.PLAYING)
    table = driver.table
    deal = table.deal
    assert deal is not None
    for seat in SEATS:
        own = project(table, Viewer.of(table, table.seats[seat].key), 0).own
        assert own is not None
        passed = {CARD_TEXTS[card] for card in cards_in(deal.passes[seat])}
        assert set(own.passed) == passed
        assert set(own.received) == {CARD_TEXTS[c] for c in cards_in(deal.received[seat])}
        assert set(own.received) <= set(own.hand)
        assert not passed & set(own.hand)


# ---- what a view says --------------------------------------------------------------------------


def test_a_view_shows_whose_turn_it_is_and_what_is_legal() -> None:
    driver, keys = in_play(5)
    table = driver.table
    (turn,) = table.to_move()
    for seat, key in enumerate(keys):
        view = project(table, Viewer.of(table, key), 0)
        assert view.own is not None
        assert bool(view.own.legal) == (seat == turn)
        assert ("play" in view.own.may) == (seat == turn)
        assert view.public.turn == turn


def test_voids_are_those_that_were_shown() -> None:
    driver, _ = in_play(6)
    driver.steps(30)
    table = driver.table
    deal = table.deal
    assert deal is not None
    voids = public_view(table).shown_voids
    for seat in SEATS:
        for suit in voids[seat]:
            held = [card for card in cards_in(deal.hands[seat]) if CARD_TEXTS[card][1] == suit]
            assert held == []
    assert any(voids)


def test_a_finished_deal_shows_its_points_and_no_hand() -> None:
    driver = Driver(8)
    keys = driver.start_game(target=1000)
    driver.play_to(Stage.DEAL_OVER)
    view = project(driver.table, Viewer.of(driver.table, keys[0]), 0)
    assert view.own is not None
    assert view.own.hand == []
    assert view.public.last_deal is not None
    assert [seat.points for seat in view.public.seats] == view.public.last_deal.points
    assert [seat.total for seat in view.public.seats] == view.public.last_deal.totals
    assert view.public.trick_number == 0
    assert view.public.turn is None


def test_nothing_in_a_view_grows_with_the_game() -> None:
    driver = Driver(9)
    keys = driver.start_game(target=1000)
    sizes = []
    for _ in range(6):
        driver.play_to(Stage.DEAL_OVER)
        view = project(driver.table, Viewer.of(driver.table, keys[0]), 0)
        sizes.append(len(encode(view)))
        driver.step()
        driver.steps(3)
    assert max(sizes) - min(sizes) < 200


@pytest.mark.parametrize("after", [0, 1, 4, 5, 6, 2**53])
def test_deals_come_in_order_after_the_one_known(after: int) -> None:
    driver = Driver(10)
    driver.start_game(target=1000)
    for _ in range(5):
        driver.play_to(Stage.DEAL_OVER)
        driver.steps(5)
    page = project_deals(driver.table, after)
    assert [deal.deal for deal in page.deals] == list(range(after + 1, 6))
    assert not page.more
