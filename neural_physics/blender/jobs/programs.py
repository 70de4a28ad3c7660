"""The programs that jobs run: `learning` in Blender's own Python, `ml_backend` in one chosen, and Blender.

The edition for the extensions platform has the first alone.
"""

from __future__ import annotations

import sys
from pathlib import Path

import bpy

from ...edition import FULL
from ...errors import Problem
from ...jobs.isolated_python import run_module, run_script

if FULL:
    from . import training_environment


def require_learning() -> None:
    """Check that a model can be trained or evaluated by what NumPy is enough for: Blender's own Python does
    it, where no other was chosen. Raises what `training_environment.require_python` does."""
    if FULL and training_environment.python_path() is not None:
        training_environment.require_python()


def has_ml_backend() -> bool:
    """Whether a Python was chosen for what needs more than NumPy; whether it works is not asked."""
    return FULL and training_environment.python_path() is not None


def require_full_edition(task: str) -> None:
    """Check that this edition has what a task such as “Training Latent Dynamics” takes.

    Raises Problem("edition_lacks").
    """
    if not FULL:
        raise Problem("edition_lacks", task=task)


def require_ml_backend(task: str) -> Path:
    """The Python for what needs more than NumPy. task: see `require_full_edition`.

    Raises Problem("edition_lacks") and what `training_environment.require_python` does.
    """
    require_full_edition(task)
    return training_environment.require_python()


def learning() -> list[str]:
    """What runs the commands of `learning`: the Python that was chosen, else Blender's own.

    Raises what `training_environment.working_python` does.
    """
    if FULL and training_environment.python_path() is not None:
        return run_module(training_environment.working_python(), "ml_backend")
    return run_module(sys.executable, "learning")


def ml_backend(task: str) -> list[str]:
    """What runs the trainers of `ml_backend`, asked whether it works.

    Raises what `require_ml_backend` and `training_environment.working_python` do.
    """
    require_ml_backend(task)
    return run_module(training_environment.working_python(), "ml_backend")


def background_blender(script: Path) -> tuple[str, ...]:
    """What runs a file of this extension in another Blender like this, without the artist's settings."""
    blender = bpy.app.binary_path
    if not blender:  # Blender as a Python module
        return tuple(run_script(sys.executable, script))
    options = ("-b", "--factory-startup", "-t", "1", "--python-exit-code", "1", "--python", str(script), "--")
    return (blender, *options)
