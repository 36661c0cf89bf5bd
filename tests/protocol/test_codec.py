"""Bytes to messages and back: what is sent arrives, what is wrong comes out as one error."""

from __future__ import annotations

import re
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import msgpack
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearts_net.protocol import limits
from hearts_net.protocol import messages as m
from hearts_net.protocol.codec import (
    TO_HOST,
    TO_PEER,
    decode_as,
    decode_to_host,
    decode_to_peer,
    encode,
    pack_public,
    refusal,
    splice_public,
    splice_view,
    tag_of,
    unpack,
)
from hearts_net.protocol.codes import ErrorCode, ProtocolError

Draw = Callable[[type], st.SearchStrategy[Any]]
MakeView = Callable[..., m.View]
BIG_MAP = dict.fromkeys(map(str, range(limits.MAX_MAP + 1)))
LETTER = "\U0001f0a1"
"""Four bytes of UTF-8."""
LARGEST_COMMAND = 4 * 1024
LARGEST_VIEW = 96 * 1024
LARGEST_PAGE = 128 * 1024
"""More than the largest there can be, which the limits leave room for."""


def refused(decode: Callable[[bytes], object], body: bytes) -> ProtocolError:
    with pytest.raises(ProtocolError) as raised:
        decode(body)
    return raised.value


def is_message_or_error(decode: Callable[[bytes], object], body: bytes) -> bool:
    """Any other exception goes through and fails the test."""
    try:
        return isinstance(decode(body), m.Message)
    except ProtocolError as error:
        return error.code in set(ErrorCode)


def packed(value: object) -> bytes:
    return bytes(msgpack.packb(value))


def play(**changes: object) -> bytes:
    command = {
        "type": "command",
        "id": 7,
        "epoch": 1,
        "deal": 2,
        "trick": 5,
        "do": {"act": "play", "card": "QS"},
        "seat": None,
    }
    return packed(command | changes)


# ---- what is sent arrives


@pytest.mark.parametrize("tag", sorted(TO_HOST))
@settings(max_examples=25)
@given(data=st.data())
def test_every_message_to_the_host_arrives(drawn: Draw, tag: str, data: st.DataObject) -> None:
    message = data.draw(drawn(TO_HOST[tag]))
    assert decode_to_host(encode(message)) == message


@pytest.mark.parametrize("tag", sorted(TO_PEER))
@settings(max_examples=15)
@given(data=st.data())
def test_every_message_to_a_peer_arrives(drawn: Draw, tag: str, data: st.DataObject) -> None:
    message = data.draw(drawn(TO_PEER[tag]))
    assert decode_to_peer(encode(message)) == message


def test_the_bytes_are_those_of_msgpack(make_view: MakeView) -> None:
    for message in (make_view(), m.Hello([1], "x"), m.Command(1, 1, 1, 1, m.Play("QS"))):
        assert encode(message) == packed(msgspec.to_builtins(message))


def test_a_spliced_view_is_the_view(make_view: MakeView) -> None:
    view = make_view()
    common = pack_public(view.public)
    assert splice_view(view, common) == encode(view)
    public = m.Public(view.epoch, view.seq, view.time, view.public, view.events)
    assert splice_public(public, common) == encode(public)


def test_tags_are_unique_and_short() -> None:
    acts = [tag_of(kind) for kind in get_args(m.AnyAct)]
    events = [tag_of(kind) for kind in get_args(m.AnyEvent)]
    assert len(set(acts)) == len(acts)
    assert len(set(events)) == len(events)
    assert all(len(tag) <= 16 for tag in [*acts, *events, *TO_HOST, *TO_PEER])
    assert tag_of(m.Settled) == "settled"


def test_text_that_is_not_utf8_cannot_be_sent() -> None:
    with pytest.raises(ProtocolError) as raised:
        encode(m.Hello([1], "\ud800"))
    assert raised.value.code == ErrorCode.BAD_FIELD


# ---- what is wrong


