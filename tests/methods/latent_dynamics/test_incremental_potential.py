"""The energy that latent dynamics learns from, held against the solver whose steps are its minima."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from bake_requests import ground, round_ball, tracks
from swinging_strips import FPS, cube, sheet, straight, strands

from ml_backend.methods.latent_dynamics.potential.body_energy import BodyEnergy
from ml_backend.methods.latent_dynamics.potential.contact_energy import ContactEnergy
from ml_backend.methods.latent_dynamics.potential.incremental_potential import IncrementalPotential, Step
from ml_backend.simulation.bodies import make_body
from ml_backend.simulation.elasticity import elastic_parts
from ml_backend.simulation.simulation import Simulation
from neural_physics.energies.colliders.half_space import HalfSpace
from neural_physics.energies.colliders.sphere import Sphere

pytestmark = pytest.mark.torch
CPU = torch.device("cpu")
AIR = 1.225


def shaken(held, t):
    return held + np.array([0.1 * np.sin(9 * t), 0.2 * t, 0.05 * np.sin(5 * t)])


def nearly_straight():
    """Bent in a plane by a hundredth at each joint, which takes another way than what is straight."""
    turns = 0.01 * np.arange(8)
    steps = 0.05 * np.stack([np.cos(turns), np.sin(turns), 0 * turns], 1)
    return np.concatenate([np.zeros((1, 3)), np.cumsum(steps, 0)])


def tensor(array):
    return torch.from_numpy(np.ascontiguousarray(array, np.float64))[None]


class Follower:
    """A simulation of its own, and the step that each of its frames was."""

    def __init__(self, asked, wind=(60.0, 20.0, 0.0)):
        self.body = make_body(asked)
        self.tracks = replace(tracks(asked, 30, pins=shaken, wind=wind), fps=FPS)
        self.simulation = Simulation(asked, self.body, self.tracks)
        self.places = [self.simulation.positions.copy()] * 2
        self.potential = IncrementalPotential(self.body, 1 / FPS, AIR, 0.0, contact=None, device=CPU)

    def advance(self):
        """The step to the next frame, and where it ended (1, B, 3)."""
        assert self.simulation.advance()
        before, earlier = self.places[-1], self.places[-2]
        self.places.append(self.simulation.positions.copy())
        motion, frame = self.simulation._motion, self.simulation.frame
        wind = tensor(motion.wind((frame - 1) / FPS))
        held = tensor(motion.pins(frame / FPS))
        step = Step(tensor(before), tensor(earlier), wind, held, poses=torch.zeros(1, 0, 4, 4).double())
        return step, tensor(self.places[-1])

    def slope(self, x, step):
        """(B, 3) N, 0 at the pins."""
        x = x.clone().requires_grad_()
        (slope,) = torch.autograd.grad(self.potential(x, step).sum(), x)
        return slope[0].numpy() * ~self.body.pinned[:, None]

    @property
    def weight(self):
        """N, of what is free."""
        return 9.81 * self.body.masses[~self.body.pinned].sum()


@pytest.mark.parametrize(
    "asked",
    [
        cube(),
        cube(elasticity="stvk"),
        cube(elasticity="corotational"),
        sheet(),
        sheet(bending=0.0),
        straight(),
    ],
    ids=["neo-hookean", "stvk", "corotational", "shell", "membrane", "rod"],
)
def test_elastic_energy_and_forces_are_the_solver_s_at_any_shape(asked):
    body = make_body(asked)
    parts, energy = elastic_parts(body), BodyEnergy(body, CPU)
    rng = np.random.default_rng(0)
    shapes = body.rest_positions + rng.normal(0.0, 0.004, (3, *body.rest_positions.shape))
    x = torch.from_numpy(shapes).requires_grad_()
    found = energy(x)
    (slope,) = torch.autograd.grad(found.sum(), x)
    for shape, value, force in zip(shapes, found, slope, strict=True):
        q = parts.rest.copy()
        q[: shape.size] = shape.ravel()
        if parts.twisting is not None:  # a strand that nothing twists: its angles follow its frames
            parts.twisting.accept(body.rest_positions.ravel().take(range(len(q)), mode="clip"))
            q = _untwisted(parts, q)
        expected = np.zeros_like(q)
        for term in parts.terms:
            np.add.at(expected, term.stencils, term.gradient(q))
        assert value.item() == pytest.approx(sum(term.value(q).sum() for term in parts.terms), rel=1e-9)
        forces = expected[: shape.size].reshape(-1, 3)
        assert np.abs(force.numpy() - forces).max() < 1e-7 * np.abs(forces).max()


def test_a_strand_that_is_hardly_bent_at_rest_differs_from_the_solver_s_by_as_little():
    """By what bends it also twists it: of the square of the bend, here of a hundredth at each joint."""
    body = make_body(strands(nearly_straight(), radius=5e-3, young=5e5, shear=2e5, density=300.0))
    parts, energy = elastic_parts(body), BodyEnergy(body, CPU)
    shape = body.rest_positions + np.random.default_rng(0).normal(0.0, 0.004, body.rest_positions.shape)
    q = np.concatenate([shape.ravel(), parts.rest[shape.size :]])
    q = _untwisted(parts, q)
    expected = sum(term.value(q).sum() for term in parts.terms)
    found = energy(torch.from_numpy(shape)[None])
    assert found.item() == pytest.approx(expected, rel=1e-5)
    assert found.item() != pytest.approx(expected, rel=1e-9)
    at_rest = energy(torch.from_numpy(body.rest_positions)[None])
    assert at_rest.item() == pytest.approx(0.0, abs=1e-12)


def _untwisted(parts, q):
    """The same positions, with the twist angles at which no joint is twisted, by Newton's method."""
    term, first = parts.twisting, parts.rest.size - len(np.unique(parts.twisting.stencils[:, [3, 7]]))
    angles = slice(first + 1, None)  # the first is clamped
    for _ in range(20):
        slope, matrix = np.zeros_like(q), np.zeros((len(q), len(q)))
        gradients, hessians = term.gradient(q), term.exact_hessian(q)
        for row, gradient, hessian in zip(term.stencils, gradients, hessians, strict=True):
            slope[row] += gradient
            matrix[np.ix_(row, row)] += hessian
        q[angles] -= np.linalg.solve(matrix[angles, angles], slope[angles])
    return q


