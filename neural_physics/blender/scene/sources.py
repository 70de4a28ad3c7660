"""What is simulated: the mesh, its physics and its pins; and whether it can be worked with."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from typing import cast

import bpy
import numpy as np

from ...arrays import Floats, Indices, StoredIndices
from ...datasets.rest_mesh import Mesh
from ...errors import Problem
from ..settings.from_files.readable_names import readable_name
from ..settings.properties import settings_of
from ..settings.simulation import NOT_SOLVED

PhysicsModifier = bpy.types.ClothModifier | bpy.types.SoftBodyModifier
PHYSICS_TYPES = ("CLOTH", "SOFT_BODY")
PINNED = 0.999  # the weight from which Blender's cloth and soft body hold a vertex fast
HALF = 0.5  # the weight from which the bundled solver does
# Modifiers that move vertices and neither make nor remove any; the first ones of an object that the bundled
# solver simulates carry its pins.
CARRYING_TYPES = (
    "HOOK",
    "ARMATURE",
    "LATTICE",
    "MESH_DEFORM",
    "SURFACE_DEFORM",
    "CURVE",
    "SIMPLE_DEFORM",
    "CAST",
    "WARP",
    "SHRINKWRAP",
    "DISPLACE",
)


def physics_modifiers(obj: bpy.types.Object) -> list[PhysicsModifier]:
    """All Cloth and Soft Body modifiers, in the order of the stack."""
    return [cast(PhysicsModifier, m) for m in obj.modifiers if m.type in PHYSICS_TYPES]


def physics_modifier(obj: bpy.types.Object) -> PhysicsModifier | None:
    """Blender's physics that is learned: the last that is switched on, or the last if Play hides them all.

    None where something else is.
    """
    modifiers = [] if shows_modifiers(obj) else physics_modifiers(obj)
    candidates = [m for m in modifiers if m.show_viewport] or modifiers
    return candidates[-1] if candidates else None


def shows_modifiers(obj: bpy.types.Object) -> bool:
    """Whether what an object's modifiers show is learned, whatever they are."""
    return settings_of(obj).simulation.kind == "MODIFIERS"


def learned_modifier(obj: bpy.types.Object) -> bpy.types.Modifier | None:
    """The last modifier whose result is learned; None where the bundled solver simulates, or it is gone."""
    if shows_modifiers(obj):
        return obj.modifiers.get(settings_of(obj).simulation.last_modifier)
    return None if uses_solver(obj) else physics_modifier(obj)


def uses_solver(obj: bpy.types.Object) -> bool:
    """Whether the bundled solver simulates an object, and not Blender."""
    return settings_of(obj).simulation.kind not in NOT_SOLVED


def physics_of(obj: bpy.types.Object) -> str:
    """What simulates an object, as a dataset's provenance says it; "" where nothing does."""
    if uses_solver(obj):
        return f"bundled solver, {settings_of(obj).simulation.kind.lower()}"
    modifier = learned_modifier(obj)
    if shows_modifiers(obj):
        return "" if modifier is None else f"modifiers, the last {modifier.type.lower()}"
    return "" if modifier is None else modifier.type.lower()


def solver_steps(obj: bpy.types.Object) -> int | None:
    """Steps of implicit Euler in each frame; None where no body of finite elements is simulated."""
    simulation = settings_of(obj).simulation
    return None if simulation.kind in (*NOT_SOLVED, "SPRINGS") else simulation.steps


def carrying_modifiers(obj: bpy.types.Object) -> list[bpy.types.Modifier]:
    """The modifiers that carry the pins of an object that the bundled solver simulates."""
    return list(takewhile(lambda modifier: modifier.type in CARRYING_TYPES, obj.modifiers))


def mesh_data(obj: bpy.types.Object) -> bpy.types.Mesh:
    """The mesh of an object that `check_mesh` accepts, typed."""
    return cast(bpy.types.Mesh, obj.data)


def mesh_of(obj: bpy.types.Object) -> Mesh:
    """The object's own mesh at rest, in its own axes, with the pins of its physics."""
    mesh = mesh_data(obj)
    corners, face_sizes = faces_of(mesh)
    return Mesh(read_positions(mesh), corners, face_sizes, _pins(obj), loose_edges=loose_edges_of(mesh))


