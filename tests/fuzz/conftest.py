"""Keeping what fails."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from tests.fuzz.feed import ALL, CORPUS, Kept


@pytest.fixture(scope="session")
def kept() -> Kept:
    """Keep what fails: the newest, which is the smallest, is in the corpus afterwards."""

    @contextlib.contextmanager
    def keep(kind: str, test: str, body: bytes) -> Iterator[None]:
        try:
            yield
        except Exception:
            if ALL:
                folder = CORPUS / kind
                folder.mkdir(parents=True, exist_ok=True)
                (folder / f"found-by-{test}.bin").write_bytes(body)
            raise

    return keep
