"""How long a bake will take, from what is known before it."""

from __future__ import annotations

import bpy

from ...datasets.status import dataset_status
from ...jobs.cores import usable_cores
from ..baking.motion.training_motion import moving_takes
from ..scene.companions import baked_together
from ..scene.sources import mesh_data, physics_modifier, uses_solver
from ..settings.paths import dataset_folder
from ..settings.properties import settings_of
from .planned_takes import PlannedTakes

# Seconds for each vertex, frame and quality step of Blender's cloth, one process alone (measured with 1,681
# and 2,601 vertices); self-collision doubles it.
CLOTH = 4e-6
OVERHEAD = 1.5  # seconds until a process bakes its first frame


def bake_seconds(obj: bpy.types.Object) -> float | None:
    """Seconds that baking the frames that are missing will take, about; None where nothing is known.

    Raises what `dataset_folder` does.
    """
    settings, made = settings_of(obj), dataset_status(dataset_folder(obj))
    pace = made.seconds_per_frame or _pace(obj)
    if pace is None:
        return None
    if not made.seconds_per_frame:
        pace += sum(_pace(other) or 0.0 for other in baked_together(bpy.context.view_layer, obj))
    missing = PlannedTakes.of(obj).missing_frames
    at_a_time = min(settings.parallel_takes or len(usable_cores()), moving_takes(obj))
    return OVERHEAD + missing * pace / at_a_time if missing else 0.0


def _pace(obj: bpy.types.Object) -> float | None:
    """Seconds for a frame, of a simulation that was not baked yet."""
    modifier = physics_modifier(obj)
    if uses_solver(obj) or modifier is None:
        return None
    vertices = len(mesh_data(obj).vertices)
    if isinstance(modifier, bpy.types.ClothModifier):
        quality = max(1, modifier.settings.quality)
        return CLOTH * vertices * quality * (2.0 if modifier.collision_settings.use_self_collision else 1.0)
    return 5.0 * CLOTH * vertices
