"""What a client keeps of a table: the newest view, each event once, what is missing."""

from __future__ import annotations

import random
from dataclasses import replace

from msgspec.structs import replace as changed

from hearts_client import table_state as ts
from hearts_net.bots.from_deal import view_of
from hearts_net.protocol import messages as m
from hearts_net.rules.deal import new_deal
from hearts_net.rules.options import Options, PassingRule
from hearts_net.rules.shuffle import deal_hands


def view(epoch: int = 1, seq: int = 1, **public: object) -> m.View:
    base = view_of(new_deal(Options(passing=PassingRule.NONE), 1, deal_hands(b"k" * 32)), 0)
    return changed(base, epoch=epoch, seq=seq, time=100_000, public=changed(base.public, **public))


def said(number: int) -> m.Said:
    return m.Said(number, 0, "Bram", 1, f"word {number}")


def test_the_newest_view_wins_and_an_epoch_beats_a_seq() -> None:
    state = ts.received_view(ts.TableState(), view(1, 9), 5, 0)
    assert ts.received_view(state, view(1, 8), 6, 0) is state
    state = ts.received_view(state, view(2, 1), 7, 0)
    assert state.view is not None
    assert (state.view.epoch, state.received_at) == (2, 7)


def test_each_event_is_kept_once_in_order() -> None:
    numbers = list(range(1, 40)) * 2
    random.Random(1).shuffle(numbers)
    state = ts.TableState()
    for number in numbers:
        state = ts.with_events(state, [said(number)])
    assert [event.n for event in state.log] == list(range(1, 40))
    assert state.unread == 39


def test_the_log_is_bounded() -> None:
    state = ts.with_events(ts.TableState(), [said(n) for n in range(1, 800)])
    assert len(state.log) == ts.KEPT_EVENTS
    assert state.log[-1].n == 799


def test_it_knows_what_is_missing() -> None:
    state = ts.received_view(ts.TableState(), view(newest_event=120), 0, 0)
    assert ts.missing_log(state) == 70
    state = ts.log_arrived(state, m.LogPage([said(n) for n in range(71, 121)], more=False))
    assert ts.missing_log(state) is None
    assert state.unread == 0
    summary = m.DealSummary(3, [0, 0, 0, 26], [0, 0, 0, 26], None)
    state = ts.received_view(state, view(seq=2, game="g", last_deal=summary), 0, 0)
    assert ts.missing_deals(state) == 0
    deals = [changed(summary, deal=n) for n in (1, 2)]
    state = ts.deals_arrived(state, m.DealsPage(deals, more=False))
    assert [deal.deal for deal in state.deals] == [1, 2, 3]
    assert ts.missing_deals(state) is None


def test_a_new_game_forgets_the_deals_of_the_one_before() -> None:
    summary = m.DealSummary(1, [0, 0, 0, 26], [0, 0, 0, 26], None)
    state = ts.received_view(ts.TableState(), view(game="g", last_deal=summary), 0, 0)
    state = ts.received_view(state, view(seq=2, game="h"), 0, 0)
    assert state.deals == ()


def test_seconds_follow_the_hosts_clock() -> None:
    state = ts.received_view(ts.TableState(link="live"), view(), 5000, 0)
    assert ts.host_now(state, 7000) == 102_000
    assert ts.seconds_until(state, 110_000, 7000) == 8
    assert ts.seconds_until(state, 110_000, 7001) == 8
    assert ts.seconds_until(state, 110_000, 99_000) == 0
    assert ts.seconds_since(state, 100_500, 7000) == 1


def test_it_ticks_only_while_something_is_counted() -> None:
    state = ts.received_view(ts.TableState(link="live"), view(), 0, 0)
    assert ts.next_moment(state, 10) is None
    assert ts.next_moment(ts.received_view(state, view(seq=2, next_at=105_000), 0, 0), 250) == 1000
    assert ts.next_moment(ts.link_changed(state, "lost", 0), 250) == 1000
    ended = replace(state, link="lost", closing="saved")
    assert ts.next_moment(ended, 250) is None


def test_a_finished_trick_is_shown_for_a_while() -> None:
    cards = [m.TrickCard(seat, card) for seat, card in enumerate(("2C", "3C", "4C", "5C"))]
    trick = m.TrickView(1, cards, 3, 0)
    state = ts.received_view(ts.TableState(link="live"), view(), 0, 1200)
    new = changed(view(seq=2), events=[m.TrickTaken(1, 0, trick)])
    shown = ts.received_view(state, new, 1000, 1200)
    assert ts.trick_shown(shown, 2199) == trick
    assert ts.trick_shown(shown, 2200) is None
    assert ts.next_moment(shown, 1000) == 2200
    assert ts.received_view(state, new, 1000, 0).shown_trick is None
