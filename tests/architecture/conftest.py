"""The trees of the code, read by the tests that look at them and forgotten with their module.

Syntax trees that live as long as the run would be looked through by every garbage collection of every other test.
"""

import pytest
from tests.architecture.sources import Source, read_sources


@pytest.fixture(scope="module")
def shipped() -> list[Source]:
    """Every module that is installed."""
    return read_sources("src")


@pytest.fixture(scope="module")
def tests() -> list[Source]:
    """Every module of the tests."""
    return read_sources("tests")


@pytest.fixture(scope="module")
def everything(shipped: list[Source], tests: list[Source]) -> list[Source]:
    """Both."""
    return [*shipped, *tests]
