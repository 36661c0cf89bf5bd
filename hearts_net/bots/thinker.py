"""Where a player thinks: in the event loop when that takes no time, or beside it."""

from __future__ import annotations

import asyncio
from concurrent.futures import Executor
from typing import Protocol

from hearts_net.bots.levels import thinks_long
from hearts_net.bots.mind import Question, answer
from hearts_net.bots.player import Player
from hearts_net.protocol.messages import AnyAct


class Thinker(Protocol):
    """Answers questions. One that takes time must do its thinking outside the event loop."""

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


class SlowThinker:
    """Thinks in a thread, so that the links of the process go on meanwhile.

    Several bots may share one executor: with a single thread they think one after another, and a
    processor is left to everybody else.
    """

    __slots__ = ("_executor", "_player")

    def __init__(self, player: Player, executor: Executor | None = None) -> None:
        self._player, self._executor = player, executor

    async def think(self, question: Question) -> AnyAct:
        """Return the act that the player chooses."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, answer, question, self._player)


def thinker_for(level: str, player: Player, executor: Executor | None = None) -> Thinker:
    """Return a thinker for a player of a level."""
    return SlowThinker(player, executor) if thinks_long(level) else QuickThinker(player)
