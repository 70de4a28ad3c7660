"""`python -m learning COMMAND ...`: training and evaluation in any Python with NumPy, Blender's own too."""

from __future__ import annotations

import sys

from learning.plain_display import plain_display
from learning.program import Command, Program
from neural_physics.errors import Problem

COMMANDS = {
    "train": Command("learning.commands.train", "train a model on a dataset", one_thread=True),
    "evaluate": Command("learning.commands.evaluate", "measure a model on takes it was not trained on"),
    "import": Command("learning.commands.importing", "make a dataset from another program's point caches"),
    "check": Command(
        "learning.commands.check",
        "show what a dataset holds, and whether a model can be trained on it",
    ),
}


def _lacking(error: ImportError) -> Problem:
    return Problem("training_python_lacks", path=sys.executable, missing=error.name or error)


PROGRAM = Program(
    "learning",
    "Training and evaluation with NumPy alone.",
    COMMANDS,
    plain_display,
    lacking=_lacking,
)

if __name__ == "__main__":
    sys.exit(PROGRAM.run(sys.argv[1:]))
