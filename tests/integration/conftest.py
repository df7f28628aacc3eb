"""Marks of the integration tests."""


def pytest_configure(config):
    config.addinivalue_line("markers", "alone: no other test runs beside it, as it compares samples with CPU time or looks at the whole system")
