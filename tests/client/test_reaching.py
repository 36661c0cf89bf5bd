"""Which key a client comes with where another window has the usual one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from hearts_client import reaching
from hearts_client.chosen import Chosen
from hearts_client.reaching import Visitor, visitor
from hearts_client.tablelink import TableNotice
from hearts_net.peer.endpoint import Target
from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.home import Home, find_home
from hearts_net.peer.identity import Identity, load_identity
from hearts_net.peer.link import Link
from hearts_net.peer.visit import Visit
from hearts_net.protocol.peer_outputs import JoinedTable, NewView

THERE = [Target("10.0.0.1", 1, "1" * 40)]


@pytest.fixture
def usual() -> Iterator[Identity]:
    """Have the installation's key in use in another window."""
    with load_identity(find_home()) as identity:
        yield identity


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Give the answers that somebody at a terminal types; without any there is nobody."""
    answers: list[str] = []

    async def own_seat(_home: Home, targets: Sequence[Target]) -> bool:
        assert targets == THERE
        return True

    def read(_words: str) -> str:
        return answers.pop(0)

    monkeypatch.setattr(reaching, "can_ask", lambda: bool(answers))
    monkeypatch.setattr(reaching, "_own_seat", own_seat)
    monkeypatch.setattr("builtins.input", read)
    return answers


def comes(**chosen: Any) -> tuple[Identity, str]:
    guest = visitor(find_home(), Chosen({"name": "Ann", **chosen}), targets=THERE)
    guest.identity.release()
    return guest.identity, guest.note


def test_the_only_client_has_the_usual_key(answer: list[str]) -> None:
    identity, note = comes()
    assert (identity.profile, note, answer) == ("default", "", [])


def test_another_one_has_a_key_of_its_own_and_is_told(usual: Identity, answer: list[str]) -> None:
    assert answer == []
    identity, note = comes()
    assert identity.public != usual.public
    assert "player-2" in note
    assert "--profile default" in note


@pytest.mark.parametrize(("typed", "moves"), [("", True), ("yes", True), ("no", False)])
def test_who_has_a_seat_there_is_asked_whether_to_move_it(
    usual: Identity, answer: list[str], typed: str, moves: bool
) -> None:
    answer += ["what?", typed] if typed else [typed]
    identity, note = comes()
    assert (identity.public == usual.public) is moves
    assert bool(note) is not moves
    assert answer == []


def test_who_names_a_profile_is_not_asked(usual: Identity, answer: list[str]) -> None:
    answer.append("no")
    assert comes(profile="default") == (usual, "")
    assert comes(profile="anna")[0].profile == "anna"
    assert answer == ["no"]


def test_a_visit_that_cannot_be_kept_is_said_and_played_on(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the screen's own lines: standard error would be written across it."""
    full = LinkError(LinkCode.HOME_UNWRITABLE, path="/full", reason="No space left on device")
    told: list[object] = []
    with load_identity(find_home()) as identity:
        guest = Visitor(find_home(), identity, "player", "Ann", note="First.")
        link = guest.link_factory(THERE)(told.append)
    assert isinstance(link, Link)

    def heed(_visit: Visit, _host: object, event: object) -> None:
        if isinstance(event, JoinedTable):
            raise full

    monkeypatch.setattr(Visit, "heed", heed)
    view = NewView(None, False)  # type: ignore[arg-type]
    joined = JoinedTable(None)  # type: ignore[arg-type]
    for event in (joined, view, view):
        link._on_event(event)
    notices = [each for each in told if isinstance(each, TableNotice)]
    assert len(notices) == 1
    assert notices[0].text.startswith("First. ")
    assert "/full" in notices[0].text
    assert capfd.readouterr().err == ""
