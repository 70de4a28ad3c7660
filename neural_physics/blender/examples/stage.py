"""What makes an example look like something: light, camera, ground and materials."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import cos, pi, sin
from typing import cast

import bmesh
import bpy
from mathutils import Matrix, Vector

Point = tuple[float, float, float]
Colour = tuple[float, float, float]

CLOTH: Colour = (0.55, 0.03, 0.04)
BALL: Colour = (0.90, 0.42, 0.04)
SAIL: Colour = (0.05, 0.22, 0.42)
FLAG: Colour = (0.02, 0.30, 0.22)
RUBBER: Colour = (0.30, 0.06, 0.36)
STEEL: Colour = (0.03, 0.03, 0.04)
JELLY: Colour = (0.62, 0.02, 0.08)
CLAY: Colour = (0.62, 0.36, 0.22)
MOSS: Colour = (0.10, 0.34, 0.12)
BEAM: Colour = (0.08, 0.36, 0.46)
STRAW: Colour = (0.66, 0.42, 0.12)
PORCELAIN: Colour = (0.75, 0.74, 0.70)
GROUND: Colour = (0.30, 0.36, 0.42)


@dataclass(frozen=True)
class View:
    """Where the camera stands and looks, metres, and its focal length, millimetres."""

    camera: Point
    target: Point
    lens: float = 50.0


@dataclass(frozen=True)
class Light:
    """A square light that shines at the view's target; metres and watts."""

    name: str
    place: Point
    size: float
    watts: float


LIGHTS = (
    Light("Key", (-3.0, -4.0, 4.0), 2.0, 300.0),
    Light("Fill", (4.5, -3.0, 1.5), 4.0, 60.0),
    Light("Rim", (2.0, 4.0, 3.5), 1.5, 220.0),
)


def open_stage(
    scene: bpy.types.Scene, name: str, view: View, ground: float, *, frames: int, fps: int = 24
) -> bpy.types.Collection:
    """Start an example: a collection with light, camera and ground; the scene's range and rate.

    ground: the height of the ground in metres.
    """
    collection = bpy.data.collections.new(name)
    scene.collection.children.link(collection)
    scene.frame_start, scene.frame_end = 1, frames
    scene.render.fps, scene.render.fps_base = fps, 1.0
    scene.render.resolution_x = scene.render.resolution_y = 720
    scene.camera = _camera(collection, view)
    if scene.world is None:
        scene.world = _world()
    for light in LIGHTS:
        _area_light(collection, light, view.target)
    _backdrop(collection, ground)
    return collection


def add_mesh(
    collection: bpy.types.Collection, name: str, shape: bmesh.types.BMesh, colour: Colour, *, roughness: float
) -> bpy.types.Object:
    """Make a smooth-shaded object of a shape, which is freed."""
    mesh = bpy.data.meshes.new(name)
    shape.to_mesh(mesh)
    shape.free()
    mesh.shade_smooth()
    mesh.materials.append(material(name, colour, roughness))
    obj = bpy.data.objects.new(name, mesh)
    collection.objects.link(obj)
    return obj


def material(name: str, colour: Colour, roughness: float) -> bpy.types.Material:
    """A plain material, much the same in the viewport as in a render."""
    made = bpy.data.materials.new(name)
    # The viewport's plain light swallows more than the lamps do.
    made.diffuse_color = (*(part**0.8 for part in colour), 1.0)
    made.roughness = roughness
    made.use_nodes = True
    _set_input(made.node_tree, "Principled BSDF", "Base Color", (*colour, 1.0))
    _set_input(made.node_tree, "Principled BSDF", "Roughness", roughness)
    return made


def rod(
    collection: bpy.types.Collection, name: str, middle: Point, axis: str, *, length: float
) -> bpy.types.Object:
    """A thin steel rod along the world's X or Z."""
    shape = bmesh.new()
    bmesh.ops.create_cone(shape, cap_ends=True, segments=24, radius1=0.02, radius2=0.02, depth=length)
    if axis == "X":
        bmesh.ops.rotate(shape, verts=list(shape.verts), matrix=Matrix.Rotation(pi / 2, 3, "Y"))
    obj = add_mesh(collection, name, shape, STEEL, roughness=0.35)
    obj.location = middle
    return obj


def block(
    collection: bpy.types.Collection, name: str, size: Point, middle: Point, *, colour: Colour
) -> bpy.types.Object:
    """A cuboid with rounded edges; size and middle in metres."""
    shape = bmesh.new()
    bmesh.ops.create_cube(shape, size=1.0)
    bmesh.ops.scale(shape, verts=list(shape.verts), vec=size)
    bmesh.ops.bevel(
        shape, geom=list(shape.edges), offset=0.04 * max(size), segments=3, profile=0.5, affect="EDGES"
    )
    obj = add_mesh(collection, name, shape, colour, roughness=0.4)
    cast(bpy.types.Mesh, obj.data).shade_flat()
    obj.location = middle
    return obj


def _camera(collection: bpy.types.Collection, view: View) -> bpy.types.Object:
    data = bpy.data.cameras.new("Camera")
    data.lens = view.lens
    obj = bpy.data.objects.new("Camera", data)
    collection.objects.link(obj)
    _aim(obj, view.camera, view.target)
    return obj


def _area_light(collection: bpy.types.Collection, light: Light, target: Point) -> None:
    data = cast(bpy.types.AreaLight, bpy.data.lights.new(light.name, "AREA"))
    data.energy, data.size = light.watts, light.size
    obj = bpy.data.objects.new(light.name, data)
    collection.objects.link(obj)
    _aim(obj, light.place, target)


def _aim(obj: bpy.types.Object, place: Point, target: Point) -> None:
    """Put an object somewhere, its -Z axis towards the target."""
    obj.location = place
    obj.rotation_euler = (Vector(target) - Vector(place)).to_track_quat("-Z", "Y").to_euler()


def _world() -> bpy.types.World:
    world = bpy.data.worlds.new("Studio")
    world.use_nodes = True
    _set_input(world.node_tree, "Background", "Color", (0.70, 0.80, 0.95, 1.0))
    _set_input(world.node_tree, "Background", "Strength", 0.3)
    return world


def _set_input(tree: bpy.types.NodeTree | None, node: str, name: str, value: object) -> None:
    assert tree is not None  # it was just made, with nodes
    setattr(tree.nodes[node].inputs[name], "default_value", value)  # noqa: B010 (sockets are typed one by one)


def _backdrop(collection: bpy.types.Collection, ground: float) -> None:
    """A floor that curves up into a wall, as in a photographer's studio; it collides with nothing."""
    turn = [(7.0 + 3.0 * sin(a), 3.0 - 3.0 * cos(a)) for a in (pi / 2 * i / 16 for i in range(17))]
    profile = [(-20.0, 0.0), *turn, (10.0, 16.0)]
    shape = bmesh.new()
    rows = [[shape.verts.new((x, y, ground + z)) for x in (-25.0, 25.0)] for y, z in profile]
    for near, far in pairwise(rows):
        shape.faces.new((near[0], near[1], far[1], far[0]))
    add_mesh(collection, "Backdrop", shape, GROUND, roughness=0.9)
