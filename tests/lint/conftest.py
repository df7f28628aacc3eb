"""Marks of the lint tests."""


def pytest_configure(config):
    config.addinivalue_line("markers", "built: reads the binaries, or runs prof; ./dev check leaves it out")
