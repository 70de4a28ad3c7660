# ruff: noqa: T201 (a tool that is watched)
"""Measures latent dynamics (Li et al. 2025): `python tools/bench_latent.py [PART ...]`, without Blender.

Datasets and models are kept in build/bench/latent, so that what was stopped goes on where it was; the figures
go into build/bench/report.json, as those of `bench.py`, from which `bench_docs.py` takes them. All parts
together take hours. Datasets of the examples come from Blender: what is missing is said.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import bench_latent_ablations
import bench_latent_contact
import bench_latent_peer
import bench_latent_splits
import bench_latent_table
import torch
from bench_docs import REPORT

PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "latent_ablations": bench_latent_ablations.judge,
    "latent_peer": bench_latent_peer.judge,
    "latent_contact": bench_latent_contact.judge,
    "latent_table": bench_latent_table.judge,
    "latent_splits": bench_latent_splits.judge,
}
# The same of those models alone that are trained already.
KEPT: dict[str, Callable[[], dict[str, Any]]] = {
    "latent_ablations": partial(bench_latent_ablations.judge, kept_only=True),
    "latent_table": partial(bench_latent_table.judge, kept_only=True),
    "latent_splits": partial(bench_latent_splits.judge, kept_only=True),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", nargs="*", help=", ".join(PARTS))
    parser.add_argument("--kept", action="store_true", help="train nothing: what is not there is told")
    args = parser.parse_args()
    known = KEPT if args.kept else PARTS
    parts = args.part or list(known)
    if set(parts) - set(known):
        parser.error(f"the parts are {', '.join(known)}")
    torch.set_num_threads(1)
    for name in parts:
        found = known[name]()
        report = json.loads(REPORT.read_text(encoding="utf-8")) if REPORT.is_file() else {}
        REPORT.parent.mkdir(parents=True, exist_ok=True)
        cores = len(os.sched_getaffinity(0))
        REPORT.write_text(
            json.dumps({**report, "cores": cores, name: found}, indent=1) + "\n", encoding="utf-8"
        )
        missing = found.get("missing")
        without = f", but for what is not there yet: {', '.join(missing)}" if missing else ""
        print(f"{name}: done{without}", flush=True)


if __name__ == "__main__":
    main()
