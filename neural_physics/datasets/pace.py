"""How long simulations took: beside the takes, which are the same however fast they were made."""

from __future__ import annotations

import json
from pathlib import Path

from ..files.atomic import write_atomically, writing
from ..files.links import is_link
from ..files.reading import read_json

PACE = "pace.json"
SLOWEST = 1e6  # seconds for a frame, of anything that was ever waited for


def write_pace(dataset: Path, seconds_per_frame: float) -> None:
    """Keep how long a frame of motion took in one process. Raises what `writing` does."""
    with writing(dataset):
        write_atomically(
            dataset / PACE, json.dumps({"seconds_per_frame": round(seconds_per_frame, 6)}).encode()
        )


def read_pace(dataset: Path) -> float:
    """Seconds for a frame; 0 where it is not known."""
    try:
        if is_link(dataset / PACE):  # it leads to what is nobody's pace
            return 0.0
        pace = float(read_json(dataset / PACE)["seconds_per_frame"])
    except (OSError, ValueError, TypeError, KeyError, OverflowError):
        return 0.0
    return pace if 0.0 < pace < SLOWEST else 0.0
