"""For which systems and Pythons there are wheels of what the requirements name: `python -m tools.wheels`.

Read from the package index's metadata, nothing is downloaded; written to docs/wheels.md.
"""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.tags import Tag
from packaging.utils import InvalidWheelFilename, parse_wheel_filename
from packaging.version import Version
from pip._internal.models.index import PyPI

ROOT = Path(__file__).resolve().parents[1]
REQUIREMENTS, DOCUMENT = ROOT / "requirements", ROOT / "docs" / "wheels.md"
BEGIN, END = "<!-- wheels: begin -->", "<!-- wheels: end -->"
INDEX = f"{PyPI.simple_url}/{{name}}/"  # the one that pip itself asks
JSON = "application/vnd.pypi.simple.v1+json"
ANSWERS_WITHIN = 10.0  # seconds
PYTHONS = ("3.11", "3.13")
THERE, NONE, OTHER_SYSTEM = "yes", "none", "not asked for"

Index = Callable[[str], Sequence[Mapping[str, Any]]]


@dataclass(frozen=True)
class Platform:
    """name: for people. marker: its `sys_platform`. systems, machines: what a wheel's platform tag begins and
    ends with."""

    name: str
    marker: str
    systems: tuple[str, ...]
    machines: tuple[str, ...]

    def runs(self, tag: Tag, python: str) -> bool:
        """Whether a wheel with this tag can be installed."""
        ours = tag.platform.startswith(self.systems) and tag.platform.endswith(self.machines)
        return (ours or tag.platform == "any") and _interpreter_fits(tag, python)


PLATFORMS = (
    Platform("Linux x64", "linux", ("manylinux", "linux"), ("_x86_64",)),
    Platform("Linux arm64", "linux", ("manylinux", "linux"), ("_aarch64",)),
    Platform("Windows x64", "win32", ("win_",), ("_amd64",)),
    Platform("macOS arm64", "darwin", ("macosx_",), ("_arm64", "_universal2")),
    Platform("macOS x64", "darwin", ("macosx_",), ("_x86_64", "_universal2", "_intel")),
)


def asked_for(folder: Path = REQUIREMENTS) -> dict[str, Requirement]:
    """What the requirements files name, by `name specifier; marker`."""
    found = {}
    for path in sorted(folder.glob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            text = line.partition("#")[0].strip()
            if text and not text.startswith("-"):
                requirement = Requirement(text)
                found[str(requirement)] = requirement
    return dict(sorted(found.items(), key=lambda item: item[0].lower()))


def read_index(name: str) -> Sequence[Mapping[str, Any]]:
    """The files of a package. Raises OSError where the index cannot be reached, ValueError for nonsense."""
    request = urllib.request.Request(INDEX.format(name=name), headers={"Accept": JSON})
    with urllib.request.urlopen(request, timeout=ANSWERS_WITHIN) as answer:
        files: list[dict[str, Any]] = json.load(answer)["files"]
    return files


def wheels_of(requirement: Requirement, files: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str], str]:
    """By platform and Python whether a version that the requirement allows has a wheel."""
    usable = [file for file in files if not file.get("yanked")]
    wheels = [wheel for wheel in map(_wheel, usable) if wheel is not None]
    allowed = set(requirement.specifier.filter(version for version, _ in wheels))
    cells = {}
    for platform in PLATFORMS:
        for python in PYTHONS:
            about = {"sys_platform": platform.marker, "python_version": python}
            if requirement.marker is not None and not requirement.marker.evaluate(about):
                cells[platform.name, python] = OTHER_SYSTEM
                continue
            there = any(
                version in allowed and any(platform.runs(tag, python) for tag in tags)
                for version, tags in wheels
            )
            cells[platform.name, python] = THERE if there else NONE
    return cells


def table(index: Index = read_index, folder: Path = REQUIREMENTS) -> str:
    """The table in Markdown. Raises what reading the index does."""
    columns = [(platform.name, python) for platform in PLATFORMS for python in PYTHONS]
    heads = [f"{system}, {python}" for system, python in columns]
    lines = [f"| what is asked for | {' | '.join(heads)} |"]
    lines.append("|---" * (len(columns) + 1) + "|")
    for text, requirement in asked_for(folder).items():
        cells = wheels_of(requirement, index(requirement.name))
        shown = [cells[column] for column in columns]
        lines.append(f"| `{text}` | " + " | ".join(shown) + " |")
    return "\n".join(lines)


def table_in(document: str) -> str:
    """The table of a document, "" if it has none."""
    lines = document.partition(BEGIN)[2].partition(END)[0].splitlines()
    return "\n".join(line for line in lines if line.startswith("|"))


def _wheel(file: Mapping[str, Any]) -> tuple[Version, frozenset[Tag]] | None:
    try:
        _, version, _, tags = parse_wheel_filename(file["filename"])
    except InvalidWheelFilename:
        return None
    return version, tags


def _interpreter_fits(tag: Tag, python: str) -> bool:
    minor = int(python.partition(".")[2])
    if tag.interpreter in ("py3", f"py3{minor}"):
        return tag.abi == "none"
    if not tag.interpreter.startswith("cp3") or not tag.interpreter[3:].isdigit():
        return False
    own = int(tag.interpreter[3:])
    return (tag.abi == "abi3" and own <= minor) or (own == minor and tag.abi in (f"cp3{minor}", "none"))


def main() -> None:
    """Read the index and write the table into its document."""
    document = DOCUMENT.read_text(encoding="utf-8")
    before, _, rest = document.partition(BEGIN)
    after = rest.partition(END)[2]
    made = f"\nRead on {date.today().isoformat()}:\n\n{table()}\n\n"
    DOCUMENT.write_text(before + BEGIN + made + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
