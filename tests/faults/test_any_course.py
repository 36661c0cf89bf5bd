"""Anything at all, in any order: what comes out is always in order, and nothing is lost."""

from __future__ import annotations

import random

import pytest

from hearts_net.host.authority import Authority
from hearts_net.host.changes import restored
from hearts_net.host.effects import (
    BotUnwanted,
    BotWanted,
    DeputyUnwanted,
    DeputyWanted,
    Effect,
    Finished,
    Publish,
    SendTo,
    Write,
)
from hearts_net.host.opening import Opening, TableSettings
from hearts_net.protocol.codec import decode_to_peer, encode
from hearts_net.protocol.messages import (
    AddBot,
    Alive,
    AnyAct,
    Bye,
    ChooseMoon,
    Claim,
    Command,
    Fetch,
    GiveSeat,
    GoOn,
    GoUnsaved,
    Hello,
    Join,
    Message,
    Pass,
    Pause,
    Play,
    Ready,
    Refused,
    Rematch,
    RemoveBot,
    Reply,
    Say,
    SetRules,
    Sit,
    Snapshot,
    Stand,
    Start,
    View,
    Vote,
    Welcome,
)
from hearts_net.rules.cards import CARD_TEXTS
from hearts_net.testing.network import HOST_KEY

KEYS = [HOST_KEY, *(letter * 40 for letter in "abcdefg")]


