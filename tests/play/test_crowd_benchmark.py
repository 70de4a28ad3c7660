"""The benchmark of a crowd runs, and times what it says."""

from __future__ import annotations

import play_scenes
import pytest

from benchmarks.playing import crowd, tables

pytestmark = [pytest.mark.blender, pytest.mark.once]


def test_models_and_whole_frames_are_timed_side_by_side(tmp_path, monkeypatch):
    monkeypatch.setattr(crowd, "SOME", 3)
    monkeypatch.setattr(crowd, "BASES", 8)
    play_scenes.open_scene()
    report = crowd.measure(tmp_path, bunnies=5, characters=2, frames=3)
    rows = [(row["what"], row["objects"], row["fast"]) for row in report["models"]]
    assert rows == [("bunny", 5, True), ("bunny", 5, False), ("cape", 2, True), ("cape", 2, False)]
    for row in (report, *report["models"], *report["scenes"]):
        assert all(value > 0.0 for name, value in row.items() if name.endswith("_ms"))
    assert report["models"][0]["vertices"] == 2506
    report["calibration_ms"] = 0.54
    assert tables.crowd({"4.5": [report]}).count("\n| 4.5 |") == 4 + 2
