"""Build the extension's zip with Blender's own tool: build/neural_physics-<version>.zip, or as named.

One zip for every platform, without wheels. Exits with the tool's status, after one sentence.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LARGEST_ZIP = 1_000_000  # bytes


def extension_tool() -> Path:
    """The `extension` command that comes with the bpy module of this Python."""
    spec = importlib.util.find_spec("bpy")
    if spec is None or spec.origin is None:
        sys.exit("Python's bpy module is missing: run this with the Python that `make setup` made.")
    found = list(Path(spec.origin).parent.glob("*/scripts/addons_core/bl_pkg/cli/blender_ext.py"))
    return found[0]


def zip_path() -> Path:
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    return ROOT / "build" / f"{manifest['id']}-{manifest['version']}.zip"


def extension(*args: str | Path) -> None:
    """Run Blender's tool; end with its status if it is not content."""
    command = [sys.executable, str(extension_tool()), *map(str, args)]
    status = subprocess.run(command, check=False).returncode
    if status:
        sys.exit(status)


def main() -> None:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else zip_path()
    target.parent.mkdir(exist_ok=True)
    extension("build", "--source-dir", ROOT, "--output-filepath", target)
    extension("validate", target)
    size = target.stat().st_size
    if size > LARGEST_ZIP:
        sys.exit(f"{target} is {size} bytes, and must be below {LARGEST_ZIP}.")


if __name__ == "__main__":
    main()
