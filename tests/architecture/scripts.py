"""Load a script of scripts/ as a module; they are Python without a suffix."""

from __future__ import annotations

import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from types import ModuleType

from tests.architecture.sources import ROOT


def load_script(name: str) -> ModuleType:
    """The script's names, without running its `main`."""
    loader = SourceFileLoader(f"script_{name}", str(ROOT / "scripts" / name))
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    sys.modules[loader.name] = module  # a dataclass looks its own module up there
    loader.exec_module(module)
    return module
