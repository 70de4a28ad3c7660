"""Rigify's own human: constrained deforming bones, bendy ones among them, held against Blender's modifier."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.slow]

import addon_utils
import bpy
import rigs
from mathutils import Quaternion
from scenes import empty_scene, react_to, set_frame

from neural_physics.blender.baking.motion.pose_motion import check_poses, key_poses
from neural_physics.blender.examples.rigify.metarig import generate
from neural_physics.blender.scene.animation.keying import Span
from neural_physics.blender.scene.rigs.skins import skin_of
from neural_physics.blender.scene.sampling import ChannelSampler, layout_of, reference_frame_of
from neural_physics.blender.scene.sources import mesh_of
from neural_physics.blender.settings.properties import settings_of
from neural_physics.interaction.channels import ChannelLayout
from neural_physics.interaction.poses import pose_channel, pose_in
from neural_physics.skinning.of_skin import skinning_of

AROUND, FOLLOWED = 20, 4  # vertices around each deforming bone, and bones that each follows


@pytest.fixture(scope="module", params=["human", pytest.param("wolf", marks=pytest.mark.once)])
def rigged(request) -> Iterator[tuple[bpy.types.Object, bpy.types.Object, str]]:
    """The rig that Rigify makes of a metarig, vertices around its deforming bones, and its name."""
    empty_scene()
    rig = generate(f"armature_{request.param}_metarig_add")
    yield rig, cloud(rig), request.param
    addon_utils.disable("rigify", default_set=True)


def cloud(rig: bpy.types.Object) -> bpy.types.Object:
    rng, points = np.random.default_rng(0), []
    bones = [bone for bone in rig.data.bones if bone.use_deform]
    ends = np.array([(bone.head_local[:], bone.tail_local[:]) for bone in bones])
    for head, tail in ends:
        along = head + rng.uniform(-0.1, 1.1, (AROUND, 1)) * (tail - head)
        points.append(along + rng.normal(0.0, 0.02 + 0.1 * np.linalg.norm(tail - head), (AROUND, 3)))
    data = bpy.data.meshes.new("Body")
    data.from_pydata(np.concatenate(points).tolist(), [], [])
    body = bpy.data.objects.new("Body", data)
    bpy.context.scene.collection.objects.link(body)
    away = np.linalg.norm(np.concatenate(points)[:, None] - ends.mean(1), axis=2)
    groups = [body.vertex_groups.new(name=bone.name) for bone in bones]
    for vertex, distances in enumerate(away):
        for bone in np.argsort(distances)[:FOLLOWED]:
            groups[bone].add([vertex], 1.0 / (0.01 + distances[bone]), "REPLACE")
    body.modifiers.new("Armature", "ARMATURE").object = rig
    settings = settings_of(body)
    settings.enabled, settings.method, settings.simulation.kind = True, "quasistatic_springs", "SOLID"
    react_to(body, rig)
    return body


def pose(rig: bpy.types.Object, seed: int, scale: float) -> None:
    """Every control turned by up to 34 degrees, shifted by up to 2 cm and scaled."""
    rng = np.random.default_rng(seed)
    for bone in rig.pose.bones:
        if bone.custom_shape is None:
            continue
        bone.rotation_mode = "QUATERNION"
        bone.rotation_quaternion = Quaternion(rng.normal(size=3), 0.6 * rng.uniform(-1.0, 1.0))
        bone.location, bone.scale = 0.02 * rng.uniform(-1.0, 1.0, 3), 1.0 + scale * rng.uniform(-1.0, 1.0, 3)
    bpy.context.view_layer.update()


@pytest.mark.parametrize("preserve_volume", [False, True])
def test_a_rig_of_rigify_is_skinned_as_by_the_armature_modifier(rigged, preserve_volume):
    rig, body, _ = rigged
    body.modifiers[0].use_deform_preserve_volume = preserve_volume
    layout = layout_of(body)
    channel, where = pose_channel(layout)
    bendy = sum(bone.bbone_segments > 1 for bone in rig.data.bones if bone.use_deform)
    assert bendy > 30 and len(channel.parts) > 400
    sampler = ChannelSampler(body, layout, reference_frame_of(body), {}, fps=24.0)
    rest = mesh_of(body).rest_positions
    skinned = skinning_of(skin_of(body), rest)
    for seed, scale in ((0, 0.0), (1, 0.0), (2, 0.2)):
        pose(rig, seed, scale)
        theirs = rigs.shown(body)
        assert np.abs(theirs - rest).max() > 0.3
        ours = skinned(pose_in(sampler.sample(set_frame(1), 1)[where]).moves)
        assert np.abs(ours - theirs).max() < 1e-5 * np.ptp(theirs, axis=0).max()


LEGS = {"thigh.R": "pelvis.R", "shin.L": "thigh.L.001", "foot.R": "shin.R.001"}
TURNED = {
    "human": {"upper_arm.L": "shoulder.L", "forearm.R": "upper_arm.R.001", "hand.L": "forearm.L.001", **LEGS},
    "wolf": LEGS,
}
STIFF = {"shin.R.001": "shin.R", "thigh.L.001": "thigh.L"}


def test_random_poses_of_a_rig_of_rigify_turn_its_controls(rigged):
    rig, body, name_of_rig = rigged
    turned = TURNED[name_of_rig]
    settings = settings_of(body)
    settings.pose_source, settings.pose_count, settings.pose_range = "RANDOM", 40, 0.5
    settings.simulation.bone_radius, settings.simulation.tetrahedra = 0.02, 5000
    for bone in rig.pose.bones:
        bone.matrix_basis.identity()
    check_poses(body)
    key_poses(bpy.context.scene, body, Span(1, 40, 24.0), seed=3)
    angles: dict[str, list[float]] = {name: [] for name in (*turned, *STIFF)}
    bends: dict[str, list[float]] = {name: [] for name in angles}  # without twists along the bone
    sizes = []
    for frame in range(1, 41):
        bones = rig.evaluated_get(set_frame(frame)).pose.bones
        sizes.append([bone.matrix.to_scale()[:] for bone in bones if bone.bone.use_deform])
        for name, before in (*turned.items(), *STIFF.items()):
            child, parent = bones[f"DEF-{name}"], bones[f"DEF-{before}"]
            now = parent.matrix.inverted() @ child.matrix
            at_rest = parent.bone.matrix_local.inverted() @ child.bone.matrix_local
            turn = (at_rest.inverted() @ now).to_quaternion().angle
            angles[name].append(min(turn, 2.0 * np.pi - turn))
            bends[name].append(now.col[1].xyz.angle(at_rest.col[1].xyz))
    for name in turned:  # evenly within half a radian about each axis
        assert 0.3 < np.median(angles[name]) < 0.7 and max(angles[name]) < 1.2, name
    for name in STIFF:
        assert max(bends[name]) < 0.15, name
    assert np.min(sizes) > 0.75 and np.max(sizes) < 1.3, (
        "a jaw that opens stretches lips to twice their length"
    )


def test_what_a_body_of_rigify_reacts_to_can_be_stored(rigged):
    layout = layout_of(rigged[1])
    assert ChannelLayout.from_json(layout.to_json()) == layout
