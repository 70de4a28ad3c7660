"""The physical initial model: what it plays against what it trains, finite differences and mechanics."""

from dataclasses import replace

import numpy as np
import pytest
from motion_data import make_dataset
from test_subspace_training import ROLLERS, silent

from learning.methods.subspace_physics.network import SubspaceNetwork
from learning.methods.subspace_physics.physical_body import physical_body
from learning.methods.subspace_physics.presets import PRESETS
from learning.training.presets import changed
from learning.training.spans import split
from learning.training.subspace_data import prepare
from learning.training.tensor_files import model_info, write_model
from neural_physics.errors import Problem
from neural_physics.jobs.events import StopRequest
from neural_physics.methods.registry import load_method
from neural_physics.methods.subspace_physics.physical_model import PhysicalModel
from neural_physics.methods.subspace_physics.specification import SPECIFICATION
from neural_physics.models.model_file import Model, read_model

BASES = 4
PRESET = changed(PRESETS["balanced"], ["layers=3"])


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return make_dataset(tmp_path_factory.mktemp("takes") / "dataset", 200)


@pytest.fixture(scope="module")
def data(dataset):
    parts = prepare(*split(dataset), dataset.info, BASES, emit=silent, stop=StopRequest())
    return parts.in_relative_scale()


def info_of(dataset, ball):
    """With a ball at the first channel, whose radius reaches the sheet, or with none."""
    name = dataset.info.channels.channels[0].name
    return replace(dataset.info, colliders={name: 0.6} if ball else {})


def network_of(dataset, data, ball, steps):
    preset = replace(PRESET, physics_steps=steps)
    return SubspaceNetwork(data, preset, 0, physical_body(data, dataset.mesh, info_of(dataset, ball)))


def played(path, dataset, data, network, theta):
    """The model as Play loads it."""
    settings = {"activation": "silu", "physics": True, "interaction_velocity": True}
    about = model_info(SPECIFICATION, dataset, {}, settings)
    write_model(path, about, data.model_tensors() | network.tensors(theta))
    return load_method(read_model(path))


def moved(network, size=0.05):
    """Parameters that differ from those before training."""
    random = np.random.default_rng(1)
    return (network.initial + size * random.standard_normal(len(network.initial))).astype(np.float32)


@pytest.mark.parametrize(("ball", "steps"), [(True, 0), (True, 2), (False, 2)])
@pytest.mark.parametrize("roller", ROLLERS)
def test_the_gradient_through_a_window_is_that_of_finite_differences(dataset, data, ball, steps, roller):
    network = network_of(dataset, data, ball, steps)
    network.recurrence = replace(network.recurrence, limits=np.full((2, BASES), 0.5) * [[-1.0], [1.0]])
    z, w = (a[20:26, None].astype(np.float64) for a in (data.training.z, data.training.w))
    theta, rolls = moved(network, 0.01).astype(np.float64), roller(network)
    target = np.linspace(-1, 1, z[2:].size).reshape(z[2:].shape)
    rolled, pullback = rolls.with_pullback(theta, z[0], z[1], w)
    assert 0.0 < (np.abs(rolled) == 0.5).mean() < 0.9, "some are clipped"
    gradient = pullback(target)
    assert not ball or gradient[-1] != 0.0, "it touches"
    own = len(network.initial_model.initial)
    for part in (slice(0, len(theta) - own), slice(len(theta) - own, None)):
        direction = np.zeros(len(theta))
        direction[part] = np.random.default_rng(0).normal(size=len(direction[part]))
        ahead, behind = (
            (rolls.rollout(theta + step, z[0], z[1], w) * target).sum()
            for step in (1e-6 * direction, -1e-6 * direction)
        )
        assert gradient @ direction == pytest.approx((ahead - behind) / 2e-6, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize(("ball", "steps"), [(True, 0), (True, 2), (False, 2)])
def test_play_steps_as_it_was_trained(tmp_path, dataset, data, ball, steps):
    network = network_of(dataset, data, ball, steps)
    theta = moved(network)
    method = played(tmp_path / "model.safetensors", dataset, data, network, theta)
    take = dataset.takes("training")[0]
    z, w = data.training.z, data.training.w
    rolled = network.rollout(theta, z[50:51], z[51:52], w[50:90, None])[:, 0]
    state = method.start(take.interaction[51])
    state = type(state)(z[51], z[50], state.w)
    for t in range(52, 90):
        state = method.step(state, take.interaction[t])
        assert state.z == pytest.approx(rolled[t - 52], abs=2e-3)
    assert np.ptp(rolled, axis=0).max() > 0.1, "it moves"


def test_before_training_springs_and_contact_change_the_guess_as_they_are(dataset, data):
    network = network_of(dataset, data, ball=True, steps=2)
    theta = network.initial.copy()
    first, (rows, columns) = network.matrices[-2]
    theta[first : first + rows * columns + rows] = 0.0  # what the layers add
    z, w = data.training.z[50:54, None], data.training.w[50:54, None]
    model = network.initial_model
    window = model.window(model.initial, w[2:3])
    guess, seen = np.empty((1, BASES), np.float32), np.empty((1, model.features), np.float32)
    window.guess(0, z[1], z[0], z_bar=guess, seen=seen)
    low, high = network.recurrence.limits
    change = seen[:, -BASES:]
    assert np.abs(change).max() > 1e-3
    assert network.rollout(theta, z[0], z[1], w[:3])[0] == pytest.approx(
        np.clip(guess + change, low, high), abs=1e-5
    )


class Sheet:
    """A physical model alone, of a sheet that moves as a whole: its bases are three translations."""

    def __init__(self, tmp_path, dataset, data, **changes):
        count = dataset.mesh.vertex_count
        basis = np.zeros((3, count, 3), np.float32)
        basis[np.arange(3), :, np.arange(3)] = 1.0
        whole = replace(
            data,
            mean=dataset.mesh.rest_positions,
            basis=basis,
            deviations=np.full(3, count**0.5, np.float32),
            start=np.zeros(3, np.float32),
            training=replace(data.training, z=data.training.z[:, :3]),
        )
        info = replace(info_of(dataset, ball=True), **changes)
        body = physical_body(whole, dataset.mesh, info)
        network = SubspaceNetwork(whole, replace(PRESET, physics_steps=6), 0, body)
        theta = network.initial.copy()
        theta[: len(theta) - len(network.initial_model.initial)] = 0.0
        self.radius = float(body.radii[0])
        decoder = played(tmp_path / "sheet.safetensors", dataset, whole, network, theta).decoder
        self.channels = dataset.info.channels
        model = read_model(tmp_path / "sheet.safetensors")
        self.initial = PhysicalModel(model, decoder, self.channels.size)

    def step(self, now, before, ball):
        """Where it goes (3,), metres, with the ball's centre there."""
        y = np.zeros(self.channels.size, np.float32)
        y[:3] = ball
        guess, seen = self.initial(np.float32(now), np.float32(before), y)
        return guess + seen[-3:]


def test_it_falls_and_keeps_most_of_its_speed(tmp_path, dataset, data):
    sheet = Sheet(tmp_path, dataset, data, gravity=(0.0, 0.0, -9.81))
    dt = dataset.info.dt
    fallen = sheet.step((0.0, 0.0, 0.0), (-0.1, 0.0, 0.0), ball=(0.0, 0.0, -50.0))
    assert fallen == pytest.approx([0.095, 0.0, -9.81 * dt**2], abs=1e-5)


def test_a_ball_pushes_it_the_way_it_came(tmp_path, dataset, data):
    sheet = Sheet(tmp_path, dataset, data, gravity=(0.0, 0.0, 0.0))
    middle = dataset.mesh.rest_positions.mean(0)
    pushed = {}
    for side in (-1.0, 1.0):
        for depth in (-0.01, 0.1):
            ball = middle + np.float32([0.0, 0.0, side * (sheet.radius - depth)])
            pushed[side, depth] = sheet.step((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), ball)
    assert pushed[1.0, -0.01] == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)
    assert pushed[1.0, 0.1][2] < -1e-3 and pushed[-1.0, 0.1][2] > 1e-3
    assert np.abs(pushed[1.0, 0.1][:2]).max() < 0.5 * abs(pushed[1.0, 0.1][2])


