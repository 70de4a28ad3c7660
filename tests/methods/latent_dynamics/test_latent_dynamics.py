"""Latent dynamics: what is learned of a swinging strip, what Play makes of it, and what is refused."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from bake_requests import ground, round_ball
from motion_data import make_dataset
from swinging_strips import FPS, HAND, bake, hand, silent, straight, strands, strip

from learning.training.presets import NAMES, changed
from learning.training.spans import split
from ml_backend.commands.train import add_arguments, run
from ml_backend.methods.latent_dynamics.autoencoder import AutoencoderLearner
from ml_backend.methods.latent_dynamics.boundary_motion import blended, fit_boundary_motion
from ml_backend.methods.latent_dynamics.data import LatentData, colliders_of, of_body, prepare
from ml_backend.methods.latent_dynamics.integrator import IntegratorLearner
from ml_backend.methods.latent_dynamics.minimum import minimise
from ml_backend.methods.latent_dynamics.physics import LatentPhysics
from ml_backend.methods.latent_dynamics.potential.contact_energy import contact_energy
from ml_backend.methods.latent_dynamics.potential.incremental_potential import IncrementalPotential
from ml_backend.methods.latent_dynamics.presets import PRESETS, LatentPreset
from ml_backend.methods.latent_dynamics.step import raw_inputs
from ml_backend.simulation.bodies import make_body
from neural_physics.datasets.simulation_request import Tracks
from neural_physics.datasets.takes import REQUEST, TRACKS, Dataset
from neural_physics.errors import Problem
from neural_physics.evaluation.rollouts import rollout, rollout_errors, tile
from neural_physics.jobs.events import StopRequest
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import read_model
from neural_physics.models.vertex_error import vertex_error
from neural_physics.timeline.timeline import Timeline

pytestmark = pytest.mark.torch
CPU = torch.device("cpu")
NO_STOP = StopRequest()
QUICK = ["latents=6", "coder_steps=1000", "coder_width=32", "coder_layers=3", "width=32", "layers=3"]
QUICK += ["steps=2000", "solved=64", "solve_every=100", "validate_every=100", "patience=100", "minutes=0"]
QUICK += ["imagined=800"]  # with few it is a matter of luck


def train(dataset, out, *more, stop=NO_STOP, emit=silent, settings=QUICK):
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    words = [str(dataset.path), "--out", str(out), "--method", "latent_dynamics", "--bases", "12", *more]
    words += [f"--set={setting}" for setting in settings]
    torch.set_num_threads(1)
    return run(parser.parse_args(words), emit, stop)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return bake(tmp_path_factory.mktemp("strip") / "dataset", strip(), 300)


@pytest.fixture(scope="module")
def trained(dataset, tmp_path_factory):
    out = tmp_path_factory.mktemp("trained") / "model.safetensors"
    return out, train(dataset, out)


def rolled_out(method, take, frames):
    """(frames, V, 3) from the start of a take, seeing only what the strip reacts to."""
    state, shapes = method.start(take.interaction[0]), []
    for t in range(frames):
        if t:
            state = method.step(state, take.interaction[t])
        shapes.append(method.positions(state, take.interaction[t]).copy())
    return np.array(shapes)


def distance(a, b):
    return float(np.sqrt(((a - b) ** 2).sum(-1).mean()))


def test_a_swinging_strip_is_followed_closer_than_by_rest_and_by_the_last_shape(dataset, trained):
    method, take = load_method(read_model(trained[0])), dataset.takes("validation")[0]
    shown, true = rolled_out(method, take, 130), np.asarray(take.positions[:130])
    carried = take.interaction[:130, None] - take.interaction[0]
    resting = true[0] + carried
    assert distance(shown, true) < 0.35 * distance(resting, true)
    # From the true states of two frames, a third of a second ahead; the last shape goes along with the hand.
    y, ahead, last = take.interaction, [], []
    for t in range(2, 120):
        state = method.state_from(true[t - 1], true[t - 2], y[t - 1], y[t - 2])
        for k in range(10):
            state = method.step(state, y[t + k])
        ahead.append(method.positions(state, y[t + 9]).copy())
        last.append(true[t - 1] + y[t + 9] - y[t - 1])
    assert distance(np.array(ahead), true[11:129]) < 0.4 * distance(np.array(last), true[11:129])


def test_pins_are_where_they_are_held_at_every_frame(dataset, trained):
    method, take = load_method(read_model(trained[0])), dataset.takes("validation")[0]
    pinned = dataset.mesh.pins > 0
    shown = rolled_out(method, take, 130)[:, pinned]
    assert np.abs(shown - np.asarray(take.positions[:130])[:, pinned]).max() < 1e-5


def test_how_far_it_is_off_is_about_what_play_shows(dataset, trained):
    """Imagined motion, of which some is for validation too, is not in any take."""
    method, windows = load_method(read_model(trained[0])), tile(dataset.takes("validation"), 600)
    errors = rollout_errors(rollout(method), windows, method.mean_shape)
    assert 0.4 < trained[1]["validation_metres"] / errors.rms < 2.5
    assert vertex_error(read_model(trained[0])) == pytest.approx(errors.per_vertex, rel=1e-3, abs=1e-6)
    assert 0.0 < trained[1]["basis_error"] < trained[1]["validation_error"]


def test_what_is_reported_is_what_was_made(trained):
    out, result = trained
    model = read_model(out)
    assert (model.info.method, result["latents"], result["bases"]) == ("latent_dynamics", 6, 12)
    assert result["validation_error"] == model.info.training["validation_error"] < 0.5
    assert sorted(path.name for path in out.parent.iterdir()) == [out.name]


def test_nothing_explodes_in_five_thousand_frames(trained):
    method = load_method(read_model(trained[0]))
    path = np.resize(np.concatenate([hand(200, 5), hand(200, 5)[::-1]]), (5000, 3)).astype(np.float32)
    state, furthest = method.start(path[0]), 0.0
    for y in path:
        state = method.step(state, y)
        furthest = max(furthest, float(np.abs(method.positions(state, y) - y).max()))
        assert 0.0 <= state.outside <= 1.0
    assert furthest < 1.5  # metres, of a strip of 0.6 m


def learners(dataset, settings=QUICK, steps=20):
    preset = changed(LatentPreset(), settings)
    spans = tuple(map(of_body, split(dataset)))
    data = prepare(*spans, dataset, dataset.body, bases=12, emit=silent, stop=NO_STOP)
    potential = IncrementalPotential(dataset.body, 1 / FPS, 1.225, 0.0, contact=None, device=CPU)
    physics = LatentPhysics(data, dataset.body, potential, 1 / FPS, device=CPU)
    stiffness = physics.stiffness(data, 0)
    coding = AutoencoderLearner(data, stiffness.mean, preset, 0, device=CPU)
    for number in range(steps):
        coding.step(number, number / steps)
    integrating = IntegratorLearner(data, coding.coder, physics, stiffness, preset=preset, seed=0, device=CPU)
    return data, physics, coding, integrating


def test_play_does_step_for_step_what_the_trainer_s_networks_do(dataset, trained):
    """Written out by torch from the tensors of the file, in double precision."""
    model = read_model(trained[0])
    method, take = load_method(model), dataset.takes("validation")[0]
    tensors = {name: torch.from_numpy(np.array(array, np.float64)) for name, array in model.tensors.items()}

    def network(name, x):
        k = 0
        while f"{name}.{k + 1}.weight" in tensors:
            h = torch.nn.functional.silu(tensors[f"{name}.{k}.weight"] @ x + tensors[f"{name}.{k}.bias"])
            x = x + h if k else h
            k += 1
        return tensors[f"{name}.{k}.weight"] @ x + tensors[f"{name}.{k}.bias"]

    y = torch.from_numpy(take.interaction[:40].astype(np.float64)) - tensors["y_mean"]
    s, c = y @ tensors["boundary"].T, y @ tensors["offsets"].T
    state = method.start(take.interaction[0])
    now = before = torch.from_numpy(state.z.astype(np.float64))
    for t in range(1, 40):
        raw = raw_inputs(
            now[None], before[None], s[t, None], s[t - 1, None], s_earlier=s[max(t - 2, 0), None]
        )[0]
        x = (raw - tensors["input_mean"]) * tensors["input_scale"]
        x = torch.minimum(torch.maximum(x, tensors["input_low"]), tensors["input_high"])
        z = network("layers", x) + tensors["linear"] @ x
        now, before = torch.minimum(torch.maximum(z, tensors["z_low"]), tensors["z_high"]), now
        state = method.step(state, take.interaction[t])
        features = network("decoder", now) + tensors["decoder.around"] @ now
        shape = tensors["mean"] + torch.einsum("k,kvd->vd", torch.cat([c[t], features]), tensors["basis"])
        assert state.z == pytest.approx(now.numpy(), abs=2e-4)
        assert method.positions(state, take.interaction[t]) == pytest.approx(shape.numpy(), abs=2e-4)


def test_shapes_and_coefficients_are_the_positions(dataset, trained):
    method, take = load_method(read_model(trained[0])), dataset.takes("training")[0]
    y = take.interaction
    states = [method.start(y[0])]
    for t in range(1, 6):
        states.append(method.step(states[-1], y[t]))
    together = method.shapes(states, y[:6])
    for t, state in enumerate(states):
        assert np.array_equal(together[t], method.positions(state, y[t]))
        assert np.array_equal(method.decoder.decode(method.coefficients(state, y[t])), together[t])


def test_the_true_shape_is_found_again_from_its_vertices(dataset, trained):
    method, take = load_method(read_model(trained[0])), dataset.takes("training")[0]
    x, y = take.positions, take.interaction
    state = method.state_from(x[30], x[29], y[30], y[29])
    assert distance(method.positions(state, y[30]), x[30]) < 0.1 * distance(x[30] - y[30], x[0] - y[0])


def test_exported_networks_are_those_of_torch_with_their_normalisation_folded_in(dataset):
    data, _, coding, _ = learners(dataset)
    coder = coding.coder.eval()
    c = torch.from_numpy(data.training.c[:5].astype(np.float32))
    with torch.no_grad():
        z, back = coder.encode(c), coder.decode(coder.encode(c))
    tensors = coder.tensors()

    def network(name, x):
        for k in range(3):
            h = x @ tensors[f"{name}.{k}.weight"].T + tensors[f"{name}.{k}.bias"]
            h = h if k == 2 else h / (1 + np.exp(-h))
            x = x + h if k == 1 else h
        return x

    unit = c.numpy() / coder.scale
    latents = network("encoder", unit) + unit @ tensors["encoder.around"].T
    features = network("decoder", latents) + latents @ tensors["decoder.around"].T
    assert latents == pytest.approx(z.numpy(), abs=1e-4)
    assert features * coder.scale == pytest.approx(back.numpy(), abs=1e-4)


def test_the_gradient_that_trains_is_that_of_finite_differences(dataset):
    settings = [*QUICK, "loss=potential", "batch=4", "carried=0"]
    _, _, coding, learner = learners(dataset, settings)
    at, now, before = learner._states.drawn(4, learner.network, 0.0, torch.Generator().manual_seed(1))
    steps = learner._steps(at, now, before)
    coder = coding.coder.double()

    def energy(z):
        return steps(coder.decode(z))

    z = now.double().requires_grad_()
    (slope,) = torch.autograd.grad(energy(z).sum(), z)
    direction = torch.randn(z.shape, generator=torch.Generator().manual_seed(2)).double()
    with torch.no_grad():
        change = (energy(z + 1e-5 * direction) - energy(z - 1e-5 * direction)) / 2e-5
    assert (slope * direction).sum(1).numpy() == pytest.approx(change.numpy(), rel=1e-5)


def test_true_latents_are_near_what_solving_in_latents_finds(dataset):
    """The reduced step of a trained autoencoder ends near where the solver's own does."""
    settings = [*QUICK, "noise=0", "swing=0", "carried=0"]
    _, _, _, learner = learners(dataset, settings, 1000)
    at, last, before = learner._states.drawn(64, learner.network, 0.0, torch.Generator().manual_seed(3))
    found, true = learner._solve(at, last, before, last), learner.z[at]
    assert (found - true).norm(dim=1).mean() < 0.25 * (last - true).norm(dim=1).mean()


