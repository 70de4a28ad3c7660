"""Blender 5.2's own dynamics of Geometry Nodes, which are experimental, as what is learned from.

Hair Dynamics moves curves: a mesh of strands is made curves and a mesh again by its modifier's node group.
"""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("bpy")
import bpy

pytestmark = [
    pytest.mark.blender,
    pytest.mark.skipif(bpy.app.version < (5, 2), reason="these nodes came with Blender 5.2"),
]

from bakes import BOX, command_for, run
from lengths import at_length
from scenes import add_ball, add_grid, empty_scene, react_to, set_frame, settings_of

from neural_physics.blender.baking.made_with import made_with
from neural_physics.blender.playing import handlers, packing, playback
from neural_physics.blender.scene.sources import read_positions
from neural_physics.datasets.takes import Dataset

ROOT = Path(__file__).resolve().parents[2]
FRAMES = 60
CLOTH, COLLIDER, HAIR = "Cloth Dynamics (Experimental)", "Collider", "Hair Dynamics"
STRANDS, POINTS = 12, 8


def assets(*names: str) -> list[bpy.types.NodeTree]:
    """Node groups that Blender brings along."""
    path = Path(bpy.utils.system_resource("DATAFILES"), "assets/nodes/geometry_nodes_dynamics_assets.blend")
    with bpy.data.libraries.load(str(path)) as (_, wanted):
        wanted.node_groups = list(names)
    return wanted.node_groups


def value_of(modifier: bpy.types.NodesModifier, name: str):
    """The first input of this name."""
    items = modifier.node_group.interface.items_tree
    (first, *_) = [i for i in items if i.item_type == "SOCKET" and i.in_out == "INPUT" and i.name == name]
    return getattr(modifier.properties.inputs, first.identifier)


def add_effectors() -> bpy.types.Collection:
    """A ball that collides, in a collection as these nodes ask for."""
    effectors = bpy.data.collections.new("Effectors")
    bpy.context.scene.collection.children.link(effectors)
    ball = add_ball()
    (ball.modifiers.new("Collider", "NODES").node_group,) = assets(COLLIDER)
    effectors.objects.link(ball)
    return effectors


def learned(obj: bpy.types.Object, **box: tuple[float, float, float]) -> bpy.types.Object:
    """It learns what its modifiers show, from a ball that wanders."""
    settings_of(obj).simulation.kind = "MODIFIERS"
    react_to(obj, bpy.data.objects["Ball"], **box)
    bpy.context.view_layer.update()
    return obj


@pytest.fixture
def sheet() -> bpy.types.Object:
    """A sheet that hangs on its upper edge."""
    empty_scene()
    sheet = add_grid("Sheet", 9)
    cloth = sheet.modifiers.new("Cloth", "NODES")
    (cloth.node_group,) = assets(CLOTH)
    value_of(cloth, "Effectors Collection").value = add_effectors()
    pins = value_of(cloth, "Pin Group")
    pins.type, pins.attribute_name = "ATTRIBUTE", "Pins"
    return learned(sheet, **BOX)


