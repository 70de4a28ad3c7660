"""Models of what other programs' caches and Geometry Nodes show play as near as those of the original."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.slow]

import bpy
from bakes import BOX, command_for, run
from lengths import at_length
from scenes import add_ball, add_cloth, add_empty, add_grid, empty_scene, react_to, set_frame, settings_of

from neural_physics.blender.playing import handlers, packing, playback
from neural_physics.blender.scene.sources import read_positions
from neural_physics.datasets.takes import Dataset

ROOT = Path(__file__).resolve().parents[2]
FRAMES, FPS = 240, 24
SETTINGS = {
    "linear_dynamics": ["--bases", "8"],
    "subspace_physics": [
        "--bases",
        "8",
        *(f"--set={s}" for s in ("steps=400", "validate_every=100", "mirror=false")),
    ],
}
SAME = 0.05  # of the error, that training may make of differences of a ten-thousandth of a millimetre


def learning(*words: object) -> dict:
    """What a job of the learning programs says at last."""
    argv = [sys.executable, "-m", "learning", *map(str, words), "--json"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(argv, capture_output=True, text=True, cwd=ROOT, env=environment, check=False)
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def trained(dataset: Path, method: str) -> Path:
    model = dataset.parent / f"{dataset.name}_{method}" / "model.safetensors"
    learning("train", dataset, "--method", method, *SETTINGS[method], "--out", model)
    return model


def error_of(obj: bpy.types.Object, model: Path, truth: np.ndarray) -> float:
    """How far what Play shows is from the truth, over how far that is from its mean."""
    packing.pack(obj, model.read_bytes())
    playback.attach(obj)
    away = np.linalg.norm(shown(obj) - truth)
    playback.detach(obj)
    return float(away / np.linalg.norm(truth - truth.mean(axis=0)))


def add_wandering_ball(seed: int = 3) -> bpy.types.Object:
    ball = add_ball()
    rng = np.random.default_rng(seed)
    for frame in range(1, FRAMES + 1, 12):
        ball.location = rng.uniform((-0.6, -0.6, -0.6), (0.6, 0.3, 0.2))
        ball.keyframe_insert("location", frame=frame)
    return ball


def simulated(seed: int = 3) -> bpy.types.Object:
    """The original: Blender's cloth, which a ball runs into."""
    scene = empty_scene()
    scene.render.fps, scene.frame_end = FPS, FRAMES
    sheet = add_cloth("Sheet", 13)
    react_to(sheet, add_wandering_ball(seed), "KEEP")
    return sheet


def shown(obj: bpy.types.Object) -> np.ndarray:
    """(FRAMES, V, 3) metres, as this scene shows it."""
    return np.array(
        [read_positions(obj.evaluated_get(set_frame(frame)).data) for frame in range(1, FRAMES + 1)]
    )


def cached(folder: Path, kind: str) -> bpy.types.Object:
    """What is open, exported and brought into a scene of its own."""
    path = folder / f"sheet.{kind}"
    if kind == "abc":
        bpy.ops.wm.alembic_export(filepath=str(path), as_background_job=False, start=1, end=FRAMES)
    else:
        bpy.ops.wm.usd_export(filepath=str(path), export_animation=True)
    scene = empty_scene()
    scene.render.fps, scene.frame_end = FPS, FRAMES
    if kind == "abc":
        bpy.ops.wm.alembic_import(filepath=str(path), as_background_job=False)
    else:
        bpy.ops.wm.usd_import(filepath=str(path))
    (sheet,) = [obj for obj in bpy.data.objects if obj.type == "MESH" and obj.name.startswith("Sheet")]
    for other in [obj for obj in bpy.data.objects if obj != sheet]:
        bpy.data.objects.remove(other)
    settings_of(sheet).simulation.kind = "MODIFIERS"
    react_to(sheet, add_wandering_ball(), "KEEP")
    return sheet


@pytest.fixture(autouse=True)
def _frames_are_followed():
    empty_scene()
    handlers.register()
    yield
    handlers.unregister()


@dataclass(frozen=True)
class Original:
    """What Blender's cloth does, and models of it.

    positions: of its take. truths: (FRAMES, V, 3) metres, of the motion in the take and of another.
    """

    positions: np.ndarray
    truths: dict[str, np.ndarray]
    models: dict[str, Path]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Original:
    folder = tmp_path_factory.mktemp("original") / "dataset"
    truths = {"seen": shown(simulated()), "fresh": shown(simulated(seed=4))}
    assert run(command_for(simulated(), folder, takes=1, frames=FRAMES))["event"] == "result"
    models = {method: trained(folder, method) for method in SETTINGS}
    return Original(np.array(Dataset.open(folder).take("take_000").positions), truths, models)


# That each Blender reads both is tested in a few frames, in test_shown_by_modifiers.
@pytest.mark.once
@pytest.mark.parametrize("kind", at_length(["abc"], ["abc", "usdc"]))
def test_a_model_of_a_cache_plays_as_near_as_one_of_the_original(kind, original, tmp_path):
    simulated()
    sheet = cached(tmp_path, kind)
    assert run(command_for(sheet, tmp_path / kind, takes=1, frames=FRAMES))["event"] == "result"
    positions = np.asarray(Dataset.open(tmp_path / kind).take("take_000").positions)
    assert np.abs(original.positions - original.truths["seen"]).max() < 1e-5
    assert np.abs(positions - original.positions).max() < 1e-5
    models = {
        "original": original.models,
        kind: {method: trained(tmp_path / kind, method) for method in SETTINGS},
    }
    for motion, truth in original.truths.items():
        if motion == "fresh":
            bpy.data.objects.remove(settings_of(sheet).interactions[0].object)
            settings_of(sheet).interactions[0].object = add_wandering_ball(seed=4)
        check_same(sheet, models, truth)


