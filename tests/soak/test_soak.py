"""A few rounds of `make soak`: everything is broken some times, and nothing that was finished is lost."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from lengths import at_length

for needed in ("bpy", "rich", "scipy"):
    pytest.importorskip(needed)
pytestmark = [
    pytest.mark.blender,
    pytest.mark.slow,
    pytest.mark.once,
    pytest.mark.skipif(sys.platform != "linux", reason="a soak finds its processes in /proc"),
]
ROOT = Path(__file__).resolve().parents[2]


# Of two activities, that takes half a minute; of all, a minute and a half.
USUAL = ("--rounds", "3", "--only", "bake", "--only", "train linear dynamics")
LONG = ("--rounds", "8")


def test_a_short_soak_loses_nothing(tmp_path):
    words = [*at_length(USUAL, LONG), "--minutes", "9", "--seed", "3", "--folder", str(tmp_path / "soak")]
    soak = [sys.executable, "-m", "tools.soak", *words]
    done = subprocess.run(soak, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    report = json.loads((tmp_path / "soak" / "report.json").read_text())
    assert report["violations"] == [], done.stdout
    assert done.returncode == 0, done.stdout + done.stderr
    # Which faults there are is drawn by the seed; one that comes too late for its command is missed.
    assert sum(report["rounds"].values()) == at_length(3, 8)
    assert report["kills"] >= 2
    assert report["seed"] == 3 and "seed 3" in done.stdout
