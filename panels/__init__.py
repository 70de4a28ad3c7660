"""The N-panel and the preferences: drawing only."""

from __future__ import annotations

from ..neural_physics.blender.settings.registration import register_parts, unregister_parts
from . import bake, capsules, handles, play, preferences, set_up, share, simulation, train

PARTS = (preferences, set_up, simulation, handles, bake, train, play, capsules, share)


def register() -> None:
    register_parts(PARTS)


def unregister() -> None:
    unregister_parts(PARTS)
