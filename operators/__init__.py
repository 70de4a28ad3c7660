"""Buttons: thin; they read settings and call `neural_physics.blender` or start a job."""

from __future__ import annotations

from ..neural_physics.blender.registration import register_parts, unregister_parts
from . import environment, examples, jobs, set_up

PARTS = (set_up, examples, environment, jobs)


def register() -> None:
    register_parts(PARTS)


def unregister() -> None:
    unregister_parts(PARTS)