def test_many_minima_are_found_side_by_side():
    """Rosenbrock's valleys, each with its own place, and one that begins where nothing is to be done."""
    places = torch.tensor([[0.5, -0.3], [-0.8, 0.2], [0.0, 0.0]]).double()

    def valleys(z, numbers):
        a, b = (z - places[numbers]).unbind(1)
        return (1 - a) ** 2 + 20 * (b - a * a) ** 2

    start = torch.tensor([[0.0, 0.0], [0.3, 0.9], [1.0, 1.0]]).double()
    found, saved = minimise(valleys, start, 0.05 * torch.eye(2), 1e-12, evaluations=200)
    assert found.numpy() == pytest.approx(places.numpy() + 1.0, abs=1e-4)
    assert saved.numpy() == pytest.approx(valleys(start, torch.arange(3)).numpy(), abs=1e-6)


@pytest.mark.slow
def test_stopped_it_goes_on_to_the_same_model(dataset, trained, tmp_path):
    """Once in the middle of each of the two stages."""
    out, file = tmp_path / "model.safetensors", tmp_path / "stop"
    for stage, done in (("Learning the shapes", 100), ("Training", 250)):
        stop = StopRequest(file)

        def watch(event, stage=stage, done=done):
            if event.get("stage") == stage and event.get("step", 0) > done:
                file.touch()

        with pytest.raises(Problem) as caught:
            train(dataset, out, stop=stop, emit=watch)
        assert caught.value.code == "stopped"
        file.unlink()
    assert load_method(read_model(tmp_path / "model.partial.safetensors")).dt == pytest.approx(1 / FPS)
    train(dataset, out)
    whole, resumed = read_model(trained[0]), read_model(out)
    for name, tensor in whole.tensors.items():
        assert np.array_equal(tensor, resumed.tensors[name]), name


