"""What decides how an object's takes come out, beside the motion in each of them: read from the scene.

Left out is what is only shown, how many takes there are and how long, how what the object reacts to moves,
which every take has recorded, and settings that are keyed or driven, which have no single value.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any, cast

import bpy
import numpy as np

from ...arrays import Floats, Indices
from ...datasets.fingerprint import Fingerprint, Value, digest
from ..scene.animation.keying import KeyedPaths, is_keyed
from ..scene.artist_handles import cores_of
from ..scene.collider_meshes import collider_objects
from ..scene.modifiers.modifier_stack import is_on, stands_in
from ..scene.references import with_parents
from ..scene.rigs.shape_keys import shape_keys_of
from ..scene.sources import (
    PhysicsModifier,
    learned_modifier,
    members_of,
    mesh_data,
    mesh_of,
    physics_modifier,
    physics_of,
    pin_group,
    read_positions,
    shows_modifiers,
    uses_solver,
)
from ..settings.from_files.readable_names import readable_name
from ..settings.properties import method_of, settings_of
from ..settings.simulation import settings_for_solver

Settings = dict[str, Value]
MOST_MET = 1000  # colliders, and force fields, that are looked at: each has some fifty settings
# What a simulation writes itself, what only prints, and what is told apart in other parts.
NO_SETTINGS = (
    "rna_type",
    "location_mass_center",
    "rotation_estimate",
    "scale_estimate",
    "use_diagnose",
    "use_estimate_matrix",
)
COLLISIONS = (  # what cloth and soft bodies read of a collider; the rest is for particles
    "damping",
    "thickness_outer",
    "thickness_inner",
    "cloth_friction",
    "use_culling",
    "use_normal",
)
FIELDS = (  # without noise, which a bake switches off, and what are other names of the same numbers
    "type",
    "shape",
    "falloff_type",
    "z_direction",
    "strength",
    "flow",
    "wind_factor",
    "size",
    "rest_length",
    "harmonic_damping",
    "quadratic_drag",
    "falloff_power",
    "distance_min",
    "distance_max",
    "radial_falloff",
    "radial_min",
    "radial_max",
    "use_min_distance",
    "use_max_distance",
    "use_radial_min",
    "use_radial_max",
    "use_2d_force",
    "use_absorption",
    "use_gravity_falloff",
    "use_multiple_springs",
)


def made_with(scene: bpy.types.Scene, obj: bpy.types.Object) -> Fingerprint:
    """All that decides an object's takes, by the words an artist has for it."""
    asked = _Asked(obj)
    gravity = scene.gravity[:] if scene.use_gravity else (0.0, 0.0, 0.0)
    parts: dict[str, Settings | str] = {
        "physics": physics_of(obj),
        "pins": asked.weights(pin_group(obj)),
        "mesh": digest(mesh_of(obj).rest_positions),
        "object": _scale(obj),
        "scene": {"gravity": list(gravity)},
    }
    keys = shape_keys_of(obj) if method_of(obj).follows_bones else None
    if keys is not None:
        parts["shape keys"] = json.dumps([*keys.names, digest(keys.vertices), digest(keys.offsets)])
    if uses_solver(obj):
        parts |= _of_solver(asked)
        parts["colliders"] = _all_of(_shape(other) for other in collider_objects(scene, obj))
        return parts
    if shows_modifiers(obj):
        return parts | _of_modifiers(asked)
    modifier = physics_modifier(obj)
    if modifier is not None:
        parts |= _of_blender(asked, modifier)
        parts["colliders"] = _all_of(_collider(other) for other in _met(scene, obj, modifier))
        listed = {item.object for item in settings_of(obj).interactions}
        parts["force fields"] = _all_of(_field(other, other in listed) for other in _felt(scene, modifier))
    return parts


class _Asked:
    """An object, and what of it is read once for all that asks: what is keyed, and its vertex groups."""

    def __init__(self, obj: bpy.types.Object) -> None:
        self.obj = obj

    @cached_property
    def keyed(self) -> KeyedPaths:
        return KeyedPaths(self.obj)

    def weights(self, group: str) -> str:
        """A digest of a vertex group's weights, "" where there is none."""
        if group not in self.obj.vertex_groups:
            return ""
        weights = np.zeros(len(mesh_data(self.obj).vertices), np.float32)
        vertices, its = self._members[group]
        weights[vertices] = its
        return digest(weights)

    @cached_property
    def _members(self) -> dict[str, tuple[Indices, Floats]]:
        return members_of(self.obj, self.obj.vertex_groups.keys())


