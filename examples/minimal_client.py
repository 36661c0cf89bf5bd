"""A whole client for hearts-net in one file, written from protocol.md alone.

    python minimal_client.py hearts://192.168.1.20/26052/…/…        an invite
    python minimal_client.py 192.168.1.20:26052 KEY                 an address and the host's key

It joins the table, takes a seat, says ready, plays a game without much thought, and leaves. Only
pyzmq and msgpack are needed. (Steps: those of "A client in ten steps" in protocol.md.)
"""

from __future__ import annotations

import argparse
import base64
import itertools
import math
import secrets
import time
import zlib
from typing import Any

import msgpack
import zmq
from zmq.utils import z85

Message = dict[str, Any]


def parse_invite(text: str) -> tuple[list[str], bytes]:
    """Return every HOST:PORT of an invite, and the host's key (step 1)."""
    text = "".join(text.split())
    addresses, port, key, check = text.removeprefix("hearts://").split("/")
    crc = zlib.crc32(text[: len(text) - len(check)].encode()).to_bytes(4, "big")
    if base64.urlsafe_b64encode(crc).rstrip(b"=") != check.encode():
        raise SystemExit("This invite has been changed or cut; copy it again.")
    hosts = [f"[{host}]" if ":" in host else host for host in addresses.split(",")]
    return [f"{host}:{port}" for host in hosts], z85.encode(base64.urlsafe_b64decode(key + "="))


def unpack(body: bytes) -> Message:
    """Decode within the protocol's limits; what is no message becomes an empty one."""
    try:
        message = msgpack.unpackb(
            body, max_str_len=1600, max_array_len=64, max_map_len=32, max_bin_len=0, max_ext_len=0
        )
    except (ValueError, TypeError, msgpack.UnpackException):
        return {}
    return message if isinstance(message, dict) else {}


def stamp(message: Message) -> tuple[int, int]:
    """Return which state a message speaks of; the higher one is newer."""
    return message["epoch"], message["seq"]


