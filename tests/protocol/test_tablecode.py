"""Table codes: the RFC's own figures, both sides of an exchange, and everything that must fail."""

from __future__ import annotations

import hashlib
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nacl import bindings as sodium

from hearts_net.protocol import tablecode
from hearts_net.protocol.codes import ErrorCode, ProtocolError
from hearts_net.protocol.tablecode import (
    DIGITS,
    Exchange,
    Proofs,
    is_proof,
    new_code,
    read_code,
    schedule,
    shown_code,
)

PEER, HOST = "p" * 40, "h" * 40


def pair(
    peer_code: str, host_code: str, seed: int = 1, peer_sees: str = HOST, host_sees: str = PEER
) -> tuple[Proofs, Proofs]:
    """Run both sides; ``peer_sees`` is the host's key as the peer knows it, and the other way."""
    entropy = random.Random(seed).randbytes
    peer = Exchange(peer_code, is_host=False, entropy=entropy)
    host = Exchange(host_code, is_host=True, entropy=entropy)
    return (
        peer.proofs(host.share, peer_key=PEER, host_key=peer_sees),
        host.proofs(peer.share, peer_key=host_sees, host_key=HOST),
    )


def test_the_two_points_are_made_of_the_seeds_that_the_rfc_names() -> None:
    for point, name in ((tablecode._M, b"M"), (tablecode._N, b"N")):
        drawn = b"edwards25519 point generation seed (%s)" % name
        for _ in range(100):
            drawn = hashlib.sha256(drawn).digest()
            if sodium.crypto_core_ed25519_is_valid_point(drawn):
                break
        assert drawn == point


def test_keys_are_derived_as_in_the_rfcs_example() -> None:
    # RFC 9382, appendix B, the first one: another group, but the same schedule
    share_a = bytes.fromhex(
        "04a56fa807caaa53a4d28dbb9853b9815c61a411118a6fe516a8798434751470f9"
        "010153ac33d0d5f2047ffdb1a3e42c9b4e6be662766e1eeb4116988ede5f912c"
    )
    share_b = bytes.fromhex(
        "0406557e482bd03097ad0cbaa5df82115460d951e3451962f1eaf4367a420676d0"
        "9857ccbc522686c83d1852abfa8ed6e4a1155cf8f1543ceca528afb591a1e0b7"
    )
    key = bytes.fromhex(
        "0412af7e89717850671913e6b469ace67bd90a4df8ce45c2af19010175e37eed69"
        "f75897996d539356e2fa6a406d528501f907e04d97515fbe83db277b715d3325"
    )
    code = bytes.fromhex("2ee57912099d31560b3a44b1184b9b4866e904c49d12ac5042c97dca461b1a5f")
    proofs = schedule(b"server", b"client", share_a, share_b, key, code)
    assert proofs.peer.hex() == "58ad4aa88e0b60d5061eb6b5dd93e80d9c4f00d127c65b3b35b1b5281fee38f0"
    assert proofs.host.hex() == "d3e2e547f1ae04f2dbdbf0fc4b79f8ecff2dff314b5d32fe9fcef2fb26dc459b"


@given(st.integers(0, 2**32), st.integers(0, 10**DIGITS - 1))
def test_the_same_code_gives_the_same_proofs(seed: int, number: int) -> None:
    code = f"{number:0{DIGITS}}"
    at_peer, at_host = pair(code, code, seed)
    assert at_peer == at_host
    assert at_peer.peer != at_peer.host


@given(st.integers(0, 2**32), st.integers(1, 10**DIGITS - 1))
def test_another_code_gives_other_proofs(seed: int, number: int) -> None:
    at_peer, at_host = pair("000000", f"{number:0{DIGITS}}", seed)
    assert not is_proof(at_peer.peer, at_host.peer)
    assert not is_proof(at_host.host, at_peer.host)


def test_shares_passed_on_by_somebody_in_between_prove_nothing() -> None:
    between = "b" * 40
    for at_peer, at_host in (
        pair("123456", "123456", peer_sees=between),
        pair("123456", "123456", host_sees=between),
        pair("123456", "123456", peer_sees=between, host_sees=between),
    ):
        assert not is_proof(at_peer.peer, at_host.peer)
        assert not is_proof(at_peer.host, at_host.host)


