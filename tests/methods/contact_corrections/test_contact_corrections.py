"""Contact corrections: what is learned of a block that a ball presses, what Play does, what is refused."""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np
import pytest
import torch
from bake_requests import cuboid, ground
from handle_blocks import placed
from motion_data import make_dataset
from pressed_blocks import RADIUS, bake, pressed, silent
from swinging_strips import bake as bake_strip
from swinging_strips import strip

from learning.training.presets import NAMES, changed
from learning.training.spans import Span, split
from ml_backend.commands.train import add_arguments, run
from ml_backend.methods.contact_corrections import handle_fitting, statics
from ml_backend.methods.contact_corrections import scene as scene_module
from ml_backend.methods.contact_corrections.data import solve_corrections
from ml_backend.methods.contact_corrections.handle_fitting import spread_points
from ml_backend.methods.contact_corrections.placed_handles import PlacedHandle
from ml_backend.methods.contact_corrections.played_depths import as_played
from ml_backend.methods.contact_corrections.presets import PRESETS, ContactPreset
from ml_backend.methods.contact_corrections.scene import contact_scene
from ml_backend.methods.contact_corrections.shapes_at_rest import reference_depth_of
from ml_backend.methods.contact_corrections.ways_in import Facets
from neural_physics.datasets.simulation_request import Tracks
from neural_physics.datasets.takes import TRACKS, Dataset
from neural_physics.errors import Problem
from neural_physics.evaluation.rollouts import check_belongs
from neural_physics.jobs.events import StopRequest
from neural_physics.methods.contact_corrections.corrections import pressing
from neural_physics.methods.contact_corrections.part import Part
from neural_physics.methods.contact_corrections.surroundings import Surroundings
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import Model, read_model
from neural_physics.timeline.timeline import Timeline

pytestmark = pytest.mark.torch
NO_STOP = StopRequest()
QUICK = ["handles=10", "poses=40", "traverses=4", "depths=2", "cubature=70", "epochs=400", "batch=128"]
QUICK += ["minutes=0", "learning_rate=3e-3", "validate_every=150", "external_width=250"]


def train(dataset, out, *settings, stop=NO_STOP, words=(), emit=silent):
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    words = ["--method", "contact_corrections", "--bases", "24", *words, str(dataset.path), "--out", str(out)]
    torch.set_num_threads(1)
    return run(parser.parse_args(words + [f"--set={s}" for s in (*QUICK, *settings)]), emit, stop)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return bake(tmp_path_factory.mktemp("pressed") / "dataset", pressed(tetrahedra=150), 90)


@pytest.fixture(scope="module")
def trained(dataset, tmp_path_factory):
    out = tmp_path_factory.mktemp("trained") / "model.safetensors"
    return out, train(dataset, out)


@pytest.fixture(scope="module")
def linear(dataset, tmp_path_factory):
    """The same handles without corrections."""
    out = tmp_path_factory.mktemp("linear") / "model.safetensors"
    train(dataset, out, "internal=false", "external=false", "poses=10")
    return load_method(read_model(out))


@pytest.fixture(scope="module")
def held_out(dataset, tmp_path_factory):
    """Shapes at rest of states of the validation take, and what there was to see."""
    preset = changed(ContactPreset(), ["handles=10", "pressed=1200", "traverses=4", "depths=2"])
    training, validation = split(dataset)
    scene = contact_scene(dataset, dataset.body, training, preset.handles)
    return scene, solve(scene, validation, 12, preset, path=tmp_path_factory.mktemp("held") / "out")


def solve(scene, spans, count, preset, path, stop=NO_STOP):
    return solve_corrections(
        scene, spans, count, preset, seed=7, kept=(path, "it"), stage="solving", emit=silent, stop=stop
    )


