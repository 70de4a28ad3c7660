# ruff: noqa: T201 (a tool that is watched)
"""Measures hierarchical cloth (Oh 2018): `python tools/bench_hierarchy.py [PART ...]`, without Blender.

What was simulated and trained is kept in build/bench/hierarchy, so that what was stopped, or killed, goes on
where it was; the figures go into build/bench/report.json, as those of `bench.py`, or into another file, from
which `bench_docs.py` takes them.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import bench_hierarchy_errors
import bench_hierarchy_stretched
import bench_hierarchy_structures
import bench_hierarchy_table
import bench_hierarchy_times
import torch
from bench_docs import REPORT

PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "hierarchy_times": bench_hierarchy_times.judge,
    "hierarchy_table": bench_hierarchy_table.judge,
    "hierarchy_errors": bench_hierarchy_errors.judge,
    "hierarchy_structures": bench_hierarchy_structures.judge,
    "hierarchy_stretched": bench_hierarchy_stretched.judge,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", nargs="*", help=", ".join(PARTS))
    parser.add_argument("--report", type=Path, default=REPORT, help="the file that figures are added to")
    args = parser.parse_args()
    parts = args.part or list(PARTS)
    if set(parts) - set(PARTS):
        parser.error(f"the parts are {', '.join(PARTS)}")
    torch.set_num_threads(1)
    for name in parts:
        found = PARTS[name]()
        report = json.loads(args.report.read_text(encoding="utf-8")) if args.report.is_file() else {}
        args.report.parent.mkdir(parents=True, exist_ok=True)
        cores = len(os.sched_getaffinity(0))
        args.report.write_text(
            json.dumps({**report, "cores": cores, name: found}, indent=1) + "\n", encoding="utf-8"
        )
        print(f"{name}: done", flush=True)


if __name__ == "__main__":
    main()
