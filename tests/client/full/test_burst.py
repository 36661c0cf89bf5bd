"""Pasted text is told from typing by how much of it is there at once."""

from __future__ import annotations

from hearts_client.full.burst import MANY, QUIET_MS, Burst

NOVEL = list("It was a grey evening in the attic, and nobody had passed. Quentin yawned: 1 2 3.")


def test_typing_and_short_commands_are_typed() -> None:
    burst = Burst()
    assert not burst.is_pasted([], 0)
    assert not burst.is_pasted(list("say hello everybody\r"), 10)


def test_a_page_at_once_is_pasted_with_all_that_follows_closely() -> None:
    burst = Burst()
    assert len(NOVEL) >= MANY
    assert burst.is_pasted(NOVEL, 1000)
    assert burst.is_pasted([], 1000 + QUIET_MS - 1)
    assert burst.is_pasted([], 1000 + 2 * QUIET_MS - 2)
    assert not burst.is_pasted([], 1000 + 3 * QUIET_MS)
    assert not burst.is_pasted(list("qy"), 1000 + 3 * QUIET_MS)


def test_what_was_not_read_while_a_frame_was_drawn_is_the_rest_of_it() -> None:
    burst = Burst()
    assert burst.is_pasted(NOVEL, 1000)
    burst.busy(1000 + 5 * QUIET_MS)
    assert burst.is_pasted(list("1 2 3"), 1000 + 6 * QUIET_MS - 1)
    assert not burst.is_pasted([], 1000 + 8 * QUIET_MS)
    burst.busy(1000 + 9 * QUIET_MS)
    assert not burst.is_pasted([], 1000 + 9 * QUIET_MS + 1)


def test_one_key_held_down_is_typed() -> None:
    assert not Burst().is_pasted(["\x1b[C"] * 1000, 0)
