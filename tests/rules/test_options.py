"""The options table: names, values, defaults, text and plain values."""

from __future__ import annotations

import pytest

from hearts_net.rules.cards import HEARTS_MASK, PENALTY_MASK, QUEEN_MASK, Mask
from hearts_net.rules.errors import OptionCode, OptionError
from hearts_net.rules.legal import Restrictions
from hearts_net.rules.options import (
    OPTION_SPECS,
    PRESETS,
    MoonRule,
    Options,
    PassingRule,
    Plain,
    QueenRule,
    parse_option,
    preset,
    spec_of,
)

TABLE: dict[str, list[Plain]] = {
    "target": [100, 50, 150],
    "queen_of_spades": ["always", "after-hearts", "no-lead"],
    "queen_breaks_hearts": [False, True],
    "first_trick_points": [True, False],
    "moon": ["others-gain", "shooter-loses", "shooter-chooses"],
    "jack_of_diamonds": [False, True],
    "passing": ["left-right-across-hold", "left-right-across", "left", "none"],
    "finish_early": [False, True],
    "aids": [False, True],
}
"""The rules page's table; the first value is the default."""


def test_the_table() -> None:
    assert {spec.name: list(spec.choices) for spec in OPTION_SPECS} == TABLE
    assert Options().to_dict() == {name: values[0] for name, values in TABLE.items()}
    assert {spec.name: spec.default for spec in OPTION_SPECS} == Options().to_dict()


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in TABLE.items() for value in values]
)
def test_every_value(name: str, value: Plain) -> None:
    options = Options.from_dict({name: value})
    plain = options.to_dict()
    assert plain == {**Options().to_dict(), name: value}
    assert all(type(found) in (bool, int, str) for found in plain.values())
    assert Options.from_dict(plain) == options
    text = str(value).lower() if isinstance(value, bool) else str(value)
    assert text in spec_of(name).choice_texts()
    assert parse_option(f"{name}={text}", Options()) == options


def test_values_become_what_the_rules_use() -> None:
    options = Options.from_dict(
        {"queen_of_spades": "no-lead", "moon": "shooter-loses", "passing": "left"}
    )
    assert options.queen_of_spades is QueenRule.NO_LEAD
    assert options.moon is MoonRule.SHOOTER_LOSES
    assert options.passing is PassingRule.LEFT
    assert options.changed({"target": 7}).target == 7
    assert options.changed({"target": 7}).passing is PassingRule.LEFT


@pytest.mark.parametrize("target", [1, 2, 999, 1000])
def test_any_target(target: int) -> None:
    assert Options.from_dict({"target": target}).target == target
    assert parse_option(f"target={target}", Options()).target == target


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("target", 0, "0"),
        ("target", 1001, "1001"),
        ("target", -5, "-5"),
        ("target", True, "True"),
        ("target", "50", "50"),
        ("target", 50.0, "50.0"),
        ("target", None, "None"),
        ("aids", 1, "1"),
        ("aids", "true", "true"),
        ("queen_of_spades", "sometimes", "sometimes"),
        ("queen_of_spades", 1, "1"),
        ("moon", ["others-gain"], "['others-gain']"),
        ("moon", "x" * 50, "x" * 40),
    ],
)
def test_values_refused(name: str, value: object, shown: str) -> None:
    with pytest.raises(OptionError) as refusal:
        Options.from_dict({name: value})
    assert refusal.value.code == OptionCode.BAD_VALUE
    assert refusal.value.detail == {"option": name, "value": shown}


@pytest.mark.parametrize(
    ("setting", "code"),
    [
        ("target=0", "bad-option-value"),
        ("target=1001", "bad-option-value"),
        ("target=10000", "bad-option-value"),
        ("target=", "bad-option-value"),
        ("target", "bad-option-value"),
        ("target=x", "bad-option-value"),
        ("target=-5", "bad-option-value"),
        ("target=٣", "bad-option-value"),
        ("target=5=5", "bad-option-value"),
        ("aids=yes", "bad-option-value"),
        ("aids=1", "bad-option-value"),
        ("aids=True", "bad-option-value"),
        ("moon=", "bad-option-value"),
        ("moons=others-gain", "unknown-option"),
        ("=", "unknown-option"),
        ("", "unknown-option"),
    ],
)
def test_settings_refused(setting: str, code: str) -> None:
    with pytest.raises(OptionError) as refusal:
        parse_option(setting, Options())
    assert refusal.value.code == code
    name, _, text = setting.partition("=")
    facts = {"option": name, "value": text} if code == OptionCode.BAD_VALUE else {"option": name}
    assert refusal.value.detail == facts


def test_a_setting_keeps_the_others() -> None:
    assert parse_option("aids=true", preset("omnibus")) == Options(
        first_trick_points=False, jack_of_diamonds=True, aids=True
    )


def test_presets_by_name() -> None:
    assert list(PRESETS) == ["standard", "classic-computer", "omnibus", "wait-for-hearts"]
    for name, options in PRESETS.items():
        assert preset(name) is options
    with pytest.raises(OptionError) as refusal:
        preset("house-rules")
    assert refusal.value.code == OptionCode.UNKNOWN_PRESET
    assert refusal.value.detail == {"preset": "house-rules"}


def test_unknown_options() -> None:
    with pytest.raises(OptionError) as refusal:
        Options.from_dict({"trumps": "hearts"})
    assert refusal.value.code == OptionCode.UNKNOWN_OPTION
    assert refusal.value.detail == {"option": "trumps"}


@pytest.mark.parametrize(
    ("texts", "barred"),
    [
        ([], (HEARTS_MASK, 0, 0, HEARTS_MASK)),
        (["queen_of_spades=after-hearts"], (PENALTY_MASK, QUEEN_MASK, 0, HEARTS_MASK)),
        (["queen_of_spades=no-lead"], (PENALTY_MASK, 0, 0, HEARTS_MASK)),
        (["queen_breaks_hearts=true"], (HEARTS_MASK, 0, 0, PENALTY_MASK)),
        (["first_trick_points=false"], (HEARTS_MASK, 0, PENALTY_MASK, HEARTS_MASK)),
    ],
)
def test_what_options_bar(texts: list[str], barred: tuple[Mask, Mask, Mask, Mask]) -> None:
    """No other card than these: neither to lead, to throw off, on the first trick, nor to break."""
    options = Options()
    for text in texts:
        options = parse_option(text, options)
    assert Restrictions.of(options) == Restrictions(*barred)
