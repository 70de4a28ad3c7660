"""Takes from Alembic and USD: what another program wrote is what this scene would have shown."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from scenes import add_ball, add_empty, add_grid, empty_scene, react_to, settings_of

from neural_physics.blender.exchange.reading import Chosen
from neural_physics.blender.scene.scene_interaction import sample_steps
from neural_physics.blender.settings.own_folders import scratch_folder
from neural_physics.blender.settings.paths import dataset_folder
from neural_physics.blender.tasks.object_tasks import import_steps
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem

pytestmark = pytest.mark.blender

FIRST, LAST = 3, 14


def to_the_end(steps):
    seen = []
    while True:
        try:
            seen.append(next(steps))
        except StopIteration as end:
            return end.value, seen


def keyed(owner, path, values):
    for frame, value in values.items():
        setattr(owner, path, value)
        owner.keyframe_insert(path, frame=frame)


@pytest.fixture
def sheet():
    """It waves by a shape key and travels; a ball and a post move beside it."""
    scene = empty_scene()
    scene.frame_start, scene.frame_end = FIRST, LAST
    sheet = add_grid("Sheet")
    sheet.shape_key_add(name="Rest")
    wave = sheet.shape_key_add(name="Wave")
    for index, point in enumerate(wave.data):
        point.co.y += 0.3 * np.sin(index)
    keyed(wave, "value", {FIRST: 0.0, LAST: 1.0})
    keyed(sheet, "location", {FIRST: (0.0, 0.0, 0.0), LAST: (1.0, 2.0, -1.0)})
    keyed(sheet, "rotation_euler", {FIRST: (0.0, 0.0, 0.0), LAST: (0.5, 0.2, 3.0)})
    sheet.scale = 1.0, 2.0, 0.5
    ball, post = add_ball(), add_empty("Post.001")
    keyed(ball, "location", {FIRST: (0.0, -0.8, 0.0), 8: (0.4, 0.3, 0.2), LAST: (-1.0, 0.0, 0.0)})
    keyed(post, "location", {FIRST: (5.0, 0.0, 0.0), LAST: (5.0, 1.0, 0.0)})
    react_to(sheet, ball)
    react_to(sheet, post)
    settings_of(sheet).start_frame = FIRST
    return sheet


def shapes(obj):
    """(T, V, 3) in the object's own axes, and what it reacts to, as this scene shows both."""
    found = []
    for frame in range(FIRST, LAST + 1):
        bpy.context.scene.frame_set(frame)
        mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
        places = np.empty((len(mesh.vertices), 3), np.float32)
        mesh.vertices.foreach_get("co", places.reshape(-1))
        found.append(places)
    sampled, _ = to_the_end(sample_steps(bpy.context.scene, obj, LAST - FIRST + 1))
    return np.array(found), sampled


def exported(path):
    if path.suffix == ".abc":
        bpy.ops.wm.alembic_export(filepath=str(path), start=FIRST, end=LAST, as_background_job=False)
    else:
        bpy.ops.wm.usd_export(filepath=str(path), export_animation=True)


def imported(obj, path, chosen=None, interaction=None):
    steps = import_steps(bpy.context.scene, obj, path, interaction, role="training", chosen=chosen)
    name, seen = to_the_end(steps)
    return Dataset.open(dataset_folder(obj)).take(name), seen


@pytest.mark.parametrize("suffix", [".abc", ".usdc"])
@pytest.mark.parametrize("frame", ["own", "other"])
def test_shapes_and_what_they_react_to_are_those_of_the_scene(sheet, tmp_path, suffix, frame):
    if frame == "other":
        anchor = add_empty("Anchor")
        keyed(anchor, "rotation_euler", {FIRST: (0.0, 0.0, 1.0), LAST: (0.0, 1.0, 1.0)})
        settings_of(sheet).frame_object = anchor
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    positions, sampled = shapes(sheet)
    exported(tmp_path / f"theirs{suffix}")
    # Here everything stands somewhere else now.
    bpy.data.objects["Ball"].animation_data_clear()
    sheet.animation_data_clear()
    sheet.location, sheet.rotation_euler = (9.0, 9.0, 9.0), (1.0, 1.0, 1.0)
    before = set(bpy.data.objects) | set(bpy.data.meshes)
    take, seen = imported(sheet, tmp_path / f"theirs{suffix}")
    assert set(bpy.data.objects) | set(bpy.data.meshes) == before
    assert len(take.positions) == LAST - FIRST + 1
    assert np.abs(take.interaction - sampled.interaction).max() < 1e-5
    if frame == "other":
        back = np.linalg.inv(sampled.object_from_frame)
        positions = np.einsum("tij,tvj->tvi", back[:, :3, :3], positions) + back[:, None, :3, 3]
    assert np.abs(take.positions - positions).max() < 1e-5
    assert not list(scratch_folder().glob("read_motion*")) and seen


