"""What is in the zip that artists install."""

from __future__ import annotations

import tomllib
import zipfile
from pathlib import Path

import pytest

from neural_physics.native.finding import LEVELS, library_here, library_path

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.blender
FARM = (
    "farm/flamenco/neural_physics_bake.js",
    "farm/flamenco/neural_physics_search.js",
    "farm/openjd/bake.yaml",
    "farm/openjd/bake_and_train.yaml",
    "farm/openjd/search.yaml",
    "farm/slurm/bake.sh",
    "farm/slurm/search.sh",
    "farm/slurm/train.sh",
)
NATIVE = tuple(str(path.relative_to(ROOT)) for level in LEVELS if (path := library_path(level)))


def test_zip_is_small(extension_zip: Path) -> None:
    assert extension_zip.stat().st_size < 3_000_000, "two trained examples included"


def test_zip_holds_the_extension_and_nothing_of_the_workshop(extension_zip: Path) -> None:
    names = zipfile.ZipFile(extension_zip).namelist()
    assert {"__init__.py", "blender_manifest.toml", "LICENSE", "ml_backend/__init__.py"} <= set(names)
    assert {f"requirements/{name}.txt" for name in ("training", "solver", "search", "export")} <= set(names)
    assert set(FARM) <= set(names)
    assert library_here() is None or set(NATIVE) <= set(names)
    workshop = [n for n in names if n.startswith(("tests/", "tools/", "docs/", "build/", "."))]
    known = (".py", ".toml", ".txt", ".glsl", ".safetensors", ".jpg", "LICENSE", *FARM, *NATIVE)
    assert workshop == []
    assert [n for n in names if not n.endswith(known)] == []


def test_manifest_and_project_agree_on_the_version() -> None:
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert manifest["version"] == project["version"]
    assert manifest["license"] == [f"SPDX:{project['license']}"]
