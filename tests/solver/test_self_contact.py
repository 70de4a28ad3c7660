"""Contact of surfaces with themselves and each other: derivatives, and that nothing passes."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import spsolve

from neural_physics.solver.contact.self_contact import SelfContact

pytest.importorskip("ipctk")
D_HAT = 5e-3
DT = 1 / 100


def sheets(heights, size=6, shift=0.013):
    """Square sheets of a metre one above the other: positions, edges, triangles."""
    u = np.linspace(0, 1, size)
    square = np.stack(np.meshgrid(u, u, indexing="ij"), -1).reshape(-1, 2)
    at = np.arange(size * size).reshape(size, size)
    a, b, c, d = (x.ravel() for x in (at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]))
    triangles = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    positions = [np.c_[square + i * shift, np.full(size * size, z)] for i, z in enumerate(heights)]
    triangles = np.concatenate([triangles + i * size * size for i in range(len(heights))])
    edges = np.unique(
        np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])), axis=0
    )
    return np.concatenate(positions), edges, triangles


def two_sheets(gap, thickness=0.0):
    mesh = sheets([0.0, 0.02])
    contact = SelfContact(*mesh, stiffness=1e4, d_hat=D_HAT, thickness=thickness)
    positions = mesh[0].copy()
    half = len(positions) // 2
    positions[half:, 2] = gap
    # Two more degrees of freedom, as a rod's twists are.
    return contact, np.r_[positions.ravel(), 0.0, 0.0], half


@pytest.mark.parametrize("thickness", [0.0, 2e-3])
def test_forces_are_the_slopes_of_the_energy_and_the_hessian_never_negative(thickness):
    contact, q, _ = two_sheets(3e-3 + thickness, thickness)
    rng = np.random.default_rng(0)
    q[:-2] += 1e-4 * rng.normal(size=len(q) - 2)
    contact.begin_step(q)
    assert contact.value(q) > 0.0
    direction, h = rng.normal(size=len(q)), 1e-8
    ahead, behind = q + h * direction, q - h * direction
    slope = (contact.value(ahead) - contact.value(behind)) / (2 * h)
    assert contact.gradient(q) @ direction == pytest.approx(slope, rel=1e-5)
    hessian = contact.sparse_hessian(q)
    assert hessian.shape == (len(q), len(q)) and not hessian[-2:].nnz
    assert np.linalg.eigvalsh(hessian.toarray()).min() > -1e-9 * abs(hessian).max()
    # Along the normals, where nothing is projected away, it is the derivative of the gradient.
    upwards = np.zeros_like(q)
    upwards[2:-2:3] = rng.normal(size=(len(q) - 2) // 3)
    bend = (contact.gradient(q + 1e-8 * upwards) - contact.gradient(q - 1e-8 * upwards)) / 2e-8
    assert np.linalg.norm(hessian @ upwards - bend) < 0.15 * np.linalg.norm(bend)


def test_forces_of_two_sheets_balance_and_hardly_change_with_the_mesh():
    pressures = []
    for size in (6, 12, 20):
        mesh = sheets([0.0, 0.02], size)
        contact = SelfContact(*mesh, stiffness=1e4, d_hat=D_HAT)
        q = mesh[0].copy()
        half = len(q) // 2
        q[half:, 2] = 0.5 * D_HAT
        contact.begin_step(q.ravel())
        forces = contact.gradient(q.ravel()).reshape(-1, 3)
        assert forces.sum(0) == pytest.approx(np.zeros(3), abs=1e-8 * np.abs(forces).sum())
        pressures.append(-forces[half:, 2].sum())
    # A little more with a finer mesh, as less of the sheets' border goes uncounted.
    assert max(pressures) < 1.15 * min(pressures) and 4e4 < min(pressures) < 7e4


@pytest.mark.parametrize("thickness", [0.0, 2e-3])
def test_no_step_lets_sheets_pass_each_other_at_any_speed(thickness):
    contact, q, half = two_sheets(0.02, thickness)
    rng = np.random.default_rng(1)
    for speed in (1.0, 1000.0):
        direction = np.zeros_like(q)
        direction[3 * half : -2] = rng.normal(size=len(q) - 2 - 3 * half) * 0.1 * speed
        direction[3 * half + 2 : -2 : 3] -= speed
        t = contact.largest_step(q, direction)
        stopped = q + t * direction
        assert 0 < t < 0.03 and not contact.intersects(stopped)
        later = np.linspace(t, 2 * t, 20)
        assert any(contact.intersects(q + s * direction) for s in later)
        assert stopped[3 * half + 2 : -2 : 3].min() > thickness
    apart = np.zeros_like(q)
    apart[3 * half + 2 : -2 : 3] = 1000.0
    assert contact.largest_step(q, apart) == 1.0


@pytest.mark.parametrize("thickness", [0.0, 2e-3])
def test_sheets_pressed_together_never_cross(thickness):
    contact, q, half = two_sheets(0.02, thickness)
    rng = np.random.default_rng(2)
    mass = 0.01
    velocity = np.zeros_like(q)
    velocity[: 3 * half] = 0.5 * rng.normal(size=3 * half)
    press = np.zeros_like(q)
    press[2 : 3 * half : 3], press[3 * half + 2 : -2 : 3] = 50.0, -50.0
    touched = 0
    for _ in range(8):
        aim = q + DT * velocity + DT * DT * press
        before = q.copy()
        contact.begin_step(q)
        for _ in range(60):
            gradient = mass / DT**2 * (q - aim) + contact.gradient(q)
            hessian = contact.sparse_hessian(q) + mass / DT**2 * sparse.eye(len(q))
            direction = -spsolve(hessian.tocsc(), gradient)
            if np.abs(direction).max() < 1e-3 * DT:
                break
            t = contact.largest_step(q, direction)

            def energy(x, aim=aim):
                return 0.5 * mass / DT**2 * ((x - aim) ** 2).sum() + contact.value(x)

            start = energy(q)
            while energy(q + t * direction) > start and t > 1e-12:
                t /= 2
            q = q + t * direction
            assert not contact.intersects(q)
        velocity = (q - before) / DT
        touched += contact.value(q) > 0
        contact.begin_step(q)  # raises where parts are closer than thickness
    # Without contact they would have passed each other by 0.3 m.
    heights = q[2:-2:3]
    assert touched > 3 and heights[half:].mean() > heights[:half].mean() + thickness


def test_bodies_that_start_wrong_are_refused_with_the_reason():
    mesh = sheets([0.0, 0.02])
    crossed = mesh[0].copy()
    crossed[5, 2] = 1.0
    with pytest.raises(ValueError, match="passes through"):
        SelfContact(crossed, *mesh[1:], stiffness=1.0, d_hat=D_HAT)
    with pytest.raises(ValueError, match="thickness"):
        SelfContact(*mesh, stiffness=1.0, d_hat=D_HAT, thickness=0.03)


def test_without_the_toolkit_the_error_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "ipctk", None)
    with pytest.raises(ImportError, match="needs the package ipctk"):
        SelfContact(*sheets([0.0, 0.02]), stiffness=1.0, d_hat=D_HAT)
