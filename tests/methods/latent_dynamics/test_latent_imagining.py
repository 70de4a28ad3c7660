"""Motion that latent dynamics imagines beside what was baked: a strand's own potential, as the solver's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from swinging_strips import FPS, bake, silent, straight

from learning.training.spans import split
from ml_backend.methods.latent_dynamics.data import LatentData, of_body, prepare
from ml_backend.methods.latent_dynamics.imagining import HELD_OUT, SIDE_BY_SIDE, _step, with_imagined
from ml_backend.methods.latent_dynamics.physics import LatentPhysics
from ml_backend.methods.latent_dynamics.potential.incremental_potential import IncrementalPotential
from ml_backend.methods.latent_dynamics.presets import LatentPreset
from ml_backend.methods.latent_dynamics.samples import StateSampler
from neural_physics.energies.air import AIR_DENSITY
from neural_physics.errors import Problem
from neural_physics.jobs.events import StopRequest

pytestmark = pytest.mark.torch
CPU, NO_STOP = torch.device("cpu"), StopRequest()


@pytest.fixture(scope="module")
def strand(tmp_path_factory):
    """As many bases as the strand has free numbers: nothing is out of their reach."""
    dataset = bake(tmp_path_factory.mktemp("strand") / "dataset", straight(young=2e4, shear=8e3), 90)
    body, spans = dataset.body, tuple(map(of_body, split(dataset)))
    data = prepare(*spans, dataset, body, bases=21, emit=silent, stop=NO_STOP)
    potential = IncrementalPotential(body, 1 / FPS, AIR_DENSITY, 0.0, contact=None, device=CPU)
    physics = LatentPhysics(data, body, potential, 1 / FPS, device=CPU)
    return data, physics, physics.stiffness(data, 0)


def test_from_true_states_the_next_frame_is_the_solver_s(strand):
    data, physics, stiffness = strand
    c, at = torch.from_numpy(data.training.c), torch.arange(30, 80)
    inverse = torch.from_numpy(np.linalg.inv(stiffness.mean + physics.inertia()))
    found = _step(
        physics, physics.frames(data.training), at, (c[at - 1], c[at - 2]), inverse=inverse, tolerance=1e-9
    )
    going_on = (2.0 * c[at - 1] - c[at - 2] - c[at]).norm(dim=1).mean()
    assert (found - c[at]).norm(dim=1).mean() < 0.05 * going_on


def test_each_frame_goes_on_from_the_one_before_it_or_from_a_true_one(strand):
    data, physics, stiffness = strand
    found = with_imagined(
        data, physics, stiffness, 9 * SIDE_BY_SIDE, seed=0, emit=silent, stop=NO_STOP
    ).imagined
    assert found.shape == (2, 9 * SIDE_BY_SIDE, data.training.c.shape[1])
    goes_on = (found[1, SIDE_BY_SIDE:] == found[0, :-SIDE_BY_SIDE]).all(1)
    assert 0.8 < goes_on.mean() < 1.0
    true = {row.tobytes() for row in data.training.c}
    assert all(row.tobytes() in true for row in found[1, SIDE_BY_SIDE:][~goes_on])
    # It swings about where the true ones do.
    assert found[0].std(0)[:3] == pytest.approx(data.training.c.std(0)[:3], rel=0.8)


def test_what_is_held_out_is_motion_of_its_own_that_the_potential_makes(strand):
    data, physics, stiffness = strand
    before = len(data.validation.c)
    found = with_imagined(data, physics, stiffness, 10 * SIDE_BY_SIDE, seed=0, emit=silent, stop=NO_STOP)
    held_out = found.validation
    assert len(held_out.c) - before == HELD_OUT * 10 + 2 * (len(held_out.ends) - len(data.validation.ends))
    first = len(data.validation.ends)
    inverse = torch.from_numpy(np.linalg.inv(stiffness.mean + physics.inertia()))
    c, frames = torch.from_numpy(held_out.c), physics.frames(held_out)
    at = torch.from_numpy(
        np.concatenate([np.arange(r.start + 2, r.stop) for r in list(held_out.runs())[first:]])
    )
    again = _step(physics, frames, at, (c[at - 1], c[at - 2]), inverse=inverse, tolerance=1e-9)
    jolts = (c[at] - 2.0 * c[at - 1] + c[at - 2]).norm(dim=1).mean()
    assert (again - c[at]).norm(dim=1).mean() < 0.1 * jolts
    seen = {tuple(row) for row in found.imagined[0].round(9)}
    assert not any(tuple(row) in seen for row in held_out.c[before:].round(9))


def test_nothing_is_imagined_after_it_was_stopped(strand, tmp_path):
    data, physics, stiffness = strand
    (tmp_path / "stop").touch()
    with pytest.raises(Problem) as caught:
        with_imagined(data, physics, stiffness, 100, seed=0, emit=silent, stop=StopRequest(tmp_path / "stop"))
    assert caught.value.code == "stopped"


def states(data: LatentData, count: int, imagined: int = 49, **settings):
    """Without noise, of a sampler whose latents are the numbers of the frames; imagined ones are 1000 on."""
    z = torch.arange(len(data.training.c), dtype=torch.float32)[:, None]
    numbers = torch.arange(imagined + 1.0)[:, None]
    more = 1000.0 + torch.stack([numbers[1:], numbers[:-1]])
    preset = replace(LatentPreset(), noise=1e-9, carried=0.0, **settings)
    s = torch.from_numpy(data.training.s.astype(np.float32))
    sampler = StateSampler(data, z, more, s, preset=preset)
    at, now, before = sampler.drawn(count, None, 0.0, torch.Generator().manual_seed(0))
    return at[count:].float(), now[count:, 0], before[count:, 0]


def test_shapes_of_other_frames_meet_what_acts_now_where_nothing_forbids_it(strand):
    data = strand[0]
    at, now, before = states(data, 400, swing=0.0)
    assert (now - before).numpy() == pytest.approx(1.0, abs=1e-3)
    assert (now > 999.0).any() and ((now - at + 1.0).abs() > 1.0).float().mean() > 0.9
    for settings in ({"mixed": False}, {"loss": "supervised"}):
        at, now, _ = states(data, 50, swing=0.0, **settings)
        assert (now - at + 1.0).numpy() == pytest.approx(0.0, abs=1e-3)
    at, now, _ = states(replace(data, absolute=True), 50, swing=0.0)
    assert (now - at + 1.0).numpy() == pytest.approx(0.0, abs=1e-3)


def test_however_much_is_imagined_half_of_what_is_drawn_is_true(strand):
    for imagined in (1, 10_000):
        now = states(strand[0], 2000, imagined, swing=0.0)[1]
        true = float((now < 999.0).float().mean())
        assert true == pytest.approx(0.5, abs=0.05) if imagined == 10_000 else true > 0.9
