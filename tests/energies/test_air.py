"""Air on plates, balls and strands: the drag of the textbooks, and that it is never overtaken."""

from __future__ import annotations

import numpy as np
import pytest

from neural_physics.energies.air import AIR_DENSITY, strand_forces, wind_forces, wind_velocity


def ball(count=80):
    """A ball of radius 1: vertices, triangles outwards."""
    up, round_ = np.meshgrid(np.linspace(0, np.pi, count), np.linspace(0, 2 * np.pi, count), indexing="ij")
    points = np.stack([np.sin(up) * np.cos(round_), np.sin(up) * np.sin(round_), np.cos(up)], -1)
    at = np.arange(count * count).reshape(count, count)
    a, b, c, d = (x.ravel() for x in (at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]))
    return points.reshape(-1, 3), np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])


def test_blenders_strength_presses_a_plate_as_blenders_cloth_does():
    plate = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    triangles = np.array([[0, 1, 2], [0, 2, 3]])
    wind = wind_velocity(np.array([0.0, 0.0, -300.0]))
    heavy = np.full(2, 1e9)
    force = wind_forces(plate, 0 * plate, triangles, heavy, wind=wind, dt=0.01).sum(0)
    assert force == pytest.approx([0.0, 0.0, -0.02 * 300.0])
    assert not wind_velocity(np.zeros((2, 3))).any()


def test_a_closed_ball_is_pressed_on_one_side_by_half_a_plates_drag():
    points, triangles = ball()
    heavy, still = np.full(len(triangles), 1e9), np.zeros_like(points)
    wind = np.array([3.0, 0.0, 0.0])
    force = wind_forces(points, still, triangles, heavy, wind=wind, dt=0.01, closed=True).sum(0)
    # The square of the cosine along the normal, over the front: the integral of 2 cos^3 sin is 1/2.
    assert force == pytest.approx([0.5 * 0.5 * AIR_DENSITY * 1.28 * 9.0 * np.pi, 0, 0], rel=2e-3, abs=1e-9)
    # Still air brakes it as much.
    braked = wind_forces(points, still - wind, triangles, heavy, wind=0 * wind, dt=0.01, closed=True).sum(0)
    assert braked == pytest.approx(force)


def test_a_strand_has_a_cylinders_drag_across_and_none_along():
    rod = np.stack([np.linspace(0, 2, 5), np.zeros(5), np.zeros(5)], 1)
    edges, still = np.array([[0, 1], [1, 2], [2, 3], [3, 4]]), np.zeros((5, 3))
    force = strand_forces(
        rod, still, edges, np.full(4, 1e9), radius=0.01, wind=np.array([5.0, 3.0, 4.0]), dt=0.01
    ).sum(0)
    assert force == pytest.approx(0.5 * AIR_DENSITY * 1.2 * 0.02 * 2.0 * 5.0 * np.array([0.0, 3.0, 4.0]))


def test_a_hair_in_a_storm_never_overtakes_the_wind():
    rod = np.stack([np.linspace(0, 0.1, 5), np.zeros(5), np.zeros(5)], 1)
    edges, v = np.array([[0, 1], [1, 2], [2, 3], [3, 4]]), np.zeros((5, 3))
    each = np.full(4, 1e-9)
    masses = np.array([0.5, 1, 1, 1, 0.5]) * 1e-9
    for _ in range(300):
        v = (
            v
            + strand_forces(rod, v, edges, each, radius=4e-5, wind=np.array([0, 0, 40.0]), dt=0.02)
            * 0.02
            / masses[:, None]
        )
        assert (v[:, 2] <= 40.0).all()
    assert v[:, 2].min() > 38.0
