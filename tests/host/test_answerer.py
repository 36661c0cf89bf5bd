"""The UDP side of a table, without a socket: who is answered, and how many."""

from __future__ import annotations

import asyncio
import time
from typing import Any, cast

import pytest

from hearts_net.host.answerer import Answerer
from hearts_net.protocol.advert import Advert
from hearts_net.protocol.datagram import pack_question, read_answer
from hearts_net.protocol.limits import RATES

QUESTION = pack_question("0" * 16)


class Wire:
    """Takes what would be sent."""

    def __init__(self) -> None:
        self.sent: list[tuple[bytes, Any]] = []

    def sendto(self, data: bytes, addr: Any) -> None:
        self.sent.append((data, addr))


def answerer() -> tuple[Answerer, Wire]:
    advert = Advert("1" * 40, 1, 2, [1], "attic", "pc", 3, "open", "lobby")
    made, wire = Answerer(lambda: advert), Wire()
    made.connection_made(cast(asyncio.DatagramTransport, wire))
    return made, wire


def test_a_question_is_answered_and_nothing_else_is() -> None:
    made, wire = answerer()
    for body in (QUESTION, QUESTION[:-1], QUESTION + b"x", b"", b"\xc1" * len(QUESTION)):
        made.datagram_received(body, ("10.0.0.1", 9))
    ((answer, to),) = wire.sent
    assert to == ("10.0.0.1", 9)
    assert read_answer(answer, "0" * 16).table == "attic"
    assert len(answer) <= len(QUESTION)


def test_invented_addresses_get_only_so_many_answers_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [10**12]
    monkeypatch.setattr(time, "monotonic_ns", lambda: now[0])
    made, wire = answerer()
    rate = RATES["all-questions"]

    def ask(number: int) -> None:
        made.datagram_received(QUESTION, (f"10.0.{number // 200}.{number % 200}", 9))

    for number in range(4 * rate.at_once):
        ask(number)
    assert len(wire.sent) == rate.at_once
    now[0] += 2 * rate.every * 1_000_000
    ask(1)
    assert len(wire.sent) == rate.at_once + 1
