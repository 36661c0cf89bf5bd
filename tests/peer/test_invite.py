"""Invites and addresses: what is read, and that nothing damaged is."""

from __future__ import annotations

import ipaddress
import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from zmq.utils import z85

from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.invite import (
    MAX_ADDRESSES,
    Address,
    Invite,
    is_host,
    is_invite,
    parse_address,
    parse_invite,
)

KEY = z85.encode(bytes(range(32))).decode()
INVITE = Invite(("192.168.1.5", "fd12:3456::1", "kitchen.local"), 26052, KEY)

keys = st.binary(min_size=32, max_size=32).map(lambda raw: z85.encode(raw).decode())
hosts = (
    st.ip_addresses(v=4).map(str)
    | st.ip_addresses(v=6).map(str)
    | st.from_regex(r"[a-z][a-z0-9]{0,8}(\.[a-z]{1,5})?", fullmatch=True)
)
invites = st.builds(
    Invite,
    st.lists(hosts, min_size=1, max_size=MAX_ADDRESSES, unique=True).map(tuple),
    st.integers(1, 65535),
    keys,
)


def refusal(text: str) -> LinkError:
    with pytest.raises(LinkError) as caught:
        parse_invite(text)
    assert caught.value.code == LinkCode.BAD_INVITE
    return caught.value


@given(invites)
def test_an_invite_reads_as_it_was_written(invite: Invite) -> None:
    text = invite.text()
    assert is_invite(text)
    assert parse_invite(text) == invite
    assert not set(text) & set("[]()*?&;<>|$`'\"\\ ")  # nothing that a shell would take for its own


@given(st.data())
def test_no_changed_character_passes(data: st.DataObject) -> None:
    text = INVITE.text()
    place = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.sampled_from(string.printable) | st.characters())
    if other != text[place]:
        refusal(text[:place] + other + text[place + 1 :])


def test_no_cut_passes() -> None:
    text = INVITE.text()
    for length in range(len(text)):
        refusal(text[:length])
        refusal(text[-length:] if length else "")
    for place in range(len(text)):
        refusal(text[:place] + text[place + 1 :])


def test_a_terminal_may_have_broken_it_into_lines() -> None:
    text = INVITE.text()
    assert parse_invite(f"  {text[:40]}\n  {text[40:80]}\r\n{text[80:]}\n") == INVITE


@given(st.text(max_size=60) | st.text(max_size=60).map(lambda rest: "hearts://" + rest))
@example("hearts://")
@example("hearts:///////")
@example("hearts://" + "a" * 100_000)
@example("HEARTS://192.168.1.5/26052/x/y")
def test_any_other_text_is_refused_with_the_same_code(text: str) -> None:
    refusal(text)


@pytest.mark.parametrize(
    "invite",
    [
        Invite((), 26052, KEY),
        Invite(("a b",), 26052, KEY),
        Invite(("a,b",), 26052, KEY),
        Invite(("a/b",), 26052, KEY),
        Invite(("fe80::1%eth0 ",), 26052, KEY),
        Invite(tuple(f"10.0.0.{n}" for n in range(MAX_ADDRESSES + 1)), 26052, KEY),
        Invite(("a",), 0, KEY),
        Invite(("a",), 65536, KEY),
        Invite(("a",), 26052, KEY[:39]),
        Invite(("a",), 26052, ""),
        Invite(("a",), 26052, "é" * 40),
        Invite(("a",), 26052, "#" * 40),
    ],
)
def test_what_no_invite_can_say_is_not_written(invite: Invite) -> None:
    with pytest.raises(LinkError) as caught:
        invite.text()
    assert caught.value.code == LinkCode.BAD_INVITE


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("kitchen", "kitchen", 26052),
        (" Kitchen.LOCAL:1 ", "kitchen.local", 1),
        ("192.168.1.5", "192.168.1.5", 26052),
        ("192.168.1.5:65535", "192.168.1.5", 65535),
        ("::1", "::1", 26052),
        ("[::1]", "::1", 26052),
        ("[fd12::1]:7", "fd12::1", 7),
        ("fe80::1%eth0", "fe80::1%eth0", 26052),
        ("[fe80::1%eth0.5]:80", "fe80::1%eth0.5", 80),
        ("xn--kche-0ra.example", "xn--kche-0ra.example", 26052),
    ],
)
def test_addresses(text: str, host: str, port: int) -> None:
    address = parse_address(text)
    assert address == Address(host, port)
    assert parse_address(address.text()) == address


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "host"),
        (":", "host"),
        (":80", "host"),
        ("a:", "port"),
        ("a:0", "port"),
        ("a:65536", "port"),
        ("a:080", "port"),
        ("a:+80", "port"),
        ("a:\uff18\uff10", "port"),
        ("a:1:2", "host"),
        ("[::1", "host"),
        ("[::1]80", "host"),
        ("[::1]:", "port"),
        ("[kitchen]:80", "host"),
        ("[]:80", "host"),
        ("256.1.1.1", "host"),
        ("1.2.3", "host"),
        ("010.0.0.1", "host"),
        ("1", "host"),
        ("a b", "host"),
        ("-a", "host"),
        ("a-", "host"),
        ("a..b", "host"),
        ("küche", "host"),
        ("a" * 64, "host"),
        (".".join(["a" * 60] * 5), "host"),
        ("a" * 100_000, "host"),
        ("fe80::1%", "host"),
        ("fe80::1%a b", "host"),
        ("fe80::1%" + "a" * 65, "host"),
        ("::12345", "host"),
        ("tcp://a", "port"),
        ("a\x1b[31m", "host"),
    ],
)
def test_bad_addresses_say_what_is_wrong(text: str, why: str) -> None:
    with pytest.raises(LinkError) as caught:
        parse_address(text)
    assert (caught.value.code, caught.value.detail["why"]) == (LinkCode.BAD_ADDRESS, why)


@given(st.text(max_size=40))
def test_any_text_is_an_address_or_refused(text: str) -> None:
    try:
        address = parse_address(text)
    except LinkError as error:
        code = error.code
    else:
        code = LinkCode.BAD_ADDRESS
        assert 1 <= address.port <= 65535
        assert is_host(address.host)
    assert code == LinkCode.BAD_ADDRESS


@given(st.ip_addresses())
def test_every_literal_address_is_a_host(address: ipaddress.IPv4Address) -> None:
    assert is_host(str(address))


def test_a_host_called_hearts_is_not_an_invite() -> None:
    assert not is_invite("hearts:26052")
    assert parse_address("hearts:26052") == Address("hearts", 26052)