def nested(levels: int) -> object:
    value: object = 1
    for _ in range(levels - 1):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("body", "code"),
    [
        pytest.param(b"", ErrorCode.BAD_FRAME, id="empty"),
        pytest.param(b"\xc1", ErrorCode.BAD_FRAME, id="never used in msgpack"),
        pytest.param(b"\x05", ErrorCode.BAD_FRAME, id="a number"),
        pytest.param(b"\x90", ErrorCode.BAD_FRAME, id="an array"),
        pytest.param(b"\xa5hello", ErrorCode.BAD_FRAME, id="a string"),
        pytest.param(b"\x80\x80", ErrorCode.BAD_FRAME, id="two values"),
        pytest.param(b"\x81\xa4type", ErrorCode.BAD_FRAME, id="cut off"),
        pytest.param(packed({"type": "alive"})[:-1], ErrorCode.BAD_FRAME, id="cut in a string"),
        pytest.param(b"\x82\xa1a\x01\xa1a\x01", ErrorCode.BAD_FRAME, id="a key twice"),
        pytest.param(b"\x81\x01\x01", ErrorCode.BAD_FRAME, id="a number as key"),
        pytest.param(b"\x81\xc4\x01a\x01", ErrorCode.BAD_FRAME, id="bytes as key"),
        pytest.param(b"\x81\xc4\x00\x01", ErrorCode.BAD_FRAME, id="no bytes as key"),
        pytest.param(b"\x81\xc0\x01", ErrorCode.BAD_FRAME, id="nil as key"),
        pytest.param(play(x=1.5), ErrorCode.BAD_FRAME, id="a float"),
        pytest.param(play(x=b""), ErrorCode.BAD_FRAME, id="no bytes"),
        pytest.param(play(x=b"abc"), ErrorCode.BAD_FRAME, id="bytes"),
        pytest.param(play(x=msgpack.ExtType(5, b"")), ErrorCode.BAD_FRAME, id="an extension"),
        pytest.param(play(x=msgpack.Timestamp(1)), ErrorCode.BAD_FRAME, id="a timestamp"),
        pytest.param(play(x="\xff").replace(b"\xc3", b"\xff"), ErrorCode.BAD_FRAME, id="utf-8"),
        pytest.param(play(x="a" * (limits.MAX_STR + 1)), ErrorCode.BAD_FRAME, id="long string"),
        pytest.param(play(x=[0] * (limits.MAX_ARRAY + 1)), ErrorCode.BAD_FRAME, id="long array"),
        pytest.param(play(x=BIG_MAP), ErrorCode.BAD_FRAME, id="map"),
        pytest.param(play(x=nested(limits.MAX_DEPTH + 1)), ErrorCode.BAD_FRAME, id="deep"),
        pytest.param(
            play(x=["a" * 1500] * 12), ErrorCode.BAD_FRAME, id="larger than a frame to the host"
        ),
        pytest.param(packed({}), ErrorCode.UNKNOWN_MESSAGE, id="no type"),
        pytest.param(packed({"type": 5}), ErrorCode.UNKNOWN_MESSAGE, id="type is no string"),
        pytest.param(packed({"type": "dance"}), ErrorCode.UNKNOWN_MESSAGE, id="unknown type"),
        pytest.param(packed({"type": "view"}), ErrorCode.UNKNOWN_MESSAGE, id="the host's message"),
        pytest.param(packed({"type": "alive"}), ErrorCode.BAD_FIELD, id="fields missing"),
        pytest.param(play(id=-1), ErrorCode.BAD_FIELD, id="below its range"),
        pytest.param(play(id=2**53 + 1), ErrorCode.BAD_FIELD, id="above its range"),
        pytest.param(play(id=True), ErrorCode.BAD_FIELD, id="true is no number"),
        pytest.param(play(id="7"), ErrorCode.BAD_FIELD, id="text is no number"),
        pytest.param(play(id=None), ErrorCode.BAD_FIELD, id="nil where none may be"),
        pytest.param(play(seat=4), ErrorCode.BAD_FIELD, id="no such seat"),
        pytest.param(play(trick=14), ErrorCode.BAD_FIELD, id="no such trick"),
        pytest.param(play(do={"act": "dance"}), ErrorCode.BAD_FIELD, id="no such act"),
        pytest.param(play(do={"card": "QS"}), ErrorCode.BAD_FIELD, id="an act without a tag"),
        pytest.param(play(do=[]), ErrorCode.BAD_FIELD, id="an act that is no map"),
        pytest.param(play(do={"act": "play", "card": "1S"}), ErrorCode.BAD_FIELD, id="no card"),
        pytest.param(play(do={"act": "play", "card": "QS\n"}), ErrorCode.BAD_FIELD, id="newline"),
        pytest.param(
            play(do={"act": "pass", "cards": ["QS", "2C"]}), ErrorCode.BAD_FIELD, id="two cards"
        ),
        pytest.param(
            play(do={"act": "choose-moon", "choice": "none"}), ErrorCode.BAD_FIELD, id="choice"
        ),
        pytest.param(
            play(do={"act": "set-rules", "rules": {"target": [1]}}), ErrorCode.BAD_FIELD, id="rule"
        ),
        pytest.param(
            play(do={"act": "say", "text": ""}), ErrorCode.BAD_FIELD, id="nothing to say"
        ),
        pytest.param(
            play(do={"act": "say", "text": "a" * 401}), ErrorCode.BAD_FIELD, id="too much to say"
        ),
        pytest.param(
            packed({"type": "fetch", "what": "hands", "after": 0}), ErrorCode.BAD_FIELD, id="what"
        ),
        pytest.param(
            packed({"type": "hello", "versions": [], "client": ""}), ErrorCode.BAD_FIELD, id="none"
        ),
    ],
)  # fmt: skip
def test_what_is_no_message_is_refused_with_its_code(body: bytes, code: ErrorCode) -> None:
    assert refused(decode_to_host, body).code == code


