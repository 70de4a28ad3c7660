"""Build the extension's zip with Blender's own tool: build/neural_physics-<version>.zip, or as named.

One zip for every platform, without wheels. Exits with the tool's status, after one sentence.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LARGEST_ZIP = 1_000_000  # bytes
SHIPPED = (
    "blender_manifest.toml",
    "LICENSE",
    "__init__.py",
    "neural_physics",
    "operators",
    "panels",
    "learning",
    "ml_backend",
    "requirements/training.txt",
    "requirements/solver.txt",
)


def extension_tool() -> Path:
    """The `extension` command that comes with the bpy module of this Python."""
    spec = importlib.util.find_spec("bpy")
    if spec is None or spec.origin is None:
        sys.exit("Python's bpy module is missing: run this with the Python that `make setup` made.")
    found = list(Path(spec.origin).parent.glob("*/scripts/addons_core/bl_pkg/cli/blender_ext.py"))
    return found[0]


def zip_path() -> Path:
    """The path of the zip in build/, with the manifest's id and version."""
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    return ROOT / "build" / f"{manifest['id']}-{manifest['version']}.zip"


def extension(*args: str | Path) -> None:
    """Run Blender's tool; end with its status if it is not content."""
    command = [sys.executable, str(extension_tool()), *map(str, args)]
    status = subprocess.run(command, check=False).returncode
    if status:
        sys.exit(status)


def stage(folder: Path) -> None:
    """Copy what is shipped, so that nothing else that lies about here can get in."""
    for name in SHIPPED:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)


def main() -> None:
    """Stage, build and validate the zip; exit with a sentence if it is too large."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else zip_path()
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        stage(Path(scratch))
        extension("build", "--source-dir", scratch, "--output-filepath", target)
    extension("validate", target)
    size = target.stat().st_size
    if size > LARGEST_ZIP:
        sys.exit(f"{target} is {size} bytes, and must be below {LARGEST_ZIP}.")


if __name__ == "__main__":
    main()
