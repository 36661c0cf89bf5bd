"""What the doctor says of each finding, and when it says that a game works."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from string import Formatter
from typing import Any

import pytest

from hearts_client.doctorwords import WORDS, finding_words, firewall_hint
from hearts_net.peer.doctor import Finding, Level, Report, Symptom
from hearts_net.peer.endpoint import Target
from hearts_net.peer.found import FoundTable, Source
from hearts_net.peer.identity import new_identity
from hearts_net.peer.invite import Invite

Run = Callable[..., tuple[int, str, str]]
FACTS: dict[str, str | int] = {
    "interface": "wlan0", "kind": "lan", "addresses": "10.0.0.1/24", "control": 26052,
    "public": 26053, "port": 26052, "table": "att\x1b[2Jic", "address": "10.0.0.9",
    "firewall": "ufw", "count": 2,
}  # fmt: skip


@pytest.mark.parametrize("symptom", Symptom)
def test_every_finding_is_one_sentence_that_ends(symptom: Symptom) -> None:
    words = finding_words(Finding(symptom, Level.GOOD, FACTS))
    assert words[-1] in ".?"
    assert words.isprintable()
    assert "{" not in words
    if symptom in WORDS:
        needed = {name for _, name, _, _ in Formatter().parse(WORDS[symptom]) if name}
        assert needed <= FACTS.keys()


@pytest.mark.parametrize("firewall", ["ufw", "firewalld", "windows", "macos"])
def test_every_firewall_has_a_hint_with_the_ports_of_the_table(firewall: str) -> None:
    hint = firewall_hint(firewall, 7000, 7001)
    assert ("7000" in hint) == (firewall != "macos")
    assert "26052" not in hint


@pytest.fixture
def examined(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Sequence[Target]]]:
    """Have the doctor find what the test says, and give what it was asked for."""

    def find(*findings: Finding, tables: Sequence[FoundTable] = ()) -> list[Sequence[Target]]:
        asked: list[Sequence[Target]] = []

        async def examine(_home: Any, _identity: Any, wanted: Sequence[Target]) -> Report:
            asked.append(wanted)
            return Report(findings, tuple(tables))

        monkeypatch.setattr("hearts_client.commands.doctor.examine", examine)
        return asked

    return find


def test_the_exit_code_is_0_only_if_a_game_would_work(
    run_main: Run, examined: Callable[..., Any]
) -> None:
    note = Finding(Symptom.NOBODY_HEARD, Level.NOTE)
    examined(note)
    code, out, _ = run_main("doctor")
    assert code == 0
    assert " note  No other machine answers multicast" in out
    assert out.endswith("A game works from here.\n")
    examined(note, Finding(Symptom.NO_NETWORK, Level.BAD))
    code, out, _ = run_main("doctor")
    assert code == 1
    assert "  BAD  This machine is on no network" in out
    data = json.loads(run_main("doctor", "--json")[1])
    assert data["works"] is False
    assert [each["code"] for each in data["findings"]] == ["nobody-heard", "no-network"]
    assert set(data["firewalls"]) == {"ufw", "firewalld", "windows", "macos"}


def test_version_and_key_of_each_table_are_told(
    run_main: Run, examined: Callable[..., Any]
) -> None:
    table = FoundTable(
        "att\x1b[2Jic", "k" * 40, 26052, ("10.0.0.9",), (1, 2), Source.AROUND, False, free=2
    )
    examined(tables=[table])
    out = run_main("doctor")[1]
    assert "att[2Jic: 2 seats free; at 10.0.0.9:26052; protocol 1, 2; key " + "k" * 40 in out


def test_a_table_that_cannot_be_reached_is_asked_after(
    run_main: Run, examined: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def silent(*_: object) -> None:
        return None

    monkeypatch.setattr("hearts_net.peer.ask.ask_first", silent)
    key = new_identity().public
    asked = examined()
    assert run_main("doctor", Invite(("10.0.0.9", "fd00::9"), 7000, key).text())[0] == 0
    assert [each.host for each in asked.pop()] == ["10.0.0.9", "fd00::9"]
    assert run_main("doctor", "10.0.0.9:7000")[0] == 0
    assert [(each.host, each.control_port) for each in asked.pop()] == [("10.0.0.9", 7000)]
    code, _, err = run_main("doctor", "hearts://nonsense")
    assert (code, asked) == (2, [])
    assert err.startswith("The invite is damaged")
