"""Somebody who sends messages without end, as a process: ``… endless_messages VICTIM``, as JSON.

It writes one byte for each message that it begins, and goes on until it is killed.
"""

from __future__ import annotations

import json
import sys
from typing import Final

import zmq

FRAMES: Final = 4_000
FRAME: Final = 16_000
"""Bytes of each."""


def main(victim: str) -> None:
    """Attack until killed, or until libzmq aborts: its socket is cut in the middle of a message."""
    from hearts_net.testing.vandals import Victim, peer

    frame = b"\0" * FRAME
    while True:
        with peer(Victim(**json.loads(victim))) as guest:
            guest.join()
            print(end=".", flush=True)
            for _ in range(FRAMES):
                guest.socket.send(frame, zmq.SNDMORE)
            guest.socket.send(b"end")
            guest.socket.poll(1000)


if __name__ == "__main__":
    main(sys.argv[1])
