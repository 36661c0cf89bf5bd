"""What holds for every test."""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

# a busy machine is no fault of the code under test
settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")

CAN_SKIP = "HEARTS_NET_CI" not in os.environ
"""Tests that need root, multicast, a terminal or an optional package skip themselves where they
must, but not on CI, where all of that is there."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skip into a failure where nothing may be skipped."""
    report = yield
    if report.skipped and not CAN_SKIP:
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, and on CI nothing may be: {report.longrepr}"
    return report
