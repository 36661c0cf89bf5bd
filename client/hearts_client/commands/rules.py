"""``hearts-net rules``: how Hearts is played, and what a host can choose."""

from __future__ import annotations

import json

from hearts_client.chosen import Chosen
from hearts_client.optionwords import option_lines
from hearts_client.rulestext import paragraphs
from hearts_net.rules.options import OPTION_SPECS, PRESETS


def run(chosen: Chosen) -> int:
    """Print the rules, or the options."""
    if chosen.switch("json"):
        print(json.dumps(_data(), ensure_ascii=False))
    elif chosen.switch("options"):
        print("\n".join(option_lines()))
    else:
        print("\n\n".join(paragraphs()))
    return 0


def _data() -> dict[str, object]:
    return {
        "options": [
            {"name": spec.name, "default": spec.default, "values": list(spec.choices)}
            for spec in OPTION_SPECS
        ],
        "presets": {name: options.to_dict() for name, options in PRESETS.items()},
    }
