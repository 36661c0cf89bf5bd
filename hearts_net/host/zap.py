"""Who may connect: the host's small ZAP handler (ZeroMQ RFC 27, CURVE only).

On ``hearts-control`` any key may connect that is neither banned nor expelled, since admission is
decided by hello and join; on ``hearts-public`` only a key that the table has let in. Anything
unexpected, an exception included, is a refusal. An address from which too many connections come is
told to try later, which libzmq does by itself.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Final

import zmq
from zmq.utils import z85

from hearts_net.host.crowd import Crowd
from hearts_net.protocol.limits import RATES

ENDPOINT: Final = "inproc://zeromq.zap.01"
CONTROL_DOMAIN: Final = b"hearts-control"
PUBLIC_DOMAIN: Final = b"hearts-public"
MOST_EXPELLED: Final = 4096
"""Keys; of more the oldest are forgotten, since whoever makes so many has always one more."""
_KEY_BYTES: Final = 32
_REQUEST_FRAMES: Final = 7

log = logging.getLogger(__name__)


class Doorkeeper:
    """Answers libzmq's question about every new connection; bind it before the table's sockets."""

    def __init__(
        self,
        context: zmq.Context[zmq.Socket[bytes]],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._admitted: set[str] = set()
        self._barred: set[str] = set()
        self._expelled: dict[str, None] = {}
        self._crowd = Crowd(RATES["handshake"])
        self._monotonic = monotonic
        self._socket: zmq.Socket[bytes] = context.socket(zmq.REP)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._socket.bind(ENDPOINT)
        self.descriptor = int(self._socket.getsockopt(zmq.FD))

    def admit(self, key: str) -> None:
        """Let ``key`` (Z85) connect to the public socket from now on."""
        self._admitted.add(key)

    def unadmit(self, key: str) -> None:
        """Refuse further connections of ``key`` to the public socket; a live one stays."""
        self._admitted.discard(key)

    def expel(self, key: str) -> None:
        """Refuse further connections of ``key``, until those expelled are forgiven."""
        self._expelled[key] = None
        self._admitted.discard(key)
        if len(self._expelled) > MOST_EXPELLED:
            del self._expelled[next(iter(self._expelled))]

    def forgive(self) -> None:
        """Let those expelled connect again."""
        self._expelled.clear()

    def bar(self, key: str) -> None:
        """Refuse further connections of ``key`` to both sockets; a live one stays."""
        self._barred.add(key)

    def unbar(self, key: str) -> None:
        """Let ``key`` connect to the control socket again."""
        self._barred.discard(key)

    def drain(self) -> None:
        """Answer every question that waits; call it whenever the descriptor is readable."""
        while True:
            try:
                frames = self._socket.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
            self._socket.send_multipart(self.answer(frames))

    def answer(self, frames: list[bytes]) -> list[bytes]:
        """Return the reply to one ZAP request."""
        request = frames[1] if len(frames) > 1 else b""
        try:
            if len(frames) == _REQUEST_FRAMES and self._is_crowded(frames[3]):
                return [b"1.0", request, b"300", b"later", b"", b""]
            user = self._user(frames)
        except Exception:
            log.exception("a connection was refused because its credentials could not be judged")
            user = ""
        if not user:
            return [b"1.0", request, b"400", b"refused", b"", b""]
        return [b"1.0", request, b"200", b"OK", user.encode("ascii"), b""]

    def close(self) -> None:
        """Close the handler's socket."""
        self._socket.close()

    def _user(self, frames: list[bytes]) -> str:
        """Return the Z85 key of an acceptable request, "" for any other."""
        if len(frames) != _REQUEST_FRAMES:
            return ""
        version, _, domain, _, _, mechanism, credentials = frames
        if version != b"1.0" or mechanism != b"CURVE" or len(credentials) != _KEY_BYTES:
            return ""
        key = z85.encode(credentials).decode("ascii")
        if key in self._expelled or key in self._barred:
            return ""
        if domain == CONTROL_DOMAIN:
            return key
        if domain != PUBLIC_DOMAIN or key not in self._admitted:
            return ""
        return key

    def _is_crowded(self, address: bytes) -> bool:
        return self._crowd.is_over(address, int(self._monotonic() * 1000))
