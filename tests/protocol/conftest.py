"""Values of every message, drawn from the declared types themselves."""

from __future__ import annotations

import string
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import strategies as st
from msgspec import inspect as mi

from hearts_net.protocol.messages import (
    AnyEvent,
    DealSummary,
    OwnView,
    Played,
    PublicView,
    SeatView,
    TrickCard,
    TrickView,
    View,
)

Z85 = string.digits + string.ascii_letters + ".-:+=^!/*?&<>()[]{}@%$#"

Draw = Callable[[type], st.SearchStrategy[Any]]
MakeView = Callable[..., View]


def _text(info: mi.StrType) -> st.SearchStrategy[str]:
    pattern = info.pattern or ""
    if pattern.endswith(r"{40}\Z"):
        return st.text(Z85, min_size=40, max_size=40)
    if "{64}" in pattern:
        hashes = st.text("0123456789abcdef", min_size=64, max_size=64)
        return hashes | st.just("") if pattern.endswith(r"|)\Z") else hashes
    if pattern.endswith(r"{16}\Z"):
        return st.text("0123456789abcdef", min_size=16, max_size=16)
    if "{64}" in pattern:
        return st.text("0123456789abcdef", min_size=64, max_size=64)
    if pattern:
        return st.sampled_from(pattern.removeprefix("^(").removesuffix(r")\Z").split("|"))
    return st.text(
        st.characters(exclude_categories=["Cs"]),
        min_size=info.min_length or 0,
        max_size=min(info.max_length if info.max_length is not None else 20, 20),
    )


def _drawn(info: mi.Type) -> st.SearchStrategy[Any]:
    match info:
        case mi.Metadata():
            return _drawn(info.type)
        case mi.NoneType():
            return st.none()
        case mi.BoolType():
            return st.booleans()
        case mi.IntType():
            low = info.ge if info.ge is not None else -(2**31)
            high = info.le if info.le is not None else 2**31
            return st.integers(low, high)
        case mi.StrType():
            return _text(info)
        case mi.LiteralType():
            return st.sampled_from(info.values)
        case mi.UnionType():
            return st.one_of([_drawn(part) for part in info.types])
        case mi.ListType():
            most = info.max_length if info.max_length is not None else 3
            least = info.min_length or 0
            return st.lists(
                _drawn(info.item_type), min_size=least, max_size=max(least, min(most, 3))
            )
        case mi.DictType():
            return st.dictionaries(_drawn(info.key_type), _drawn(info.value_type), max_size=3)
        case mi.StructType():
            fields = {field.name: _drawn(field.type) for field in info.fields}
            return st.builds(info.cls, **fields)
    raise AssertionError(info)


@pytest.fixture(scope="session")
def drawn() -> Draw:
    """Give the strategy of a declared type."""
    made: dict[type, st.SearchStrategy[Any]] = {}

    def draw(kind: type) -> st.SearchStrategy[Any]:
        if kind not in made:
            made[kind] = _drawn(mi.type_info(kind))
        return made[kind]

    return draw


def _seat(number: int) -> SeatView:
    return SeatView(
        kind="person",
        name=f"Player {number}",
        key=f"{number}" * 40,
        level="",
        presence="present",
        since=0,
        held_until=0,
        deputy=False,
        ready=True,
        host=number == 0,
        cards=9,
        passed=True,
        points=0,
        total=10 * number,
        tricks=1,
    )


PUBLIC = PublicView(
    table="Kitchen",
    game="g1",
    phase="playing",
    paused="",
    rules={"target": 100, "moon": "others-gain", "aids": False},
    seats=[_seat(number) for number in range(4)],
    watchers=0,
    deal=2,
    direction="right",
    trick_number=5,
    leader=1,
    turn=2,
    turn_until=0,
    next_at=0,
    trick=[TrickCard(1, "KD")],
    last_trick=TrickView(4, [TrickCard(seat, f"{seat + 4}C") for seat in range(4)], 3, 0),
    hearts_broken=False,
    queen_taken_by=None,
    points_out=26,
    seen=["4C", "5C", "6C", "7C", "KD"],
    shown_voids=["", "", "", ""],
    last_deal=DealSummary(1, [0, 5, 21, 0], [0, 5, 21, 0], None),
    winner=None,
    newest_event=40,
    address="192.168.1.7:26052",
)


@pytest.fixture(scope="session")
def make_view() -> MakeView:
    """Make a view in mid-deal; ``public`` fields by name, the others by their own names."""

    def make(epoch: int = 1, seq: int = 1, own: int | None = 2, **public: Any) -> View:
        played: list[AnyEvent] = [Played(n=40, time=0, seat=1, card="KD", by_bot=False)]
        mine = None if own is None else OwnView(own, ["QD", "2H"], ["QD"], [], [], ["play"], False)
        changed = msgspec.structs.replace(PUBLIC, **public)
        return View(epoch, seq, 1_700_000_000_000, changed, mine, played, "player", ["say"])

    return make
