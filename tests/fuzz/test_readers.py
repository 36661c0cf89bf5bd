"""Readers of bytes: nothing comes out of them but what they promise, whatever goes in."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearts_net.host.settings import HostSettings
from hearts_net.rules.options import Options
from hearts_net.rules.simulate import RandomChooser, simulate
from hearts_net.testing.tables import Driver
from hearts_net.testing.vandals import spoiled
from tests.fuzz.feed import EACH, Kept, bodies, parts
from tests.fuzz.readers import READERS, Zap

pytestmark = pytest.mark.timeout(600)
fuzz = settings(max_examples=EACH, database=None, deadline=None)


def bent_text(text: bytes, seed: int) -> bytes:
    """Return a text with something wrong with it, in its letters or its lines."""
    chance = Random(seed)
    for _ in range(chance.randint(0, 4)):
        lines = text.split(b"\n")
        at = chance.randrange(len(lines))
        match chance.randrange(4):
            case 0:
                lines.insert(at, lines[chance.randrange(len(lines))])
            case 1 if len(lines) > 1:
                del lines[at]
            case _:
                lines[at] = spoiled(lines[at], chance) if lines[at] else b"{}"
        text = b"\n".join(lines)
    return text


def texts(*seeds: bytes) -> st.SearchStrategy[bytes]:
    bending = st.builds(bent_text, st.sampled_from(seeds), st.integers(0, 2**64))
    return st.one_of(
        bending, bending, st.binary(max_size=100), st.text(max_size=50).map(str.encode)
    )


@pytest.mark.parametrize("_part", parts(0.25))
def test_messages_to_the_host(_part: int, kept: Kept) -> None:
    @fuzz
    @given(bodies("to-host"))
    def test(body: bytes) -> None:
        with kept("to-host", "readers", body):
            READERS["to-host"](body)

    test()


@pytest.mark.parametrize("_part", parts(0.2))
def test_messages_to_a_peer(_part: int, kept: Kept) -> None:
    @fuzz
    @given(bodies("to-peer"))
    def test(body: bytes) -> None:
        with kept("to-peer", "readers", body):
            READERS["to-peer"](body)

    test()


@pytest.mark.parametrize("_part", parts(0.1))
def test_datagrams(_part: int, kept: Kept) -> None:
    @fuzz
    @given(bodies("datagram"))
    def test(body: bytes) -> None:
        with kept("datagram", "readers", body):
            READERS["datagram"](body)

    test()


def entries() -> list[bytes]:
    driver = Driver(3)
    driver.start_game()
    driver.steps(80)
    return driver.stored


@pytest.mark.parametrize("_part", parts(0.05))
def test_entries_of_a_store(_part: int, kept: Kept) -> None:
    @fuzz
    @given(texts(*entries()))
    def test(body: bytes) -> None:
        with kept("entry", "readers", body):
            READERS["entry"](body)

    test()


def record() -> bytes:
    choosers, levels = [RandomChooser()] * 4, ["random"] * 4
    (game,) = simulate(1, 5, Options(target=20), choosers, levels, started="2026-01-02T03:04:05Z")
    return "\n".join(game.lines).encode() + b"\n"


@pytest.mark.parametrize("_part", parts(0.05))
def test_game_records(_part: int, kept: Kept) -> None:
    @fuzz
    @given(texts(record()))
    def test(body: bytes) -> None:
        with kept("record", "readers", body):
            READERS["record"](body)

    test()


@pytest.mark.parametrize("_part", parts(0.025))
def test_settings_of_a_table(
    _part: int, kept: Kept, tmp_path_factory: pytest.TempPathFactory
) -> None:
    saved = HostSettings(tmp_path_factory.mktemp("tables"), "k", "s").to_json()

    @fuzz
    @given(texts(saved, saved.replace(b",", b"\n,")))
    def test(body: bytes) -> None:
        with kept("settings", "readers", body):
            READERS["settings"](body)

    test()


INVITE = b"hearts://192.168.1.20,fd00::20/26052/pU3KGCUwux1tEyze1iN7LtkeP3IfyxlxF0SU1kk8nVw/E6Gd5A"


@pytest.mark.parametrize("_part", parts(0.05))
def test_invites_and_addresses(_part: int, kept: Kept) -> None:
    seeds = (INVITE, b"192.168.1.20:26052", b"[fd00::20%eth0]:26052", b"kitchen.local", b"::1")

    @fuzz
    @given(texts(*seeds))
    def test(body: bytes) -> None:
        with kept("invite", "readers", body):
            READERS["invite"](body)

    test()


@pytest.mark.parametrize("_part", parts(0.025))
def test_questions_to_the_doorkeeper(_part: int) -> None:
    zap = Zap()
    question = b"\n".join(
        (b"1.0", b"1", b"hearts-control", b"10.0.0.1", b"", b"CURVE", b"\x01" * 32)
    )

    @fuzz
    @given(texts(question, question.replace(b"control", b"public")))
    def test(body: bytes) -> None:
        zap(body)

    try:
        test()
    finally:
        zap.close()
