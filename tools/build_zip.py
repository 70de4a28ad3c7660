"""Build the extension's zips with Blender's own tool, and a repository to install the full one from.

build/full/ holds the full edition and the listing that makes the folder a repository of extensions;
build/platform/ the edition for Blender's extensions platform, which asks for nothing from elsewhere: see
`neural_physics.edition`. One zip each for every platform, without wheels. Exits with the tool's status, after
one sentence.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EDITIONS = FULL, PLATFORM = "full", "platform"
LARGEST_ZIP = 3_000_000  # bytes, the models of two examples included
SHIPPED = (
    "blender_manifest.toml",
    "LICENSE",
    "__init__.py",
    "neural_physics",
    "operators",
    "panels",
    "learning",
    "ml_backend",
    "farm",
    "requirements/training.txt",
    "requirements/solver.txt",
    "requirements/search.txt",
    "requirements/export.txt",
)
# What needs more than Blender brings, and what gets that: see `neural_physics.edition.FULL`.
NOT_ON_THE_PLATFORM = (
    "ml_backend",
    "requirements",
    "neural_physics/solver",
    "neural_physics/jobs/environment.py",
    "neural_physics/jobs/virtual_environments.py",
    "neural_physics/errors/training_environment.py",
    "neural_physics/blender/jobs/training_environment.py",
    "operators/environment.py",
    "panels/preferences.py",
)
NETWORK_PERMISSION = re.compile(r"^network = .*\n", re.MULTILINE)


def extension_tool() -> Path:
    """The `extension` command that comes with the bpy module of this Python."""
    spec = importlib.util.find_spec("bpy")
    if spec is None or spec.origin is None:
        sys.exit("Python's bpy module is missing: run this with the Python that `make setup` made.")
    found = list(Path(spec.origin).parent.glob("*/scripts/addons_core/bl_pkg/cli/blender_ext.py"))
    return found[0]


def zip_path(edition: str) -> Path:
    """The path of an edition's zip in build/, with the manifest's id and version."""
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    return ROOT / "build" / edition / f"{manifest['id']}-{manifest['version']}.zip"


def extension(*args: str | Path) -> None:
    """Run Blender's tool; end with its status if it is not content."""
    command = [sys.executable, str(extension_tool()), *map(str, args)]
    status = subprocess.run(command, check=False).returncode
    if status:
        sys.exit(status)


def stage(folder: Path, edition: str) -> None:
    """Copy what is shipped, so that nothing else that lies about here can get in."""
    for name in SHIPPED:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    if edition == PLATFORM:
        for library in folder.rglob("*.so"):  # the platform takes what can be read
            library.unlink()
        for path in (folder / name for name in NOT_ON_THE_PLATFORM):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
        manifest = folder / "blender_manifest.toml"
        text, count = NETWORK_PERMISSION.subn("", manifest.read_text(encoding="utf-8"))
        assert count == 1
        manifest.write_text(text, encoding="utf-8")


def build(target: Path, edition: str) -> None:
    """Stage, build and validate a zip; exit with a sentence if it is too large."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        stage(Path(scratch), edition)
        extension("build", "--source-dir", scratch, "--output-filepath", target)
    extension("validate", target)
    size = target.stat().st_size
    if size > LARGEST_ZIP:
        sys.exit(f"{target} is {size} bytes, and must be below {LARGEST_ZIP}.")


def main() -> None:
    """Build what the command line names: one edition's zip, or all that is published."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", type=Path, nargs="?", help="build one zip, under this name")
    parser.add_argument("--edition", choices=EDITIONS, default=FULL, help="which that is")
    args = parser.parse_args()
    if args.target:
        build(args.target, args.edition)
        return
    for edition in EDITIONS:
        path = zip_path(edition)
        for old in path.parent.glob("*.zip"):
            old.unlink()
        build(path, edition)
    extension("server-generate", "--repo-dir", zip_path(FULL).parent, "--html")


if __name__ == "__main__":
    main()
