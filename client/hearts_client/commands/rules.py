"""``hearts-net rules``: how Hearts is played, and what a host can choose."""

from __future__ import annotations

import json
from collections.abc import Iterator

from hearts_client.chosen import Chosen
from hearts_client.i18n import _
from hearts_client.optionwords import option_words, preset_words, value_words
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


def option_lines() -> Iterator[str]:
    """Say every option with its values, and every preset; the first value is the default."""
    yield _("Options of the rules, for --set OPTION=VALUE; the first value is the usual one:")
    for spec in OPTION_SPECS:
        yield f"  {spec.name}: {option_words(spec.name)}"
        for value, text in zip(spec.choices, spec.choice_texts(), strict=True):
            yield f"    {text}: {value_words(spec.name, value)}"
    yield ""
    yield _("Presets, for --rules PRESET:")
    for name in PRESETS:
        yield f"  {name}: {preset_words(name)}"


def _data() -> dict[str, object]:
    return {
        "options": [
            {"name": spec.name, "default": spec.default, "values": list(spec.choices)}
            for spec in OPTION_SPECS
        ],
        "presets": {name: options.to_dict() for name, options in PRESETS.items()},
    }
