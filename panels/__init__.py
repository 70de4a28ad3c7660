"""The N-panel and the preferences: drawing only."""

from __future__ import annotations

from types import ModuleType

from ..neural_physics.blender.settings.registration import register_parts, unregister_parts
from ..neural_physics.edition import FULL
from . import (
    bake,
    begin,
    capsules,
    gallery,
    handles,
    layers,
    play,
    set_up,
    share,
    simulation,
    status_bar,
    steps,
    train,
)

SECTIONS = set_up, simulation, handles, bake, train, play, capsules, layers, share
PARTS: tuple[ModuleType, ...] = (steps, gallery, begin, *SECTIONS, status_bar)

if FULL:
    from . import preferences

    PARTS = (preferences, *PARTS)


def register() -> None:
    register_parts(PARTS)


def unregister() -> None:
    unregister_parts(PARTS)
