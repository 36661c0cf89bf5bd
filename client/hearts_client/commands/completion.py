"""``hearts-net completion``: a script with which a shell completes commands, options and files."""

from __future__ import annotations

import argparse

import shtab

from hearts_client.chosen import Chosen, UsageError
from hearts_client.cli import make_parser
from hearts_client.i18n import _
from hearts_client.safetext import safe_text
from hearts_client.speech import joined


def run(chosen: Chosen) -> int:
    """Print the script for a shell."""
    shell = chosen.text("shell")
    if shell not in shtab.SUPPORTED_SHELLS:
        raise UsageError(
            _("There is no completion for the shell “{shell}”: name {shells}.").format(
                shell=safe_text(shell), shells=joined(shtab.SUPPORTED_SHELLS, choice=True)
            )
            if shell
            else _("Name a shell: {shells}.").format(
                shells=joined(shtab.SUPPORTED_SHELLS, choice=True)
            )
        )
    print(shtab.complete(make_parser(each=_with_files), shell))
    return 0


def _with_files(option: argparse.Action) -> None:
    """Have files and folders completed where they are asked for."""
    complete = {"FILE": shtab.FILE, "DIR": shtab.DIRECTORY}.get(str(option.metavar))
    if complete is not None:
        option.complete = complete  # type: ignore[attr-defined]
