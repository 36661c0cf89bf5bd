"""What a player has set for good: changes of ``config.toml`` that leave the rest of it as it is.

Also the memory of whether a game has been played to its end here, since a first game teaches.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.home import Home, held, write_private

CONFIG: Final = "config.toml"
_FIRST_GAME: Final = "first-game-played"
Value = str | int | bool


class Preferences:
    """The settings of one installation, and what it remembers of its player."""

    def __init__(self, home: Home) -> None:
        """Keep things in ``home``; nothing is read or written before something is asked."""
        self._home = home
        self._config = home.config / CONFIG
        self._mark = home.state / _FIRST_GAME

    @property
    def is_first_game(self) -> bool:
        """Tell whether no game has been played to its end here."""
        return not self._mark.exists()

    def game_over(self) -> None:
        """Remember that a game has been played to its end; raises ``LinkError``."""
        if self.is_first_game:
            write_private(self._mark, b"")

    def keep(self, values: Mapping[str, Value]) -> None:
        """Write these options, by their names in the file; its other lines stay as they are.

        Raises :class:`LinkError`: ``bad-config`` where the file cannot be read as TOML,
        ``home-unwritable`` where it cannot be written.
        """
        import tomlkit  # takes some time, and only who changes a setting needs it
        from tomlkit.exceptions import TOMLKitError

        path = _followed(self._config)
        with held(self._home):
            try:
                content = path.read_bytes().decode("utf-8") if path.exists() else ""
                document = tomlkit.parse(content)
            except (OSError, ValueError, TOMLKitError) as error:
                reason = str(error)[:200]
                raise LinkError(LinkCode.BAD_CONFIG, path=str(path), reason=reason) from error
            spelt = {key.replace("-", "_"): key for key in document}
            for name, value in values.items():
                document[spelt.get(name, name)] = value
            write_private(path, tomlkit.dumps(document).encode("utf-8"))


def _followed(path: Path) -> Path:
    """Follow a link, so that the file that it leads to is changed and the link stays."""
    try:
        return path.resolve() if path.is_symlink() else path
    except (OSError, RuntimeError):
        return path
