"""The tricks of a game, from events that come in any order and with gaps."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from msgspec.structs import replace as changed

from hearts_client.past import Past, answered, deals, has, missing, seen
from hearts_client.testing.sitting import Sitting
from hearts_net.protocol import messages as m
from hearts_net.protocol.limits import PAGE
from hearts_net.rules.options import Options


def game(target: int = 40) -> list[m.AnyEvent]:
    """Give the events of a whole game, numbered from 1 on."""
    table = Sitting(options=Options(target=target))
    table.until(lambda at: at.game.winner is not None)
    start = m.GameStarted(1, 0, "g1")
    log = [start, *(changed(event, n=event.n + 1) for event in table.model.table.log)]
    assert [event.n for event in log] == list(range(1, len(log) + 1))
    return list(log)


GAME = game()


def test_the_deals_of_a_game_have_their_tricks() -> None:
    found = deals(seen(Past(), GAME))
    assert [deal.deal for deal in found] == list(range(1, len(found) + 1))
    assert [deal.direction for deal in found][:4] == ["left", "right", "across", "hold"][
        : len(found)
    ]
    for deal in found:
        assert [trick.number for trick in deal.tricks] == list(range(1, 14))
        assert sum(trick.points for trick in deal.tricks) == 26


@pytest.mark.parametrize("seed", range(5))
def test_pages_in_any_order_and_more_than_once_give_the_same(seed: int) -> None:
    rng = random.Random(seed)
    events = list(GAME) * 2
    rng.shuffle(events)
    past = Past()
    while events:
        size = rng.randint(1, 30)
        past = seen(past, sorted(events[:size], key=lambda event: event.n))
        del events[:size]
    assert deals(past) == deals(seen(Past(), GAME))
    assert missing(past, GAME[-1].n) is None


def fetched(past: Past, log: Sequence[m.AnyEvent], kept_from: int = 1) -> tuple[Past, int]:
    """Ask as a client does until nothing is missing; give how often."""
    asked = 0
    while (after := missing(past, log[-1].n)) is not None:
        page = [event for event in log if event.n > after and event.n >= kept_from][:PAGE]
        past = answered(past, after, page)
        asked += 1
        assert asked < 100
    return past, asked


def test_who_comes_late_fetches_backwards_and_once() -> None:
    past = seen(Past(), GAME[-10:])
    first = missing(past, GAME[-1].n)
    assert first == GAME[-10].n - 1 - PAGE
    past, asked = fetched(past, GAME)
    assert deals(past) == deals(seen(Past(), GAME))
    assert asked <= len(GAME) // PAGE + 1


def test_a_gap_in_the_middle_is_filled() -> None:
    past = seen(Past(), [*GAME[:20], *GAME[60:]])
    past, asked = fetched(past, GAME)
    assert asked == 1
    assert deals(past) == deals(seen(Past(), GAME))


def test_what_the_host_has_no_more_is_not_asked_for_for_ever() -> None:
    past, asked = fetched(seen(Past(), GAME[-5:]), GAME, kept_from=100)
    assert asked <= len(GAME) // PAGE + 2
    assert deals(past)[-1] == deals(seen(Past(), GAME))[-1]


def test_a_rematch_begins_anew() -> None:
    past = seen(Past(), GAME)
    after = GAME[-1].n
    past = seen(past, [m.GameStarted(after + 1, 0, "g2"), m.DealStarted(after + 2, 0, 1, "left")])
    assert [deal.deal for deal in deals(past)] == [1]
    assert missing(past, after + 2) is None


def test_a_claim_and_an_early_end_are_told() -> None:
    past = seen(Past(), [m.DealStarted(1, 0, 1, "left"), m.Claimed(2, 0, 3)])
    assert deals(past)[0].claimed_by == 3
    past = seen(past, [m.DealStarted(3, 0, 2, "right"), m.Settled(4, 0)])
    assert deals(past)[1].settled


def test_a_deal_is_there_once_its_start_and_all_after_it_are() -> None:
    newest = GAME[-1].n
    starts = [event for event in GAME if isinstance(event, m.DealStarted)]
    assert len(starts) > 1
    late = seen(Past(), [event for event in GAME if event.n >= starts[-1].n])
    assert has(late, newest, 0)
    assert has(late, newest, starts[-1].deal)
    assert not has(late, newest, 1)
    assert not has(seen(late, GAME[: starts[-1].n - 3]), newest, 1)
    assert has(seen(late, GAME), newest, 1)
    assert not has(Past(), newest, 0)
