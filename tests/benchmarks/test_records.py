"""What took hours to measure is measured once, whoever asks again."""

from __future__ import annotations

import json

import pytest

from benchmarks import records


def test_what_was_measured_is_read_again_with_when_it_was(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "RECORDS", tmp_path)
    asked = []

    def measure():
        asked.append(1)
        return {"error": 0.1}

    assert records.recorded("boxes/A", measure) == records.recorded("boxes/A", measure) == {"error": 0.1}
    found = json.loads((tmp_path / "boxes" / "A.json").read_text())
    assert asked == [1] and found["date"].startswith("20") and found["calibration_ms"] > 0.0
    (tmp_path / "boxes" / "A.json").unlink()
    records.recorded("boxes/A", measure)
    assert asked == [1, 1]


def test_nothing_is_recorded_of_what_failed(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "RECORDS", tmp_path)

    def measure():
        raise SystemExit("stopped")

    with pytest.raises(SystemExit):
        records.recorded("boxes/A", measure)
    assert not list(tmp_path.rglob("*.json"))
