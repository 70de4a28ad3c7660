"""The pieces examples are put together from: sheets, colliders, pins, and their training motion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import pi
from typing import cast

import bmesh
import bpy
from mathutils import Vector

from ...interaction.training_motion import MotionBox
from ...methods.hierarchical_cloth import specification as hierarchical_cloth
from ...methods.latent_dynamics import specification as latent_dynamics
from ..settings.properties import NEURALPHYSICS_PG_interaction, settings_of
from ..settings.simulation import NEURALPHYSICS_PG_simulation, use_preset
from .stage import Colour, Point, add_mesh

Key = tuple[int, Point]  # frame, location in metres
SOLVER_FRAMES = 500  # of a take, which the bundled solver takes longer for than Blender


def sheet(
    collection: bpy.types.Collection, name: str, points: tuple[int, int], size: Point, *, colour: Colour
) -> bpy.types.Object:
    """A grid of points[0] x points[1] vertices in its XY plane, size[0] by size[1] metres."""
    shape = bmesh.new()
    bmesh.ops.create_grid(shape, x_segments=points[0] - 1, y_segments=points[1] - 1, size=0.5)
    bmesh.ops.scale(shape, verts=list(shape.verts), vec=size)
    return add_mesh(collection, name, shape, colour, roughness=0.75)


def cotton(obj: bpy.types.Object, pins: str, frames: int) -> bpy.types.ClothModifier:
    """Blender's cloth with the cotton preset's stiffness; `pins` names the vertex group that holds it."""
    modifier = cast(bpy.types.ClothModifier, obj.modifiers.new("Cloth", "CLOTH"))
    cloth = modifier.settings
    cloth.quality = 5
    cloth.vertex_group_mass = pins
    cloth.mass, cloth.air_damping = 0.3, 1.0
    cloth.tension_stiffness = cloth.compression_stiffness = 15.0
    cloth.shear_stiffness, cloth.bending_stiffness = 5.0, 0.5
    cloth.tension_damping = cloth.compression_damping = cloth.shear_damping = 5.0
    cloth.bending_damping = 0.5
    modifier.collision_settings.distance_min = 0.02
    modifier.point_cache.frame_end = frames
    return modifier


def simulate_as(obj: bpy.types.Object, kind: str, material: str = "") -> NEURALPHYSICS_PG_simulation:
    """Let the bundled solver simulate an object, held by what `hang_on` and `pin` put into "Pins"."""
    settings = settings_of(obj)
    simulation = settings.simulation
    simulation.kind, simulation.pins = kind, "Pins"
    if material:
        use_preset(simulation, material)
    settings.take_frames = SOLVER_FRAMES
    return simulation


def add_handle(body: bpy.types.Object, obj: bpy.types.Object, bone: str = "", radius: float = 0.0) -> None:
    """A handle of a body: an Empty, or a bone of an armature; radius, m, makes it a core."""
    handle = settings_of(body).handles.add()
    handle.name, handle.object = f"{obj.name}/{bone}" if bone else obj.name, obj
    handle.bone, handle.radius = bone, radius


def learn_by_latent_dynamics(obj: bpy.types.Object, frames: int, latents: int) -> None:
    """Choose that method for an object that `simulate_as` has set up; frames: of a take."""
    settings = settings_of(obj)
    settings.method = latent_dynamics.SPECIFICATION.id  # which also lets the solver take one step per frame
    settings.take_frames = frames
    setattr(settings, "latent_count", latents)  # noqa: B010 (declared by the method's specification)


def cloth_of_levels(obj: bpy.types.Object) -> None:
    """Let hierarchical cloth learn an object, held by "Pins", from takes of spring cloth: many short ones, as
    each has a fabric of its own.
    """
    settings = settings_of(obj)
    simulate_as(obj, "SPRINGS")
    settings.method, settings.preset = hierarchical_cloth.SPECIFICATION.id, "balanced"
    settings.take_count, settings.take_frames = 12, 100


def pin(obj: bpy.types.Object, name: str, vertices: Sequence[int], weight: float = 1.0) -> None:
    """Put vertices into a vertex group, made where it is not there yet."""
    group = obj.vertex_groups.get(name) or obj.vertex_groups.new(name=name)
    group.add(list(vertices), weight, "REPLACE")


def hand(
    collection: bpy.types.Collection, obj: bpy.types.Object, name: str, place: Point, *, patch: float
) -> bpy.types.Object:
    """An Empty that holds all vertices of an object within `patch` metres of a place, as fingers would."""
    empty = bpy.data.objects.new(name, None)
    empty.empty_display_type, empty.empty_display_size = "SPHERE", 0.6 * patch
    empty.location = place
    collection.objects.link(empty)
    hang_on(obj, empty, vertices_where(obj, lambda at: (at - Vector(place)).length < patch))
    return empty


def hang_on(obj: bpy.types.Object, mover: bpy.types.Object, vertices: Sequence[int]) -> None:
    """Pin vertices of an object and let another one carry them from where it is; both have no parent."""
    pin(obj, "Pins", vertices)
    pin(obj, mover.name, vertices)
    hook = cast(bpy.types.HookModifier, obj.modifiers.new(mover.name, "HOOK"))
    hook.object, hook.vertex_group, hook.falloff_type = mover, mover.name, "NONE"
    hook.matrix_inverse = mover.matrix_basis.inverted() @ obj.matrix_basis


def thicken(obj: bpy.types.Object, thickness: float) -> None:
    """Thicken a flat body for its looks only: after the physics, so that the simulated mesh stays flat."""
    solidify = cast(bpy.types.SolidifyModifier, obj.modifiers.new("Solidify", "SOLIDIFY"))
    solidify.thickness, solidify.offset = thickness, 0.0
    split = cast(bpy.types.EdgeSplitModifier, obj.modifiers.new("Edge Split", "EDGE_SPLIT"))
    split.split_angle = 0.25 * pi


def vertices_where(obj: bpy.types.Object, holds: Callable[[Vector], bool]) -> list[int]:
    """The vertices whose place in the object's own axes passes a test."""
    mesh = cast(bpy.types.Mesh, obj.data)
    return [vertex.index for vertex in mesh.vertices if holds(vertex.co)]


