"""What took hours to measure, a file each in benchmarks/records: it outlives the machine that it was made on.

What is there is not measured again, whatever has changed since; to measure it anew, delete its file.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from benchmarks.calibration import calibration_ms
from benchmarks.folders import ROOT
from neural_physics.files.atomic import write_atomically

RECORDS = ROOT / "benchmarks" / "records"


def recorded(name: str, measure: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The figures of that name, such as "boxes/A_seed0", measured if they are not there yet.

    Beside them stand the date (UTC), git's commit, and how quick the box was right afterwards.
    """
    path = RECORDS / f"{name}.json"
    if not path.is_file():
        figures = measure()
        found = {
            "date": datetime.now(UTC).isoformat(timespec="minutes"),
            "commit": _commit(),
            "calibration_ms": calibration_ms(),
            "figures": figures,
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, (json.dumps(found) + "\n").encode())
    figures = json.loads(path.read_text(encoding="utf-8"))["figures"]
    assert isinstance(figures, dict)
    return figures


def is_recorded(name: str) -> bool:
    """Whether there are figures of that name."""
    return (RECORDS / f"{name}.json").is_file()


def _commit() -> str:
    asked = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