class Client:
    """One player at one table."""

    def __init__(self, addresses: list[str], host_key: bytes, name: str, role: str) -> None:
        self.addresses = itertools.cycle(addresses)
        self.host_key, self.name, self.role = host_key, name, role
        self.public, self.secret = zmq.curve_keypair()  # step 2: a key is a seat
        self.context = zmq.Context()
        self.socket: zmq.Socket[bytes] = self.context.socket(zmq.DEALER)
        self.view: Message = {"epoch": 0, "seq": 0}
        self.pending: Message = {}  # the command that waits for its reply
        self.greeted = self.joined = self.done = self.answered = False
        self.heard = self.next_alive = self.resend = 0.0
        self.join_at = math.inf

    def dial(self) -> None:
        """Connect anew, to the next address where there are several (step 2)."""
        self.socket.close()
        self.socket = self.context.socket(zmq.DEALER)
        for option, value in (
            (zmq.LINGER, 0), (zmq.IPV6, 1), (zmq.IMMEDIATE, 1), (zmq.MAXMSGSIZE, 262144),
            (zmq.RECONNECT_IVL, 100), (zmq.RECONNECT_IVL_MAX, 500), (zmq.HANDSHAKE_IVL, 3000),
        ):  # fmt: skip
            self.socket.setsockopt(option, value)
        self.socket.curve_publickey, self.socket.curve_secretkey = self.public, self.secret
        self.socket.curve_serverkey = self.host_key
        self.socket.connect(f"tcp://{next(self.addresses)}")
        self.greeted = self.joined = False
        self.heard, self.join_at = time.monotonic(), math.inf

    def send(self, type_: str, **fields: object) -> bool:
        """Send a message; False while there is no connection."""
        try:
            self.socket.send(msgpack.packb({"type": type_, **fields}), zmq.NOBLOCK)
        except zmq.Again:
            return False
        return True

    def run(self) -> None:
        """Play until the game is over."""
        self.dial()
        started = time.monotonic()
        while not self.done:
            now = time.monotonic()
            if not self.answered and now > started + 10:
                raise SystemExit("Nobody answers there: is the address right, and the key?")
            self.tick(now)
            if self.socket.poll(100):
                self.heard, self.answered = time.monotonic(), True
                self.take(unpack(self.socket.recv()))
        self.context.destroy(linger=500)

    def tick(self, now: float) -> None:
        """Do what time asks for: dialling, signs of life, sending again."""
        if now > self.heard + 2:
            self.dial()
        if not self.greeted:
            self.greeted = self.send("hello", versions=[1], client="minimal client")  # step 3
        if now >= self.join_at:
            self.join_at = math.inf
            self.send("join", role=self.role, name=self.name)
        if self.joined and now >= self.next_alive:
            self.next_alive = now + 1
            self.send("alive", epoch=self.view["epoch"], seq=self.view["seq"])  # step 5
        if self.joined and self.pending and now >= self.resend:
            self.resend = now + 2
            self.send("command", **self.pending)  # step 9: the same id, done once

    def take(self, message: Message) -> None:
        """Act on one message from the host."""
        match message.get("type"):
            case "welcome":
                self.join_at = 0.0
            case "waiting":  # the host's player is asked, as long as this one goes on asking
                self.join_at = time.monotonic() + 1
            case "joined":
                print(f"{message['name']} has joined; seat: {message['seat']}")
                self.joined, self.resend = True, 0.0
            case "view" if stamp(message) >= stamp(self.view):
                self.view = message  # step 4
                self.play()
            case "alive" if stamp(message) > stamp(self.view):
                self.send("snapshot")
            case "reply" if self.pending and message["id"] == self.pending["id"]:
                self.pending = {}
                if not message["ok"]:
                    self.see_why_not(message)
            case "refused" if message["code"] in ("hello-first", "not-joined"):
                self.greeted = self.joined = False
            case "refused" if message["code"] in ("too-fast", "set-aside"):
                time.sleep(message["detail"].get("wait", 1000) / 1000)
                self.greeted, self.heard = False, time.monotonic()  # and from there on once more
            case "removed":
                raise SystemExit(
                    f"The host's player has sent this client away: {message['reason']}"
                )
            case "refused":
                raise SystemExit(f"The host refuses: {message['code']} {message['detail']}")
            case "superseded":
                raise SystemExit("Another program plays with this key now.")
            case "closing" | "bye":
                self.done = True

    def see_why_not(self, reply: Message) -> None:
        """Let the newest view decide what is to be done instead (step 9)."""
        if reply["code"] not in ("stale-epoch", "stale-trick", "paused", "store-failed"):
            raise SystemExit(f"Not done: {reply['code']} {reply['detail']}")
        self.send("snapshot")

    def play(self) -> None:
        """Do what the newest view asks this seat to do (steps 6 to 8, and 10)."""
        public, own = self.view["public"], self.view["own"]
        for event in self.view["events"]:
            if event["event"] == "deal-ended":
                print(f"Deal {event['summary']['deal']}: {event['summary']['totals']}")
        if public["phase"] == "game-over":
            winner = public["seats"][public["winner"]]
            print(f"{winner['name']} has won with {winner['total']} points.")
            self.send("bye")
            return
        if self.pending or own is None:
            return
        may, seat = own["may"], public["seats"][own["seat"]]
        if "pass" in may:
            by_rank = sorted(own["hand"], key=lambda card: "23456789TJQKA".index(card[0]))
            self.do("pass", cards=by_rank[-3:])
        elif "play" in may:
            self.do("play", card=own["legal"][0])
        elif "choose-moon" in may:
            self.do("choose-moon", choice="others-gain")
        elif "ready" in may and not seat["ready"]:
            self.do("ready")

    def do(self, act: str, **fields: object) -> None:
        """Send a command for the moment that the newest view shows."""
        epoch, public = self.view["epoch"], self.view["public"]
        moment = {"epoch": epoch, "deal": public["deal"], "trick": public["trick_number"]}
        self.pending = {"id": secrets.randbits(53), **moment, "do": {"act": act, **fields}}
        self.resend = 0.0
        self.tick(time.monotonic())


def main() -> None:
    """Read the command line and play."""
    parser = argparse.ArgumentParser(description="Play one game of Hearts at a hearts-net table.")
    parser.add_argument("table", help="an invite, or HOST:PORT")
    parser.add_argument("key", nargs="?", default="", help="with HOST:PORT, the host's key in Z85")
    parser.add_argument("--name", default="Minimal")
    parser.add_argument("--role", default="player", choices=("player", "bot"))
    given = parser.parse_args()
    addresses, key = [given.table], given.key.encode()
    if given.table.startswith("hearts://"):
        addresses, key = parse_invite(given.table)
    Client(addresses, key, given.name, given.role).run()


if __name__ == "__main__":
    main()
