"""Where benchmarks keep what they made, and where the documents have its pictures."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BENCH = ROOT / "build" / "bench"
REPORT = BENCH / "report.json"
IMAGES = ROOT / "docs" / "images"
