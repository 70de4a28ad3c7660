"""The benchmarks there are: every folder beside this file that declares one."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from importlib import import_module

from benchmarks.declaration import Benchmark, Part, Written
from benchmarks.folders import ROOT


def _found() -> dict[str, Benchmark]:
    folders = pkgutil.iter_modules([str(ROOT / "benchmarks")])
    names = sorted(module.name for module in folders if module.ispkg)
    return {name: import_module(f"benchmarks.{name}.benchmark").BENCHMARK for name in names}


BENCHMARKS: Mapping[str, Benchmark] = _found()
PARTS: Mapping[str, Part] = {name: part for each in BENCHMARKS.values() for name, part in each.parts.items()}
TABLES: Mapping[str, tuple[str, Written]] = {
    place: table for each in BENCHMARKS.values() for place, table in each.tables.items()
}
