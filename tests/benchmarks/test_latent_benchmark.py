"""What the benchmarks of latent dynamics rely on: that shapes, energies and penetration are right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("scipy")
pytestmark = pytest.mark.torch

from benchmarks.latent_dynamics import training
from benchmarks.latent_dynamics.bodies import ball_mesh, block_mesh
from benchmarks.latent_dynamics.contact import BALL_RADIUS, inside
from benchmarks.latent_dynamics.data_free_subspace import LATENTS, DataFreeSubspace
from benchmarks.latent_dynamics.limit import LARGER, larger
from benchmarks.latent_dynamics.rollouts import Roller, course, first_above, to_and_fro
from benchmarks.latent_dynamics.scenes import baked, cantilever, seen_only
from neural_physics.solver.meshing.surface_checks import enclosed_volume

QUICK = ["coder_steps=50", "steps=30", "solved=8", "solve_every=30", "validate_every=30", "minutes=0"]


@pytest.fixture(scope="module")
def beam(tmp_path_factory):
    """The cantilever, coarser and shorter, of which 80 frames are learned from."""
    scene = cantilever()
    settings = replace(scene.request.settings, tetrahedra=60)
    request = replace(scene.request, settings=settings)
    scene = replace(scene, request=request, takes=((120, 0, "training"),), seen=80)
    return baked(scene, tmp_path_factory.mktemp("beam"))


@pytest.fixture(scope="module")
def roller(beam, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(training, "MODELS", folder)
        path, _ = training.trained("beam", beam.path, changes=QUICK)
    return Roller(path, beam)


def test_a_body_s_shapes_carry_the_mesh_that_play_shows(beam, roller):
    y = np.asarray(beam.takes()[0].interaction[:40])
    shapes = np.concatenate(list(roller.shapes(roller.coefficients(y))))
    assert shapes.shape[1] == beam.body.vertex_count != beam.info.vertex_count
    state = roller.method.start(y[0])
    for t in range(40):
        state = roller.method.step(state, y[t]) if t else state
        shown = roller.method.positions(state, y[t])
        assert beam.body.carried(shapes[t]) == pytest.approx(shown, abs=1e-4)


def test_kinetic_energy_is_that_of_bodies_that_move_evenly_and_spares_what_the_pins_do(roller):
    t = np.arange(4)[:, None, None] * roller.dt
    together = roller.body.rest_positions + t * np.array([1.0, 2.0, 3.0])
    assert roller.kinetic(together) == pytest.approx(np.zeros(3), abs=1e-12)
    moving = ~roller.body.pinned[:, None]
    apart = roller.body.rest_positions + t * moving * np.array([0.0, 0.0, 2.0])
    mass = roller.body.masses[~roller.body.pinned].sum()
    assert roller.kinetic(apart) == pytest.approx(np.full(3, 0.5 * mass * 4.0))


def test_a_course_s_errors_are_those_of_its_shapes(beam, roller):
    take = beam.takes()[0]
    found = course(roller, take)
    y, true = np.asarray(take.interaction), np.asarray(take.body_positions, np.float64)
    shapes = np.concatenate(list(roller.shapes(roller.coefficients(y))))
    wrong, rest = ((shapes - true) ** 2)[80:].sum(), ((true[0] - true) ** 2)[80:].sum()
    assert found.error(slice(80, 120)) == pytest.approx(np.sqrt(wrong / rest), rel=1e-9)
    assert len(found.kinetic) == len(found.true_kinetic) == 119
    assert found.true_elastic[0] == pytest.approx(0.0, abs=1e-6) and (found.true_elastic[1:] > 0.0).all()


def test_only_the_first_frames_of_a_copy_are_learned_from(beam, tmp_path):
    assert [take.segments() for take in beam.takes()] == [[(0, 80)]]
    copy = seen_only(beam, {"take_000": 30}, tmp_path / "copy")
    assert [take.segments() for take in copy.takes()] == [[(0, 30)]]
    assert np.array_equal(copy.takes()[0].positions, beam.takes()[0].positions)


def test_a_larger_body_keeps_its_pins_middle(beam):
    request, _ = beam.surroundings("take_000")
    body, asked = larger(beam.body, request)
    middles = (each.rest_positions[each.pinned].mean(0) for each in (body, beam.body))
    assert next(middles) == pytest.approx(next(middles), abs=1e-12)
    assert np.ptp(body.rest_positions, 0) == pytest.approx(LARGER * np.ptp(beam.body.rest_positions, 0))
    assert np.ptp(asked.rest_positions, 0) == pytest.approx(LARGER * np.ptp(request.rest_positions, 0))


def test_what_is_in_the_ball_and_how_deep():
    ball = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    shapes = np.zeros((2, 4, 3))
    shapes[:, 1:, 2] = 0.5 * BALL_RADIUS, 2.0, 3.0
    found = inside(shapes, ball)
    assert (found["share"], found["frames"]) == (0.25, 0.5)
    assert found["mean_mm"] == pytest.approx(750.0 * BALL_RADIUS)
    assert found["deepest_mm"] == pytest.approx(1000.0 * BALL_RADIUS)


def test_energies_above_twice_the_solver_s_and_what_is_no_number_are_found():
    assert first_above(np.array([1.0, 3.9, 2.0]), 2.0) is None
    assert first_above(np.array([1.0, 4.1, np.nan]), 2.0) == 1
    assert first_above(np.array([1.0, np.nan, 9.0]), 2.0) == 1


def test_to_and_fro_what_acts_never_leaves_what_was_baked(beam):
    take = beam.takes()[0]
    y = np.asarray(take.interaction)
    way = to_and_fro(take, beam, 500)
    assert way.shape == (500, y.shape[1])
    assert way.min(0) == pytest.approx(y.min(0), abs=0.1 * np.ptp(y))
    assert way.max(0) == pytest.approx(y.max(0), abs=0.1 * np.ptp(y))
    assert np.abs(np.diff(way, axis=0)).max() <= 1.2 * np.abs(np.diff(y, axis=0)).max()


def test_meshes_are_closed_and_turned_outwards():
    points, corners, _ = block_mesh((1.0, 0.2, 0.3), (5, 1, 2))
    quads = corners.reshape(-1, 4)
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    assert enclosed_volume(points, triangles) == pytest.approx(0.06)
    ball = ball_mesh(0.5)
    assert enclosed_volume(ball.vertices, ball.triangles) == pytest.approx(np.pi / 6, rel=0.05)


def test_a_data_free_subspace_begins_at_rest_and_holds_the_pins(beam):
    model = DataFreeSubspace(beam.body)
    z = torch.randn(3, LATENTS, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    with torch.no_grad():
        rest, shapes = model(0.0 * z).numpy(), model(z).numpy()
    assert rest == pytest.approx(np.tile(beam.body.rest_positions, (3, 1, 1)), abs=1e-12)
    pinned = beam.body.pinned
    assert np.array_equal(shapes[:, pinned], np.tile(beam.body.rest_positions[pinned], (3, 1, 1)))
    assert np.abs(shapes[:, ~pinned] - beam.body.rest_positions[~pinned]).max() > 1e-4
