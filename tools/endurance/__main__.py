"""`python -m tools.endurance steps | blender`: see docs/development.md; 1 where anything is left or lost."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import tempfile
from pathlib import Path


def main() -> int:
    """Endure as the command line says; the exit status."""
    arguments = _arguments()
    return _steps(arguments) if arguments.what == "steps" else _blender(arguments)


def _steps(arguments: argparse.Namespace) -> int:
    """Every method, model by model."""
    from tools.endurance.models import CHOSEN, tiny_models
    from tools.endurance.stepping import endure

    seed = secrets.randbelow(1 << 32) if arguments.seed is None else arguments.seed
    say(f"Seed {seed}.")
    chosen = tuple(name for name in CHOSEN if not arguments.only or arguments.only in name)
    unsound = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, model in tiny_models(Path(folder), chosen).items():
            tenfold = 10 if model.info.method == "subspace_physics" else 1
            endured = endure(name, model, int(1e5 * tenfold * arguments.share), seed)
            say(endured.line())
            unsound += not endured.sound
    say(f"{unsound} of {len(chosen)} models did not endure." if unsound else "All endured.")
    return int(bool(unsound))


def _blender(arguments: argparse.Namespace) -> int:
    """Frames, undo and switching in Blender."""
    from tools.endurance import in_blender

    return in_blender.endure(arguments.share, say)


def say(line: str) -> None:
    """At once: what runs for hours may be ended."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.endurance", description=__doc__)
    parser.add_argument("what", choices=("steps", "blender"))
    parser.add_argument("--seed", type=int, help="of the bursts (default: another each time)")
    parser.add_argument("--only", default="", help="models with this in their names")
    parser.add_argument("--share", type=float, default=1.0, help="of all that is done, for a shorter run")
    return parser.parse_args()


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # bpy 4.5 can hang in a destructor when Python ends
