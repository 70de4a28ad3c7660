"""`make endurance`: what plays for days: steps, frames, files and add-ons by the hundred thousand."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def with_helpers_of_tests() -> None:
    """Find the modules that lie beside the tests that they were made for."""
    places = {str(path.parent) for path in (ROOT / "tests").rglob("*.py")}
    sys.path[:0] = [place for place in sorted(places) if place not in sys.path]