def test_the_good_command_that_the_bad_ones_vary_is_good() -> None:
    message = decode_to_host(play())
    assert message == m.Command(7, 1, 2, 5, m.Play("QS"), None)


def test_keys_of_a_later_version_are_ignored() -> None:
    assert decode_to_host(play(mood="good", more=[{"a": None}])) == decode_to_host(play())


def test_a_missing_optional_field_has_its_default() -> None:
    assert decode_to_host(packed({"type": "join", "role": "player", "name": "Ada"})) == m.Join(
        "player", "Ada", ""
    )


def test_nesting_up_to_the_limit_is_borne() -> None:
    assert decode_to_host(play(x=nested(limits.MAX_DEPTH))) == decode_to_host(play())


def test_events_of_a_later_version_are_left_out(make_view: MakeView) -> None:
    view = make_view()
    plain = msgspec.to_builtins(view)
    plain["events"].insert(0, {"event": "card-trick", "n": 39, "time": 0})
    assert decode_to_peer(packed(plain)) == view
    plain["events"].insert(0, {"event": 5})
    assert refused(decode_to_peer, packed(plain)).code == ErrorCode.BAD_FIELD
    plain["events"] = "none"
    assert refused(decode_to_peer, packed(plain)).code == ErrorCode.BAD_FIELD


def test_words_of_a_later_version_are_borne(make_view: MakeView) -> None:
    view = make_view(phase="auction", paused="tea")
    assert decode_to_peer(encode(view)) == view


def test_the_error_names_the_field_and_never_the_value() -> None:
    error = refused(decode_to_host, play(do={"act": "play", "card": "\x1b[31m"}))
    assert error.detail == {"field": "do.card"}
    error = refused(decode_to_host, play(do={"act": "\x1b[31m` - at `$.evil"}))
    assert "\x1b" not in str(error)
    assert "evil" not in str(error)
    error = refused(decode_to_host, packed({"type": "alive", "epoch": 1}))
    assert error.detail == {"field": "seq"}
    assert refusal(error) == m.Refused("bad-field", {"field": "seq"})


def test_one_kind_of_message_can_be_asked_for() -> None:
    body = encode(m.Alive(1, 2))
    assert decode_as(body, m.Alive, 100) == m.Alive(1, 2)
    assert refused(lambda b: decode_as(b, m.Beat, 100), body).code == ErrorCode.UNKNOWN_MESSAGE
    assert refused(lambda b: decode_as(b, m.Alive, 5), body).code == ErrorCode.BAD_FRAME


# ---- fuzz


@settings(max_examples=200)
@given(body=st.binary(max_size=200))
def test_any_bytes_are_a_message_or_a_protocol_error(body: bytes) -> None:
    for decode in (decode_to_host, decode_to_peer):
        assert is_message_or_error(decode, body)


json_like = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text()
    | st.binary(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=100)
@given(data=st.data())
def test_a_message_with_any_field_replaced_is_a_message_or_a_protocol_error(
    drawn: Draw, data: st.DataObject
) -> None:
    kind = data.draw(st.sampled_from([*TO_HOST.values(), m.Welcome, m.Reply, m.LogPage]))
    plain = msgspec.to_builtins(data.draw(drawn(kind)))
    key = data.draw(st.sampled_from(sorted(plain)))
    plain[key] = data.draw(json_like)
    for decode in (decode_to_host, decode_to_peer):
        assert is_message_or_error(decode, packed(plain))