def test_a_model_that_is_kept_meanwhile_changes_nothing(dataset, tmp_path):
    """Checkpoints come by the clock: what is learned must not depend on when."""
    short = [*QUICK, "steps=100", "coder_steps=60", "imagined=40", "validate_every=20"]
    seldom, often = tmp_path / "seldom.safetensors", tmp_path / "often.safetensors"
    train(dataset, seldom, "--checkpoint-every=1000", settings=short)
    train(dataset, often, "--checkpoint-every=0", settings=short)
    tensors = read_model(often).tensors
    for name, tensor in read_model(seldom).tensors.items():
        assert np.array_equal(tensor, tensors[name]), name


@pytest.mark.parametrize("loss", ["potential", "supervised"])
def test_the_paper_s_losses_train_too(dataset, tmp_path, loss):
    settings = [*QUICK, f"loss={loss}", "steps=60", "coder_steps=100", "batch=8"]
    result = train(dataset, tmp_path / "model.safetensors", settings=settings)
    assert np.isfinite(result["validation_error"])


def test_pins_that_two_hands_move_are_blended_between_them():
    body = make_body(strip())
    ends = np.zeros((1, 3, 3))
    ends[0, 0], ends[0, 2] = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    offsets = blended(body, ends)[0]
    assert np.array_equal(offsets[body.pinned], ends[0])
    free = offsets[~body.pinned]
    assert (free.min(0) >= -1e-12).all() and (free.max(0) <= 1.0 + 1e-12).all()
    # Nearer to a hand they follow it more; where all hands move alike, all follow.
    side = body.rest_positions[:, 0] < 0.05
    assert (offsets[side & ~body.pinned, 0] > offsets[side & ~body.pinned, 1]).all()
    assert blended(body, np.ones((1, 3, 3))) == pytest.approx(np.ones((1, body.vertex_count, 3)), abs=1e-12)