class Chaos:
    """An authority to which anything happens."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.now, self.made = 1000, 0
        self.stored: list[bytes] = []
        self.connections = [0] * len(KEYS)
        self.accepted: dict[tuple[str, int], tuple[int, int]] = {}
        self.done: set[str] = set()
        settings = TableSettings(grace=3000, turn_limit=self.rng.choice((0, 4000)), next_deal=2000)
        rules = {"target": self.rng.choice((1, 30)), "moon": "shooter-chooses"}
        levels = ("easy", "medium")
        bots = ("easy",) * self.rng.randint(0, 3)
        self.opening = Opening("t", "attic", HOST_KEY, rules, settings, bots, levels)
        self.start()

    def new_key(self) -> str:
        self.made += 1
        return f"k{self.made}".ljust(40, "k")

    def start(self) -> None:
        self.host = Authority(
            list(self.stored), self.opening, entropy=self.rng.randbytes, new_key=self.new_key
        )
        self.finished = False
        self.views: dict[bytes, View] = {}
        self.greeted: set[bytes] = set()
        self.staff: dict[str, str] = {}
        self.carry_out(self.host.begin(self.now))
        self.carry_out(self.host.opened(7, "10.0.0.1:26052", self.now, self.now))

    def carry_out(self, effects: list[Effect], *, fails: bool = False) -> bool:
        """Carry effects out; whatever is sent must be a message that a peer can read."""
        assert not any(isinstance(effect, Write) for effect in effects[1:])
        for effect in effects:
            match effect:
                case Write(first, entries, _):
                    assert first == len(self.stored) + 1
                    if fails:
                        self.carry_out(self.host.store_failed(self.now, self.now))
                        return False
                    self.stored.extend(entries)
                case SendTo(route, body):
                    self.hear(route, decode_to_peer(body))
                case Publish(body):
                    decode_to_peer(body)
                case Finished():
                    self.finished = True
                case _:
                    self.done.add(type(effect).__name__)
                    self.hire(effect)
        return True

    def hire(self, effect: Effect) -> None:
        match effect:
            case BotWanted(_, key, _, _):
                self.staff[key] = "bot"
            case DeputyWanted(_, key, _):
                self.staff[key] = "deputy"
            case BotUnwanted(_, key) | DeputyUnwanted(_, key):
                self.staff.pop(key, None)
            case _:
                pass

    def hear(self, route: bytes, message: object) -> None:
        if isinstance(message, View):
            self.views[route] = message
        if isinstance(message, Welcome):
            self.greeted.add(route)
        if isinstance(message, Refused) and message.code in ("superseded", "hello-first"):
            self.views.pop(route, None)
            self.greeted.discard(route)
            key = route.decode().partition("/")[0]
            if key.isdecimal():
                self.connections[int(key)] += 1
        if isinstance(message, Reply) and message.code != "store-failed":
            asked = (route.decode().partition("/")[0], message.id)
            if message.ok:
                self.accepted.setdefault(asked, (message.epoch, message.seq))
            if asked in self.accepted:
                assert self.accepted[asked] == (message.epoch, message.seq)
                assert message.ok
            self.done.add(message.code)

    def step(self) -> None:
        rng = self.rng
        chance = rng.random()
        if chance < 0.7:
            self.say()
        elif chance < 0.95:
            self.now += rng.choice((1, 50, 50, 50, 400))
            self.tick(fails=rng.random() < 0.03)
            if self.is_due():  # a try to save comes alone
                self.tick()
            assert not self.is_due()
        elif chance < 0.995:
            route, gone = self.route(), rng.random() < 0.5
            dropped = self.host.dropped(route, self.now, self.now, gone=gone)
            self.carry_out(dropped, fails=rng.random() < 0.1)
        else:
            self.check_stored()
            self.start()

    def tick(self, *, fails: bool = False) -> None:
        self.carry_out(self.host.tick(self.now, self.now), fails=fails)

    def is_due(self) -> bool:
        due = self.host.deadline()
        return due is not None and due <= self.now

    def check_stored(self) -> None:
        """All that is, is stored; or the host's player has chosen to go on without."""
        if self.host.table.saving == "off":
            self.accepted.clear()
        else:
            assert restored(self.stored) == self.host.table.durable()

    def route(self) -> bytes:
        key = self.rng.choice((0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7))
        self.connections[key] += self.rng.random() < 0.01
        return f"{key}/{self.connections[key]}".encode()

    def say(self) -> None:
        if self.staff and self.rng.random() < 0.4:
            key = self.rng.choice(sorted(self.staff))
            route, role = key.encode(), self.staff[key]
        else:
            route, role = self.route(), ""
            key = KEYS[int(route.decode().partition("/")[0])]
        body = encode(self.message(route, role))
        if self.rng.random() < 0.01:
            body = self.rng.randbytes(self.rng.randint(0, 40))
        effects = self.host.receive(route, key, body, self.now, self.now)
        self.carry_out(effects, fails=self.rng.random() < 0.02)

    def message(self, route: bytes, role: str) -> Message:
        rng, view = self.rng, self.views.get(route)
        if view is None or rng.random() < 0.01:
            if route not in self.greeted:
                return Hello([1], "t")
            role = role or rng.choice((*["player"] * 16, "bot", "watcher", "deputy", "x"))
            return Join(role, rng.choice((*["Bo"] * 9, "B\u043e", "\x07")))
        if rng.random() < 0.1:
            page = Fetch(rng.choice(("log", "deals", "?")), rng.randint(0, 99))
            return rng.choice((Snapshot(), page, Alive(1, 1), Alive(1, 1)))
        if rng.random() < 0.005:
            return Bye()
        epoch = view.epoch - (rng.random() < 0.02)
        number = rng.randint(0, 2**40) if rng.random() < 0.95 else rng.randint(0, 5)
        public = view.public
        seat = None if rng.random() < 0.98 else 1
        return Command(number, epoch, public.deal, public.trick_number, self.act(view), seat)

    def act(self, view: View) -> AnyAct:
        rng, own = self.rng, view.own
        may = [*view.may, *(own.may if own is not None else [])]
        if own is not None and may and rng.random() < 0.9:
            if "pass" in may:
                return Pass(rng.sample(own.hand, 3))
            if "play" in may:
                return Play(rng.choice(own.legal))
            if "choose-moon" in may:
                return ChooseMoon(rng.choice(("others-gain", "shooter-loses")))
            if "go-on" in may:
                return GoOn()
            if "ready" in may:
                return Ready(rng.random() < 0.9)
        seat = rng.randint(0, 3)
        acts: list[AnyAct] = [
            Sit(seat),
            Stand(),
            AddBot(seat, rng.choice(("easy", "medium", "none"))),
            RemoveBot(seat),
            Ready(),
            SetRules({"target": rng.choice((1, 50))}),
            Start(),
            Pass(rng.sample(CARD_TEXTS, 3)),
            Play(rng.choice(CARD_TEXTS)),
            Claim(),
            ChooseMoon(rng.choice(("others-gain", "shooter-loses", "none"))),
            Pause(),
            GoOn(),
            GoOn(),
            Rematch(),
            Say(rng.choice(("hello", "\x1b[2J", "\u202e"))),
            GiveSeat(seat),
            Vote(seat, rng.choice(("wait", "bot"))),
            GoUnsaved(),
        ]
        return rng.choice(acts)


SEEDS, MORE = range(3), range(3, 60)


@pytest.mark.parametrize(
    "seed", [*SEEDS, *(pytest.param(seed, marks=pytest.mark.long) for seed in MORE)]
)
def test_anything_in_any_order(seed: int) -> None:
    chaos = Chaos(seed)
    for _ in range(2500):
        chaos.step()
        if chaos.finished:
            chaos.start()
    chaos.check_stored()
    assert "" in chaos.done
    assert len(chaos.done) > 8