def collider(
    collection: bpy.types.Collection, name: str, radius: float, place: Point, *, colour: Colour
) -> bpy.types.Object:
    """A ball that cloth and soft bodies run into."""
    shape = bmesh.new()
    bmesh.ops.create_icosphere(shape, subdivisions=3, radius=radius)
    obj = add_mesh(collection, name, shape, colour, roughness=0.3)
    obj.location = place
    obj.modifiers.new("Collision", "COLLISION")
    cast(bpy.types.CollisionSettings, obj.collision).thickness_outer = 0.05
    return obj


def animate(obj: bpy.types.Object, keys: Sequence[Key]) -> None:
    """Key an object's location, so that there is something to see before it is moved by hand."""
    for frame, place in keys:
        obj.location = place
        obj.keyframe_insert("location", frame=frame)
    obj.location = keys[0][1]


def react_to(obj: bpy.types.Object, mover: bpy.types.Object, box: MotionBox) -> None:
    """Let the simulated object's model react to another one, which wanders in the box for training."""
    item = add_interaction(obj, mover)
    item.motion = "WANDER"
    item.box_low, item.box_high = box.low, box.high
    item.shortest, item.longest, item.fastest = box.shortest, box.longest, box.fastest


def add_interaction(obj: bpy.types.Object, mover: bpy.types.Object) -> NEURALPHYSICS_PG_interaction:
    """One more line in the object's list of what it reacts to."""
    settings = settings_of(obj)
    settings.enabled = True
    item = settings.interactions.add()
    item.name, item.object = mover.name, mover
    return item