def test_springs_bring_a_stretched_sheet_back(dataset, data):
    """Of full bases, many steps solve the equation of backward Euler."""
    count = dataset.mesh.vertex_count
    basis = np.eye(3 * count, dtype=np.float32).reshape(3 * count, count, 3)
    rest = dataset.mesh.rest_positions
    stretched = (rest * np.float32([1.2, 1.0, 1.0]) - rest).reshape(-1)
    z = stretched + 1e-3 * np.random.default_rng(0).standard_normal((50, 3 * count)).astype(np.float32)
    full = replace(
        data,
        mean=rest,
        basis=basis,
        deviations=np.ones(3 * count, np.float32),
        start=stretched,
        training=replace(data.training, z=z),
    )
    info = replace(info_of(dataset, ball=False), gravity=(0.0, 0.0, 0.0))
    body = physical_body(full, dataset.mesh, info)
    edges, lengths = body.springs, body.lengths

    def misses(q):
        """How far a shape is from solving q - s + f(q) = 0, with f added up spring by spring."""
        places, force = rest + q.reshape(-1, 3), np.zeros_like(rest)
        for (i, j), length, stiffness in zip(edges, lengths, body.stiffness, strict=True):
            along = places[i] - places[j]
            pull = stiffness * (1.0 - length / np.linalg.norm(along)) * along
            force[i] += pull
            force[j] -= pull
        return np.abs(q - stretched + force.reshape(-1)).max()

    last = misses(stretched)
    for steps in (2, 6, 16):
        network = SubspaceNetwork(full, replace(PRESET, physics_steps=steps), 0, body)
        window = network.initial_model.window(network.initial_model.initial, data.training.w[2:3, None])
        guess, change = np.empty((2, 1, 3 * count), np.float32)
        now = stretched[None].astype(np.float32)
        window.guess(0, now, now, z_bar=guess, seen=change)
        now_misses = misses((guess + change)[0])
        assert now_misses < 0.7 * last, (steps, now_misses, last)
        last = now_misses


@pytest.mark.parametrize(
    ("name", "count", "shape"),
    [("springs", 2048, (2,)), ("points", 2048, ()), ("centres", 256, ())],
)
def test_no_more_springs_points_or_balls_than_a_frame_has_time_for(
    tmp_path, dataset, data, name, count, shape
):
    """Numbers of vertices may repeat: a file of kilobytes could ask for hours."""
    network = network_of(dataset, data, ball=True, steps=2)
    played(tmp_path / "model.safetensors", dataset, data, network, network.initial)
    model = read_model(tmp_path / "model.safetensors")
    others = {"springs": ("lengths", "stretch", "compression"), "points": (), "centres": ("radii",)}[name]
    for many, fits in ((count, True), (count + 1, False)):
        tensors = {**model.tensors, f"physics.{name}": np.zeros((many, *shape), np.int32)}
        tensors |= {f"physics.{other}": np.ones(many, np.float32) for other in others}
        if fits:
            load_method(Model(model.info, tensors, "repeating"))
            continue
        with pytest.raises(Problem, match=f"physics.{name} has {many:,}"):
            load_method(Model(model.info, tensors, "repeating"))
