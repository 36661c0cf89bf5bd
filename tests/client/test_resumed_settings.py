"""A resumed table keeps what it was started with, unless something else is chosen."""

from __future__ import annotations

from hearts_client.chosen import Chosen
from hearts_client.tables import resume_settings
from hearts_net.host.settings import STORED
from hearts_net.peer.home import find_home
from hearts_net.peer.identity import new_identity

USUAL = {
    "port": 0,
    "grace": 60,
    "turn_limit": 0,
    "exit_when_done": False,
    "durable": False,
    "pause": 1200,
}


def test_what_nobody_chose_is_kept() -> None:
    settings = resume_settings(find_home(), new_identity(), Chosen(USUAL), "0123456789ab")
    assert set(settings.kept) == set(STORED)


def test_what_is_chosen_is_taken() -> None:
    chosen = Chosen({**USUAL, "grace": 5}, ["grace", "exit_when_done"])
    settings = resume_settings(find_home(), new_identity(), chosen, "0123456789ab")
    assert (settings.grace, settings.exit_when_done) == (5000, False)
    assert set(settings.kept) == {"turn_limit", "next_deal", "idle", "durable"}


def test_a_table_can_be_made_durable_later() -> None:
    chosen = Chosen({**USUAL, "durable": True}, ["durable"])
    settings = resume_settings(find_home(), new_identity(), chosen, "0123456789ab")
    assert settings.durable
    assert "durable" not in settings.kept
