"""One question to everybody on this machine's networks, without any list or memory of tables."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from hearts_net.peer.ears import Ears
from hearts_net.peer.found import MOST_ADDRESSES, MOST_FOUND, FoundTable, Source, found_from, merged
from hearts_net.protocol import limits
from hearts_net.protocol.advert import advert_in
from hearts_net.protocol.datagram import Answer

_ASK_EVERY: Final = 0.3


async def ask_around(
    ports: Sequence[int] = (limits.CONTROL_PORT,), seconds: float = 1.0
) -> list[FoundTable]:
    """Ask everybody at these ports, and return who has answered after ``seconds``."""
    answers: dict[tuple[str, str, int], Answer] = {}

    def heed(address: str, answer: Answer) -> None:
        if len(answers) < MOST_FOUND * MOST_ADDRESSES:
            answers[address, answer.key, answer.control] = answer

    with Ears(heed) as ears:
        rounds = max(1, int(seconds / _ASK_EVERY))
        for _ in range(rounds):
            ears.ask_everybody(ports)
            await asyncio.sleep(seconds / rounds)
    return merged(
        found_from(advert_in(answer), (address,), Source.AROUND, verified=False)
        for (address, _key, _port), answer in answers.items()
    )
