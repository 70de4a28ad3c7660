"""Small scenes of known shape for the tests of baking: seconds, not minutes."""

from __future__ import annotations

import bpy

from neural_physics.blender.settings import properties
from neural_physics.blender.settings.properties import settings_of


def empty_scene() -> bpy.types.Scene:
    """A scene with nothing in it, and the settings registered."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if not hasattr(bpy.types.Object, "neural_physics"):
        properties.register()
    return bpy.context.scene


def add_grid(name: str, points: int = 9) -> bpy.types.Object:
    """A square of 2 m, standing, its upper edge in the vertex group "Pins"."""
    rows = [-1.0 + 2.0 * i / (points - 1) for i in range(points)]
    vertices = [(x, 0.0, z) for z in rows for x in rows]
    faces = [
        (a, a + 1, a + points + 1, a + points)
        for row in range(points - 1)
        for a in range(row * points, row * points + points - 1)
    ]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, [], faces)
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    group = obj.vertex_groups.new(name="Pins")
    group.add(range(points * (points - 1), points * points), 1.0, "REPLACE")
    return obj


def add_cloth(name: str = "Sheet", points: int = 9) -> bpy.types.Object:
    obj = add_grid(name, points)
    cloth = obj.modifiers.new("Cloth", "CLOTH")
    cloth.settings.vertex_group_mass = "Pins"
    cloth.settings.quality = 3
    return obj


def add_soft_body(name: str = "Jelly", points: int = 7) -> bpy.types.Object:
    obj = add_grid(name, points)
    body = obj.modifiers.new("Softbody", "SOFT_BODY").settings
    body.use_goal, body.vertex_group_goal = True, "Pins"
    body.goal_default = body.goal_max = 1.0
    body.pull = body.push = 0.8
    body.use_edges, body.use_stiff_quads = True, True
    return obj


def add_ball(name: str = "Ball", place=(0.0, -0.8, 0.0), radius: float = 0.3) -> bpy.types.Object:
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=2, radius=radius, location=place)
    ball = bpy.context.object
    ball.name = name
    ball.modifiers.new("Collision", "COLLISION")
    ball.collision.thickness_outer = 0.05
    return ball


def add_empty(name: str, place=(0.0, 0.0, 0.0)) -> bpy.types.Object:
    empty = bpy.data.objects.new(name, None)
    empty.location = place
    bpy.context.scene.collection.objects.link(empty)
    return empty


def add_wind(name: str = "Wind", strength: float = 100.0) -> bpy.types.Object:
    bpy.ops.object.effector_add(type="WIND")
    wind = bpy.context.object
    wind.name = name
    wind.field.strength = strength
    return wind


def add_rig(name: str = "Rig") -> bpy.types.Object:
    """Two bones of 1 m, one upon the other: "lower" from the origin, "upper" on it."""
    armature = bpy.data.armatures.new(name)
    rig = bpy.data.objects.new(name, armature)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    lower = armature.edit_bones.new("lower")
    lower.head, lower.tail = (0, 0, 0), (0, 0, 1)
    upper = armature.edit_bones.new("upper")
    upper.head, upper.tail, upper.parent = (0, 0, 1), (0, 0, 2), lower
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def rig_with_actions() -> bpy.types.Object:
    """Bends of one bone by a half and by one, and a lift of the other."""
    rig = add_rig()
    for name, bone, path, index, values in (
        ("half", "lower", "rotation_quaternion", 1, (0.5, 0.5)),
        ("whole", "lower", "rotation_quaternion", 1, (1.0, 1.0)),
        ("lift", "upper", "location", 1, (0.0, 1.0)),
    ):
        rig.animation_data_create().action = bpy.data.actions.new(name)
        pose_bone = rig.pose.bones[bone]
        for frame, value in zip((1, 31), values, strict=True):
            getattr(pose_bone, path)[index] = value
            pose_bone.keyframe_insert(path, frame=frame)
        setattr(pose_bone, path, (1, 0, 0, 0) if path == "rotation_quaternion" else (0, 0, 0))
        rig.animation_data.action = None
    return rig


def react_to(obj: bpy.types.Object, other: bpy.types.Object, motion: str = "WANDER", **settings):
    item = settings_of(obj).interactions.add()
    item.name, item.object, item.motion = other.name, other, motion
    for name, value in settings.items():
        setattr(item, name, value)
    settings_of(obj).enabled = True
    return item


def stored(settings):
    """What a file holds of settings; nothing checks what is written there."""
    return settings.bl_system_properties_get(do_create=True) if bpy.app.version >= (5, 0, 0) else settings


def set_frame(frame: int) -> bpy.types.Depsgraph:
    bpy.context.scene.frame_set(frame)
    return bpy.context.evaluated_depsgraph_get()


def linear(obj: bpy.types.Object) -> None:
    """Straight lines between all keys of an object."""
    for curve in fcurves_of(obj):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"


def fcurves_of(obj: bpy.types.Object):
    action = obj.animation_data.action
    if hasattr(action, "fcurves"):
        return list(action.fcurves)
    bags = [bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags]
    return [curve for bag in bags for curve in bag.fcurves]
