"""What an artist would only see after a bake: what falls for ever, and what is run over where it rests.

Sentences, none of which keeps anything from being baked. What they need is looked at once a second at most.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import bpy
import numpy as np

from ...arrays import Doubles
from ..scene.collider_meshes import collider_objects
from ..scene.rigs.holding_bones import carrying_rig, holding_rig
from ..scene.sampling import is_wind
from ..scene.sources import mesh_data, mesh_of, physics_modifier, pin_group, shows_modifiers, uses_solver
from ..settings.properties import NEURALPHYSICS_PG_interaction, method_of, settings_of
from .surroundings import gravity_of

LOOK_AGAIN = 1.0  # seconds
VOLUMES = ("SOLID",)  # kinds of the bundled solver that have an inside
Box = tuple[Doubles, Doubles]


@dataclass(frozen=True)
class Forewarning:
    """A sentence for the panel. group: the vertex group that a button makes the pins, "" for no button."""

    sentence: str
    group: str = ""


_seen: dict[int, tuple[float, list[Forewarning]]] = {}  # by the object's session_uid


def forget_forewarnings() -> None:
    """Look at all objects again."""
    _seen.clear()


def forewarnings(scene: bpy.types.Scene, obj: bpy.types.Object) -> list[Forewarning]:
    """Of an object that `preparing.check_bake` accepts."""
    when, found = _seen.get(obj.session_uid, (float("-inf"), []))
    if time.monotonic() - when > LOOK_AGAIN:
        found = look(scene, obj)
        _seen[obj.session_uid] = time.monotonic(), found
    return found


def look(scene: bpy.types.Scene, obj: bpy.types.Object) -> list[Forewarning]:
    """The same, looked at now."""
    mesh = mesh_of(obj)
    world = np.array(obj.matrix_world, np.float64)
    points = mesh.rest_positions @ world[:3, :3].T + world[:3, 3]
    pinned = points[mesh.pins >= 1.0]
    found: list[Forewarning] = []
    lone = lone_group(obj)
    if lone:
        found.append(
            Forewarning(f"The vertex group “{lone}” of {obj.name} is not used: are these its pins?", lone)
        )
    by_bones = holding_rig(obj) is not None
    held = shows_modifiers(obj) or len(pinned) > 0 or by_bones or _is_drawn_to_goal(obj)
    if not held and _weighs(scene, obj) and not _anything_below(scene, obj, points):
        bones = settings_of(obj).simulation.kind == "SOLID" and carrying_rig(obj) is not None
        found.append(
            Forewarning(
                f"Nothing holds {obj.name}, and nothing is below it: it will fall for ever. Choose its pins, "
                + ("raise Bone Radius above 0, " if bones else "")
                + "or give what it is to land on Collision physics."
            )
        )
    if method_of(obj).follows_bones and _has_absolute_keys(obj):
        found.append(
            Forewarning(
                f"The shape keys of {obj.name} are not relative, and do not show while "
                f"{method_of(obj).label} plays: switch Relative on in its shape keys, or apply them."
            )
        )
    for item in settings_of(obj).interactions:
        box = _swept(item)
        if box is not None and item.object is not None and not _carries(item.object, obj):
            found += _run_over(obj, item.object, box, pinned)
    return found


def lone_group(obj: bpy.types.Object) -> str:
    """The only vertex group of an object none of which is chosen for pins, "" if there is no such."""
    if len(obj.vertex_groups) != 1 or pin_group(obj) or shows_modifiers(obj):
        return ""
    used = settings_of(obj).simulation.softer
    name = obj.vertex_groups[0].name
    chosen = {getattr(modifier, "vertex_group", "") for modifier in obj.modifiers}
    follows = any(modifier.type == "ARMATURE" for modifier in obj.modifiers)
    return "" if follows or name == used or name in chosen else name


def use_as_pins(obj: bpy.types.Object, group: str) -> None:
    """Let what simulates an object hold the vertices of a group."""
    modifier = physics_modifier(obj)
    if uses_solver(obj):
        settings_of(obj).simulation.pins = group
    elif isinstance(modifier, bpy.types.ClothModifier):
        modifier.settings.vertex_group_mass = group
    elif isinstance(modifier, bpy.types.SoftBodyModifier):
        body = modifier.settings
        body.use_goal, body.vertex_group_goal = True, group
        body.goal_default = body.goal_max = 1.0
        body.goal_min = 0.0
    _seen.pop(obj.session_uid, None)


def _has_absolute_keys(obj: bpy.types.Object) -> bool:
    """Shapes that its mesh goes through one after the other."""
    keys = mesh_data(obj).shape_keys
    return keys is not None and not keys.use_relative and len(keys.key_blocks) > 1


def _is_drawn_to_goal(obj: bpy.types.Object) -> bool:
    """Whether Blender's soft body draws vertices to where they are, though it pins none."""
    modifier = physics_modifier(obj)
    if uses_solver(obj) or not isinstance(modifier, bpy.types.SoftBodyModifier):
        return False
    return modifier.settings.use_goal and modifier.settings.goal_default > 0.0


