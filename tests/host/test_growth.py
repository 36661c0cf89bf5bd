"""An evening of comings and goings: nothing that is kept for a key or a connection grows with them.

What the table stores is another matter: that is the game.
"""

from __future__ import annotations

import zmq

from hearts_net.host.conduct import Conducts
from hearts_net.host.effects import (
    Admit,
    Bar,
    BotUnwanted,
    BotWanted,
    DeputyUnwanted,
    Effect,
    Unadmit,
    Unbar,
)
from hearts_net.host.keyring import MOST_KEPT, Keyring
from hearts_net.host.opening import Opening
from hearts_net.host.zap import MOST_EXPELLED, Doorkeeper
from hearts_net.protocol.codec import encode
from hearts_net.protocol.limits import AWAY_AFTER, MOST_BANNED, PAUSE
from hearts_net.protocol.messages import AddBot, Alive, Ban, Bye, RemoveBot, Sit
from hearts_net.testing.network import HOST_KEY

from .test_authority import LEVELS, Rig, command


def conducts(rig: Rig) -> Conducts:
    return rig.authority._room.conducts


class Public:
    """Who may connect to the public socket, as the effects say."""

    def __init__(self) -> None:
        self.admitted: set[str] = set()

    def heed(self, effects: list[Effect]) -> list[Effect]:
        for effect in effects:
            match effect:
                case Admit(key):
                    self.admitted.add(key)
                case Unadmit(key):
                    self.admitted.discard(key)
        return effects


def test_the_keys_of_bots_that_were_dismissed_are_forgotten() -> None:
    rig = Rig()
    rig.join("h", HOST_KEY)
    sizes = set()
    for number in range(0, 200, 2):
        (wanted,) = (
            effect
            for effect in rig.say("h", HOST_KEY, command(number, AddBot(3, "easy")))
            if isinstance(effect, BotWanted)
        )
        (unwanted,) = (
            effect
            for effect in rig.say("h", HOST_KEY, command(number + 1, RemoveBot(3)))
            if isinstance(effect, BotUnwanted | DeputyUnwanted)
        )
        assert unwanted.key == wanted.key
        assert conducts(rig).of(wanted.key, rig.now).trusted
        rig.authority.dismissed(unwanted.key)
        sizes.add(len(conducts(rig)))
        rig.now += 1000
    assert len(sizes) == 1


def test_what_was_made_for_a_step_that_is_not_stored_is_forgotten() -> None:
    rig = Rig()
    rig.join("h", HOST_KEY)
    before = len(conducts(rig))
    plan = rig.authority.receive(
        b"h", HOST_KEY, encode(command(1, AddBot(3, "easy"))), rig.now, rig.clock
    )
    assert any(isinstance(effect, BotWanted) for effect in plan)
    assert len(conducts(rig)) == before + 1
    rig.authority.store_failed(rig.now, rig.clock)
    assert len(conducts(rig)) == before


def test_the_public_socket_forgets_guests_whose_connection_is_lost() -> None:
    rig, public = Rig(), Public()
    public.heed(rig.join("h", HOST_KEY))
    for number in range(100):
        rig.now += PAUSE
        key = f"w{number}".ljust(40, "_")
        assert Admit(key) in public.heed(rig.join(f"r{number}", key, "watcher"))
        public.heed(rig.keep(rig.authority.lost([f"r{number}".encode()], rig.now, rig.clock)))
    assert public.admitted == {HOST_KEY}


def test_who_has_a_seat_keeps_the_way_in_while_away_and_until_the_seat_is_anothers() -> None:
    rig, public = Rig(Opening("t1", "attic", HOST_KEY, levels=LEVELS)), Public()
    key = "p".ljust(40, "_")
    public.heed(rig.join("h", HOST_KEY))
    public.heed(rig.join("p", key))
    public.heed(rig.say("p", key, command(1, Sit(2))))
    public.heed(rig.keep(rig.authority.lost([b"p"], rig.now, rig.clock)))
    assert key in public.admitted
    for _ in range(200):
        public.heed(rig.tick(AWAY_AFTER // 2))
        public.heed(rig.say("h", HOST_KEY, Alive(1, 1)))
    assert rig.authority.table.seat_of(key) is None
    assert key not in public.admitted


def test_of_too_many_bans_the_oldest_is_taken_back_for_good() -> None:
    rig = Rig()
    rig.join("h", HOST_KEY)
    barred: set[str] = set()
    for number in range(MOST_BANNED + 8):
        rig.now += PAUSE
        key = f"p{number}".ljust(40, "k")
        rig.join(f"r{number}", key)
        for effect in rig.say("h", HOST_KEY, command(number, Ban(key))):
            match effect:
                case Bar(banned):
                    barred.add(banned)
                case Unbar(banned):
                    barred.discard(banned)
        rig.say(f"r{number}", key, Bye())
    assert barred == set(rig.authority.table.door.banned)
    assert len(barred) == MOST_BANNED


def test_keys_that_are_shut_out_are_bounded_the_oldest_forgotten() -> None:
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    keeper = Doorkeeper(context)
    try:
        for number in range(MOST_EXPELLED + 10):
            keeper.expel(str(number))
        assert len(keeper._expelled) == MOST_EXPELLED
        assert "9" not in keeper._expelled
    finally:
        keeper.close()
        context.term()


def test_key_pairs_that_nobody_dropped_are_bounded() -> None:
    keyring = Keyring()
    first, newest = keyring.new(), ""
    for _ in range(MOST_KEPT):
        newest = keyring.new()
    assert keyring.secret(newest)
    assert first not in keyring._secrets
