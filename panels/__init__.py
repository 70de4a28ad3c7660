"""The N-panel and the preferences: drawing only."""

from __future__ import annotations

from ..neural_physics.blender.registration import register_parts, unregister_parts

PARTS = ()


def register() -> None:
    register_parts(PARTS)


def unregister() -> None:
    unregister_parts(PARTS)