def test_pins_follow_y_to_rounding_and_stand_where_they_do_not_move():
    body = make_body(strip())
    y = np.random.default_rng(0).normal(size=(50, 3)).astype(np.float32)
    pins = body.rest_positions[body.pinned] + y[:, None]
    motion = fit_boundary_motion(body, pins, y, HAND)
    assert motion.exact and len(motion.basis) == 3
    moved = np.einsum("tr,rvd->tvd", motion.coefficients(y), motion.offsets)
    assert moved == pytest.approx(np.repeat((y - y.mean(0))[:, None], body.vertex_count, 1), abs=1e-6)
    assert motion.anchor(body.pinned) == pytest.approx(np.eye(3), abs=1e-6)
    still = fit_boundary_motion(body, pins[:1].repeat(50, 0), y, HAND)
    assert still.exact and len(still.basis) == 0
    turning = pins.copy()
    turning[:, 0, 2] += 0.1 * np.sin(np.arange(50))
    assert not fit_boundary_motion(body, turning, y, HAND).exact


def test_data_kept_on_disk_are_the_same(dataset):
    data = learners(dataset)[0]
    again = LatentData.from_tensors(data.to_tensors())
    assert (again.captured, again.absolute, again.motion.exact) == (data.captured, False, True)
    assert np.array_equal(again.validation.world, data.validation.world)
    assert [run.stop for run in again.training.runs()] == [300]