def test_names_of_the_file_can_be_given_and_its_first_shape_be_at_rest(sheet, tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    other = sheet.copy()
    bpy.context.scene.collection.objects.link(other)
    other.name = "Theirs"
    positions, sampled = shapes(sheet)
    bpy.data.objects["Ball"].name = "Sphere"
    exported(tmp_path / "theirs.abc")
    bpy.data.objects["Sphere"].name = "Ball"
    settings_of(sheet).interactions[0].object = bpy.data.objects["Ball"]
    chosen = Chosen("/Theirs", rest=True, others={"Ball": "Sphere"})
    take, _ = imported(sheet, tmp_path / "theirs.abc", chosen)
    assert np.abs(take.interaction - sampled.interaction).max() < 1e-5
    rest = Dataset.open(dataset_folder(sheet)).mesh.rest_positions
    assert np.abs(rest - positions[0]).max() < 1e-5


def test_what_it_reacts_to_may_be_in_a_file_of_its_own(sheet, tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    exported(tmp_path / "theirs.abc")
    rows = np.random.default_rng(0).normal(size=(LAST - FIRST + 1, 6)).astype(np.float32)
    lines = ["Ball.x,Ball.y,Ball.z,Post.x,Post.y,Post.z", *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "y.csv").write_text("\n".join(lines))
    take, _ = imported(sheet, tmp_path / "theirs.abc", interaction=tmp_path / "y.csv")
    assert np.array_equal(take.interaction, rows)


@pytest.mark.parametrize(
    "chosen, code, says",
    [
        (Chosen("Sphere"), "import_lacks", "Sphere"),
        (Chosen("Post_001"), "import_which_mesh", "Sheet"),
        (Chosen(others={"Ball": "Sphere"}), "import_lacks", "Ball"),
    ],
)
def test_names_that_are_not_there_are_told_with_those_that_are(sheet, tmp_path, chosen, code, says):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    exported(tmp_path / "theirs.abc")
    with pytest.raises(Problem, match=says) as caught:
        imported(sheet, tmp_path / "theirs.abc", chosen)
    assert caught.value.code == code and not (dataset_folder(sheet) / "dataset.json").exists()


def test_two_meshes_that_fit_are_told_apart_by_the_artist(sheet, tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    twin = sheet.copy()
    bpy.context.scene.collection.objects.link(twin)
    twin.name = "Twin"
    exported(tmp_path / "theirs.usdc")
    with pytest.raises(Problem, match="Twin") as caught:
        imported(sheet, tmp_path / "theirs.usdc")
    assert caught.value.code == "import_which_mesh"


@pytest.mark.parametrize("suffix", [".abc", ".usdc", ".usda", ".usdz"])
def test_a_damaged_file_is_one_sentence(sheet, tmp_path, suffix):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    path = tmp_path / f"damaged{suffix}"
    path.write_bytes(b"nothing of the kind" * 100)
    with pytest.raises(Problem) as caught:
        imported(sheet, path)
    assert caught.value.code in ("import_failed", "import_which_mesh")
    with pytest.raises(Problem) as caught:
        imported(sheet, tmp_path / f"missing{suffix}")
    assert caught.value.code == "file_missing"


def test_a_file_is_not_read_where_blender_means_another_one(sheet, tmp_path):
    for folder in (tmp_path / "a\\b", tmp_path / "a" / "b"):
        folder.mkdir(parents=True)
        exported(folder / "theirs.abc")
    with pytest.raises(Problem) as caught:
        imported(sheet, tmp_path / "a\\b" / "theirs.abc")
    assert caught.value.code == "place_not_blenders"


def test_another_topology_is_refused(sheet, tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    exported(tmp_path / "theirs.abc")
    other = add_grid("Other", 5)
    react_to(other, bpy.data.objects["Ball"])
    with pytest.raises(Problem) as caught:
        imported(other, tmp_path / "theirs.abc", Chosen("Sheet"))
    assert caught.value.code == "cache_vertex_count"