def check_same(sheet: bpy.types.Object, models: dict[str, dict[str, Path]], truth: np.ndarray) -> None:
    """Play the models of both sources on what is open: they are as near to the truth."""
    for method in SETTINGS:
        original, other = (error_of(sheet, of_source[method], truth) for of_source in models.values())
        assert other == pytest.approx(original, rel=SAME), method


def soft_sheet(hand: bpy.types.Object) -> bpy.types.Object:
    """A sheet whose vertices follow a hand, each in its own time: a simulation of Geometry Nodes."""
    sheet = add_grid("Sheet", 9)
    group = bpy.data.node_groups.new("Cloth", "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    new, link = group.nodes.new, group.links.new

    def vector(operation: str, *values: bpy.types.NodeSocket) -> bpy.types.NodeSocket:
        node = new("ShaderNodeVectorMath")
        node.operation = operation
        for socket, value in zip(node.inputs, values, strict=False):
            link(value, socket)
        return node.outputs["Vector"]

    enter, leave, keep = new("NodeGroupInput"), new("NodeGroupOutput"), new("GeometryNodeStoreNamedAttribute")
    begin, end, move = (
        new(f"GeometryNode{n}") for n in ("SimulationInput", "SimulationOutput", "SetPosition")
    )
    position, rest, share = (
        new("GeometryNodeInputPosition"),
        *(new("GeometryNodeInputNamedAttribute") for _ in "ab"),
    )
    info = new("GeometryNodeObjectInfo")
    begin.pair_with_output(end)
    keep.data_type = rest.data_type = "FLOAT_VECTOR"
    for node, name in ((keep, "rest"), (rest, "rest"), (share, "share")):
        node.inputs["Name"].default_value = name
    info.transform_space, info.inputs["Object"].default_value = "RELATIVE", hand
    values = sheet.data.attributes.new("share", "FLOAT", "POINT")
    values.data.foreach_set("value", shares(len(sheet.data.vertices)))
    aim = vector("ADD", rest.outputs["Attribute"], info.outputs["Location"])
    step = vector("MULTIPLY", vector("SUBTRACT", aim, position.outputs[0]), share.outputs["Attribute"])
    for one, other in (
        (enter.outputs[0], keep.inputs["Geometry"]),
        (position.outputs[0], keep.inputs["Value"]),
        (keep.outputs[0], begin.inputs["Geometry"]),
        (begin.outputs["Geometry"], move.inputs["Geometry"]),
        (step, move.inputs["Offset"]),
        (move.outputs[0], end.inputs["Geometry"]),
        (end.outputs["Geometry"], leave.inputs[0]),
    ):
        link(one, other)
    sheet.modifiers.new("Cloth", "NODES").node_group = group
    settings_of(sheet).simulation.kind = "MODIFIERS"
    react_to(sheet, hand, **BOX)
    return sheet


def shares(count: int) -> np.ndarray:
    return np.linspace(0.05, 0.4, count, dtype=np.float32)


def followed(rest: np.ndarray, hand: np.ndarray) -> np.ndarray:
    """What the sheet does, in Blender's precision: in the first frame nothing has been simulated yet."""
    shapes = [rest]
    for place in hand[1:]:
        shapes.append(shapes[-1] + shares(len(rest))[:, None] * (rest + place - shapes[-1]))
    return np.array(shapes)


def test_a_model_of_a_cloth_of_geometry_nodes_plays_as_near_as_one_of_its_equations(tmp_path):
    scene = empty_scene()
    scene.render.fps, scene.frame_end = FPS, FRAMES
    hand = add_empty("Hand")
    sheet = soft_sheet(hand)
    bpy.context.view_layer.update()
    assert run(command_for(sheet, tmp_path / "nodes", takes=4, frames=100))["event"] == "result"
    nodes = Dataset.open(tmp_path / "nodes")
    equations = Dataset.create(tmp_path / "equations", nodes.info, nodes.mesh)
    for name in nodes.take_names():
        take, outline = nodes.take(name), nodes.outline(name)
        shapes = followed(nodes.mesh.rest_positions, np.asarray(take.interaction))
        assert np.abs(np.asarray(take.positions) - shapes).max() < 1e-5
        with equations.writer(name, replace(outline.info, complete=False)) as writer:
            for positions, y in zip(shapes, take.interaction, strict=True):
                writer.append(positions, y)
    models = {
        source: {method: trained(tmp_path / source, method) for method in SETTINGS}
        for source in ("equations", "nodes")
    }
    rng = np.random.default_rng(5)
    for frame in range(1, FRAMES + 1, 12):
        hand.location = rng.uniform(BOX["box_low"], BOX["box_high"])
        hand.keyframe_insert("location", frame=frame)
    places = np.array(
        [hand.evaluated_get(set_frame(frame)).matrix_world.to_translation() for frame in range(1, FRAMES + 1)]
    )
    check_same(sheet, models, followed(nodes.mesh.rest_positions, places))