def test_corrections_bring_unseen_shapes_nearer_to_the_full_body(trained, held_out):
    """Over all vertices of shapes at rest, without contact and with it: what is left of what handles lack."""
    method, (scene, data) = load_method(read_model(trained[0])), held_out
    part = Part(method.handles, method.dynamics.corrections.basis, np.arange(scene.body.vertex_count))

    def left(samples, touched):
        wrong = lacking = 0.0
        for q, place, r in zip(samples.states, samples.centres, samples.r, strict=True):
            q, centre = q.astype(float), place[None].astype(float)
            n = scene.handles.free
            found = touched * 1
            around = Surroundings(q[n:], placed(*centre[:found]), np.full(found, RADIUS))
            pose = method.dynamics.pose(q[:n], around)
            f = scene.handles.deformation(q)
            alone = method.dynamics.pose(q[:n], Surroundings(q[n:], placed(), np.zeros(0)))
            inner = part.positions(alone) if touched else scene.handles.positions(q)
            lacks = (f @ r.astype(float)[:, :, None])[:, :, 0]
            wrong += float(((part.positions(pose) - inner - lacks) ** 2).sum())
            lacking += float((lacks**2).sum())
        return np.sqrt(wrong / lacking)

    assert len(data.internal) == 12 and len(data.external) > 40
    assert left(data.internal, False) < 0.5
    assert left(data.external, True) < 0.95


def test_dents_are_learned_with_the_depths_that_play_has(trained, held_out):
    """Which are in the body of r_int, and not in the true one, that the shapes were solved with."""
    method, (scene, data) = load_method(read_model(trained[0])), held_out
    played = as_played(data.external, scene, method)
    n, found = scene.handles.free, []
    for q, place in zip(data.external.states, data.external.centres, strict=True):
        around = Surroundings(q[n:].astype(float), placed(place.astype(float)), np.full(1, RADIUS))
        dents = method.dynamics.pose(q[:n].astype(float), around).dents
        found.append(dents[0].share if dents else 0.0)
    deepest = read_model(trained[0]).info.settings["deepest"]
    most, _ = pressing(deepest, reference_depth_of(scene))
    assert np.minimum(played.shares, most) == pytest.approx(np.array(found), abs=1e-5)
    assert np.abs(played.shares - data.external.shares).max() > 5e-4
    assert 0.0 < deepest < 2.0 * RADIUS


def bodies(method, take):
    """(T - 2, B, 3) from the true first two frames, seeing only what the body reacts to."""
    x, y = take.positions, take.interaction
    state = method.state_from(np.asarray(x[1]), np.asarray(x[0]), y[1], y[0])
    shapes = []
    for t in range(2, len(x)):
        state = method.step(state, y[t])
        shapes.append(method.body_positions(state, y[t]))
    return np.array(shapes)


def test_with_corrections_the_block_moves_more_like_the_full_one(trained, linear, dataset):
    """Rollouts of a take that was not trained on, over all vertices of the body."""
    take = dataset.takes("validation")[0]
    truth = np.asarray(take.body_positions[2:], float)
    method = load_method(read_model(trained[0]))
    errors = [float(np.sqrt(((bodies(m, take) - truth) ** 2).sum(-1).mean())) for m in (method, linear)]
    moved = float(np.sqrt(((truth - truth[0]) ** 2).sum(-1).mean()))
    assert errors[0] < 0.7 * errors[1]
    assert errors[0] < 0.5 * moved


def test_what_training_reports(trained, dataset):
    result = trained[1]
    assert result["handles"] == [10, 1]
    assert result["training_frames"]["internal"] == 40 and result["training_frames"]["external"] > 200
    assert 0 < result["cubature"] <= 70 and result["cubature_error"] < 0.2
    info = read_model(trained[0]).info
    assert info.training["training_frames"] == 40 and info.settings["colliders"] == [
        {"kind": "sphere", "sizes": [pytest.approx(RADIUS, rel=1e-4)]}
    ]


def test_play_from_any_side_is_the_same(trained, dataset):
    """Forward, backward and again; and the foot is where y has it."""
    take = dataset.takes("validation")[0]
    played = {}
    for frames in (range(1, 31), (30, 12, 25)):
        method = load_method(read_model(trained[0]))
        line = Timeline(method, 30.0, 1)
        for frame in range(1, 31):
            line.record(frame, take.interaction[frame - 1])
        for frame in frames:
            shape = line.positions(frame).copy()
            np.testing.assert_array_equal(shape, played.setdefault(frame, shape))
    foot = dataset.mesh.pins > 0.0
    np.testing.assert_allclose(played[30][foot], take.positions[29][foot], atol=1e-5)


