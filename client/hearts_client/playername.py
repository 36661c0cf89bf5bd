"""What a player is called: a name that was chosen, or the one that the machine knows them by."""

from __future__ import annotations

import getpass
from typing import Final

from hearts_client.chosen import Chosen, UsageError
from hearts_client.i18n import _
from hearts_client.safetext import safe_text

LONGEST_NAME: Final = 24


def read_name(text: str) -> str:
    """Give a name as it is shown and sent; raises :class:`UsageError` for what can be none."""
    name = safe_text(text)
    if not name:
        raise UsageError(_("A name needs a letter at least: type one."))
    if len(name) > LONGEST_NAME:
        raise UsageError(
            _("A name has at most {letters} letters: choose a shorter one.").format(
                letters=LONGEST_NAME
            )
        )
    return name


def login_name() -> str:
    """Give the name that the machine knows the person by."""
    try:
        login = safe_text(getpass.getuser())[:LONGEST_NAME]
    except (OSError, KeyError, ImportError):
        login = ""
    return login[:1].upper() + login[1:] if login else _("Player")


def player_name(chosen: Chosen) -> str:
    """Give the name chosen, or the one that the machine knows the person by."""
    name = chosen.text("name")
    return read_name(name) if safe_text(name) else login_name()
