"""``config.toml``: the options that a player wants every time, each under its own name.

    name = "Asha"
    plain = true
    set = ["target=50"]

An unknown key is a warning with its line, a value that will not do is an error with its line.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from hearts_client.flags import KEPT, Flag
from hearts_client.i18n import _
from hearts_client.safetext import safe_text
from hearts_net.peer.errors import LinkCode, LinkError


class FileValue(NamedTuple):
    """What the file says of one option, as text like the command line's."""

    value: str | bool | list[str]
    line: int


class Config(NamedTuple):
    """What the file says, and what is odd about it."""

    path: Path
    values: Mapping[str, FileValue]
    warnings: tuple[str, ...]


def read_config(path: Path) -> Config:
    """Read the file, if there is one. Raises :class:`LinkError` ``bad-config``."""
    try:
        content = path.read_bytes().decode("utf-8")
        found = tomllib.loads(content)
    except FileNotFoundError:
        return Config(path, {}, ())
    except (OSError, ValueError) as error:  # not readable, not UTF-8, not TOML
        raise LinkError(LinkCode.BAD_CONFIG, path=str(path), reason=str(error)[:200]) from error
    values: dict[str, FileValue] = {}
    warnings = []
    for key, value in found.items():
        line = _line_of(key, content)
        flag = KEPT.get(key.replace("-", "_"))
        if flag is None:
            warnings.append(
                _("{path}, line {line}: there is no option “{key}”, so it is ignored.").format(
                    path=path, line=line, key=safe_text(key)[:40]
                )
            )
            continue
        values[flag.key] = FileValue(_as_text(flag, value, path, line), line)
    return Config(path, values, tuple(warnings))


def _line_of(key: str, content: str) -> int:
    """Find the line of a top-level key or table; the parser does not tell."""
    name = re.escape(key)
    pattern = re.compile(rf"""\s*(\[+\s*)?["']?{name}["']?\s*[=.\]]""")
    for number, line in enumerate(content.splitlines(), start=1):
        if pattern.match(line):
            return number
    return 1


def _as_text(flag: Flag, value: object, path: Path, line: int) -> str | bool | list[str]:
    """Write a TOML value as the command line would, so that one place reads both."""
    if flag.read is None and isinstance(value, bool):
        return value
    if flag.many and isinstance(value, list) and all(isinstance(one, str) for one in value):
        return list(value)
    if flag.read is not None and not flag.many:
        if isinstance(value, str):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    raise LinkError(
        LinkCode.BAD_CONFIG, path=str(path), reason=f"line {line}: {flag.key}", line=line
    )
