"""``hearts-net stop``: ends a running table of this machine; it is saved."""

from __future__ import annotations

import json

from hearts_client.chosen import Chosen
from hearts_client.i18n import _
from hearts_client.safetext import safe_text
from hearts_client.tables import running_table
from hearts_net.host.process import stop_table
from hearts_net.peer.home import find_home


def run(chosen: Chosen) -> int:
    """Find the table and end it."""
    running = running_table(find_home(), chosen.text("table_name"))
    stop_table(running)
    if chosen.switch("json"):
        print(json.dumps({"stopped": running.table_id, "table": running.table}))
    else:
        print(
            _("Table {table} has ended and is saved: hearts-net resume takes it up again.").format(
                table=safe_text(running.table)
            )
        )
    return 0