@pytest.fixture
def hair() -> bpy.types.Object:
    """Strands that hang down."""
    scene = empty_scene()
    points = [(0.1 * (s % 4), 0.1 * (s // 4), -0.08 * k) for s in range(STRANDS) for k in range(POINTS)]
    edges = [(k, k + 1) for k in range(len(points)) if (k + 1) % POINTS]
    data = bpy.data.meshes.new("Hair")
    data.from_pydata(points, edges, [])
    hair = bpy.data.objects.new("Hair", data)
    scene.collection.objects.link(hair)
    group = bpy.data.node_groups.new("Strands", "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    kinds = "NodeGroupInput", "GeometryNodeMeshToCurve", "GeometryNodeGroup", "GeometryNodeCurveToMesh"
    chain = [group.nodes.new(kind) for kind in (*kinds, "NodeGroupOutput")]
    (chain[2].node_tree,) = assets(HAIR)
    chain[2].inputs["Mode"].default_value = "Physics (Experimental)"
    chain[2].inputs["Effectors Collection"].default_value = add_effectors()
    for one, other in pairwise(chain):
        group.links.new(one.outputs[0], other.inputs[0])
    hair.modifiers.new("Hair", "NODES").node_group = group
    return learned(hair, box_low=(-0.3, -0.5, -0.6), box_high=(0.6, 0.7, -0.2))


def replayed(sheet: bpy.types.Object, places: np.ndarray) -> np.ndarray:
    """(F, V, 3) metres: what Blender shows while the ball is keyed through these places."""
    ball = settings_of(sheet).interactions[0].object
    bpy.context.view_layer.objects.active = ball
    bpy.ops.object.simulation_nodes_cache_delete(selected=False)
    for frame, place in enumerate(places, start=1):
        ball.location = place
        ball.keyframe_insert("location", frame=frame)
    frames = range(1, len(places) + 1)
    return np.array([read_positions(sheet.evaluated_get(set_frame(frame)).data) for frame in frames])


def test_takes_are_what_blender_shows_with_the_same_motion(sheet, tmp_path):
    for folder in ("first", "again"):
        assert run(command_for(sheet, tmp_path / folder, takes=2, frames=FRAMES, seed=3))["event"] == "result"
    first, again = (Dataset.open(tmp_path / folder) for folder in ("first", "again"))
    top = first.mesh.rest_positions[:, 2] > 0.99
    for take, same in zip(first.takes(), again.takes(), strict=True):
        positions = np.asarray(take.positions)
        assert np.array_equal(positions, same.positions)
        assert np.abs(positions[:, top] - first.mesh.rest_positions[top]).max() < 0.01, "pinned"
        assert np.linalg.norm(positions - positions[0], axis=2).max() > 0.1, "the ball has moved it"
        assert np.abs(replayed(sheet, np.asarray(take.interaction)) - positions).max() < 1e-3


def test_strands_of_hair_dynamics_are_learned_from(hair, tmp_path):
    assert run(command_for(hair, tmp_path / "d", takes=2, frames=FRAMES, seed=3))["event"] == "result"
    dataset = Dataset.open(tmp_path / "d")
    rest = dataset.mesh.rest_positions
    roots = np.arange(0, len(rest), POINTS)
    for take in dataset.takes():
        positions = np.asarray(take.positions)
        assert np.abs(positions[:, roots] - rest[roots]).max() < 1e-5
        lengths = np.linalg.norm(np.diff(positions.reshape(FRAMES, STRANDS, POINTS, 3), axis=2), axis=-1)
        assert np.abs(lengths / 0.08 - 1.0).max() < 0.15
        assert np.linalg.norm(positions - rest, axis=-1).max() > 0.1, "the ball has moved them"
        assert np.abs(replayed(hair, np.asarray(take.interaction)) - positions).max() < 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("source", at_length(["sheet"], ["sheet", "hair"]))
def test_models_of_them_play(source, request, tmp_path):
    """Nearer to what Blender shows than the mean shape is, on a take that was learned and on another."""
    obj = request.getfixturevalue(source)
    assert run(command_for(obj, tmp_path / "d", takes=6, frames=120), 600)["event"] == "result"
    model = tmp_path / "model" / "model.safetensors"
    words = [
        "train",
        tmp_path / "d",
        "--method",
        "subspace_physics",
        "--bases",
        "8",
        "--out",
        model,
        "--json",
    ]
    settings = [f"--set={each}" for each in ("steps=400", "validate_every=100")]
    argv = [sys.executable, "-m", "learning", *map(str, words), *settings]
    done = subprocess.run(argv, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr
    assert run(command_for(obj, tmp_path / "fresh", takes=1, frames=120, seed=8), 600)["event"] == "result"
    packing.pack(obj, model.read_bytes())
    handlers.register()
    playback.attach(obj)
    errors = {}
    for name in ("d", "fresh"):
        take, *_ = Dataset.open(tmp_path / name).takes()
        truth = np.asarray(take.positions)
        away = replayed(obj, np.asarray(take.interaction)) - truth
        errors[name] = np.linalg.norm(away) / np.linalg.norm(truth - truth.mean(axis=0))
    handlers.unregister()
    assert errors["d"] < 0.8 and errors["fresh"] < 1.0, errors


def test_the_attribute_that_an_input_reads_decides_the_takes(sheet):
    """And of two inputs of one name, as *Gravity* is, both do."""
    scene, cloth = bpy.context.scene, sheet.modifiers["Cloth"]
    seen = [made_with(scene, sheet)]
    value_of(cloth, "Pin Group").attribute_name = "Others"
    seen.append(made_with(scene, sheet))
    value_of(cloth, "Pin Group").type = "VALUE"
    seen.append(made_with(scene, sheet))
    value_of(cloth, "Gravity").value = False
    seen.append(made_with(scene, sheet))
    assert all(one != other for i, one in enumerate(seen) for other in seen[:i])
