"""What the readers are fed: true messages, spoiled ones, and whatever never was one."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from random import Random
from typing import Any, Final

import msgpack
from hypothesis import strategies as st

from hearts_net.testing.vandals import TRICKS, spoiled

CORPUS: Final = Path(__file__).parent / "corpus"
"""Every input that ever failed, by what reads it; ``test_corpus.py`` feeds them all again."""
DOCUMENT: Final = Path(__file__).parents[2] / "protocol.md"
NASTY: Final[tuple[Any, ...]] = (
    None, True, False, 0, -1, 1, 2**53, 2**53 + 1, 2**64 - 1, -(2**63), 1.5, float("nan"), "", "x",
    "x" * 401, "\0", "\x1b[31m", "\u202e", "\ud800", "QS", "1C", "play", b"", b"x", [], [[]], {},
    [None] * 65, {"type": "hello"}, {"act": "say"}, [1, 2, 3, 4], msgpack.Timestamp(0),
    msgpack.ExtType(5, b"x"),
)  # fmt: skip

Seeds = dict[str, list[bytes]]
Kept = Callable[[str, str, bytes], AbstractContextManager[None]]


def examples_of(section: str) -> list[bytes]:
    """Return the messages that stand in a section of protocol.md."""
    text = DOCUMENT.read_text("utf-8")
    (part,) = re.findall(rf"^## {section}$(.*?)^## ", text, flags=re.M | re.S)
    return [bytes.fromhex(each) for each in re.findall(r"^```hex\n(.*?)^```", part, re.M | re.S)]


def to_host() -> list[bytes]:
    """Return every message to the host, commands with every act among them."""
    found = examples_of("Messages to the host")
    for act in examples_of("Acts"):
        values = {"type": "command", "id": 7, "epoch": 1, "deal": 1, "trick": 1}
        found.append(msgpack.packb(values | {"do": msgpack.unpackb(act)}))
    return found


SEEDS: Final[Seeds] = {
    "to-host": to_host(),
    "to-peer": examples_of("Messages to a peer") + examples_of("Messages on public"),
    "datagram": examples_of("The UDP question"),
}


def altered(body: bytes, chance: Random) -> bytes:
    """Return a message with one value in it exchanged, left out or doubled."""
    try:
        plain = msgpack.unpackb(body)
        where = plain
        while True:
            keys = list(where) if isinstance(where, dict) else list(range(len(where)))
            if not keys:
                break
            key = chance.choice(keys)
            if isinstance(where[key], dict | list) and chance.random() < 0.6:
                where = where[key]
                continue
            if chance.random() < 0.2:
                del where[key]
            else:
                where[key] = chance.choice(NASTY)
            break
        return bytes(msgpack.packb(plain, unicode_errors="surrogatepass"))
    except (ValueError, TypeError, OverflowError):
        return body


def bent(body: bytes, seed: int) -> bytes:
    """Return a body with something wrong with it, mostly."""
    chance = Random(seed)
    for _ in range(chance.randint(0, 3)):
        if not body:
            break
        body = altered(body, chance) if chance.random() < 0.5 else spoiled(body, chance)
    return body


def bodies(kind: str) -> st.SearchStrategy[bytes]:
    """Return what may come where messages of a kind are read."""
    bending = st.builds(bent, st.sampled_from(SEEDS[kind]), st.integers(0, 2**64))
    return st.one_of(
        bending, bending, bending, st.sampled_from(TRICKS), st.binary(max_size=200), wild
    )


wild: Final = st.recursive(
    st.sampled_from(NASTY),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=12,
).map(lambda value: bytes(msgpack.packb(value, unicode_errors="surrogatepass")))

# ---- how many ------------------------------------------------------------------------------------

ALL: Final = int(os.environ.get("HEARTS_NET_FUZZ", "0"))
"""Examples in all; 0: only as many as fit into seconds."""
EACH: Final = 2_000 if ALL else 60
"""Examples of one part: so many that starting costs little, so few that hypothesis stays quick."""


def parts(share: float) -> list[int]:
    """Return the numbers of the parts of a test that does so much of all."""
    return list(range(max(1, -(-int(ALL * share) // EACH))))
