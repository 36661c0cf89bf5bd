"""A table driven directly, without sessions or bytes: for tests of what it decides."""

from __future__ import annotations

import random

from hearts_net.host import course
from hearts_net.host.changes import restored
from hearts_net.host.course import Outcome
from hearts_net.host.facts import Entry, encode_entry
from hearts_net.host.lobby import Moment
from hearts_net.host.opening import Opening
from hearts_net.host.permissions import actor_for, deputy_for
from hearts_net.host.table import Stage, Table
from hearts_net.protocol.messages import (
    AnyAct,
    ChooseMoon,
    Command,
    Join,
    Pass,
    Play,
    Ready,
    SetRules,
)
from hearts_net.rules.cards import CARD_TEXTS, hand_texts, random_card
from hearts_net.testing.clock import FakeClock

HOST = "host"
LEVELS = ("easy", "medium")


class Driver:
    """A table, a clock and a source of chance; each method does one thing to the table.

    Attributes:
        table: the table as it is now.
        entries: what would have been stored.

    """

    def __init__(self, seed: int = 0, opening: Opening | None = None) -> None:
        self.rng = random.Random(seed)
        self.clock = FakeClock()
        self.opening = opening or Opening("t1", "attic", HOST, levels=LEVELS)
        self.entries: list[Entry] = []
        self.table = Table()
        self._requests = 0
        self._keys = 0
        self.done(course.open_table(self.opening, self.moment()))

    def moment(self) -> Moment:
        """Return now."""
        return Moment(
            self.clock.now, self.clock.utc, self.rng.randbytes, self._new_key, self.opening.levels
        )

    def _new_key(self) -> str:
        self._keys += 1
        return f"bot-{self._keys}"

    def done(self, outcome: Outcome) -> Outcome:
        """Take what came of something."""
        self.table = outcome.table
        if outcome.entry is not None:
            self.entries.append(outcome.entry)
        return outcome

    def stage(self) -> Stage:
        """Return what the table does now."""
        return self.table.stage

    @property
    def stored(self) -> list[bytes]:
        """The entries as the store would have them."""
        return [encode_entry(entry) for entry in self.entries]

    def join(self, key: str, role: str = "player", name: str = "", level: str = "") -> int | None:
        """Let somebody in; return the seat."""
        joins = Join(role, name or key, level)
        self.done(course.arrive(self.table, key, joins, self.moment()))
        return self.table.seat_of(key)

    def leave(self, key: str) -> None:
        """Somebody says bye."""
        self.done(course.depart(self.table, key, self.moment()))

    def lose(self, key: str) -> None:
        """Somebody's connection is gone."""
        gone = course.without(self.table, key)
        self.done(course.go_on(gone, self.moment(), changed=True))

    def act(self, key: str, act: AnyAct, **changes: int) -> Outcome:
        """Do something as whoever holds ``key``; ``changes`` to the command's fields."""
        return self.done(self.try_act(key, act, **changes))

    def try_act(self, key: str, act: AnyAct, **changes: int) -> Outcome:
        """Return what would come of an act, without doing it."""
        self._requests += 1
        table = self.table
        fields = {
            "id": self._requests,
            "epoch": table.epoch,
            "deal": table.deal_number,
            "trick": table.trick_number,
        }
        command = Command(do=act, **{**fields, **changes})
        return course.handle(table, key, actor_for(table, key), command, self.moment())

    def act_as_deputy(self, seat: int, act: AnyAct) -> Outcome:
        """Do something for an absent player."""
        self._requests += 1
        table = self.table
        command = Command(
            self._requests, table.epoch, table.deal_number, table.trick_number, act, seat
        )
        return self.done(course.handle(table, "deputy", deputy_for(seat), command, self.moment()))

    def wait(self, milliseconds: int) -> None:
        """Let time pass, then do what is due."""
        self.clock.advance(milliseconds)
        self.done(course.go_on(self.table, self.moment()))

    def restart(self) -> None:
        """Start a new epoch from what is stored."""
        stored = restored(self.stored)
        assert stored == self.table.durable()
        self.done(course.begin_epoch(stored, self.opening, self.moment()))

    def break_store(self) -> None:
        """Nothing can be stored from now on."""
        self.done(course.break_store(self.table, "full", self.moment()))

    # ---- a game --------------------------------------------------------------------------------

    def seat_four(self) -> list[str]:
        """Seat four people; return their keys, the host's player first."""
        keys = [HOST, "bram", "chloe", "dai"]
        for key in keys:
            self.join(key)
        return keys

    def start_game(self, **rules: bool | int | str) -> list[str]:
        """Seat four people and begin; return their keys by seat."""
        keys = self.seat_four()
        if rules:
            self.act(HOST, SetRules(rules))
        for key in keys:
            self.act(key, Ready())
        assert self.table.deal_number == 1
        return keys

    def step(self) -> bool:
        """Do one thing that the game waits for, by chance; False when it is over."""
        table = self.table
        deal = table.deal
        if table.stage is Stage.GAME_OVER or deal is None:
            return False
        if table.stage is Stage.DEAL_OVER:
            waiting = [seat.key for seat in table.seats if not seat.is_ready]
            self.act(waiting[0], Ready())
            return True
        seat = self.rng.choice(table.to_move())
        self.act(table.seats[seat].key, self._choice(seat))
        return True

    def _choice(self, seat: int) -> AnyAct:
        deal = self.table.deal
        assert deal is not None
        if self.table.stage is Stage.PASSING:
            return Pass(self.rng.sample(hand_texts(deal.hands[seat]), 3))
        if self.table.stage is Stage.MOON:
            return ChooseMoon(self.rng.choice(("others-gain", "shooter-loses")))
        return Play(CARD_TEXTS[random_card(deal.legal_for(seat), self.rng)])

    def steps(self, count: int) -> None:
        """Do so many things, as far as the game goes."""
        for _ in range(count):
            if not self.step():
                return

    def play_to(self, stage: Stage) -> None:
        """Play on until the table is in a stage."""
        while self.table.stage is not stage:
            assert self.step()
