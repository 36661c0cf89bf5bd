"""How a table's process writes its log."""

from __future__ import annotations

import logging
import time


class UtcFormatter(logging.Formatter):
    """Formats times in UTC, as the table's own clock is."""

    converter = staticmethod(time.gmtime)


def start_logging() -> None:
    """Log to standard error, in UTC."""
    handler = logging.StreamHandler()
    handler.setFormatter(UtcFormatter("%(asctime)sZ %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