def test_a_ball_far_off_leaves_the_block_alone(trained, dataset):
    method = load_method(read_model(trained[0]))
    take = dataset.takes("validation")[0]
    y = take.interaction[0].copy()
    state, shapes = method.start(y), []
    for height in (5.0, 7.0):
        y[2] = height
        shapes.append(method.positions(method.step(state, y), y).copy())
    np.testing.assert_allclose(shapes[0], shapes[1], atol=1e-5)


def test_solving_goes_on_where_it_was_stopped(held_out, dataset, tmp_path):
    scene, _ = held_out
    preset = changed(ContactPreset(), ["handles=10", "pressed=1200", "traverses=1", "depths=1"])
    spans = split(dataset)[1]
    whole = solve(scene, spans, 4, preset, path=tmp_path / "whole.safetensors")

    class StopAfter(StopRequest):
        asked_for = 0

        def asked(self):
            self.asked_for += 1
            return self.asked_for > 2

    with pytest.raises(Problem, match="Stopped"):
        solve(scene, spans, 4, preset, path=tmp_path / "cut.safetensors", stop=StopAfter())
    resumed = solve(scene, spans, 4, preset, path=tmp_path / "cut.safetensors")
    for kind in ("internal", "external"):
        for name in ("features", "r", "shares", "states", "centres", "turns", "recorded"):
            a, b = (getattr(getattr(each, kind), name) for each in (whole, resumed))
            np.testing.assert_array_equal(a, b)


def refusal(dataset, body=None, points=10):
    with pytest.raises(Problem) as caught:
        contact_scene(dataset, body or dataset.body, split(dataset)[0], points)
    return caught.value.code


def test_what_cannot_be_learned_is_refused(tmp_path):
    with pytest.raises(Problem) as caught:
        train(make_dataset(tmp_path / "cloth", 120), tmp_path / "m.safetensors")
    assert caught.value.code == "contact_needs_solid"
    with pytest.raises(Problem) as caught:
        train(bake_strip(tmp_path / "shell", strip(), 70), tmp_path / "m.safetensors")
    assert caught.value.code == "contact_needs_solid"


NAMED = ("Left", "Right", "Rig/back", "Middle")


def places_in(body):
    """Four places near free vertices, far from each other, by name."""
    rest = body.rest_positions
    chosen = rest[spread_points(rest, len(NAMED), body.pinned)]
    return {
        name: tuple((0.95 * at + 0.05 * rest.mean(0)).tolist())
        for name, at in zip(NAMED, chosen, strict=True)
    }


def words_of(places):
    return [f"--handle={name}={','.join(map(str, place))}" for name, place in places.items()]


def test_the_artist_s_handles_are_where_they_were_placed_and_are_held_where_y_puts_them(dataset, tmp_path):
    out = tmp_path / "model.safetensors"
    places = places_in(dataset.body)
    train(dataset, out, "internal=false", "external=false", "poses=10", words=words_of(places))
    model = read_model(out)
    method, take = load_method(model), dataset.takes("validation")[0]
    off = method.handles.rest[:4] - list(places.values())
    assert method.handles.free == 4 and np.linalg.norm(off, axis=1).max() < 0.15
    assert [c.kind for c in model.info.channels.channels] == ["position"] * 2 + ["size"] + ["handle"] * 4
    free = np.concatenate([take.interaction[10], np.ones(1, np.float32), np.zeros(16, np.float32)])
    state = method.start(free)
    place = np.add(places["Right"], (0.05, 0.0, 0.04))
    holding = free.copy()
    holding[11:15] = *place, 1.0
    held = method.step(state, holding)
    np.testing.assert_allclose(held.q[1], place + off[1], atol=1e-6)
    again = method.step(held, holding)
    np.testing.assert_array_equal(again.q[1], held.q[1])
    assert np.abs(method.step(again, free).q[1] - held.q[1]).max() > 1e-4, "it is let go of"
    check_belongs(model.info, out, dataset)
    assert np.isfinite(bodies(method, take)).all(), "takes, in which nobody holds it, can be played"


