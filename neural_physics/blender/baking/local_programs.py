"""What a bake starts on this computer."""

from __future__ import annotations

import bpy

from ...baking.programs import Programs
from ...jobs.cores import system_and_processor
from ...jobs.isolated_python import run_module
from ..jobs import programs
from ..settings.own_folders import EXTENSION_ROOT
from .seals import key_file
from .trust import scripts_may_run

BY_THE_SOLVER = "Baking with the bundled solver"
WORKER = EXTENSION_ROOT / "neural_physics" / "blender" / "baking" / "worker.py"


def local_programs(*, by_solver: bool) -> Programs:
    """Raises what `programs.require_ml_backend` does where the bundled solver is asked for."""
    return Programs(
        programs.background_blender(WORKER),
        _solver() if by_solver else (),
        key=str(key_file()),
        trusted=scripts_may_run(),
        makes=f"Blender {bpy.app.version_string}, {system_and_processor()}",
    )


def _solver() -> tuple[str, ...]:
    return (*run_module(programs.require_ml_backend(BY_THE_SOLVER), "ml_backend"), "simulate", "--json")
