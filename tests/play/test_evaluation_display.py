"""An evaluation in the scene: the truth beside the prediction, coloured by its error."""

from __future__ import annotations

import json

import bpy
import numpy as np
import play_scenes
import pytest
import synthetic
from changed_blend import open_without_frame_rate

from neural_physics.blender.display import evaluation, legend
from neural_physics.blender.scene.modifiers.cache_modifier import find_blend
from neural_physics.blender.settings.properties import settings_of
from neural_physics.datasets.point_caches import write_pc2
from neural_physics.errors import Problem

pytestmark = pytest.mark.blender
VERTICES = synthetic.sheet_mesh().vertex_count


@pytest.fixture
def sheet(tmp_path):
    """A sheet whose evaluation lies in tmp_path: 40 frames at 12 frames per second."""
    scene = play_scenes.open_scene()
    sheet = play_scenes.add_sheet(play_scenes.add_hand())
    settings_of(sheet).model_path = str(tmp_path / "model.safetensors")
    mesh = synthetic.sheet_mesh()
    truth = synthetic.simulate(mesh, synthetic.hand_motion(40, seed=1))
    write_pc2(tmp_path / "reference.pc2", truth)
    write_pc2(tmp_path / "prediction.pc2", truth + np.float32(0.1))
    np.savez(tmp_path / "error.npz", vertex_error=np.linspace(0.0, 0.2, mesh.vertex_count, dtype=np.float32))
    (tmp_path / "report.json").write_text(json.dumps({"fps": 12.0}))
    scene.frame_start = 1
    return sheet, truth


def cut(path):
    """As a write that was interrupted leaves a file."""
    path.write_bytes(path.read_bytes()[:-40])


def test_hiding_takes_away_the_copies_alone(sheet):
    sheet, _ = sheet
    evaluation.show_evaluation(bpy.context.scene, sheet)
    reference = bpy.data.objects["Sheet Reference"]
    collection = reference.users_collection[0]
    lamp = bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT"))
    kept = bpy.data.objects.new("Kept", bpy.data.objects["Sheet Prediction"].data)  # as Alt D makes it
    for own in (lamp, kept, sheet):
        collection.objects.link(own)
    evaluation.hide_evaluation(sheet)
    assert {obj.name for obj in collection.objects} == {"Lamp", "Kept", "Sheet"}
    assert "Sheet Reference" not in bpy.data.objects and "Sheet Reference" not in bpy.data.meshes
    assert len(kept.data.vertices) == len(sheet.data.vertices)
    assert not evaluation.is_shown(sheet)
    evaluation.show_evaluation(bpy.context.scene, sheet)
    assert evaluation.is_shown(sheet)


def test_looking_whether_there_is_an_evaluation_reads_it_once_and_again_when_it_changes(
    sheet, tmp_path, monkeypatch
):
    sheet, _ = sheet
    reads, read = [], evaluation._read_error
    monkeypatch.setattr(evaluation, "_read_error", lambda obj: reads.append(1) or read(obj))
    for _ in range(3):
        evaluation.check_evaluation(sheet)
    assert len(reads) == 1
    cut(tmp_path / "error.npz")
    for _ in range(3):
        with pytest.raises(Problem, match="has not been evaluated"):
            evaluation.check_evaluation(sheet)
    assert len(reads) == 2


def test_both_play_the_take_beside_the_object(sheet):
    sheet, truth = sheet
    scene = bpy.context.scene
    assert evaluation.show_evaluation(scene, sheet) == pytest.approx(0.2)
    reference, prediction = bpy.data.objects["Sheet Reference"], bpy.data.objects["Sheet Prediction"]
    for take_frame in (0, 7, 39):
        scene.frame_set(1 + 2 * take_frame)  # the scene has 24 frames per second
        assert np.array_equal(play_scenes.shown(reference), truth[take_frame])
        assert np.array_equal(play_scenes.shown(prediction), truth[take_frame] + np.float32(0.1))
    places = [obj.matrix_world.translation.x for obj in (sheet, reference, prediction)]
    assert np.diff(places).min() > sheet.dimensions.x


def test_the_prediction_is_coloured_from_exact_to_worst(sheet):
    sheet, _ = sheet
    evaluation.show_evaluation(bpy.context.scene, sheet)
    mesh = bpy.data.objects["Sheet Prediction"].data
    layer = mesh.color_attributes.active_color
    assert (layer.name, layer.domain) == (evaluation.ERROR, "POINT")
    colours = np.empty((len(mesh.vertices), 4), np.float32)
    layer.data.foreach_get("color", colours.ravel())
    lightness = colours[:, :3] @ (0.2126, 0.7152, 0.0722)
    assert (np.diff(lightness) > 0).all()  # it rises with the error
    assert mesh.materials[0].name == evaluation.MATERIAL
    assert not sheet.data.color_attributes


