"""Where a player thinks: in the event loop when that takes no time, or beside it."""

from __future__ import annotations

import asyncio
from concurrent.futures import Executor
from typing import Protocol

from hearts_net.bots.mind import Question, answer
from hearts_net.bots.player import Player
from hearts_net.protocol.messages import AnyAct


class Thinker(Protocol):
    """Answers questions; a slow one must not hold up the event loop."""

    async def think(self, question: Question) -> AnyAct:
        """Return the act that the player chooses."""
        ...


class QuickThinker:
    """Thinks at once: for players by rules of thumb, who need less than a millisecond."""

    __slots__ = ("_player",)

    def __init__(self, player: Player) -> None:
        self._player = player

    async def think(self, question: Question) -> AnyAct:
        """Return the act that the player chooses."""
        return answer(question, self._player)


class DeepThinker:
    """Thinks in an executor: for players who search. The player must then be fit to be sent there."""

    __slots__ = ("_executor", "_player")

    def __init__(self, player: Player, executor: Executor) -> None:
        self._player, self._executor = player, executor

    async def think(self, question: Question) -> AnyAct:
        """Return the act that the player chooses, without holding up the event loop."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, answer, question, self._player)
