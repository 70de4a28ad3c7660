"""What a bake starts on this computer."""

from __future__ import annotations

import sys

import bpy

from ...baking.programs import Programs
from ...jobs.cores import system_and_processor
from ...jobs.isolated_python import run_module, run_script
from ..jobs import programs
from ..settings.own_folders import EXTENSION_ROOT
from .seals import key_file
from .trust import scripts_may_run

BY_THE_SOLVER = "Baking with the bundled solver"
WORKER = EXTENSION_ROOT / "neural_physics" / "blender" / "baking" / "worker.py"


def local_programs(*, by_solver: bool) -> Programs:
    """Raises what `programs.require_ml_backend` does where the bundled solver is asked for."""
    return Programs(
        _blender(),
        _solver() if by_solver else (),
        key=str(key_file()),
        trusted=scripts_may_run(),
        makes=f"Blender {bpy.app.version_string}, {system_and_processor()}",
    )


def _blender() -> tuple[str, ...]:
    blender = bpy.app.binary_path
    if not blender:  # Blender as a Python module
        return tuple(run_script(sys.executable, WORKER))
    options = ("-b", "--factory-startup", "-t", "1", "--python-exit-code", "1", "--python", str(WORKER), "--")
    return (blender, *options)


def _solver() -> tuple[str, ...]:
    return (*run_module(programs.require_ml_backend(BY_THE_SOLVER), "ml_backend"), "simulate", "--json")
