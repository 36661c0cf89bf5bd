"""Every input that ever failed, and every trick that is known, fed to its reader again."""

from __future__ import annotations

from pathlib import Path

import pytest

from hearts_net.testing.vandals import TRICKS
from tests.fuzz.feed import CORPUS, SEEDS
from tests.fuzz.readers import READERS

FILES = sorted(CORPUS.glob("*/*.bin"))


def test_the_corpus_is_there() -> None:
    assert {path.parent.name for path in FILES} <= set(READERS)
    assert len(FILES) >= 20


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_what_failed_once(path: Path) -> None:
    READERS[path.parent.name](path.read_bytes())


@pytest.mark.parametrize("number", range(len(TRICKS)))
def test_a_trick_is_no_message(number: int) -> None:
    for name in ("to-host", "to-peer", "datagram"):
        READERS[name](TRICKS[number])


@pytest.mark.parametrize("name", sorted(SEEDS))
def test_what_is_right_is_read(name: str) -> None:
    assert SEEDS[name]
    for body in SEEDS[name]:
        READERS[name](body)