def _scale(obj: bpy.types.Object) -> Settings:
    """The object's scale in the world; none where that changes from frame to frame."""
    if any(is_keyed(owner, "scale") or owner.constraints for owner in with_parents(obj)):
        return {}
    return {"scale": list(obj.matrix_world.to_scale().to_tuple())}


def _of_solver(asked: _Asked) -> dict[str, Settings | str]:
    obj = asked.obj
    simulation = settings_of(obj).simulation
    softness = simulation.softer if simulation.kind == "SOLID" else ""
    return {
        "simulation settings": asdict(settings_for_solver(simulation)),
        "softness group": asked.weights(softness),
        "handles": {"core radius": [core.radius for core in cores_of(obj)]},
    }


def _of_modifiers(asked: _Asked) -> dict[str, Settings | str]:
    """What is in node groups and in files is not looked at."""
    settings: Settings = {}
    obj = asked.obj
    for modifier in obj.modifiers:
        if not stands_in(modifier):
            path = f'modifiers["{bpy.utils.escape_identifier(modifier.name)}"]'
            found = _values(asked, modifier, path)
            found |= {"is on": is_on(obj, modifier), "type": modifier.type}
            if isinstance(modifier, bpy.types.NodesModifier):
                found |= _inputs(modifier, path, asked.keyed)
            shown = {setting.identifier for setting in bpy.types.Modifier.bl_rna.properties} - {"type"}
            settings |= {f"{modifier.name}: {name}": found[name] for name in found if name not in shown}
        if modifier == learned_modifier(obj):
            break
    return {"modifiers": settings}


def _inputs(modifier: bpy.types.NodesModifier, path: str, keyed: KeyedPaths) -> Settings:
    """What a node group is given, without what is keyed."""
    group = modifier.node_group
    if group is None or group.interface is None:
        return {}
    found: Settings = {"node group": readable_name(group)}
    items: Any = group.interface.items_tree
    for item in (each for each in items if each.item_type == "SOCKET" and each.in_out == "INPUT"):
        said = f"input {item.name}"
        if said in found:  # as Blender's own cloth has two that are called Gravity
            said = f"{said} ({item.identifier})"
        value = _input(modifier, item.identifier, path, keyed)
        if value is not None:
            found[said] = value
    return found


def _input(modifier: bpy.types.NodesModifier, name: str, path: str, keyed: KeyedPaths) -> Value | None:
    """What one input is given, by its identifier: a value, or the attribute that it reads. None: keyed."""
    properties = getattr(modifier, "properties", None)  # Blender 5 has them apart
    if properties is None:
        by_identifier = cast(Any, modifier)
        value: Any = by_identifier.get(name)
        attribute = by_identifier.get(f"{name}_use_attribute") and by_identifier.get(f"{name}_attribute_name")
        path = f'{path}["{name}"]'
    else:
        holder = getattr(properties.inputs, name, None)
        value = getattr(holder, "value", None)
        attribute = getattr(holder, "type", "") == "ATTRIBUTE" and getattr(holder, "attribute_name", "")
        path = f"{path}.properties.inputs.{name}.value"
    if isinstance(attribute, str):
        return f"attribute {attribute}"
    if value is None or path in keyed:
        return None
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, bpy.types.ID):
        return readable_name(value)
    numbers = np.ravel(value)
    # In Blender 4.5 a script may put anything there.
    return cast(list[float], numbers.astype(float).tolist()) if numbers.dtype.kind in "biuf" else None


def _of_blender(asked: _Asked, modifier: PhysicsModifier) -> dict[str, Settings | str]:
    path = f'modifiers["{bpy.utils.escape_identifier(modifier.name)}"]'
    settings = _values(asked, modifier.settings, f"{path}.settings")
    settings.pop("gravity")  # the scene's
    weights = modifier.settings.effector_weights
    assert weights is not None  # they are part of the settings
    fields = _values(asked, weights, f"{path}.settings.effector_weights")
    settings |= {f"field weight {name}": value for name, value in fields.items()}
    if isinstance(modifier, bpy.types.ClothModifier):
        collisions = _values(asked, modifier.collision_settings, f"{path}.collision_settings")
        settings |= {f"collision {name}": value for name, value in collisions.items()}
        settings["rest shape key"] = _rest_shape(asked.obj, modifier.settings.rest_shape_key)
        return {"cloth settings": settings}
    return {"soft body settings": settings}


