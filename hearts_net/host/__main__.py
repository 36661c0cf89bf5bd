"""The table's process: ``python -m hearts_net.host FOLDER``.

The folder holds the settings and the key. The first line of standard output is one JSON object: how
to reach the table, or ``{"error": CODE, "detail": {…}}``; everything else goes to standard error.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from dataclasses import replace
from pathlib import Path

from hearts_net.host.errors import HostCode, HostError
from hearts_net.host.folder import Running, TableFolder
from hearts_net.host.logfile import start_logging
from hearts_net.host.run import run_table
from hearts_net.host.settings import settings_from_json
from hearts_net.host.tablekey import read_table_key
from hearts_net.rules.errors import HeartsError


def main(arguments: list[str]) -> int:
    """Run the table of one folder; 0 when it ended as it should, 1 when not, 2 for bad usage."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: python -m hearts_net.host FOLDER (made by hearts-net host)", file=sys.stderr)
        return 2
    start_logging()
    try:
        return _run(TableFolder(Path(arguments[0]).absolute()))
    except HeartsError as error:
        logging.getLogger(__name__).error("the table cannot be opened or go on: %s", error)
        print(json.dumps({"error": error.code, "detail": error.detail}), flush=True)
        return 1


def _run(folder: TableFolder) -> int:
    key = read_table_key(folder)
    try:
        body = folder.settings.read_bytes()
    except OSError as error:
        raise HostError(HostCode.BAD_SETTINGS, path=str(folder.settings)) from error
    settings = settings_from_json(body, folder.path.parent, key.public, key.secret)
    return run_table(replace(settings, json=False), _tell, folder)


def _tell(running: Running) -> None:
    print(running.ready_line(), flush=True)
    # whoever started this reads no further; later output belongs to the log
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
