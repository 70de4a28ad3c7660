"""Which bones the actions of an armature move: of one that stands still nothing is learned."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np

from ...arrays import Doubles
from ...interaction.channels import Channel, ChannelLayout
from .rigs.reacting_bones import TIP
from .rigs.rig_actions import actions_of, curves_of
from .sampling import ChannelSampler, reference_frame_of
from .simulation_caches import anything_writes

POSES = 4  # looked at of each action, evenly through it
MOST_ACTIONS = 8  # looked at, evenly among all
STILL = 1e-3  # of the box in which the bones are: what moves less stands still
TRANSFORMS = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle", "scale")
MOST = 2**31  # beyond any whole number that Blender holds
OF_BONE = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\](?:\.(\w+)|\["((?:[^"\\]|\\.)*)"\])')


def moving_bones(obj: bpy.types.Object, rig: bpy.types.Object, names: Sequence[str]) -> list[str]:
    """Those of some bones whose heads or tails move, as seen from an object's reference frame.

    All of them where the armature has no actions, or these move none of them. It is posed as in its actions
    for a moment, at the frame that the scene is at: other frames would be simulated by what is simulated.
    Not where anything writes on disk, or may: what depends on the armature is simulated in these poses.
    """
    actions = list(actions_of(rig))
    if not actions or not names or anything_writes():
        return list(names)
    parts = (*names, *(name + TIP for name in names))
    channel = Channel(rig.name, "joints", 3 * len(parts), rig.name, parts=parts)
    sampler = ChannelSampler(obj, ChannelLayout((channel,)), reference_frame_of(obj), {}, fps=1.0)
    found = list[Doubles]()
    step = -(-len(actions) // MOST_ACTIONS)
    with _posed_by_hand(rig) as posed:
        for action in actions[::step]:
            for frame in np.linspace(action.frame_range[0], action.frame_range[1], POSES):
                posed.take(action, float(frame))
                y = sampler.sample(bpy.context.evaluated_depsgraph_get(), 0)
                found.append(y.astype(np.float64).reshape(2, len(names), 3))
    places = np.array(found)
    size = np.linalg.norm(np.ptp(places.reshape(-1, 3), axis=0))
    away = np.linalg.norm(np.ptp(places, axis=0), axis=-1).max(axis=0)
    return [name for name, far in zip(names, away, strict=True) if far > STILL * size] or list(names)


class _Pose:
    """What was changed about the bones of an armature, to be put back."""

    def __init__(self, rig: bpy.types.Object) -> None:
        self._rig = rig
        self._before: dict[tuple[str, str], Any] = {}

    def take(self, action: bpy.types.Action, frame: float) -> None:
        """Pose the bones as an action has them. Of other curves nothing is taken."""
        for (path, index), curve in curves_of(action, self._rig).items():
            matched = OF_BONE.fullmatch(path)
            if matched is not None:
                bone, name, own = (bpy.utils.unescape_identifier(part or "") for part in matched.groups())
                self._set(bone, name or own, index, value=curve.evaluate(frame))
        self._update()

    def put_back(self) -> None:
        """As it was."""
        assert self._rig.pose is not None
        for (bone, name), value in self._before.items():
            posed: Any = self._rig.pose.bones[bone]
            if name in TRANSFORMS:
                setattr(posed, name, value)
            else:
                posed[name] = value
        self._update()

    def _update(self) -> None:
        """Evaluate what drivers make of own properties, too, of which Blender is not told else."""
        self._rig.update_tag(refresh={"DATA"})
        bpy.context.evaluated_depsgraph_get()

    def _set(self, bone: str, name: str, index: int, value: float) -> None:
        posed: Any = self._rig.pose.bones.get(bone) if self._rig.pose else None
        if posed is None or not math.isfinite(value):
            return
        if name in TRANSFORMS:
            before = tuple(getattr(posed, name))
            if 0 <= index < len(before):
                self._before.setdefault((bone, name), before)
                getattr(posed, name)[index] = value
            return
        own = posed.get(name)  # such as a switch between IK and FK
        if isinstance(own, float) or (isinstance(own, int) and abs(value) < MOST):
            known = self._before.setdefault((bone, name), own)
            posed[name] = type(known)(value)


@contextmanager
def _posed_by_hand(rig: bpy.types.Object) -> Iterator[_Pose]:
    posed = _Pose(rig)
    try:
        yield posed
    finally:
        posed.put_back()
