# ruff: noqa: T201 (a tool that is watched)
"""Measures jiggle springs (Jin et al. 2022): `python tools/bench_springs.py [PART ...]`, without Blender.

What characters are needed is baked by `spring_bakes.py`, in Blender; what is missing is said. Models are kept
in build/bench/springs; the figures go into build/bench/report.json, as those of `bench.py`, or into another
file, from which `bench_docs.py` takes them.
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

import bench_spring_errors
import bench_spring_times
import torch
from bench_docs import REPORT

PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "spring_errors": bench_spring_errors.judge,
    "spring_times": bench_spring_times.judge,
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
        missing = found["missing"]
        without = f", but for what is not there yet: {', '.join(missing)}" if missing else ""
        print(f"{name}: done{without}", flush=True)


if __name__ == "__main__":
    main()