def test_handles_that_cannot_be_used_are_named(dataset, tmp_path):
    body, places = dataset.body, places_in(dataset.body)
    foot = tuple(body.rest_positions[body.pinned][0].tolist())
    twin = tuple(np.add(places["Left"], 1e-3).tolist())
    for name, place, code, named in (
        ("Ear", (0.9, 0.0, 0.2), "contact_handle_outside", ["Ear"]),
        ("Toe", foot, "contact_handle_pinned", ["Toe"]),
        ("Twin", twin, "contact_handles_together", ["Twin", "Left"]),
    ):
        with pytest.raises(Problem) as caught:
            train(dataset, tmp_path / "model.safetensors", words=words_of({**places, name: place}))
        assert caught.value.code == code and all(each in str(caught.value) for each in named)


def test_too_few_handles_are_named(dataset):
    loose = replace(dataset.body, pinned=np.zeros_like(dataset.body.pinned))
    placed = tuple(PlacedHandle(name, place) for name, place in list(places_in(loose).items())[:3])
    with pytest.raises(Problem, match="Left, Right, Rig/back") as caught:
        contact_scene(dataset, loose, split(dataset)[0], 10, placed=placed)
    assert caught.value.code == "contact_handles_few"
    twice = (*placed, replace(placed[0], place=places_in(loose)["Middle"]))
    with pytest.raises(Problem, match=r"Two handles of .* are named Left"):
        contact_scene(dataset, loose, split(dataset)[0], 10, placed=twice)


def test_more_frames_than_memory_has_room_for_are_refused(dataset, monkeypatch):
    """Each pinned vertex by itself is a frame that all vertices follow."""
    monkeypatch.setattr(handle_fitting, "MOST_NUMBERS", 4 * 10 * len(dataset.body.rest_positions))
    assert refusal(dataset) == "contact_frames_many"


def test_more_colliders_than_play_has_time_for_are_refused(dataset, monkeypatch):
    monkeypatch.setattr(scene_module, "MOST_COLLIDERS", 0)
    assert refusal(dataset) == "contact_colliders_many"


def test_what_takes_say_of_their_surroundings_is_read_once_for_each(dataset, monkeypatch):
    """However many runs of frames a take is cut into."""
    (whole,) = split(dataset)[0]
    read, surroundings = [], Dataset.surroundings
    monkeypatch.setattr(
        Dataset, "surroundings", lambda d, name: (read.append(name), surroundings(d, name))[1]
    )
    spans = [Span(whole.take, first, first + 3) for first in range(whole.start, whole.stop - 3, 3)]
    contact_scene(dataset, dataset.body, spans, 10)
    assert read == [whole.take.name]


def test_cores_of_a_body_that_nobody_asked_for_are_refused(dataset):
    cores = np.zeros(dataset.body.vertex_count, np.int32)
    assert refusal(dataset, replace(dataset.body, cores=cores)) == "dataset_damaged"


def test_a_surface_that_is_a_point_is_aimed_at_nowhere():
    assert not Facets.of(np.zeros((4, 3, 3))).anywhere
    triangles = np.array([[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], np.zeros((3, 3))])
    some = Facets.of(triangles)
    assert some.anywhere and np.array_equal(some.chances, [1.0, 0.0]) and np.isfinite(some.outwards).all()


def test_a_body_whose_equilibrium_is_never_found_is_refused(dataset, tmp_path, monkeypatch):
    monkeypatch.setattr(statics, "MOST_ITERATIONS", 0)
    events = []
    with pytest.raises(Problem, match=f"No equilibrium shape of {dataset.info.object} was found") as caught:
        train(dataset, tmp_path / "model.safetensors", "poses=5", emit=events.append)
    assert caught.value.code == "contact_not_settled"
    assert "validation" not in str(events), "before more is solved"


