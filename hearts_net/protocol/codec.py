"""Bytes to messages and back.

A body is one msgpack map. Decoding distrusts everything: the size is looked at first, then
msgpack's own limits stop decoding bombs, a hook refuses duplicate and non-string keys, a walk
refuses floats, raw bytes and deep nesting, and only then does the class named by ``type`` get the
fields, strictly typed. Whatever is wrong comes out as
:class:`~hearts_net.protocol.codes.ProtocolError`, and nothing else does. Commands and views, for
which players wait, have short cuts that read the same bytes straight into their types.

Encoding uses msgspec's msgpack encoder (the same bytes as msgpack's packer, in a fifth of the
time); the part common to all views of a state is packed once, with :func:`pack_public`, and spliced
into each message.
"""

from __future__ import annotations

import re
from typing import Any, Final, NoReturn, TypeAlias, TypeVar, get_args

import msgpack
import msgspec
from msgspec.structs import replace

from hearts_net.protocol import limits
from hearts_net.protocol.codes import ErrorCode, ProtocolError
from hearts_net.protocol.messages import (
    Alive,
    AnyEvent,
    Beat,
    Bye,
    Closing,
    CodeProved,
    CodeWanted,
    Command,
    Commit,
    Commitments,
    DealsPage,
    Fetch,
    Hello,
    Join,
    Joined,
    LogPage,
    Message,
    OptionValue,
    Proof,
    ProveCode,
    Public,
    PublicView,
    Refused,
    Removed,
    Reply,
    Reveal,
    SetRules,
    Shuffling,
    Snapshot,
    Superseded,
    View,
    Waiting,
    Welcome,
)

ToHost: TypeAlias = (
    Hello | Join | ProveCode | Command | Commit | Reveal | Snapshot | Fetch | Alive | Bye
)
"""What a peer sends, on control."""
ToPeer: TypeAlias = (
    Welcome | CodeWanted | CodeProved | Waiting | Joined | Refused | Reply | View | Shuffling
    | Commitments | LogPage | DealsPage | Proof | Alive | Bye | Superseded | Removed | Closing
    | Public | Beat
)  # fmt: skip
"""What a host sends, on control or (the last two) on public."""

Plain: TypeAlias = dict[str, Any]
"""A decoded map that has not been validated: never to be logged or compared."""


def tag_of(message: type[msgspec.Struct]) -> str:
    """Return what ``type`` (``act``, ``event``) says on the wire for a class."""
    tag = message.__struct_config__.tag
    assert isinstance(tag, str)
    return tag


TO_HOST: Final[dict[str, type[ToHost]]] = {tag_of(kind): kind for kind in get_args(ToHost)}
TO_PEER: Final[dict[str, type[ToPeer]]] = {tag_of(kind): kind for kind in get_args(ToPeer)}
_EVENTS: Final = frozenset(tag_of(kind) for kind in get_args(AnyEvent))
_WITH_EVENTS: Final = frozenset((tag_of(View), tag_of(Public), tag_of(LogPage)))
_SCALARS: Final = frozenset((str, int, bool, type(None)))
_PATH: Final = re.compile(r"at `\$\.?([A-Za-z0-9_.\[\]]*)`\Z")
_MISSING: Final = re.compile(r"required field `([a-z_]+)`")
_M = TypeVar("_M", bound=Message)
_ENCODER: Final = msgspec.msgpack.Encoder()


class _RefusedError(ValueError):
    """What the hooks raise inside msgpack's decoder."""


# ---- encoding ------------------------------------------------------------------------------------


def encode(message: msgspec.Struct) -> bytes:
    """Return the body of a message; text that is not UTF-8 raises ProtocolError (``bad-field``)."""
    try:
        return _ENCODER.encode(message)
    except (UnicodeEncodeError, OverflowError) as error:
        raise ProtocolError(ErrorCode.BAD_FIELD, reason=type(error).__name__) from None


def pack_public(public: PublicView) -> bytes:
    """Pack the part that all views of one state share, to be spliced into each of them."""
    return encode(public)


def splice_view(view: View, public: bytes) -> bytes:
    """Return the body of a view with ``public`` (from :func:`pack_public`) for its public part."""
    return encode(replace(view, public=msgspec.Raw(public)))


def splice_public(message: Public, public: bytes) -> bytes:
    """Return the body of a public message with ``public`` for its public part."""
    return encode(replace(message, public=msgspec.Raw(public)))


# ---- decoding ------------------------------------------------------------------------------------


def decode_to_host(body: bytes) -> ToHost:
    """Return the message that a peer sent.

    Raises:
        ProtocolError: ``bad-frame`` (not a map within the limits), ``unknown-message`` or
            ``bad-field``.

    """
    command = _command_at_once(body)
    if command is not None:
        return command
    plain = unpack(body, limits.MAX_TO_HOST)
    return _convert(plain, TO_HOST[_tag(plain, TO_HOST)])


def decode_to_peer(body: bytes) -> ToPeer:
    """Return the message that a host sent; events of kinds not known here are left out.

    Raises:
        ProtocolError: as :func:`decode_to_host`.

    """
    news = _news_at_once(body)
    if news is not None:
        return news
    plain = unpack(body, limits.MAX_TO_PEER)
    tag = _tag(plain, TO_PEER)
    if tag in _WITH_EVENTS:
        _drop_unknown_events(plain)
    return _convert(plain, TO_PEER[tag])


_COMMAND: Final = msgspec.msgpack.Decoder(Command)
_BEGINS_A_COMMAND: Final = b"\xa4type\xa7command"