@pytest.mark.parametrize("value", ["x", [1.0, 2.0], {"a": 1.0}, float("nan"), None])
def test_an_error_that_is_no_number_is_not_shown(sheet, value):
    sheet, _ = sheet
    evaluation.show_evaluation(bpy.context.scene, sheet)
    prediction = evaluation.prediction_of(sheet)
    assert evaluation.largest_error(prediction) > 0.0
    if value is None:
        del prediction[evaluation.LARGEST]
    else:
        prediction[evaluation.LARGEST] = value
    assert evaluation.largest_error(prediction) == 0.0


def test_showing_twice_and_hiding_leave_nothing_behind(sheet):
    sheet, _ = sheet
    before = [len(bpy.data.objects), len(bpy.data.meshes), len(bpy.data.collections), len(bpy.data.materials)]
    for _ in range(2):
        evaluation.show_evaluation(bpy.context.scene, sheet)
        assert evaluation.is_shown(sheet)
        assert len(bpy.data.objects) == before[0] + 2
    evaluation.hide_evaluation(sheet)
    evaluation.hide_evaluation(sheet)
    after = [len(bpy.data.objects), len(bpy.data.meshes), len(bpy.data.collections), len(bpy.data.materials)]
    assert after == before


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda folder: (folder / "error.npz").unlink(), "evaluation_missing"),
        (lambda folder: (folder / "reference.pc2").unlink(), "file_missing"),
        (lambda folder: (folder / "report.json").unlink(), "file_missing"),
        (lambda folder: (folder / "report.json").write_text("{"), "evaluation_other_object"),
        (lambda folder: (folder / "report.json").write_text('{"fps": 0}'), "evaluation_other_object"),
        (lambda folder: cut(folder / "error.npz"), "evaluation_missing"),
        (lambda folder: (folder / "error.npz").write_bytes(b"torn"), "evaluation_other_object"),
        (
            lambda folder: (folder / "report.json").write_text('{"fps": 1' + "0" * 400 + "}"),
            "evaluation_other_object",
        ),
        *(
            (lambda folder, error=error: np.savez(folder / "error.npz", **error), "evaluation_other_object")
            for error in (
                {"vertex_error": np.ones(3)},
                {"vertex_error": np.ones(VERTICES, np.complex128)},
                {"vertex_error": np.zeros(VERTICES, [("a", "f4"), ("b", "f4")])},
                {"vertex_error": np.full(VERTICES, 1e30)},
                {"vertex_error": np.ones(VERTICES), "more": np.ones(1000)},
            )
        ),
        (
            lambda folder: (
                (folder / "prediction.pc2").unlink(),
                write_pc2(folder / "prediction.pc2", np.ones((2, 5, 3), np.float32)),
            ),
            "evaluation_other_object",
        ),
    ],
)
def test_what_is_missing_or_of_another_object_is_refused(sheet, tmp_path, spoil, code):
    sheet, _ = sheet
    spoil(tmp_path)
    with pytest.raises(Problem) as caught:
        evaluation.show_evaluation(bpy.context.scene, sheet)
    assert caught.value.code == code
    assert not evaluation.is_shown(sheet)


def test_the_prediction_is_blended_into_the_reference(sheet):
    sheet, truth = sheet
    largest = evaluation.show_evaluation(bpy.context.scene, sheet)
    copy = evaluation.prediction_of(sheet)
    assert copy.name == "Sheet Prediction" and evaluation.largest_error(copy) == pytest.approx(largest)
    assert legend.shown_errors(bpy.context.scene) == {legend.PREDICTION: pytest.approx(largest)}
    blend = find_blend(copy)
    scene = bpy.context.scene
    for share in (0.0, 0.5, 1.0):
        blend.factor = share
        scene.frame_set(1 + 2 * 10)  # 12 frames a second in a scene of 24
        shown = play_scenes.shown(copy)
        assert shown == pytest.approx(truth[10] + 0.1 * (1.0 - share), abs=1e-5)
    evaluation.hide_evaluation(sheet)
    assert evaluation.prediction_of(sheet) is None and legend.shown_errors(scene) == {}


@pytest.mark.usefixtures("sheet")
def test_in_a_scene_without_a_frame_rate_nothing_is_shown(tmp_path):
    scene = open_without_frame_rate(tmp_path / "scene.blend")
    sheet = bpy.data.objects["Sheet"]
    with pytest.raises(Problem) as caught:
        evaluation.show_evaluation(scene, sheet)
    assert caught.value.code == "frame_rate_missing" and not evaluation.is_shown(sheet)
