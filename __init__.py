"""Neural Physics: learn a simulation once, then play with it in real time."""

from . import operators, panels
from .neural_physics.blender import commands
from .neural_physics.blender.assets import drops
from .neural_physics.blender.display import (
    capsule_overlay,
    captions,
    chart,
    legend,
    motion_boxes,
    trained_range,
    typical_error,
)
from .neural_physics.blender.examples import thumbnails
from .neural_physics.blender.jobs import host
from .neural_physics.blender.playing import playback, preview_drawing
from .neural_physics.blender.settings import properties
from .neural_physics.blender.settings.registration import register_parts, unregister_parts
from .neural_physics.blender.tasks import forgetting

PARTS = (
    properties,
    chart,
    host,
    motion_boxes,
    capsule_overlay,
    captions,
    legend,
    trained_range,
    typical_error,
    thumbnails,
    playback,
    preview_drawing,
    drops,
    forgetting,
    operators,
    panels,
    commands,
)


def register() -> None:
    """Register all parts of the extension, or none if one fails."""
    register_parts(PARTS)


def unregister() -> None:
    """Unregister all parts of the extension, the last first."""
    unregister_parts(PARTS)
