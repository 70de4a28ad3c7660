"""Stretch and bending of cloth: drawn for a take, keyed, and changed by the artist while it plays."""

from __future__ import annotations

import bpy
import numpy as np
from bpy_extras.anim_utils import action_get_channelbag_for_slot

from ..channels import ChannelLayout
from ..fabric_ranges import LIVE, drawn_fabric, fabric_channels
from ..model_file import Model
from .keying import Span, key_frames
from .properties import settings_of
from .simulation_properties import settings_for_solver


def fabric_varies(obj: bpy.types.Object) -> bool:
    """Whether each take of an object has a fabric of its own."""
    simulation = settings_of(obj).simulation
    return simulation.kind == "SPRINGS" and bool(fabric_channels(settings_for_solver(simulation)))


def key_fabric(obj: bpy.types.Object, span: Span, seed: int) -> None:
    """Give an object the fabric of a take of this seed, for all of the take."""
    if not fabric_varies(obj):
        return
    for name, value in drawn_fabric(settings_for_solver(settings_of(obj).simulation), seed).items():
        obj.driver_remove(_path(name))
        key_frames(obj, _path(name), np.full((span.count, 1), value), span)


def live_names(layout: ChannelLayout) -> tuple[str, ...]:
    """The channels that the object's own settings of the same names are read into."""
    values = {channel.name for channel in layout.channels if channel.kind == "value"}
    return tuple(name for name in LIVE if name in values)


def is_keyed(obj: bpy.types.Object, name: str) -> bool:
    """Whether keys, a driver or a strip change one of `LIVE`, and not the artist's hand."""
    animation = obj.animation_data
    if animation is None:
        return False
    if animation.nla_tracks or any(curve.data_path == _path(name) for curve in animation.drivers):
        return True
    if animation.action is None:
        return False
    bag = action_get_channelbag_for_slot(animation.action, animation.action_slot)
    return bag is not None and bag.fcurves.find(_path(name)) is not None


def begin_with(obj: bpy.types.Object, model: Model) -> None:
    """Set what a model that is new to an object lets it change to the fabric that it was trained around."""
    fabric = model.info.settings.get("fabric", {})
    for name in live_names(model.info.channels):
        value = fabric.get(name) if isinstance(fabric, dict) else None
        if isinstance(value, int | float) and not is_keyed(obj, name):
            setattr(settings_of(obj), name, value)


def _path(name: str) -> str:
    return f"neural_physics.{name}"
