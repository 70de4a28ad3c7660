"""The skinning that a skin asks for."""

from __future__ import annotations

from ..arrays import Floats
from .dual_quaternion import DualQuaternionSkinning
from .linear import LinearSkinning
from .skin import Skin


def skinning_of(skin: Skin, rest_positions: Floats) -> LinearSkinning | DualQuaternionSkinning:
    """What a skin makes of rest positions (V, 3), metres, in the object's axes."""
    kind = DualQuaternionSkinning if skin.preserve_volume else LinearSkinning
    return kind(skin, rest_positions)
