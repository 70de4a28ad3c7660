# ruff: noqa: T201 (a tool that is watched)
"""What the benchmarks without Blender share: parts by their names, and a report that each adds to."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from benchmarks.documents import REPORT
from ml_backend.evaluation.timing import ONE_THREAD

Parts = Mapping[str, Callable[[], dict[str, Any]]]


def run_parts(description: str, parts: Parts, kept: Parts | None = None) -> None:
    """Run the parts that the command line names, or all, on one thread; each is kept once it is done.

    kept: of those that train, what they tell of models that are there already, for `--kept`.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("part", nargs="*", help=", ".join(parts))
    parser.add_argument("--report", type=Path, default=REPORT, help="the file that figures are added to")
    if kept is not None:
        parser.add_argument("--kept", action="store_true", help="train nothing: what is not there is told")
    args = parser.parse_args()
    known = kept if kept is not None and args.kept else parts
    names = args.part or list(known)
    if set(names) - set(known):
        parser.error(f"the parts are {', '.join(known)}")
    _on_one_thread()
    for name in names:
        found = known[name]()
        _add(args.report, name, found)
        missing = found.get("missing")
        without = f", but for what is not there yet: {', '.join(missing)}" if missing else ""
        print(f"{name}: done{without}", flush=True)


def _on_one_thread() -> None:
    """NumPy counts its threads once, when it is imported: where it has more, the program begins anew."""
    if not ONE_THREAD.items() <= os.environ.items():
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **ONE_THREAD})
    torch.set_num_threads(1)


def _add(path: Path, name: str, found: dict[str, Any]) -> None:
    report = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    path.parent.mkdir(parents=True, exist_ok=True)
    report |= {"cores": len(os.sched_getaffinity(0)), name: found}
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
