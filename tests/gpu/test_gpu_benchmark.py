"""The benchmark of the graphics card runs, and times what it says."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("graphics")]

from benchmarks.playing import graphics_card


def test_all_parts_are_timed_side_by_side(monkeypatch):
    for name, value in {"SECONDS": 0.0, "LEAST": 1, "OBJECTS": 5, "THEIR_VERTICES": 50}.items():
        monkeypatch.setattr(graphics_card, name, value)
    report = graphics_card.measure([81, 90], [8])
    assert [(row["vertices"], row["bases"]) for row in report["rows"]] == [(81, 8), (90, 8)]
    for row in (*report["rows"], report["objects"]):
        assert all(value > 0.0 for name, value in row.items() if name.endswith("_ms"))
    assert 0.0 < report["rows"][0]["half_error"] < 1e-3
