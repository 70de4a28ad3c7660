# ruff: noqa: T201 (a tool that is watched)
"""`make bench-full`: what docs/benchmarks/ reports, into build/bench/report.json. All of it takes hours.

`python -m benchmarks.bench [NAME ...]` runs only some parts, or those of some folders. Datasets and models
are kept, so that a stopped benchmark goes on where it was and a part is cheap to repeat. Parts that are in
the report already, of the same code, are run again only if they are named. `python -m benchmarks.documents`
fills in docs/benchmarks/ from the report.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.code_version import CODE, code_version
from benchmarks.declaration import Part
from benchmarks.folders import REPORT
from benchmarks.registry import BENCHMARKS, PARTS
from benchmarks.runner import run
from neural_physics.files.atomic import write_atomically
from neural_physics.jobs.cores import usable_cores

VERSIONS = "code"  # in the report: of the code that each part is of


def main(arguments: Sequence[str] | None = None, judge: Callable[[Part, bool], Any] | None = None) -> None:
    """judge: (part, whether to train nothing) -> its figures; None: run each part in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", nargs="*", help=f"{', '.join(BENCHMARKS)}, or {', '.join(PARTS)}")
    parser.add_argument("--report", type=Path, default=REPORT, help="the file that figures are added to")
    parser.add_argument("--kept", action="store_true", help="train nothing, and list what is missing")
    args = parser.parse_args(arguments)
    known = {name: part for name, part in PARTS.items() if part.kept or not args.kept}
    chosen = [part for name in args.name for part in _parts_of(name) if part in known]
    unknown = [name for name in args.name if not set(_parts_of(name)) & set(known)]
    if unknown:
        parser.error(f"{', '.join(unknown)}: the parts are {', '.join(known)}, of {', '.join(BENCHMARKS)}")
    for name in chosen or [name for name in known if not _is_recorded(args.report, name)]:
        found = (judge or _judge)(known[name], args.kept)
        _add(args.report, name, found)
        missing = found.get("missing")
        without = f", but for what is not there yet: {', '.join(missing)}" if missing else ""
        print(f"{name}: done{without}; the figures are in {args.report}", flush=True)


def _parts_of(name: str) -> list[str]:
    return list(BENCHMARKS[name].parts) if name in BENCHMARKS else [name]


def _judge(part: Part, kept: bool) -> Any:  # noqa: ANN401
    return run(part.judge, {"kept_only": True} if kept else {}, one_thread=part.one_thread)


def _is_recorded(path: Path, name: str) -> bool:
    report = _report(path)
    return name in report and report.get(VERSIONS, {}).get(name) == code_version(*CODE)


def _add(path: Path, name: str, found: dict[str, Any]) -> None:
    report = _report(path)
    versions = {**report.get(VERSIONS, {}), name: code_version(*CODE)}
    report |= {"cores": len(usable_cores()), name: found, VERSIONS: versions}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, (json.dumps(report, indent=1) + "\n").encode())


def _report(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


if __name__ == "__main__":
    main()
