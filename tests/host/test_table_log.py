from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hearts_net.host.log import MAX_PAGES, Answers, Log
from hearts_net.protocol.limits import PAGE
from hearts_net.protocol.messages import AnyEvent, Said


def said(number: int) -> AnyEvent:
    return Said(number, 0, "x", None, "y")


def log_of(sizes: list[int]) -> Log:
    log = Log()
    for size in sizes:
        log = log.added([said(log.newest + 1 + place) for place in range(size)])
    return log


@given(st.lists(st.integers(0, 70), max_size=12), st.integers(0, 900))
def test_pages_are_what_comes_next(sizes: list[int], after: int) -> None:
    log = log_of(sizes)
    total = sum(sizes)
    assert log.newest == total
    events, more = log.after(after)
    assert [event.n for event in events] == list(range(after + 1, min(after + PAGE, total) + 1))
    assert more == (after + PAGE < total)


def test_the_oldest_events_are_dropped_at_last() -> None:
    log = log_of([PAGE] * (MAX_PAGES + 3) + [7])
    events, more = log.after(0)
    assert events[0].n == 3 * PAGE + 1
    assert more
    events, more = log.after(log.newest - 3)
    assert [event.n for event in events] == [log.newest - 2, log.newest - 1, log.newest]
    assert not more


def test_an_older_log_is_not_changed_by_a_newer_one() -> None:
    older = log_of([60])
    newer = older.added([said(61)])
    assert older.newest == 60
    assert newer.newest == 61
    assert older.after(59)[0] == [said(60)]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 40)), max_size=200, unique=True))
def test_every_answer_is_kept(asked: list[tuple[str, int]]) -> None:
    answers = Answers()
    for number, each in enumerate(asked):
        answers = answers.added(each, (1, number))
    for number, each in enumerate(asked):
        assert answers.get(each) == (1, number)
    assert answers.get(("d", 0)) is None