@pytest.mark.parametrize("word", ["0.1,0,0.3", "Ear=0.1,0", "Ear=here", "Ear=nan,0,0"])
def test_handles_need_a_name_and_a_place(dataset, tmp_path, word):
    with pytest.raises(SystemExit):
        train(dataset, tmp_path / "model.safetensors", words=[f"--handle={word}"])


def test_other_methods_have_no_handles(dataset, tmp_path):
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    words = [str(dataset.path), "--out", str(tmp_path / "model"), "--handle=Ear=0,0,0.2"]
    with pytest.raises(Problem, match="“--handle” is not a training setting"):
        run(parser.parse_args([*words, "--method", "latent_dynamics"]), silent, NO_STOP)


def test_takes_that_do_not_say_enough_are_refused(tmp_path):
    dataset = bake(tmp_path / "dataset", pressed(tetrahedra=60), 80, ("training",))
    path = dataset.path / "takes" / "take_000" / TRACKS
    tracks = Tracks.read(path)
    moving, hidden = tracks.frame_from_world.copy(), tracks.colliders.copy()
    moving[40:, 0, 3] += 0.1
    hidden[:, 0, 0, 3] += np.linspace(0.0, 1.0, len(hidden))
    for changes, code in (
        ({"frame_from_world": moving}, "contact_frame_moves"),
        ({"colliders": hidden}, "contact_collider_unseen"),
    ):
        replace(tracks, **changes).write(path)
        assert refusal(dataset) == code
    tracks.write(path)
    loose = replace(dataset.body, pinned=np.zeros_like(dataset.body.pinned))
    assert refusal(dataset, loose, 3) == "contact_handles_unusable"


def test_other_shapes_are_taken_or_refused(tmp_path):
    """A box may move, as long as it does not turn; a ground stands."""
    vertices, corners, _ = cuboid((-0.1, -0.1, -0.1), (0.1, 0.1, 0.1))
    quads = corners.reshape(-1, 4)
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]).astype(np.int32)
    asked = pressed(tetrahedra=60)
    box = replace(asked.colliders[0], name="Ball", vertices=vertices, triangles=triangles)
    asked = replace(asked, colliders=(box, ground(8.0, -1.0)))
    dataset = bake(tmp_path / "box", asked, 80, ("training",))
    scene = contact_scene(dataset, dataset.body, split(dataset)[0], 10)
    assert [type(shape).__name__ for shape in scene.colliders.shapes] == ["Box", "HalfSpace"]
    assert scene.colliders.moving == 1 and len(scene.contact.shapes) == 2


@pytest.mark.parametrize("name", NAMES)
def test_presets_are_within_their_ranges(name):
    preset = PRESETS[name]
    for setting, within in ContactPreset.ranges().items():
        assert getattr(preset, setting) in within
    assert set(PRESETS) == set(NAMES)


@pytest.mark.parametrize(
    ("settings", "tensors", "said"),
    [
        ({"free": 0}, {}, "settings"),
        ({"elasticity": "rubber"}, {}, "settings"),
        ({"steps": float("inf")}, {}, "settings"),
        ({"damping": 10**400}, {}, "settings"),
        ({"gravity": [0.0, np.nan, 0.0]}, {}, "settings"),
        ({"colliders": [{"kind": "sphere", "sizes": [-1.0]}]}, {}, "settings"),
        ({}, {"cubature.elements": -1}, "cubature.elements"),
        ({}, {"handles.weights": np.nan}, "handles.weights"),
        ({}, {"external.layers.1.bias": None}, "external"),
    ],
)
def test_models_that_are_damaged_say_so(trained, settings, tensors, said):
    model = read_model(trained[0])
    changed_tensors = dict(model.tensors)
    for name, value in tensors.items():
        if value is None:
            del changed_tensors[name]
        else:
            changed_tensors[name] = np.full_like(model.tensors[name], value)
    info = replace(model.info, settings={**model.info.settings, **settings})
    with pytest.raises(Problem) as caught:
        load_method(Model(info, changed_tensors, model.path))
    assert caught.value.code == "model_damaged" and said in str(caught.value)
