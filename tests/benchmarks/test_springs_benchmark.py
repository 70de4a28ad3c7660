"""What the benchmarks of jiggle springs rely on: what is played, errors by region, and what is reported."""

from __future__ import annotations

from pathlib import Path

import jiggling
import numpy as np
import posing
import pytest

pytest.importorskip("torch")
pytest.importorskip("scipy")
pytestmark = pytest.mark.torch

from matplotlib.figure import Figure

from benchmarks.quasistatic_springs import curves as spring_curves
from benchmarks.quasistatic_springs import errors, plots, scenes, tables, times, training
from benchmarks.quasistatic_springs.motions import Action, evenly, one_for_all, rms, swung
from benchmarks.quasistatic_springs.regions import ALL, REGIONS, Region, regions_of
from benchmarks.quasistatic_springs.scenes import FITTED, STANDING, UNSEEN, Character
from neural_physics.datasets.dataset_info import DatasetInfo, TakeInfo
from neural_physics.datasets.takes import Dataset
from neural_physics.interaction.poses import pose_in, to_world

STRIP = Character("Strip", "STRIP", "Sway", "Far Swing")
SEEDS = {"Sway": 3, "Far Swing": 4}
FRAMES = STANDING + 90
PARTS = {"belly": Region(("bone2", "bone3")), "end": Region(("bone5",), soft=False)}


def poses_of(role: str, count: int, seed: int) -> tuple[TakeInfo, np.ndarray, np.ndarray]:
    matrices, angles = posing.poses(count, seed)
    x = posing.shapes(posing.strip(), matrices, angles)
    return TakeInfo(count, kind="quasistatic", role=role, seed=seed), x, matrices


def moving(action: str) -> tuple[np.ndarray, np.ndarray]:
    """World-space points (FRAMES, V, 3) that swing on springs, and the rig's matrices."""
    mesh = posing.strip()
    matrices, angles = posing.motion(FRAMES, SEEDS[action])
    targets = posing.shapes(mesh, matrices, angles)
    return jiggling.swung(targets, jiggling.causal_slopes(targets), *jiggling.springs(mesh)), matrices


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Where the benchmark keeps all: the strip's takes are there, as if baked."""
    root = tmp_path_factory.mktemp("springs")
    mesh = posing.strip()
    info = DatasetInfo("Strip", mesh.topology(), mesh.vertex_count, jiggling.FPS, channels=posing.LAYOUT)
    dataset = Dataset.create(root / "scenes" / STRIP.example, info, mesh)
    for seed, (role, count) in enumerate((("training", 240), ("validation", 40), ("test", 30))):
        posing.write(dataset, f"poses_{seed:03d}", *poses_of(role, count, seed))
    for action, role in ((STRIP.fitted, "training"), (STRIP.unseen, "test")):
        about = TakeInfo(FRAMES, role=role)
        posing.write(dataset, scenes.take_of(action), about, *moving(action))
    return root


