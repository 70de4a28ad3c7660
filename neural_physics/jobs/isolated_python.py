"""The command lines of this extension's own programs, which load code from nowhere but where it belongs."""

from __future__ import annotations

import os
from pathlib import Path

LAUNCHER = Path(__file__).with_name("launch.py")
# No folder of others and no variable decides what is loaded; nothing is written beside the modules; what is
# printed is UTF-8 and arrives at once.
ISOLATED = ("-I", "-B", "-u", "-X", "utf8")


def run_module(python: str | Path, module: str) -> list[str]:
    """The command, without the program's own arguments, that runs a module of this extension."""
    return [str(python), *ISOLATED, str(LAUNCHER), module]


def run_script(python: str | Path, script: Path) -> list[str]:
    """The command, without the program's own arguments, that runs a file of this extension."""
    return [str(python), *ISOLATED, str(script)]


def clean_environment() -> dict[str, str]:
    """This process's environment without what would change how Python starts."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