def _weighs(scene: bpy.types.Scene, obj: bpy.types.Object) -> bool:
    return float(np.linalg.norm(gravity_of(scene, obj))) > 0.0


def _anything_below(scene: bpy.types.Scene, obj: bpy.types.Object, points: Doubles) -> bool:
    """Whether some collider reaches under the object, wherever its training motion takes it."""
    low, high = points.min(0), points.max(0)
    boxes = {item.object: _swept(item) for item in settings_of(obj).interactions}
    for other in collider_objects(scene, obj):
        ends = _grown(boxes.get(other), _bounds(other))
        # At the same height is below too: a ball in a sheet's middle, or a body that stands on a floor.
        if (ends[0][:2] <= high[:2]).all() and (ends[1][:2] >= low[:2]).all() and ends[0][2] <= high[2]:
            return True
    return False


def _run_over(obj: bpy.types.Object, mover: bpy.types.Object, box: Box, pinned: Doubles) -> list[Forewarning]:
    """What cannot get out of a collider's way: pins in its box, and a volume that it begins in.

    That a box runs through what is held elsewhere is how cloth is pushed and a body struck.
    """
    if len(pinned) and bool(_within(pinned, box).any()):
        what = f"the pins of {obj.name}, which cannot move out of its way"
    elif settings_of(obj).simulation.kind in VOLUMES and _is_inside(obj, mover):
        return [
            Forewarning(
                f"{mover.name} begins inside {obj.name}, which cannot get out of its way: move it outside."
            )
        ]
    else:
        return []
    return [
        Forewarning(f"The box of {mover.name} runs through {what}: make it smaller under Training Motion.")
    ]


def _is_inside(obj: bpy.types.Object, mover: bpy.types.Object) -> bool:
    """Whether an object's origin is inside a closed mesh."""
    place = obj.matrix_world.inverted_safe() @ mover.matrix_world.translation
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    if not evaluated.is_evaluated:  # as of what is disabled in viewports
        return False
    found, nearest, normal, _ = evaluated.closest_point_on_mesh(place)
    return bool(found) and (nearest - place).dot(normal) > 0.0


def _carries(mover: bpy.types.Object, obj: bpy.types.Object) -> bool:
    """Whether an object's pins go where a mover goes."""
    return obj.parent == mover or any(getattr(m, "object", None) == mover for m in obj.modifiers)


def _within(points: Doubles, box: Box) -> Doubles:
    inside: Doubles = ((points > box[0]) & (points < box[1])).all(1)
    return inside


def _swept(item: NEURALPHYSICS_PG_interaction) -> Box | None:
    """Where the origin of a collider that wanders may be; None for others."""
    mover = item.object
    if mover is None or item.motion != "WANDER" or is_wind(mover) or mover.type != "MESH":
        return None
    if not any(modifier.type == "COLLISION" for modifier in mover.modifiers):
        return None
    return np.array(item.box_low[:], np.float64), np.array(item.box_high[:], np.float64)


def _grown(box: Box | None, bounds: Box) -> Box:
    """Where a collider may reach: its own bounds, moved all over its box."""
    if box is None:
        return bounds
    half = (bounds[1] - bounds[0]) / 2.0
    return box[0] - half, box[1] + half


def _bounds(other: bpy.types.Object) -> Box:
    """Opposite corners of an object, in world space."""
    world = np.array(other.matrix_world, np.float64)
    corners = np.array([corner[:] for corner in other.bound_box]) @ world[:3, :3].T + world[:3, 3]
    return corners.min(0), corners.max(0)
