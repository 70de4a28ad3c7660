"""Runs a module of this extension as a program: `python -I launch.py MODULE ...`.

Isolated (-I), Python looks for code neither in the current folder nor where the environment says, so that
nothing that lies beside a .blend or in a dataset can take the place of a module. What the extension itself
brings is loaded from here by name, and nothing is added to the folders that Python looks in. Standard library
only, and nothing newer than Python 3.7: it has not been checked yet which Python runs it.
"""

import importlib.util
import runpy
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("neural_physics", "learning", "ml_backend")  # the last one is not in every edition


def load_packages() -> None:
    """Make the extension's packages known to Python under their own names."""
    for name in PACKAGES:
        path = ROOT / name / "__init__.py"
        if path.is_file() and name not in sys.modules:
            spec = importlib.util.spec_from_file_location(
                name, str(path), submodule_search_locations=[str(path.parent)]
            )
            assert spec is not None and spec.loader is not None  # there is a file
            sys.modules[name] = module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)


if __name__ == "__main__":
    load_packages()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
