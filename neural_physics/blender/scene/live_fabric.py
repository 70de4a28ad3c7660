"""Stretch and bending of cloth: drawn for a take, keyed, and changed by the artist while it plays."""

from __future__ import annotations

import bpy
import numpy as np

from ...baking.fabric_ranges import LIVE, drawn_fabric, fabric_channels
from ...interaction.channels import ChannelLayout
from ...models.model_file import Model
from ..settings.properties import settings_of
from ..settings.simulation import settings_for_solver
from .animation.keying import Span, is_keyed, key_frames


def fabric_varies(obj: bpy.types.Object) -> bool:
    """Whether each take of an object has a fabric of its own."""
    simulation = settings_of(obj).simulation
    return simulation.kind == "SPRINGS" and bool(fabric_channels(settings_for_solver(simulation)))


def key_fabric(obj: bpy.types.Object, span: Span, seed: int) -> None:
    """Give an object the fabric of a take of this seed, for all of the take."""
    if not fabric_varies(obj):
        return
    for name, value in drawn_fabric(settings_for_solver(settings_of(obj).simulation), seed).items():
        obj.driver_remove(setting_path(name))
        key_frames(obj, setting_path(name), np.full((span.count, 1), value), span)


def live_names(layout: ChannelLayout) -> tuple[str, ...]:
    """The channels that the object's own settings of the same names are read into."""
    values = {channel.name for channel in layout.channels if channel.kind == "value"}
    return tuple(name for name in LIVE if name in values)


def setting_path(name: str) -> str:
    """Where one of our settings is, as curves say it."""
    return f"neural_physics.{name}"


def begin_with(obj: bpy.types.Object, model: Model) -> None:
    """Set what a model that is new to an object lets it change to the fabric that it was trained around."""
    fabric = model.info.settings.get("fabric", {})
    for name in live_names(model.info.channels):
        value = fabric.get(name) if isinstance(fabric, dict) else None
        if isinstance(value, int | float) and not is_keyed(obj, setting_path(name)):
            setattr(settings_of(obj), name, value)