def test_every_method_has_the_four_presets_and_their_settings_can_be_changed():
    assert tuple(PRESETS) == NAMES
    preset = changed(PRESETS["balanced"], ["loss=supervised", "balance=false", "latents=5", "noise=0"])
    assert (preset.loss, preset.balance, preset.latents, preset.noise) == ("supervised", False, 5, 0.0)
    assert set(LatentPreset.ranges()) < set(vars(LatentPreset()))
    with pytest.raises(Problem) as caught:
        changed(PRESETS["paper"], ["window=3"])
    assert caught.value.code == "setting_unknown" and "latents" in caught.value.message


def refused(dataset, tmp_path):
    with pytest.raises(Problem) as caught:
        train(dataset, tmp_path / "model.safetensors")
    return caught.value


def test_a_dataset_of_blender_s_cloth_is_refused_with_the_button_to_press(tmp_path):
    problem = refused(make_dataset(tmp_path / "dataset"), tmp_path)
    assert problem.code == "latent_needs_solver"
    assert "Bake" in problem.message and "Sheet" in problem.message


def test_several_steps_in_a_frame_are_refused_with_the_setting(tmp_path):
    asked = strip()
    asked = replace(asked, settings=replace(asked.settings, steps=2))
    problem = refused(bake(tmp_path / "dataset", asked, 70, ("training",)), tmp_path)
    assert problem.code == "latent_needs_one_step"
    assert "Steps per Frame to 1" in problem.message


def test_strands_that_are_curved_at_rest_are_refused_as_nobody_knows_their_twist(tmp_path):
    turn = np.linspace(0.0, 1.5, 6)
    curve = np.stack([0.3 * np.sin(turn), 0.3 * (1 - np.cos(turn)), 0 * turn], 1)
    problem = refused(bake(tmp_path / "dataset", strands(curve), 70, ("training",)), tmp_path)
    assert problem.code == "latent_strands_curved" and "17 degrees" in problem.message


def test_strands_are_learned_from_what_was_baked_and_from_what_is_imagined(tmp_path):
    dataset, stages = bake(tmp_path / "dataset", straight(), 80, ("training",)), set()
    settings = [*QUICK, "imagined=64", "steps=60", "coder_steps=60"]
    out = tmp_path / "model.safetensors"
    result = train(dataset, out, settings=settings, emit=lambda event: stages.add(event.get("stage")))
    assert "Generating additional motion" in stages and np.isfinite(result["validation_error"])
    method, y = load_method(read_model(out)), dataset.takes("training")[0].interaction
    state = method.step(method.start(y[0]), y[1])
    assert np.isfinite(method.positions(state, y[1])).all()


def test_a_take_that_does_not_say_what_acted_in_it_is_named(tmp_path):
    dataset = bake(tmp_path / "dataset", strip(), 80, ("training",))
    (dataset.path / "takes" / "take_000" / TRACKS).unlink()
    assert refused(dataset, tmp_path).code == "latent_take_without_tracks"


def test_takes_with_other_colliders_are_refused(tmp_path):
    dataset = bake(tmp_path / "dataset", strip(), 80, ("training", "validation"))
    request, tracks = dataset.surroundings("take_001")
    poses = np.tile(np.eye(4), (80, 1, 1, 1))
    dataset.keep_surroundings(
        "take_001", replace(request, colliders=(ground(height=-3.0),)), replace(tracks, colliders=poses)
    )
    problem = refused(dataset, tmp_path)
    assert problem.code == "latent_takes_differ" and "take_001" in problem.message


def test_a_dataset_that_was_moved_is_enough_by_itself(tmp_path, dataset):
    names = {path.name for path in (dataset.path / "takes" / "take_000").iterdir()}
    assert {REQUEST, TRACKS} <= names
    assert not (dataset.path / "bake" / "scenes" / "take_000").exists()
    request, tracks = Dataset.open(dataset.path).surroundings("take_000")
    assert isinstance(tracks, Tracks) and request.settings == dataset.body.settings
    assert json.loads((dataset.path / "dataset.json").read_text())["fps"] == tracks.fps


