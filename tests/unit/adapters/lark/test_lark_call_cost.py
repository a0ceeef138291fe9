"""What a call must not pay for every time."""

import importlib.util
import sys

from hongyan.adapters.lark import transport


def test_a_library_that_is_not_installed_is_looked_for_once() -> None:
    assert transport.Transport is not None  # importing it is what settles the question
    assert importlib.util.find_spec("sniffio") is not None or "sniffio" in sys.modules