def test_every_exchange_has_a_share_of_its_own_in_the_group() -> None:
    entropy = random.Random(3).randbytes
    shares = {Exchange("000000", is_host=False, entropy=entropy).share for _ in range(8)}
    assert len(shares) == 8
    assert all(sodium.crypto_core_ed25519_is_valid_point(share) for share in shares)


@pytest.mark.parametrize(
    "share",
    [
        bytes(32),
        b"\x01" + bytes(31),  # the neutral element
        bytes.fromhex("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
        bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
        b"\xff" * 32,
    ],
    ids=["zero", "neutral", "of order two", "of order eight", "no point"],
)
@pytest.mark.parametrize("is_host", [True, False])
def test_a_share_outside_the_group_is_a_wrong_code(share: bytes, is_host: bool) -> None:
    ours = Exchange("123456", is_host=is_host, entropy=random.Random(1).randbytes)
    with pytest.raises(ProtocolError) as caught:
        ours.proofs(share, peer_key=PEER, host_key=HOST)
    assert caught.value.code == ErrorCode.WRONG_CODE


@pytest.mark.parametrize("is_host", [True, False])
def test_a_share_of_mixed_order_is_a_wrong_code(is_host: bool) -> None:
    """libsodium let such points pass before it mended CVE-2025-69277."""
    order_two = (2**255 - 20).to_bytes(32, "little")
    theirs = Exchange("123456", is_host=not is_host, entropy=random.Random(2).randbytes)
    share = sodium.crypto_core_ed25519_add(theirs.share, order_two)
    ours = Exchange("123456", is_host=is_host, entropy=random.Random(1).randbytes)
    with pytest.raises(ProtocolError) as caught:
        ours.proofs(share, peer_key=PEER, host_key=HOST)
    assert caught.value.code == ErrorCode.WRONG_CODE


@pytest.mark.parametrize("is_host", [True, False])
def test_ones_own_share_sent_back_is_a_wrong_code(is_host: bool) -> None:
    ours = Exchange("123456", is_host=is_host, entropy=random.Random(1).randbytes)
    with pytest.raises(ProtocolError):
        ours.proofs(ours.share, peer_key=PEER, host_key=HOST)


@pytest.mark.parametrize("is_host", [True, False])
def test_a_share_that_hides_nothing_is_a_wrong_code(is_host: bool) -> None:
    # the other side's blinding alone leaves the neutral element once it is taken off
    ours = Exchange("123456", is_host=is_host, entropy=random.Random(1).randbytes)
    point = tablecode._M if is_host else tablecode._N
    blinding = sodium.crypto_scalarmult_ed25519_noclamp(tablecode._scalar_of("123456"), point)
    with pytest.raises(ProtocolError):
        ours.proofs(blinding, peer_key=PEER, host_key=HOST)


def test_neither_code_nor_key_shows_in_what_may_be_logged() -> None:
    ours = Exchange("123456", is_host=True, entropy=random.Random(1).randbytes)
    assert "123456" not in repr(ours)
    assert repr(pair("123456", "123456")[0]) == "Proofs()"


# ---- codes as people write them ------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "482913",
        "482 913",
        " 482-913\n",
        "4 8 2 9 1 3",
        "482.913",
        "\u0664\u0668\u0662\u0669\u0661\u0663",  # Arabic
        "\uff14\uff18\uff12\uff19\uff11\uff13",  # full width
    ],
)
def test_a_code_is_understood_however_it_is_written(text: str) -> None:
    assert read_code(text) == "482913"


@pytest.mark.parametrize("text", ["", "48291", "4829130", "48291o", "code 482913", "²82913"])
def test_what_is_no_code_is_refused(text: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        read_code(text)
    assert caught.value.code == ErrorCode.WRONG_CODE


def test_codes_are_drawn_evenly_and_shown_in_groups() -> None:
    codes = [new_code(random.Random(seed).randbytes) for seed in range(2000)]
    assert all(len(code) == DIGITS and code.isdigit() for code in codes)
    assert len(set(codes)) > 1980
    assert {code[0] for code in codes} == set("0123456789")
    assert shown_code("012345") == "012 345"
    assert read_code(shown_code(codes[0])) == codes[0]
    draws = iter([b"\xff\xff\xff\xff", b"\x00\x0f\x42\x40"])  # the first would favour low codes
    assert new_code(lambda _: next(draws)) == "000000"