@pytest.mark.parametrize("fps", [60.0, 90.0, 24.0, 45.0])
def test_a_hand_in_even_motion_shows_the_same_in_scenes_of_any_frame_rate(trained, fps):
    """And nothing jitters in the frames between two steps, which lie on the line between them."""
    method = load_method(read_model(trained[0]))
    seconds, velocity = 1.0, np.array([0.3, 0.1, 0.0], np.float32)

    def shown(rate):
        timeline = Timeline(method, rate, 0)
        for frame in range(round(seconds * rate) + 1):
            timeline.record(frame, velocity * np.float32(frame / rate))
        frames = range(round(seconds * rate) + 1)
        return {round(f / rate, 6): timeline.positions(f).copy() for f in frames}

    of_model, found = shown(FPS), shown(fps)
    times = sorted(of_model)
    for time, positions in found.items():
        after = next(t for t in times if t >= time - 1e-6)
        before = after if abs(after - time) < 1e-5 else times[times.index(after) - 1]
        share = 0.0 if after == before else (time - before) / (after - before)
        expected = (1 - share) * of_model[before] + share * of_model[after]
        assert np.abs(positions - expected).max() < 1e-3
        pinned = positions[[0, 6, 12]] - velocity * np.float32(time)
        assert np.abs(pinned - of_model[0.0][[0, 6, 12]]).max() < 1e-5


def test_in_axes_that_turn_the_energies_are_those_of_the_world(tmp_path):
    """The same motion of the hand, seen from two frames of reference."""
    resting = bake(tmp_path / "resting", strip(), 80, ("training",))
    turning = bake(tmp_path / "turning", strip(), 80, ("training",), turning=True)
    data, physics, _, _ = learners(turning)
    assert not data.motion.exact  # the pins turn, which the hand's position does not say
    frames, at = physics.frames(data.training), torch.arange(2, 40)
    world = physics.positions(torch.from_numpy(data.training.c)[at], frames, at)
    assert distance(world.numpy(), np.asarray(resting.take("take_000").positions[2:40])) < 1e-3
    places = [physics.positions(torch.from_numpy(data.training.c)[at - k], frames, at - k) for k in (1, 2)]
    held = physics.step(*places, frames, at).held[:, torch.from_numpy(turning.body.pinned)]
    pinned = np.asarray(resting.take("take_000").positions[2:40])[:, turning.body.pinned]
    assert held.numpy() == pytest.approx(pinned, abs=1e-5)
    result = train(turning, tmp_path / "model.safetensors", settings=[*QUICK, "steps=60", "coder_steps=60"])
    assert np.isfinite(result["validation_error"]) and "mm" in result["notes"][0]


def test_colliders_push_in_the_loss_and_are_seen_where_they_are(tmp_path):
    ball = round_ball(0.08, centre=(0.1, 0.15, -0.3))
    dataset = bake(tmp_path / "dataset", replace(strip(), colliders=(ball,)), 80, ("training",))
    result = train(dataset, tmp_path / "model.safetensors", settings=[*QUICK, "steps=60", "coder_steps=60"])
    assert np.isfinite(result["validation_error"])
    contact = contact_energy(colliders_of(dataset, dataset.body), dataset.body, 1 / FPS, CPU)
    x = torch.from_numpy(dataset.body.rest_positions)[None]
    centre = torch.tensor([0.1, 0.15, -0.3], dtype=torch.float64)
    poses = torch.eye(4).double()[None, None].clone()
    poses[0, 0, :3, 3] = centre
    assert float(contact(x, poses)) == 0.0
    poses[0, 0, 1:3, 3] = torch.tensor([0.05, -0.24])  # a vertex is within the ball
    assert float(contact(x, poses)) > 0.0
    # Where a scene has something to touch, it matters where the body is.
    spans = tuple(map(of_body, split(dataset)))
    assert prepare(*spans, dataset, dataset.body, bases=8, emit=silent, stop=NO_STOP).absolute


def test_windows_of_the_evaluation_start_from_the_truth(dataset, trained):
    method = load_method(read_model(trained[0]))
    windows = tile(dataset.takes("validation"), 60)
    predicted = rollout(method)(windows[0])
    assert distance(predicted[:1], windows[0].truth()[:1]) < 0.02