@pytest.mark.parametrize(
    ("asked", "most"),
    [
        (cube(), 1e-4),
        (cube(damping=0.02), 1e-4),
        (cube(elasticity="stvk"), 1e-3),
        (sheet(), 0.05),
        (sheet(damping=0.01), 0.05),
        (straight(), 0.05),
    ],
    ids=["solid", "damped solid", "stvk", "shell", "damped shell", "rod"],
)
def test_every_step_of_the_solver_ends_at_a_minimum(asked, most):
    """As far as the solver goes: it stops where a Newton step is short, which leaves some force."""
    follower = Follower(asked)
    for _ in range(12):
        step, reached = follower.advance()
        slope = follower.slope(reached, step)
        away = follower.slope(reached + 1e-3 * (follower.body.masses[:, None] > 0), step)
        assert np.linalg.norm(slope) < most * follower.weight
        assert np.linalg.norm(away) > 10 * np.linalg.norm(slope)


def test_the_step_before_is_no_minimum_and_no_other_step_s_end_is():
    follower = Follower(cube())
    step, reached = follower.advance()
    later, further = follower.advance()
    assert np.linalg.norm(follower.slope(reached, later)) > 0.1 * follower.weight
    assert np.linalg.norm(follower.slope(further, step)) > 0.1 * follower.weight


def test_pins_that_are_off_cost_their_square_distance():
    follower = Follower(sheet())
    step, reached = follower.advance()
    held = IncrementalPotential(follower.body, 1 / FPS, AIR, 2e3, contact=None, device=CPU)
    off = reached.clone()
    off[0, 0, 2] += 0.01
    without = follower.potential(off, step)
    assert float(held(off, step) - without) == pytest.approx(2e3 * 0.01**2, rel=1e-6)
    assert float(held(reached, step) - follower.potential(reached, step)) == pytest.approx(0.0, abs=1e-9)


def test_a_batch_is_its_samples_one_by_one():
    follower = Follower(straight())
    steps, places = zip(*[follower.advance() for _ in range(3)], strict=True)
    together = Step(*(torch.cat([vars(s)[name] for s in steps]) for name in vars(steps[0])))
    alone = [float(follower.potential(x, step)) for x, step in zip(places, steps, strict=True)]
    assert follower.potential(torch.cat(places), together).numpy() == pytest.approx(
        np.array(alone), rel=1e-12
    )
    some = together.of(torch.tensor([2, 0]))
    assert torch.equal(some.before, torch.cat([steps[2].before, steps[0].before]))


def test_contact_costs_nothing_out_of_reach_and_pushes_outwards_from_within():
    shapes = [Sphere(0.5), HalfSpace(3)]
    energy = ContactEnergy(
        shapes, torch.tensor([0, 1]), torch.tensor([100.0, 300.0]).double(), 0.01, offset=0.002
    )
    poses = torch.eye(4).double().repeat(1, 2, 1, 1)
    poses[0, 0, :3, 3] = torch.tensor([0.0, 0.0, 2.0])
    apart = torch.tensor([[[0.0, 0.0, 1.0], [1.0, 0.0, 0.5]]]).double()
    assert float(energy(apart, poses)) == 0.0
    inside = torch.tensor([[[0.0, 0.0, 1.6], [1.0, 0.0, -0.1]]], dtype=torch.float64).requires_grad_()
    value = energy(inside, poses)
    assert float(value) == pytest.approx(50 * 0.112**2 + 150 * 0.112**2)
    (slope,) = torch.autograd.grad(value.sum(), inside)
    expected = np.array([[0.0, 0.0, 100 * 0.112], [0.0, 0.0, -300 * 0.112]])
    assert slope[0].numpy() == pytest.approx(expected, abs=1e-12)


def test_colliders_are_those_of_the_bake():
    asked = replace(sheet(), colliders=(round_ball(0.1, centre=(0.5, 0.5, -0.5)), ground(height=-1.0)))
    shapes = Simulation(asked, make_body(asked), tracks(asked, 2))._motion.colliders
    assert [type(each.shape).__name__ for each in shapes] == ["Sphere", "HalfSpace"]


def test_a_strand_folded_back_has_no_energy():
    body = make_body(strands(np.array([[0.0, 0, 0], [0.1, 0, 0], [0.2, 0, 0], [0.1, 0, 0]])))
    with pytest.raises(ValueError, match="folded"):
        BodyEnergy(body, CPU)
