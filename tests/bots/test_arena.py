"""Matches: every deal from all four seats, errors by deal, and going on where one stopped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.arena import Match, Round, estimate, main, play_match, play_round, summary
from bench.soak import soak
from hearts_net.rules.options import Options

MATCH = Match(
    "rule", "random", "classic-computer", Options(first_trick_points=False), 4, False, "t"
)


def test_a_round_is_the_same_deal_from_four_seats() -> None:
    played = play_round(MATCH, 1)
    assert len(played.points) == 4
    assert all(sum(points) in (26, 78) for points in played.points)
    assert play_round(MATCH, 1).points == played.points


def test_figures_are_means_with_errors_by_round() -> None:
    assert estimate([[1, 3], [3, 5]]) == [3, 1]
    played = Round(0, [(0, 13, 13, 0)] * 4, [0, 0, 0], [2, 4.0, 3.0])
    assert played.mine == [0, 13, 13, 0]
    assert played.wins == [0.5, 0, 0, 0.5]
    line = summary(MATCH, [played, played])
    assert line["points"] == [6.5, 0.0]
    assert line["play_ms"] == [2.0, 3.0]


def test_a_match_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    whole = play_match(MATCH, tmp_path / "whole", 1)
    file = tmp_path / "whole" / MATCH.file_name
    lines = file.read_text().splitlines(keepends=True)
    part = tmp_path / "part" / MATCH.file_name
    part.parent.mkdir()
    part.write_text("".join(lines[:3]) + lines[3][:20])  # stopped while writing
    again = play_match(MATCH, tmp_path / "part", 1)
    assert [played.points for played in again] == [played.points for played in whole]
    assert sorted(json.loads(line)["n"] for line in part.read_text().splitlines()[1:]) == [
        0,
        1,
        2,
        3,
    ]


def test_whole_games_have_a_winner(capsys: pytest.CaptureFixture[str]) -> None:
    main(["rule:random", "--games", "1", "--set", "target=20", "--json"])
    line = json.loads(capsys.readouterr().out)
    assert line["round"] == "game"
    assert 0 <= line["wins"][0] <= 1


def test_the_table_has_a_row_for_each_match(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--cross", "random,rule", "--deals", "2"])
    rows = capsys.readouterr().out.splitlines()
    assert len(rows) == 2 + 2
    assert "three random" in rows[2]
    assert "three rule" in rows[3]


def test_results_of_another_match_are_not_mixed_in(tmp_path: Path) -> None:
    (tmp_path / MATCH.file_name).write_text('{"challenger": "hard"}\n')
    with pytest.raises(SystemExit):
        play_match(MATCH, tmp_path, 1)


def test_a_soak_counts_every_choice() -> None:
    passing, playing = soak("", 8, "t")
    assert playing.count > 40
    assert passing.longest <= passing.total
