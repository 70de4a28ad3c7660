"""`python -m ml_backend COMMAND ...`: all jobs, those that need torch or SciPy among them."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from learning.__main__ import COMMANDS
from learning.program import Command, Program
from ml_backend.commands.environment_check import missing
from neural_physics.errors import Problem
from neural_physics.jobs.events import Emit

REQUIREMENTS = Path(__file__).resolve().parents[1] / "requirements" / "training.txt"


def _display() -> AbstractContextManager[Emit]:
    from ml_backend.commands.terminal import terminal

    return terminal()


def _lacking(error: ImportError) -> Problem:
    lacking = missing(REQUIREMENTS) if REQUIREMENTS.is_file() else []
    return Problem(
        "training_python_lacks", path=sys.executable, missing=", ".join(lacking) or error.name or error
    )


PROGRAM = Program(
    "ml_backend",
    "The jobs that need more than Blender's own Python.",
    {
        **COMMANDS,
        "train": replace(COMMANDS["train"], module="ml_backend.commands.train"),
        "evaluate": replace(COMMANDS["evaluate"], module="ml_backend.commands.evaluate"),
        "search": Command("ml_backend.commands.search", "find the settings that train the best model"),
        "export-onnx": Command(
            "ml_backend.commands.export_onnx",
            "write a model as ONNX files, for game engines and other programs",
        ),
        "simulate": Command("ml_backend.commands.simulate", "bake one take with the bundled solver"),
    },
    _display,
    lacking=_lacking,
)

if __name__ == "__main__":
    sys.exit(PROGRAM.run(sys.argv[1:]))
