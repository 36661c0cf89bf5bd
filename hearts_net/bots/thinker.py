"""Where a player thinks: in the event loop when that takes no time, or beside it."""

from __future__ import annotations

from typing import Protocol

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
