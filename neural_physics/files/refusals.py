"""Why the operating system refused, in words that say what is wrong."""

from __future__ import annotations

from pathlib import Path

# Of folders; 12 less than of files. What is longer is missing to Windows, unless it was set up otherwise.
LONGEST_ON_WINDOWS = 247
MISSING_OR_TOO_LONG = (2, 3, 206)


def reason_of(error: OSError, path: Path) -> str:
    """The system's own words, but where a path is too long for Windows. path: where the error names none."""
    length = len(str(error.filename or path))
    if getattr(error, "winerror", None) in MISSING_OR_TOO_LONG and length > LONGEST_ON_WINDOWS:
        return f"with {length} characters a path there is too long for Windows"
    return error.strerror or str(error)
