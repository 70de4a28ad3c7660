"""A job: whether the Python that runs this can train.

`python -m ml_backend.commands.environment_check --requirements FILE --asked PYTHON`. Standard library
only, and nothing newer than Python 3.7, because it runs in a Python that has not been checked yet.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

OLDEST_PYTHON = (3, 11)


def requirements(path: Path) -> list[tuple[str, str]]:
    """(name, least version) of each line `name>=version` or `name==version` of a requirements file.

    Without lines whose marker is about another system, and without files that it includes.
    """
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        wanted, _, marker = line.partition(";")
        match = re.match(r"\s*([\w.-]+)\s*[>=]=\s*([\w.]+)", wanted)
        if match and _is_meant(marker):
            found.append((match.group(1), match.group(2).rstrip(".")))
    return found


def missing(path: Path) -> list[str]:
    """What of the requirements is not installed, or too old: `name version`."""
    return [
        f"{name} {least}"
        for name, least in requirements(path)
        if _numbers(_installed(name)) < _numbers(least)
    ]


def _is_meant(marker: str) -> bool:
    """Whether a line with this marker is for this system; `sys_platform` is all that is understood."""
    match = re.match(r"\s*sys_platform\s*([!=]=)\s*[\"'](\w+)[\"']\s*$", marker)
    return match is None or (match.group(1) == "==") == (match.group(2) == sys.platform)


def _installed(name: str) -> str:
    from importlib import metadata  # newer than the rest, and asked only where Python is new enough

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)[:3]]


def _device() -> str:
    import torch

    return torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU"


def main() -> None:
    """Print one JSON event: this Python's version, what is missing, and PyTorch's version and device."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--requirements", type=Path, required=True)
    parser.add_argument("--asked", help="the name by which the caller knows this Python")
    parser.add_argument(
        "--packages-only", action="store_true", help="check the packages only, without loading PyTorch"
    )
    parser.add_argument("--stop-file")
    args = parser.parse_args()
    old = sys.version_info[:2] < OLDEST_PYTHON
    lacking = ["Python 3.11"] if old else missing(args.requirements)
    result = {
        "event": "result",
        "asked": args.asked,
        "python": ".".join(map(str, sys.version_info[:3])),
        "missing": lacking,
    }
    if not lacking and not args.packages_only:
        result.update(torch=_installed("torch"), device=_device())
    sys.stdout.write(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()
