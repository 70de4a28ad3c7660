"""Virtual environments and what is typed for pip, as each system has them."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

if sys.platform == "win32":
    PYTHON = Path("Scripts", "python.exe")
    ESCAPES = ""  # a backslash is part of a path
else:
    PYTHON = Path("bin", "python")
    ESCAPES = "\\"


def python_in(folder: Path) -> Path:
    """The Python of a virtual environment."""
    return folder / PYTHON


def words_of(options: str) -> list[str]:
    """Options as a shell would split them. Raises ValueError where a quotation does not end."""
    words = shlex.shlex(options, posix=True, punctuation_chars=False)
    words.whitespace_split, words.commenters, words.escape = True, "", ESCAPES
    return list(words)