def faces_of(mesh: bpy.types.Mesh) -> tuple[StoredIndices, StoredIndices]:
    """The corners and the face sizes of a mesh, as in `rest_mesh.Mesh`."""
    corners = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    face_sizes = np.empty(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("loop_total", face_sizes)
    return corners, face_sizes


def loose_edges_of(mesh: bpy.types.Mesh) -> StoredIndices:
    """(E, 2): the edges that belong to no face."""
    loose, edges = np.empty(len(mesh.edges), bool), np.empty((len(mesh.edges), 2), np.int32)
    mesh.edges.foreach_get("is_loose", loose)
    mesh.edges.foreach_get("vertices", edges.reshape(-1))
    return edges[loose]


def triangle_count(mesh: bpy.types.Mesh) -> int:
    """How many triangles Blender splits a mesh's faces into, without making them."""
    return len(mesh.loops) - 2 * len(mesh.polygons)


def triangles_of(mesh: bpy.types.Mesh) -> StoredIndices:
    """(n, 3): the vertices of a mesh's triangles, as Blender splits its faces."""
    triangles = np.empty((len(mesh.loop_triangles), 3), np.int32)
    mesh.loop_triangles.foreach_get("vertices", triangles.reshape(-1))
    return triangles


def check_layer_names(obj: bpy.types.Object, names: Iterable[str]) -> None:
    """Whether attributes of these names can be given to an object's mesh.

    Raises Problem("layer_name_taken"): a vertex group has the name, which Blender gives no attribute then.
    """
    for name in names:
        if name in obj.vertex_groups:
            raise Problem("layer_name_taken", object=obj.name, group=name)


def read_positions(mesh: bpy.types.Mesh, out: Floats | None = None) -> Floats:
    """The coordinates of a mesh, evaluated or not: (V, 3) float32, metres, into `out` where given.

    Raises Problem("edit_mode").
    """
    layer = cast(bpy.types.FloatVectorAttribute | None, mesh.attributes.get("position"))
    if layer is None and mesh.is_editmode:
        raise Problem("edit_mode", object=mesh.name)
    if layer is None:  # as of any mesh without vertices
        return np.empty((0, 3), np.float32)
    if out is None:
        out = np.empty((len(mesh.vertices), 3), np.float32)
    layer.data.foreach_get("vector", out.reshape(-1))
    return out


def check_mesh(obj: bpy.types.Object | None) -> None:
    """Whether an object's mesh can be read and written.

    Raises Problem("nothing_selected" | "no_mesh" | "object_linked" | "object_overridden" | "edit_mode").
    """
    if obj is None:
        raise Problem("nothing_selected")
    if obj.type != "MESH" or obj.data is None:
        raise Problem("no_mesh", object=readable_name(obj))
    if obj.override_library or obj.data.override_library:
        raise Problem("object_overridden", object=readable_name(obj))
    if obj.library or obj.data.library:
        raise Problem("object_linked", object=readable_name(obj))
    if obj.mode == "EDIT":
        raise Problem("edit_mode", object=readable_name(obj))


def check_shown_mesh(obj: bpy.types.Object) -> None:
    """Whether something else can be shown in an object's place, its mesh staying as it is.

    Raises Problem("object_lost" | "no_mesh" | "object_linked" | "edit_mode").
    """
    override = obj.override_library
    for data in (obj, obj.data, None if override is None else override.reference):
        if data is not None and data.is_missing and data.library is not None:
            raise Problem("object_lost", object=readable_name(obj), path=data.library.filepath)
    if obj.type != "MESH" or obj.data is None:
        raise Problem("no_mesh", object=readable_name(obj))
    if obj.library:
        raise Problem("object_linked", object=readable_name(obj))
    if obj.mode == "EDIT":
        raise Problem("edit_mode", object=readable_name(obj))


def sharing(obj: bpy.types.Object) -> bpy.types.Object | None:
    """Another object on show with the same mesh, which shows whatever is written into it."""
    mesh = mesh_data(obj)
    if mesh.users - mesh.use_fake_user <= 1:
        return None
    others = (other for other in bpy.data.objects if other.data == mesh and other != obj)
    return next((other for other in others if other.users_scene), None)


def check_target(obj: bpy.types.Object | None) -> None:
    """Whether an object's simulation can be baked.

    Raises what `check_mesh` does, and Problem("mesh_without_faces" | "mesh_without_edges" |
    "rods_with_faces" | "pins_unknown" | "softer_unknown" | "no_physics" | "modifier_unknown" |
    "physics_disabled").
    """
    check_mesh(obj)
    assert obj is not None  # check_mesh has refused it
    if uses_solver(obj):
        _check_for_solver(obj)
        return
    modifier = learned_modifier(obj)
    if modifier is None and shows_modifiers(obj):
        raise Problem("modifier_unknown", object=obj.name, modifier=settings_of(obj).simulation.last_modifier)
    if modifier is None:
        raise Problem("no_physics", object=obj.name)
    stood_in_for = bool(settings_of(obj).hidden_modifiers)
    if not modifier.show_viewport and not stood_in_for:
        raise Problem("physics_disabled", object=obj.name, modifier=modifier.name)
    mesh = mesh_data(obj)
    strands = shows_modifiers(obj) and mesh.edges  # of which a node group may make hair
    if not mesh.polygons and not strands:
        raise Problem("mesh_without_faces", object=obj.name)


def _check_for_solver(obj: bpy.types.Object) -> None:
    """Raise the Problem of a mesh, or its pins, that the bundled solver can make nothing of."""
    mesh, simulation = mesh_data(obj), settings_of(obj).simulation
    if simulation.kind == "ROD":
        if mesh.polygons:
            raise Problem("rods_with_faces", object=obj.name)
        if not mesh.edges:
            raise Problem("mesh_without_edges", object=obj.name)
    elif not mesh.polygons:
        raise Problem("mesh_without_faces", object=obj.name)
    if simulation.pins and simulation.pins not in obj.vertex_groups:
        raise Problem("pins_unknown", object=obj.name, group=simulation.pins)
    if simulation.kind == "SOLID" and simulation.softer and simulation.softer not in obj.vertex_groups:
        raise Problem("softer_unknown", object=obj.name, group=simulation.softer)


def pin_group(obj: bpy.types.Object) -> str:
    """The vertex group that says what the physics holds fast; "" for none."""
    modifier = physics_modifier(obj)
    if uses_solver(obj):
        return settings_of(obj).simulation.pins
    if isinstance(modifier, bpy.types.ClothModifier):
        return modifier.settings.vertex_group_mass
    return modifier.settings.vertex_group_goal if isinstance(modifier, bpy.types.SoftBodyModifier) else ""


def _pins(obj: bpy.types.Object) -> Floats:
    """(V,) float32: 1 where the physics holds a vertex fast."""
    modifier, count = physics_modifier(obj), len(mesh_data(obj).vertices)
    if uses_solver(obj):
        return (group_weights(obj, pin_group(obj), 0.0) >= HALF).astype(np.float32)
    if isinstance(modifier, bpy.types.ClothModifier):
        weights = group_weights(obj, pin_group(obj), 0.0)
    elif isinstance(modifier, bpy.types.SoftBodyModifier) and modifier.settings.use_goal:
        body = modifier.settings
        goals = group_weights(obj, pin_group(obj), 1.0) * body.goal_default
        weights = body.goal_min + goals * (body.goal_max - body.goal_min)
    else:
        weights = np.zeros(count, np.float32)
    return (weights > PINNED).astype(np.float32)


def group_weights(obj: bpy.types.Object, name: str, without_group: float) -> Floats:
    """(V,): the weights of a vertex group, 0 outside of it; `without_group` where there is no such group."""
    count = len(mesh_data(obj).vertices)
    if name not in obj.vertex_groups:
        return np.full(count, without_group, np.float32)
    weights = np.zeros(count, np.float32)
    vertices, its = members_of(obj, [name])[name]
    weights[vertices] = its
    return weights


def members_of(obj: bpy.types.Object, names: Iterable[str]) -> dict[str, tuple[Indices, Floats]]:
    """The vertices in each of some vertex groups, which are there, and their weights: read once for all."""
    found: dict[int, tuple[list[int], list[float]]] = {
        obj.vertex_groups[name].index: ([], []) for name in names
    }
    for vertex in mesh_data(obj).vertices:
        for membership in vertex.groups:
            if membership.group in found:
                vertices, weights = found[membership.group]
                vertices.append(vertex.index)
                weights.append(membership.weight)
    return {
        obj.vertex_groups[index].name: (np.array(vertices, np.intp), np.array(weights, np.float32))
        for index, (vertices, weights) in found.items()
    }
