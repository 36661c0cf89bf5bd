"""``python -m hearts_net.bots``: the process of a table's own bots, started by its host."""

from __future__ import annotations

import sys

from hearts_net.bots.process import main

if __name__ == "__main__":
    sys.exit(main())
