"""Marks of the integration tests."""


def pytest_configure(config):
    config.addinivalue_line("markers", "alone: compares samples with CPU time, so no other test runs beside it")
