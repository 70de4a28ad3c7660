"""Neural Physics: learn a simulation once, then play with it in real time."""

from . import operators, panels
from .neural_physics.blender import (
    capsule_overlay,
    chart,
    commands,
    job_host,
    motion_boxes,
    playback,
    preview_drawing,
    properties,
)
from .neural_physics.blender.registration import register_parts, unregister_parts

PARTS = (
    properties,
    chart,
    job_host,
    motion_boxes,
    capsule_overlay,
    playback,
    preview_drawing,
    operators,
    panels,
    commands,
)


def register() -> None:
    register_parts(PARTS)


def unregister() -> None:
    unregister_parts(PARTS)