def _values(asked: _Asked, owner: bpy.types.bpy_struct, path: str) -> Settings:
    """The settings below a path of an object, vertex groups by their weights."""
    found: Settings = {}
    for setting in owner.bl_rna.properties:
        name = setting.identifier
        if name in NO_SETTINGS or setting.is_readonly or f"{path}.{name}" in asked.keyed:
            continue
        value: Any = getattr(owner, name)
        if name.startswith("vertex_group") and setting.type == "STRING":
            if value != pin_group(asked.obj) or not _pins(owner, name):
                found[name] = asked.weights(value)
        elif getattr(setting, "is_array", False):
            found[name] = np.ravel(value).astype(float).tolist()
        elif isinstance(value, set):  # of flags
            found[name] = ", ".join(sorted(value))
        elif setting.type in ("BOOLEAN", "ENUM"):
            found[name] = value
        elif setting.type in ("INT", "FLOAT"):
            found[name] = float(value)
    return found


def _pins(owner: bpy.types.bpy_struct, name: str) -> bool:
    """Whether a setting names the pins, which are a part of their own."""
    if isinstance(owner, bpy.types.ClothSettings):
        return name == "vertex_group_mass"
    return isinstance(owner, bpy.types.SoftBodySettings) and name == "vertex_group_goal"


def _rest_shape(obj: bpy.types.Object, shape: bpy.types.ShapeKey | None) -> str:
    """ "" where the mesh itself is the shape at rest, as where there are no other keys."""
    keys = mesh_data(obj).shape_keys
    if shape is None or keys is None or shape == keys.reference_key:
        return ""
    if len(shape.data) != len(mesh_data(obj).vertices):  # as only a damaged file has it: there may be fewer
        return ""
    places = np.empty((len(shape.data), 3), np.float32)
    shape.data.foreach_get("co", places.reshape(-1))
    return digest(places)


def _met(scene: bpy.types.Scene, obj: bpy.types.Object, modifier: PhysicsModifier) -> list[bpy.types.Object]:
    """What the object collides with."""
    if isinstance(modifier, bpy.types.ClothModifier):
        collisions = modifier.collision_settings
        chosen, collides = collisions.collection, collisions.use_collision
    else:
        chosen, collides = modifier.settings.collision_collection, True
    return _those_in(chosen, collider_objects(scene, obj)) if collides else []


def _felt(scene: bpy.types.Scene, modifier: PhysicsModifier) -> list[bpy.types.Object]:
    """The force fields that act on the object."""
    weights = modifier.settings.effector_weights
    fields = [other for other in scene.objects if other.field and other.field.type != "NONE"]
    shown = [other for other in fields if not other.hide_viewport]
    return _those_in(None if weights is None else weights.collection, shown)


def _those_in(
    collection: bpy.types.Collection | None, objects: Sequence[bpy.types.Object]
) -> list[bpy.types.Object]:
    """Those of some objects that a simulation is limited to: `MOST_MET`, in the scene's order."""
    allowed = set(objects if collection is None else collection.all_objects)
    return [other for other in objects if other in allowed][:MOST_MET]


def _collider(other: bpy.types.Object) -> str:
    collision = other.collision
    assert collision is not None  # it collides
    return _shape(other) + _texts(_values(_Asked(other), collision, "collision"), COLLISIONS)


def _shape(other: bpy.types.Object) -> str:
    """A collider's own mesh, as large as it is: not how its modifiers shape it, which may move."""
    scale = np.ones(3, np.float32) if is_keyed(other, "scale") else np.array(other.scale[:], np.float32)
    return digest(read_positions(cast(bpy.types.Mesh, other.data)) * scale)


def _field(other: bpy.types.Object, listed: bool) -> str:
    """The settings of a force field, without the strength where the object reacts to that."""
    assert other.field is not None  # it has one
    values = _values(_Asked(other), other.field, "field")
    return _texts(values, (name for name in FIELDS if not listed or name != "strength"))


def _texts(values: Settings, names: Iterable[str]) -> str:
    return json.dumps({name: values.get(name) for name in names})


def _all_of(descriptions: Iterator[str]) -> str:
    """One digest for what is there, in whatever order and under whatever names."""
    return digest(np.array(sorted(descriptions), dtype=np.str_))
