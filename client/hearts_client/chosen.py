"""What was chosen: flag before ``HEARTS_NET_*`` variable before ``config.toml`` before default."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from hearts_client.exits import Exit
from hearts_client.flags import Flag
from hearts_client.i18n import _
from hearts_client.safetext import safe_text

if TYPE_CHECKING:
    from hearts_client.config import Config

_TRUE = ("1", "true", "yes", "on")
_FALSE = ("0", "false", "no", "off", "")


class UsageError(Exception):
    """The command cannot be carried out as typed; ``sentence`` says what to do instead."""

    def __init__(self, sentence: str, code: Exit = Exit.USAGE) -> None:
        self.sentence = sentence
        self.code = code
        super().__init__(sentence)


class Chosen:
    """The values of one run's options and arguments."""

    __slots__ = ("_given", "_values")

    def __init__(self, values: Mapping[str, Any], given: Iterable[str] = ()) -> None:
        self._values = dict(values)
        self._given = frozenset(given)

    def text(self, key: str) -> str:
        """Give a text; "" where none was chosen."""
        value = self._values.get(key)
        return "" if value is None else str(value)

    def number(self, key: str) -> int:
        """Give a whole number."""
        return int(self._values[key])

    def switch(self, key: str) -> bool:
        """Tell whether a switch is on."""
        return bool(self._values.get(key))

    def texts(self, key: str) -> tuple[str, ...]:
        """Give the texts of an option or argument that may be given more than once."""
        return tuple(self._values.get(key) or ())

    def bots(self, key: str) -> tuple[int, str]:
        """Give how many bots of which level."""
        number, level = self._values[key]
        return int(number), str(level)

    def but(self, **values: Any) -> Chosen:  # noqa: ANN401 - any option's value
        """Give the same with these values, as if somebody had chosen them so."""
        return Chosen({**self._values, **values}, self._given | values.keys())

    def with_usual(self, flags: Iterable[Flag]) -> Chosen:
        """Give the same, and the defaults of options that the command does not take."""
        return Chosen({**{flag.key: flag.default for flag in flags}, **self._values}, self._given)

    def is_given(self, key: str) -> bool:
        """Tell whether a value was chosen by anyone, rather than being the default."""
        return key in self._given


def choose(
    flags: Iterable[Flag],
    typed: Mapping[str, Any],
    environ: Mapping[str, str],
    config: Callable[[], Config],
) -> Chosen:
    """Find each option's value; raises :class:`UsageError` naming where a wrong one comes from."""
    values: dict[str, Any] = dict(typed)
    given = {key for key, value in typed.items() if value not in (None, (), [])}
    file: Config | None = None
    for flag in flags:
        if flag.key in given:
            values[flag.key] = _read(flag, typed[flag.key], flag.names[0])
            continue
        values[flag.key] = flag.default
        if not flag.kept:
            continue
        if flag.variable in environ:
            values[flag.key] = _read(flag, environ[flag.variable], flag.variable)
            given.add(flag.key)
            continue
        file = config() if file is None else file
        found = file.values.get(flag.key)
        if found is not None:
            where = _("{path}, line {line}, {key}").format(
                path=file.path, line=found.line, key=flag.key
            )
            values[flag.key] = _read(flag, found.value, where)
            given.add(flag.key)
    return Chosen(values, given)


def _read(flag: Flag, value: bool | str | Iterable[str], where: str) -> object:
    if flag.read is None:
        return value if isinstance(value, bool) else _read_switch(str(value), where)
    if flag.many:
        parts = value.split() if isinstance(value, str) else value
        assert not isinstance(parts, bool)
        return tuple(_converted(flag.read, part.strip(), where) for part in parts)
    text = str(value)
    return _converted(flag.read, text if flag.is_file else text.strip(), where)


def _read_switch(value: str, where: str) -> bool:
    word = value.strip().lower()
    if word in _TRUE + _FALSE:
        return word in _TRUE
    raise UsageError(
        _("{where} must be true or false, not “{value}”.").format(
            where=where, value=safe_text(value)
        )
    )


def _converted(read: Callable[[str], object], value: str, where: str) -> object:
    try:
        return read(value)
    except ValueError as error:
        raise UsageError(
            _("{where} {complaint}, not “{value}”.").format(
                where=where, complaint=error, value=safe_text(value)
            )
        ) from error