@settings(max_examples=150)
@given(data=st.data())
def test_a_view_with_flipped_bytes_is_a_view_or_a_protocol_error(
    make_view: MakeView, data: st.DataObject
) -> None:
    body = bytearray(encode(make_view()))
    for _ in range(data.draw(st.integers(1, 4))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    assert is_message_or_error(decode_to_peer, bytes(body))


@pytest.mark.parametrize(
    "body",
    [
        b"\x91" * limits.MAX_TO_PEER,
        b"\xdc\x00\x40" * (limits.MAX_TO_PEER // 3),
        b"\xdd\xff\xff\xff\xff" * (limits.MAX_TO_PEER // 5),
        b"\xdf\xff\xff\xff\xff" * (limits.MAX_TO_PEER // 5),
        b"\x81\xa1a" * (limits.MAX_TO_PEER // 3),
        b"\xdb\xff\xff\xff\xff" + b"a" * 1000,
    ],
)
def test_a_decoding_bomb_costs_little(body: bytes) -> None:
    tracemalloc.start()
    try:
        assert refused(lambda b: unpack(b, limits.MAX_TO_PEER), body).code == ErrorCode.BAD_FRAME
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2**20


# ---- the largest of everything fits


def largest_rules() -> dict[str, m.OptionValue]:
    return {f"{n:02}" + "o" * 30: "v" * 32 for n in range(limits.MAX_MAP)}


def largest_seat() -> m.SeatView:
    number = 2**53
    return m.SeatView(
        "person", LETTER * 64, "#" * 40, LETTER * 16, LETTER * 16, number, number, False, False,
        False, 13, False, -(2**31), -(2**31), 13,
    )  # fmt: skip


def largest_view() -> m.View:
    number = 2**53
    trick = m.TrickView(13, [m.TrickCard(3, "QS")] * 4, 3, -(2**31))
    public = m.PublicView(
        table=LETTER * 64,
        game=LETTER * 64,
        phase=LETTER * 16,
        paused=LETTER * 16,
        rules=largest_rules(),
        seats=[largest_seat()] * 4,
        watchers=number,
        deal=number,
        direction=LETTER * 16,
        trick_number=13,
        leader=3,
        turn=3,
        turn_until=number,
        next_at=number,
        trick=[m.TrickCard(3, "QS")] * 3,
        last_trick=trick,
        hearts_broken=False,
        queen_taken_by=3,
        points_out=-(2**31),
        seen=["QS"] * 52,
        shown_voids=["CDSH"] * 4,
        last_deal=m.DealSummary(number, [-(2**31)] * 4, [-(2**31)] * 4, 3),
        winner=3,
        newest_event=number,
        address=LETTER * 64,
    )
    own = m.OwnView(3, ["QS"] * 13, ["QS"] * 13, ["QS"] * 3, ["QS"] * 3, [LETTER * 16] * 32, False)
    said = m.Said(number, number, LETTER * 64, 3, LETTER * 400)
    somebody = m.Somebody("k" * 40, LETTER * 64, LETTER * 16)
    desk = m.DeskView("code", "123456", number, [somebody] * 16, [somebody] * 32, [somebody] * 32)
    acts = [LETTER * 16] * 32
    return m.View(number, number, number, public, own, [said] * 16, LETTER * 16, acts, desk)


def test_the_largest_view_fits() -> None:
    view = largest_view()
    body = encode(view)
    assert decode_to_peer(body) == view
    assert len(body) < LARGEST_VIEW


def test_the_largest_pages_fit() -> None:
    number = 2**53
    said = m.Said(number, number, LETTER * 64, 3, LETTER * 400)
    summary = m.DealSummary(number, [-(2**31)] * 4, [-(2**31)] * 4, 3)
    for page in (m.LogPage([said] * limits.PAGE, True), m.DealsPage([summary] * limits.PAGE, True)):
        body = encode(page)
        assert decode_to_peer(body) == page
        assert len(body) < LARGEST_PAGE


def test_the_largest_commands_fit() -> None:
    number = 2**53
    for act in (m.Say(LETTER * 400), m.SetRules(largest_rules())):
        command = m.Command(number, number, number, 13, act, 3)
        body = encode(command)
        assert decode_to_host(body) == command
        assert len(body) < LARGEST_COMMAND


def test_the_limits_are_explained_by_the_largest_messages() -> None:
    """In the code and in the document, each in the words of its own place."""
    told = {
        "MAX_TO_HOST": [LARGEST_COMMAND],
        "MAX_TO_PEER": [LARGEST_PAGE, LARGEST_VIEW],
    }
    for path in (Path(limits.__file__), Path(__file__).parents[2] / "protocol.md"):
        text = path.read_text("utf-8")
        for name, sizes in told.items():
            after = re.split(rf"^(?:\| `{name}` |{name}: )", text, flags=re.M)[1]
            reason = re.split(r"\n(?:\||[A-Z_]+: )", after)[0]
            assert [int(size) * 1024 for size in re.findall(r"(\d+) KiB", reason)] == sizes


def test_a_full_view_in_mid_deal_is_small(make_view: MakeView) -> None:
    assert len(encode(make_view())) < 2048
