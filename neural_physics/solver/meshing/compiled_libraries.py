"""Libraries that a package's wheel brings beside it, where its own __init__.py is not run."""

from __future__ import annotations

import os
import sys
from pathlib import Path

if sys.platform == "win32":

    def let_be_found(libraries: Path) -> None:
        """Let compiled modules that are loaded from now on find these."""
        if libraries.is_dir():
            os.add_dll_directory(str(libraries))

else:

    def let_be_found(libraries: Path) -> None:
        """Nothing to do: compiled modules say themselves where theirs are."""
