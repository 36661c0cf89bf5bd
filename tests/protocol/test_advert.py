"""What a table says of itself: the same by mDNS and in an answer, and never trusted."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from hearts_net.protocol import limits
from hearts_net.protocol.advert import Advert, advert_in, pack_txt, read_txt
from hearts_net.protocol.codes import ErrorCode, ProtocolError

Draw = Callable[[type], st.SearchStrategy[Any]]
ADVERT = Advert("k" * 40, 26052, 26053, [1], "Kitchen", "attic-pc", 3, "open", "lobby")
DOCUMENT = Path(__file__).parents[2] / "protocol.md"


def raw(texts: dict[str, str]) -> dict[bytes, bytes | None]:
    return {name.encode(): text.encode() for name, text in texts.items()}


def test_a_record_says_what_an_answer_says() -> None:
    assert read_txt(raw(pack_txt(ADVERT))) == ADVERT
    answer = ADVERT.answer("0123456789abcdef")
    assert (answer.nonce, answer.table) == ("0123456789abcdef", "Kitchen")
    assert advert_in(answer) == ADVERT


@settings(max_examples=30)
@given(data=st.data())
def test_every_advert_fits_a_record_and_arrives(drawn: Draw, data: st.DataObject) -> None:
    advert = data.draw(drawn(Advert))
    record = raw(pack_txt(advert))
    assert all(len(name) + 1 + len(text or b"") <= 255 for name, text in record.items())
    arrived = read_txt(record)
    assert advert.table.startswith(arrived.table)
    assert replace(arrived, table=advert.table) == advert


def test_a_name_too_long_is_cut_between_letters() -> None:
    arrived = read_txt(raw(pack_txt(replace(ADVERT, table="\U0001f0a1" * 64))))
    assert arrived.table == "\U0001f0a1" * 62


@pytest.mark.parametrize(
    "changed",
    [
        {b"txtvers": b"2"},
        {b"txtvers": None},
        {b"key": b"short"},
        {b"key": None},
        {b"control": b"65536"},
        {b"control": b"-1"},
        {b"control": b"1e3"},
        {b"control": "٣".encode()},
        {b"control": b"9" * 200},
        {b"public": b""},
        {b"versions": b""},
        {b"versions": b"1,,2"},
        {b"versions": b",".join([b"1"] * 9)},
        {b"table": b""},
        {b"table": b"\xff"},
        {b"\xff": b"x"},
        {b"machine": b"m" * 33},
        {b"free": b"5"},
        {b"admit": b"a" * 17},
        {b"phase": b"p" * 17},
    ],
)
def test_what_is_no_advert_is_refused(changed: dict[bytes, bytes | None]) -> None:
    with pytest.raises(ProtocolError) as raised:
        read_txt(raw(pack_txt(ADVERT)) | changed)
    assert raised.value.code == ErrorCode.BAD_FIELD


def test_what_a_later_version_adds_is_passed_over() -> None:
    record = raw(pack_txt(ADVERT)) | {b"colour": b"green", b"admit": b"riddle"}
    assert read_txt(record) == replace(ADVERT, admit="riddle")


@given(record=st.dictionaries(st.binary(max_size=20), st.none() | st.binary(max_size=255)))
def test_any_record_is_read_or_refused(record: dict[bytes, bytes | None]) -> None:
    with pytest.raises(ProtocolError):
        read_txt(record)


def test_the_document_describes_the_service_and_every_key() -> None:
    part = DOCUMENT.read_text("utf-8").split("\n## mDNS\n")[1].split("\n## ")[0]
    assert f"`{limits.SERVICE}`" in part
    described = re.findall(r"^\| `(\w+)` \|", part, flags=re.M)
    assert described == ["txtvers", *Advert.__struct_fields__]
