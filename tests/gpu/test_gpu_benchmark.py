"""The benchmark of the graphics card runs, and times what it says."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("graphics")]

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import bench_gpu  # noqa: E402


def test_all_parts_are_timed_side_by_side(monkeypatch):
    for name, value in {"SECONDS": 0.0, "LEAST": 1, "OBJECTS": 5, "THEIR_VERTICES": 50}.items():
        monkeypatch.setattr(bench_gpu, name, value)
    report = bench_gpu.measure([81, 90], [8])
    assert [(row["vertices"], row["bases"]) for row in report["rows"]] == [(81, 8), (90, 8)]
    for row in (*report["rows"], report["objects"]):
        assert all(value > 0.0 for name, value in row.items() if name.endswith("_ms"))
    assert 0.0 < report["rows"][0]["half_error"] < 1e-3
