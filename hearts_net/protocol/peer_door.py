"""A newcomer's way in, as its session goes it: by the table's code, or by waiting; no I/O."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from hearts_net.protocol.codes import ErrorCode, ProtocolError
from hearts_net.protocol.messages import CodeProved, CodeWanted, ProveCode, Waiting
from hearts_net.protocol.peer_outputs import AskedAbout, CodeAsked
from hearts_net.protocol.tablecode import Exchange, is_proof, read_code

DoorOutput: TypeAlias = ProveCode | CodeAsked | AskedAbout | ErrorCode | None
"""What to send, what to tell, or why there is no way in here."""


class PeerDoor:
    """What a newcomer has been asked and has said, on one connection; the code outlives it."""

    __slots__ = ("_code", "_entropy", "_expected", "_keys", "_share", "is_waiting")

    def __init__(self, entropy: Callable[[int], bytes] | None) -> None:
        """``entropy(n)`` gives n random bytes; None: no code can be proved."""
        self._entropy = entropy
        self._keys = ("", "")
        self._code = ""
        self._share = b""
        """The host's share, while the code is wanted."""
        self._expected = b""
        """The proof that the host owes, once the code has been given."""
        self.is_waiting = False
        """For a person, here or at the host; meanwhile join is said again as a sign of life."""

    def between(self, peer_key: str, host_key: str) -> None:
        """Note between which public keys (Z85) the connection is."""
        self._keys = (peer_key, host_key)

    def start_over(self) -> None:
        """Forget what was said on another connection."""
        self._share = self._expected = b""
        self.is_waiting = False

    def let_in(self) -> bool:
        """Hear that this peer has joined; False where the host still owes its proof."""
        self.is_waiting = False
        return not self._expected

    def give_code(self, text: str) -> DoorOutput:
        """Take the code that a person has typed; :class:`ProtocolError` for what cannot be one."""
        self._code = read_code(text)
        return self._answer() if self._share else None

    def was_wrong(self) -> bool:
        """Hear that the code was wrong; False where none had been given."""
        if not self._expected:
            return False
        self._code, self._share, self._expected = "", b"", b""
        return True

    def take(self, message: CodeWanted | CodeProved | Waiting) -> DoorOutput:
        """Go on with what the host says to newcomers."""
        match message:
            case CodeWanted(share):
                return self._wanted(bytes.fromhex(share))
            case CodeProved(proof):
                if not is_proof(bytes.fromhex(proof), self._expected or b"-"):
                    return ErrorCode.HOST_UNPROVED
                self._expected = b""
                return None
            case Waiting():
                if self.is_waiting and not self._share:
                    return None
                self._share, self.is_waiting = b"", True
                return AskedAbout()

    def _wanted(self, share: bytes) -> DoorOutput:
        if self._entropy is None:
            return ErrorCode.NOT_ADMITTED
        if share == self._share:
            return None
        self._share, self._expected = share, b""
        if self._code:
            return self._answer()
        self.is_waiting = True
        return CodeAsked()

    def _answer(self) -> DoorOutput:
        """Prove the code, and know what the host has to prove in return."""
        assert self._entropy is not None
        exchange = Exchange(self._code, is_host=False, entropy=self._entropy)
        peer_key, host_key = self._keys
        try:
            proofs = exchange.proofs(self._share, peer_key=peer_key, host_key=host_key)
        except ProtocolError:
            return ErrorCode.HOST_UNPROVED
        self._expected, self.is_waiting = proofs.host, False
        return ProveCode(exchange.share.hex(), proofs.peer.hex())