def _command_at_once(body: bytes) -> Command | None:
    """Return a command that is written just as :func:`encode` writes it; None for all else.

    Four players wait for it. That it comes out the same again says that nothing is given twice, or
    besides; whatever does not goes the longer way, which knows what is wrong with it.
    """
    if body[1:14] != _BEGINS_A_COMMAND or len(body) > limits.MAX_TO_HOST:
        return None
    try:
        command = _COMMAND.decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    if isinstance(command.do, SetRules) or _ENCODER.encode(command) != body:
        return None  # rules may be more than msgpack's limits allow
    return command


_AT_ONCE: Final[dict[bytes, msgspec.msgpack.Decoder[View | Public | Reply]]] = {
    b"\xa4type\xa4view": msgspec.msgpack.Decoder(View),
    b"\xa4type\xa6publ": msgspec.msgpack.Decoder(Public),
    b"\xa4type\xa5repl": msgspec.msgpack.Decoder(Reply),
}
"""How the bodies begin that come after every card, as :func:`encode` writes them."""


def _news_at_once(body: bytes) -> View | Public | Reply | None:
    """Return a view, public view or reply decoded in one go; None where that does not succeed.

    A player waits for these, so they do not go through plain maps and lists: a sixth of the time.
    The types bound every string and array before it is read, so no body costs more memory than
    msgpack's limits allow. Any body that does not fit its type exactly takes the longer way, which
    knows what is wrong with it, and leaves out events of kinds that are not known here.
    """
    decoder = _AT_ONCE.get(body[1:11])
    if decoder is None or len(body) > limits.MAX_TO_PEER:
        return None
    try:
        news = decoder.decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    open_ended = news.detail if isinstance(news, Reply) else news.public.rules
    return news if len(open_ended) <= limits.MAX_MAP else None


EVERYTHING: Final = b""
"""What a watcher subscribes to on public: every body begins so."""
BEATS: Final = b"\x83\xa4type\xa4beat"
"""What everybody else subscribes to: beats begin so, and nothing else does."""


def decode_as(body: bytes, kind: type[_M], max_bytes: int) -> _M:
    """Return the one kind of message that ``body`` may hold; ProtocolError for anything else."""
    plain = unpack(body, max_bytes)
    _tag(plain, {tag_of(kind): kind})
    return _convert(plain, kind)


def unpack(body: bytes, max_bytes: int) -> Plain:
    """Return the map in ``body``, within the limits, otherwise unchecked; or ``bad-frame``."""
    if not 0 < len(body) <= max_bytes:
        _bad_frame("size")
    try:
        plain = msgpack.unpackb(
            body,
            raw=False,
            strict_map_key=True,
            object_pairs_hook=_map,
            ext_hook=_no_ext,
            max_str_len=limits.MAX_STR,
            max_array_len=limits.MAX_ARRAY,
            max_map_len=limits.MAX_MAP,
            max_bin_len=limits.MAX_BIN,
            max_ext_len=limits.MAX_EXT,
        )
    except (ValueError, TypeError, RecursionError, msgpack.UnpackException):
        _bad_frame("msgpack")
    if type(plain) is not dict:
        _bad_frame("not-a-map")
    _walk(plain)
    return plain


def _bad_frame(reason: str) -> NoReturn:
    raise ProtocolError(ErrorCode.BAD_FRAME, reason=reason) from None


def _map(pairs: list[tuple[Any, Any]]) -> Plain:
    """Refuse a key given twice, and the one key that is not a string but gets so far."""
    result = dict(pairs)
    if len(result) != len(pairs) or b"" in result:
        raise _RefusedError
    return result


def _no_ext(_code: int, _data: bytes) -> NoReturn:
    raise _RefusedError


def _walk(plain: Plain) -> None:
    """Refuse floats, bytes, and nesting deeper than the limit, level by level."""
    level: list[Any] = [plain]
    for _ in range(limits.MAX_DEPTH):
        below: list[Any] = []
        for item in level:
            below.extend(item.values() if type(item) is dict else item)
        level = [item for item in below if type(item) not in _SCALARS]
        if not level:
            return
        if not {dict, list}.issuperset(map(type, level)):
            _bad_frame("type")
    _bad_frame("depth")


def _tag(plain: Plain, known: dict[str, Any]) -> str:
    tag = plain.get("type")
    if type(tag) is not str or tag not in known:
        raise ProtocolError(ErrorCode.UNKNOWN_MESSAGE)
    return tag


def _drop_unknown_events(plain: Plain) -> None:
    events = plain.get("events")
    if type(events) is list:
        plain["events"] = [event for event in events if not _unknown_event(event)]


def _unknown_event(event: object) -> bool:
    if type(event) is not dict:
        return False
    tag = event.get("event")
    return type(tag) is str and tag not in _EVENTS


def _convert(plain: Plain, kind: type[_M]) -> _M:
    try:
        return msgspec.convert(plain, kind, strict=True)
    except msgspec.ValidationError as error:
        raise ProtocolError(ErrorCode.BAD_FIELD, field=_field(str(error))) from None
    except (UnicodeError, OverflowError, RecursionError):
        raise ProtocolError(ErrorCode.BAD_FIELD, field="") from None


def _field(message: str) -> str:
    """Pick the field's path out of msgspec's sentence; the value in it is the sender's text."""
    path = _PATH.search(message)
    missing = _MISSING.search(message)
    parts = [part.group(1) for part in (path, missing) if part]
    return ".".join(parts)[:64]


def refusal(error: ProtocolError) -> Refused:
    """Return the message that tells the sender of a bad body what was wrong with it."""
    detail: dict[str, OptionValue] = dict(error.detail)
    return Refused(error.code, detail)
