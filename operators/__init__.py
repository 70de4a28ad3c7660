"""Buttons: thin; they read settings and call `neural_physics.blender` or start a job."""

from __future__ import annotations

from types import ModuleType

from ..neural_physics.blender.settings.registration import register_parts, unregister_parts
from ..neural_physics.edition import FULL
from . import (
    assets,
    bones,
    capsules,
    evaluation,
    examples,
    handles,
    layers,
    motion_box,
    places,
    play,
    set_up,
    share,
    springs,
    subdividing,
    takes,
)
from .exchange import importing, motion, poses
from .tasks import bake, jobs, other_computers, submitting, train

PARTS: tuple[ModuleType, ...] = (
    set_up,
    subdividing,
    handles,
    motion_box,
    bones,
    examples,
    bake,
    train,
    jobs,
    other_computers,
    submitting,
    places,
    importing,
    evaluation,
    takes,
    play,
    motion,
    poses,
    springs,
    capsules,
    layers,
    share,
    assets,
)

if FULL:
    from . import environment

    PARTS = (*PARTS, environment)


def register() -> None:
    register_parts(PARTS)


def unregister() -> None:
    unregister_parts(PARTS)
