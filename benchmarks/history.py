"""What `make bench` found at earlier times: benchmarks/history.jsonl, one run a line, oldest first."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from benchmarks.folders import ROOT

HISTORY = ROOT / "benchmarks" / "history.jsonl"


@dataclass(frozen=True)
class Run:
    """One run of all benchmarks.

    date: UTC. commit: of git; dirty: files differed from it. box: its cores, processor, Python and NumPy.
    calibration_ms: see `calibration`, by benchmark, of just before and after it. settings: by benchmark, a
    digest of its sizes, without which figures cannot be compared. figures: by benchmark and name.
    """

    date: str
    version: str
    commit: str
    box: Mapping[str, Any]
    calibration_ms: Mapping[str, float]
    settings: Mapping[str, str]
    figures: Mapping[str, Mapping[str, float]]
    release: bool = False
    dirty: bool = False


def append(run: Run, path: Path = HISTORY) -> None:
    """Append the run as a line of its own, even if the last line was left torn by a run that was killed."""
    before = path.read_bytes() if path.is_file() else b""
    torn = bool(before) and not before.endswith(b"\n")
    with path.open("a", encoding="utf-8") as file:
        file.write("\n" * torn + json.dumps(asdict(run), ensure_ascii=False) + "\n")


def last_release(path: Path = HISTORY) -> Run | None:
    """The newest run of a release, None where there is none; lines that are not whole are passed over."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    runs = [run for run in map(_run, lines) if run is not None and run.release]
    return runs[-1] if runs else None


def _run(line: str) -> Run | None:
    known = {each.name for each in fields(Run)}
    try:
        return Run(**{name: value for name, value in json.loads(line).items() if name in known})
    except (ValueError, TypeError, AttributeError):
        return None
