"""The whole method: simulated takes, training by command, and playing what was trained."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

from neural_physics.errors import Problem
from neural_physics.interaction.channels import Channel, ChannelLayout
from neural_physics.jobs.events import StopRequest
from neural_physics.methods.hierarchical_cloth import method as method_module
from neural_physics.methods.hierarchical_cloth.method import MOST_WORK
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import read_model
from neural_physics.subdivision.levels import MOST_COARSE
from neural_physics.timeline.timeline import Timeline

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(find_spec("torch") is None, reason="training needs torch"),
]
QUICK = (
    "--preset=preview",
    "--set=steps=200",
    "--set=validate_every=20",
    "--set=batch=256",
    "--set=minutes=0",
)


def train(dataset, out, *words, stop=None):
    from ml_backend.commands.train import add_arguments, run

    parser = argparse.ArgumentParser()
    add_arguments(parser)
    arguments = [str(dataset), "--out", str(out), "--method=hierarchical_cloth", *QUICK, *words]
    events = []
    result = run(parser.parse_args(arguments), events.append, stop or StopRequest())
    assert json.dumps(events)
    return result


@pytest.fixture(scope="module")
def scenes():
    from ml_backend.methods.hierarchical_cloth.scenes import ClothScene, Fabric

    first = ClothScene(1, "curtain", Fabric(200.0, 1e-4), 13, rows=17, spacing=1 / 12, frames=90, dt=1 / 30)
    return {
        "first": (first, "training"),
        "second": (replace(first, seed=2, fabric=Fabric(500.0, 3e-4)), "training"),
        "third": (replace(first, seed=3), "validation"),
    }


@pytest.fixture(scope="module")
def dataset(scenes, tmp_path_factory):
    from cloth_dataset import write_cloth_dataset

    return write_cloth_dataset(tmp_path_factory.mktemp("cloth") / "dataset", scenes)


@pytest.fixture(scope="module")
def trained(dataset, tmp_path_factory):
    out = tmp_path_factory.mktemp("model") / "model.safetensors"
    return train(dataset.path, out), out


@pytest.fixture
def method(trained):
    return load_method(read_model(trained[1]))


def test_networks_beat_linear_subdivision_on_a_motion_they_have_not_seen(trained):
    result, _ = trained
    assert result["levels"] == 2 and result["validation_error"] < 0.9
    assert 0.0 < result["validation_metres"] <= 1.5 * result["validation_metres_90"]


def test_stopped_and_resumed_is_bit_equal_to_never_stopped(dataset, trained, tmp_path):
    class StopAfter(StopRequest):
        looks = 25

        def asked(self):
            self.looks -= 1
            return self.looks < 0

    out = tmp_path / "model.safetensors"
    with pytest.raises(Problem) as stopped:
        train(dataset.path, out, stop=StopAfter())
    assert stopped.value.code == "stopped"
    load_method(read_model(out.with_name("model.partial.safetensors")))
    result = train(dataset.path, out)
    assert result["validation_error"] == trained[0]["validation_error"]
    whole, parts = read_model(trained[1]).tensors, read_model(out).tensors
    assert all(np.array_equal(whole[name], parts[name]) for name in whole)


def test_pins_follow_the_hands_that_they_followed_in_the_takes(method, dataset):
    take = dataset.take("third")
    y = np.asarray(take.interaction[40])
    state = method.start(np.asarray(take.interaction[0]))
    for t in range(1, 41):
        state = method.step(state, np.asarray(take.interaction[t]))
    shown = method.positions(state, y)
    pinned = dataset.mesh.pins > 0
    assert shown[pinned] == pytest.approx(np.asarray(take.positions[40])[pinned], abs=1e-5)
    assert np.abs(shown - dataset.mesh.rest_positions).max() > 0.1


def test_a_step_from_a_true_state_stays_near_the_truth(method, dataset):
    """The coarse simulation is another one, but of the same cloth."""
    take = dataset.take("third")
    x, y = (np.asarray(a[:]) for a in (take.positions, take.interaction))
    state = method.step(method.state_from(x[60], x[59], y[60], y[59]), y[61])
    wrong = np.linalg.norm(method.positions(state, y[61]) - x[61], axis=1)
    assert np.sqrt((wrong**2).mean()) < 0.05  # metres, of a sheet of 1 m by 1.33 m


def test_a_state_is_never_changed_and_the_same_step_gives_the_same(method, dataset):
    y = np.asarray(dataset.take("first").interaction[5])
    state = method.step(method.start(y), y)
    kept = state.positions.copy(), state.velocities.copy()
    first = method.step(state, y)
    softer = y.copy()
    softer[-2] = 50.0
    method.step(state, softer)
    method.positions(state, y)
    again = method.step(state, y)
    assert (state.positions == kept[0]).all() and (state.velocities == kept[1]).all()
    assert (first.positions == again.positions).all() and (first.velocities == again.velocities).all()


def test_stiffness_may_change_while_playing(method, dataset):
    y = np.asarray(dataset.take("first").interaction[0]).copy()
    assert method.channels.names()[-2:] == ["stretch.0", "bending.0"]

    def hangs(stretches):
        state, now = method.start(y), y.copy()
        for value in stretches:
            now[-2] = value
            state = method.step(state, now)
        return method.positions(state, now)[:, 2].min()

    assert hangs([20.0] * 60) < hangs([2000.0] * 60) - 0.02
    assert hangs([20.0] * 60 + [2000.0] * 90) == pytest.approx(hangs([2000.0] * 150), abs=0.03)
    assert np.isfinite(hangs([0.0, 1e30]))


def test_frames_of_any_rate_show_the_same_motion(method, dataset):
    """The timeline steps at the model's dt: every second frame at 60 is a frame at 30."""
    ys = np.asarray(dataset.take("third").interaction[:])

    def shown(fps, frames):
        timeline = Timeline(method, fps, 1)
        for frame in range(1, frames + 1):
            at = (frame - 1) * 30.0 / fps
            whole = min(int(at), len(ys) - 2)
            y = ys[whole] + np.float32(at - whole) * (ys[whole + 1] - ys[whole])
            timeline.record(frame, y)
        state = timeline.at(frames).state
        return method.positions(state, ys[(frames - 1) * 30 // fps]).copy()

    at_60, at_30 = shown(60, 61), shown(30, 31)
    assert at_60 == pytest.approx(at_30, abs=1e-4)


def test_fine_levels_stay_out_of_the_ball(method, dataset):
    ys = np.asarray(dataset.take("third").interaction[:])
    centre = method.channels.slices()["Ball"]
    state, y = method.start(ys[0]), ys[0].copy()
    for t in range(50):
        y[centre] = [0.5, -0.5 + 0.03 * min(t, 20), 0.5]
        state = method.step(state, y)
    radius = dataset.info.colliders["Ball"]
    free = dataset.mesh.pins == 0
    away = np.linalg.norm(method.positions(state, y)[free] - y[centre], axis=1)
    assert away.min() > radius and away.min() < radius + 0.02


def damaged(model, tensors=None, **settings):
    info = replace(model.info, settings={**model.info.settings, **settings})
    with pytest.raises(Problem) as caught:
        load_method(replace(model, info=info, tensors={**model.tensors, **(tensors or {})}))
    assert caught.value.code == "model_damaged"
    return caught.value.message


def test_a_damaged_model_is_refused_in_one_sentence(trained):
    model = read_model(trained[1])
    for name in model.tensors:
        if name.endswith((".linear", ".limits")) or name == "pins.vertices":
            continue  # these may be missing
        left = {key: tensor for key, tensor in model.tensors.items() if key != name}
        with pytest.raises(Problem) as caught:
            load_method(replace(model, tensors=left))
        assert caught.value.code == "model_damaged"
    t = {name: np.array(tensor) for name, tensor in model.tensors.items()}
    assert "order" in damaged(model, {"order": t["order"].astype(np.float32)})
    damaged(model, {"order": np.where(t["order"] == 1, 0, t["order"])})
    damaged(model, {"order": t["order"] + 1})
    damaged(model, {"triangles": t["triangles"][:-1]})
    damaged(model, {"triangles": np.zeros_like(t["triangles"])})
    damaged(model, {"triangles": t["triangles"] - 1})
    damaged(model, {"pins.vertices": t["pins.vertices"] + 10**6})
    damaged(model, {"pins.channels": t["pins.channels"] + 100})
    damaged(model, {"rest": np.zeros_like(t["rest"])})
    damaged(model, {"levels.1.linear": t["levels.1.linear"][:, :9]})
    for settings in (
        {"levels": 3},
        {"levels": 0},
        {"levels": "2"},
        {"form": "other"},
        {"form": "paper"},
        {"iterations": 0},
        {"fabric": {"stretch": -1.0}},
        {"fabric": {"colour": 1.0}},
        {"fabric": []},
        {"live": {"stretch": "Nothing"}},
        {"live": {"colour": "stretch"}},
        {"colliders": {"Nothing": 1.0}},
        {"colliders": {"stretch": 1.0}},
        {"colliders": {"Ball": "wide"}},
        {"gravity": [0.0, 1.0]},
        {"gravity": [0.0, 1.0, float("nan")]},
    ):
        damaged(model, **settings)


def test_colliders_and_networks_that_would_take_minutes_are_refused(trained, monkeypatch):
    model = read_model(trained[1])
    monkeypatch.setattr("neural_physics.methods.hierarchical_cloth.networks.MOST_WORK", 1000)
    assert "networks" in damaged(model)
    monkeypatch.undo()
    monkeypatch.setattr("neural_physics.methods.hierarchical_cloth.method.MOST_PAIRS", 10)
    assert "colliders" in damaged(model)
    monkeypatch.undo()
    monkeypatch.setattr("neural_physics.methods.hierarchical_cloth.method.MOST_PAIRS_SHOWN", 10)
    assert "colliders" in damaged(model)


def test_a_step_that_would_take_minutes_is_refused(trained, monkeypatch):
    """What a small file may ask of Blender when it is opened."""
    model = read_model(trained[1])
    coarse = int(model.tensors["triangles"].max()) + 1
    monkeypatch.setattr(method_module, "MOST_WORK", 40 * coarse**2)
    for iterations in (20, 40):
        load_method(replace(model, info=replace(model.info, settings=with_iterations(model, iterations))))
    assert "41 iterations" in damaged(model, iterations=41)
    assert 20 * MOST_COARSE**2 < MOST_WORK, "what trainers make is played"


def with_iterations(model, iterations):
    return {**model.info.settings, "iterations": iterations}


def test_a_frame_that_is_accelerated_and_turns_is_felt(trained, dataset):
    """Cloth in a frame that falls freely does not sag; in one that turns it is flung outwards."""
    model = read_model(trained[1])
    kinds = ("acceleration", "angular_velocity", "angular_acceleration", "velocity")
    moving = ChannelLayout((*model.info.channels.channels, *(Channel(kind, kind, 3) for kind in kinds)))
    method = load_method(replace(model, info=replace(model.info, channels=moving)))
    names = moving.slices()

    def after(steps, **values):
        y = np.zeros(moving.size, np.float32)
        y[: model.info.channels.size] = dataset.take("first").interaction[0]
        y[names["Ball"]] = 50.0
        for name, value in values.items():
            y[names[name]] = value
        state = method.start(y)
        for _ in range(steps):
            state = method.step(state, y)
        return state.positions, method.start(y).positions

    hanging, _ = after(1)
    falling, start = after(1, acceleration=[0, 0, -9.81])
    assert hanging[:, 2].min() < start[:, 2].min() - 0.005
    assert falling == pytest.approx(start, abs=1e-9)
    turning, start = after(1, acceleration=[0, 0, -9.81], angular_velocity=[0, 0, 1.0])
    free = np.abs(turning - start).max(axis=1) > 0
    # All of one step: dt^2 w^2 r, away from the axis.
    assert free.any()
    inner = turning[free, 0].mean() - start[free, 0].mean()
    assert inner == pytest.approx(method.dt**2 * start[free, 0].mean(), rel=0.5)


def test_the_ground_is_solid_where_it_is_said_to_be(trained, dataset):
    model = read_model(trained[1])
    layout = ChannelLayout((*model.info.channels.channels, Channel("Ground", "ground", 4)))
    info = replace(model.info, channels=layout)
    y = np.zeros(layout.size, np.float32)
    y[:-4] = dataset.take("first").interaction[0]
    y[layout.slices()["stretch"]], y[layout.slices()["Ball"]] = 20.0, 50.0
    y[layout.slices()["Ground"]] = [0.0, 0.0, 1.0, 0.05]

    def lowest(solid):
        settings = {**info.settings, "solid_ground": solid}
        method = load_method(replace(model, info=replace(info, settings=settings)))
        state = method.start(y)
        for _ in range(40):
            state = method.step(state, y)
        return method.positions(state, y)[:, 2].min()

    assert lowest(True) >= -0.05
    assert lowest(False) < -0.1