@pytest.fixture(scope="module", autouse=True)
def kept_there(folder):
    """The strip is the benchmark's only character."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(scenes, "SCENES", folder / "scenes")
        patched.setattr(scenes, "SOFT_BODIES", folder / "soft_body")
        patched.setattr(scenes, "MODELS", folder / "models")
        patched.setattr(spring_curves, "CURVES", folder / "curves")
        patched.setattr(spring_curves, "PELVIS", ("bone0",))
        for module in (errors, plots):
            patched.setattr(module, "PRESET", "preview")
        patched.setattr(errors, "JUDGED", (STRIP,))
        patched.setitem(REGIONS, STRIP.example, PARTS)
        yield


@pytest.fixture
def dataset() -> Dataset:
    found = scenes.baked(STRIP)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def judged(kept_there):
    return errors.judge()


def test_a_character_that_lacks_a_take_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(scenes, "SCENES", tmp_path)
    assert errors.judge() == {"characters": [], "missing": ["Strip"]}


def test_errors_are_root_mean_squares_in_the_world_over_a_region_and_an_action(judged, dataset):
    (row,) = judged["characters"]
    for use, action in STRIP.actions.items():
        x, matrices = moving(action)
        off = np.square(jiggling.skinned(dataset.mesh, matrices) - x)[STANDING:].sum(-1)
        mm = row["actions"][use]["mm"][errors.SKINNING]
        assert mm[ALL] == pytest.approx(1e3 * np.sqrt(off.mean()), rel=1e-3)
        belly = off[:, PARTS["belly"].vertices(dataset.mesh)]
        assert mm["belly"] == pytest.approx(1e3 * np.sqrt(belly.mean()), rel=1e-3)
        assert row["actions"][use]["frames"] == FRAMES - STANDING


def test_springs_that_made_the_motion_are_found_and_take_most_of_the_residual_away(judged):
    (row,) = judged["characters"]
    for use in (FITTED, UNSEEN):
        mm = row["actions"][use]["mm"]
        assert tables.removed(mm, tables.SPRINGS, "belly") > 40.0
        own, learned = (mm[way]["belly"] for way in (tables.OWN, tables.SPRINGS))
        assert own < 1.1 * learned
        # One spring cannot be as good as one for each vertex, but is better than none.
        one = mm[errors.ONE][ALL]
        assert mm[tables.SPRINGS][ALL] < one < mm[tables.HELD][ALL]


def test_what_is_measured_is_what_play_shows(judged, dataset):
    model = scenes.model_folder(STRIP.example, "preview") / "model.safetensors"
    method, action = training.loaded(model), Action.of(dataset, "sway")
    held = action.held(lambda pose: method.targets(pose)[0])
    shown = swung(held, training.springs_of(model))
    y = dataset.take("sway").interaction[STANDING:]
    state = method.start(y[0])
    for t, each in enumerate(y):
        state = method.step(state, each, [*y[t + 1 : t + 2]]) if t else state
        played = to_world(pose_in(each), method.positions(state, each))
        assert shown[t] == pytest.approx(played, abs=1e-5)


def test_one_spring_that_made_a_motion_is_found():
    rng = np.random.default_rng(0)
    targets = np.cumsum(rng.normal(0.0, 0.05, (80, 6, 3)), 0).astype(np.float32)
    true = swung(targets, evenly(300.0, 6.0, 6, 1 / 24))
    assert one_for_all(targets, true, 1 / 24) == pytest.approx((300.0, 6.0), rel=0.02)
    assert rms(swung(targets, evenly(300.0, 6.0, 6, 1 / 24)), true) == 0.0


def test_held_poses_are_judged_by_those_for_testing_alone(judged, dataset):
    poses = judged["characters"][0]["poses"]
    assert (poses["solved"], poses["left_out"], poses["learned"], poses["tested"]) == (310, 0, 240, 30)
    matrices, angles = posing.poses(30, 2)
    off = jiggling.skinned(dataset.mesh, matrices) - posing.shapes(dataset.mesh, matrices, angles)
    assert poses["mm"][errors.SKINNING][ALL] == pytest.approx(1e3 * rms(off, 0.0 * off), rel=1e-3)
    assert poses["mm"][errors.HELD][ALL] < 0.5 * poses["mm"][errors.SKINNING][ALL]


def test_curves_have_the_errors_that_are_reported(judged, folder):
    mm = judged["characters"][0]["actions"][FITTED]["mm"]
    with np.load(folder / "curves" / "STRIP_fitted.npz") as curves:
        for key, way in (("from_skinning", "SKINNING"), ("from_network", "HELD")):
            reported = mm[getattr(errors, way)][ALL]
            assert 1e3 * np.sqrt(np.square(curves[key]).mean()) == pytest.approx(reported, rel=1e-4)
        assert (curves["from_network_belly"] >= 0.0).all() and len(curves["springs"]) == FRAMES - STANDING


def test_what_the_pelvis_carries_stands_still_as_seen_from_it(dataset):
    action = Action.of(dataset, "sway")
    moves = np.stack([pose.moves[1] for pose in action.poses])  # of bone0
    rest = dataset.mesh.rest_positions
    carried = np.einsum("nij,vj->nvi", moves[:, :, :3], rest) + moves[:, None, :, 3]
    seen = spring_curves.from_pelvis(dataset, action.poses, carried)
    assert seen == pytest.approx(np.tile(seen[0], (len(seen), 1, 1)), abs=1e-5)
    assert seen[0] - rest == pytest.approx(np.tile(seen[0, 0] - rest[0], (len(rest), 1)), abs=1e-5)


def test_the_tables_have_every_region_and_every_way(judged):
    text = tables.character("Strip")(judged)
    for region in (ALL, *PARTS):
        assert f"| {region} |" in text
    for way in judged["characters"][0]["actions"][FITTED]["mm"]:
        assert f"| {way} |" in text
    assert "240 were learned from" in text
    assert tables.character("Other")(judged) == "Not there yet."


def test_parts_of_a_frame_add_up(judged, dataset):
    model = scenes.model_folder(STRIP.example, "preview") / "model.safetensors"
    found = times.frame_ms(dataset, model, np.asarray(dataset.take("sway").interaction))
    parts = sum(found[name]["median"] for name in ("skinning", "network", "springs", "frame"))
    assert parts == pytest.approx(found["total"]["median"], rel=0.3)
    assert found["total"]["least"] <= found["total"]["median"]


def test_regions_have_their_bones_vertices_on_their_side():
    mesh = posing.strip()
    found = regions_of(STRIP.example, mesh)
    assert found[ALL].all()
    x = mesh.rest_positions[:, 0] / posing.LENGTH
    assert np.array_equal(found["belly"], (x >= 2.0) & (x <= 4.0))
    with pytest.raises(ValueError, match="no vertex"):
        Region(("bone0",), y=(1.0, 2.0)).vertices(mesh)


def test_pictures_are_drawn_of_what_was_measured(judged, dataset, folder, tmp_path, monkeypatch):
    monkeypatch.setitem(plots.VIEWS, STRIP.example, np.eye(3))
    plots.plot_curves(folder / "curves" / "STRIP_fitted.npz", tmp_path / "curves.png")
    plots.plot_springs(STRIP, dataset.mesh, tmp_path / "heat.png")
    for name in ("curves.png", "heat.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


def test_faces_are_in_the_colours_of_their_vertices_and_those_behind_are_hidden():
    mesh, figure = posing.strip(), Figure()
    colours = np.repeat(mesh.rest_positions[:, :1] / mesh.rest_positions[:, 0].max(), 3, axis=1)
    for view, shown in ((np.eye(3), 2 * len(mesh.face_sizes)), (np.diag([-1.0, 1.0, -1.0]), 0)):
        axes = figure.add_subplot()
        plots.draw_coloured(axes, view, mesh, colours)
        (faces,) = axes.collections
        assert len(faces.get_facecolor()) == shown
    first = figure.axes[0].collections[0]
    middles = np.array([path.vertices[:3, 0].mean() for path in first.get_paths()])
    assert first.get_facecolor()[:, 0] == pytest.approx(middles / mesh.rest_positions[:, 0].max(), abs=1e-5)
