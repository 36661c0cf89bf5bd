"""The end of a game: the final table, the plot of the totals, and a tie that goes on."""

from __future__ import annotations

from dataclasses import replace

import pytest
from msgspec.structs import replace as changed

from hearts_client.full.intents import Want
from hearts_client.full.layout import Span
from hearts_client.full.screens.over import final_table
from hearts_client.full.screens.plot import plot
from hearts_client.full.screens.sheet import winner_words
from hearts_client.settings import ClientSettings
from hearts_client.testing.sitting import Sitting
from hearts_net.protocol.messages import DealSummary
from hearts_net.rules.options import Options


def ended(settings: ClientSettings | None = None, target: int = 50) -> Sitting:
    wanted = settings or ClientSettings(name="Asha")
    table = Sitting(options=Options(target=target), settings=wanted)
    table.until(lambda at: at.game.winner is not None)
    table.now += 2000
    return table


def with_totals(table: Sitting, *totals: tuple[int, int, int, int]) -> Sitting:
    """Put deals with these totals in place of those played."""
    deals: list[DealSummary] = []
    before = (0, 0, 0, 0)
    for number, now in enumerate(totals, start=1):
        points = [new - old for new, old in zip(now, before, strict=True)]
        deals.append(DealSummary(number, points, list(now), None))
        before = now
    table.seat_changes = {seat: {"total": before[seat]} for seat in range(4)}
    table.model = replace(table.model, table=replace(table.model.table, deals=tuple(deals)))
    return table


def text(spans: tuple[Span, ...]) -> str:
    return "".join(span.text for span in spans).rstrip()


def test_who_shares_a_total_shares_the_place() -> None:
    table = ended()
    table.seat_changes = {seat: {"total": total} for seat, total in enumerate((20, 60, 20, 10))}
    table.show()
    assert table.model.public is not None
    lines = final_table(table.model, table.model.public, 50, table.now)
    places = [text(line).split()[0] for line in lines]
    assert places == ["Player", "1.", "2.", "2.", "4."]


def test_each_line_of_the_plot_ends_at_its_total_and_is_named() -> None:
    table = with_totals(ended(), (0, 26, 0, 0), (10, 26, 10, 6), (20, 52, 26, 6), (33, 60, 30, 7))
    assert table.model.public is not None
    lines = [text(line) for line in plot(table.model, table.model.public, 70, 14)]
    assert len(lines) == 14
    ends = [line for line in lines if any(name in line for name in ("You", "Bram", "Chl", "Dana"))]
    assert [line.split()[-1] for line in ends] == ["60", "33", "30", "7"]
    assert lines[-1].split() == ["deal", "1", "2", "3", "4"]
    assert lines[0].startswith("  60")
    assert any(line.startswith("   0") for line in lines)


def test_names_that_begin_alike_are_told_apart_by_the_seat() -> None:
    table = ended()
    table.seat_changes[1] = {"name": "Chris"}
    table.show()
    assert table.model.public is not None
    lines = [text(line) for line in plot(table.model, table.model.public, 70, 14)]
    assert any("2 Chris" in line for line in lines)
    assert any("3 Chl" in line for line in lines)


@pytest.mark.parametrize("size", [(70, 14), (20, 6), (200, 40), (34, 8)])
def test_the_plot_keeps_to_its_size(size: tuple[int, int]) -> None:
    width, rows = size
    below = with_totals(ended(), (-26, 0, 0, 0), (-52, 5, 30, 1000), (-52, 5, 31, 1001))
    for table in (ended(), below):
        assert table.model.public is not None
        lines = plot(table.model, table.model.public, width, rows)
        assert len(lines) == rows


def test_there_is_no_plot_of_one_deal_or_of_deals_that_are_not_all_known() -> None:
    table = with_totals(ended(), (0, 26, 0, 0))
    assert table.model.public is not None
    assert plot(table.model, table.model.public, 70, 14) == []
    table = ended()
    known = table.model.table.deals[1:]
    table.model = replace(table.model, table=replace(table.model.table, deals=known))
    assert table.model.public is not None
    assert plot(table.model, table.model.public, 70, 14) == []


def test_the_score_sheet_has_the_plot_too() -> None:
    table = Sitting().until(lambda at: len(at.game.results) == 3).until_my_turn(2)
    table.now += 2000
    table.press(Want.SCORES)
    lines = table.text(80, 40).splitlines()
    assert any(line.split()[:2] == ["deal", "1"] for line in lines)


def test_a_tie_at_the_target_is_said_since_the_game_goes_on() -> None:
    table = Sitting().until(lambda at: len(at.game.results) == 1)
    table.seat_changes = {seat: {"total": total} for seat, total in enumerate((40, 105, 40, 60))}
    table.show()
    table.now += 2000
    for size in ((80, 24), (120, 40)):
        lines = [line.partition("│")[0] for line in table.text(*size).splitlines()]
        said = " ".join(" ".join(lines).split())
        assert "100 points are reached, but you and Chlo" in said
        assert "the game goes on." in said


def test_a_single_point_is_said_as_one() -> None:
    table = ended(target=1)
    public = table.model.public
    assert public is not None
    table.seat_changes = {seat: {"total": 1} for seat in range(4)}
    table.changes = {"winner": 0}
    table.show()
    assert table.model.public is not None
    assert winner_words(table.model, table.model.public) == "You win the game, with 1 point!"
    table.changes = {"winner": 1}
    table.show()
    assert winner_words(table.model, table.model.public) == "Bram wins the game, with 1 point."
    table.press(Want.SCORES)
    assert "The game ends at 1 point; the fewest win." in table.text()


def test_a_single_point_of_a_trick_is_said_as_one() -> None:
    table = Sitting().until_my_turn(trick=2)
    assert table.model.public is not None
    trick = table.model.public.last_trick
    assert trick is not None
    for points, words in ((0, "no points."), (1, "1 point."), (14, "14 points.")):
        table.changes = {"last_trick": changed(trick, points=points)}
        table.show()
        table.press(Want.LAST_TRICK)
        assert f"it: {words}" in table.text()
        table.press(Want.LAST_TRICK)
