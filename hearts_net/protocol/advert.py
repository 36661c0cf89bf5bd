"""What a table says of itself to whoever looks for one, by mDNS or in answer to the UDP question.

All of it is a hint and nobody's word but the sender's. In mDNS it is a TXT record: texts by name,
each with its name within 255 bytes of UTF-8. What does not read as an advert is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec import Struct

from hearts_net.protocol.codes import ErrorCode, ProtocolError
from hearts_net.protocol.datagram import Answer, Free, Port, Versions
from hearts_net.protocol.messages import Admission, Key, Machine, Name, Phase

TXT_VERSION: Final = "1"
_MAX_STRING: Final = 255
_MAX_DIGITS: Final = 16
_NUMBERS: Final = ("control", "public", "free")


class Advert(Struct, frozen=True):
    """One table, as it is now."""

    key: Key
    control: Port
    public: Port
    versions: Versions
    table: Name
    machine: Machine
    free: Free
    admit: Admission
    phase: Phase

    def answer(self, nonce: str) -> Answer:
        """Say it in answer to the question with this nonce."""
        return Answer(nonce, *(getattr(self, name) for name in self.__struct_fields__))


def advert_in(answer: Answer) -> Advert:
    """Return what an answer says."""
    return Advert(*(getattr(answer, name) for name in Advert.__struct_fields__))


def pack_txt(advert: Advert) -> dict[str, str]:
    """Return the TXT record of a table; a name too long for it is cut."""
    fields = {name: getattr(advert, name) for name in advert.__struct_fields__}
    fields["versions"] = ",".join(map(str, advert.versions))
    texts = {"txtvers": TXT_VERSION} | {name: str(value) for name, value in fields.items()}
    return {name: _within(text, _MAX_STRING - len(name) - 1) for name, text in texts.items()}


def read_txt(record: Mapping[bytes, bytes | None]) -> Advert:
    """Return the advert in a TXT record; keys that are not known are passed over.

    Raises:
        ProtocolError: ``bad-field`` for a record that is no advert, or of another kind of record.

    """
    texts = {_text(name): _text(value or b"") for name, value in record.items()}
    if texts.get("txtvers") != TXT_VERSION:
        raise ProtocolError(ErrorCode.BAD_FIELD, field="txtvers")
    fields: dict[str, object] = {
        name: texts[name] for name in Advert.__struct_fields__ if name in texts
    }
    for name in _NUMBERS:
        fields[name] = _number(texts.get(name, ""), name)
    fields["versions"] = [
        _number(each, "versions") for each in texts.get("versions", "").split(",")
    ]
    try:
        return msgspec.convert(fields, Advert, strict=True)
    except msgspec.ValidationError as error:
        raise ProtocolError(ErrorCode.BAD_FIELD, reason=str(error)[:80]) from error


def _within(text: str, most: int) -> str:
    return text.encode()[:most].decode(errors="ignore")


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise ProtocolError(ErrorCode.BAD_FIELD, reason="not UTF-8") from error


def _number(text: str, field: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS):
        raise ProtocolError(ErrorCode.BAD_FIELD, field=field)
    return int(text)
