"""Marks and fixtures of the integration tests."""
import os
import signal

import pytest
from quiet_machine import QuietMachine
from viewed_page import training_in_browser
from watchdog import Watchdog


def pytest_configure(config):
    # A shell's background job may ignore SIGINT. The programs under test would inherit that.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.addinivalue_line("markers", "alone: no other test runs beside it, as it compares samples with CPU time or looks at the whole system")
    config.pluginmanager.register(QuietMachine())
    if seconds := os.environ.get("PROF_TEST_SECONDS"):  # ctest's limit
        config.pluginmanager.register(Watchdog(float(seconds)))


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """`prof view` of a made-up training, and a browser; one for all tests of a file."""
    with training_in_browser(tmp_path_factory.mktemp("page")) as made:
        yield made


@pytest.fixture()
def view(place):
    with place.view() as made:
        yield made.open("#view=timeline")
