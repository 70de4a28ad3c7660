"""Half a minute of `make soak`: everything is broken some times, and nothing that was finished is lost."""

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


def test_a_short_soak_loses_nothing(tmp_path):
    words = ["--minutes", at_length("0.2", "0.6"), "--seed", "5", "--folder", tmp_path / "soak"]
    soak = [sys.executable, "-m", "tools.soak", *map(str, words)]
    done = subprocess.run(soak, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    report = json.loads((tmp_path / "soak" / "report.json").read_text())
    assert report["violations"] == [], done.stdout
    assert done.returncode == 0, done.stdout + done.stderr
    assert report["kills"] >= at_length(2, 5)
    assert report["seed"] == 5 and "seed 5" in done.stdout
