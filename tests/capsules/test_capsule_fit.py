"""Fitting capsules: known ones are found again from points on them, and the share asked for lies inside."""

from __future__ import annotations

import numpy as np
import pytest

from neural_physics.capsules.fitting import fit_capsule, fit_free_capsule
from neural_physics.capsules.projection import Capsules

START, END = np.array((0.3, -0.2, 0.1)), np.array((0.9, 0.5, 1.0))
START_RADIUS, END_RADIUS = 0.28, 0.11
LENGTH = float(np.linalg.norm(END - START))


def on_surface(rng, count, start=START, end=END, radii=(START_RADIUS, END_RADIUS)):
    """Points on a tapered capsule: where each of its balls touches the cone, and the two caps."""
    axis = (end - start) / np.linalg.norm(end - start)
    slope = (radii[0] - radii[1]) / np.linalg.norm(end - start)
    ways = rng.normal(size=(count, 3))
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    aside = np.cross(axis, ways)
    aside /= np.linalg.norm(aside, axis=1, keepdims=True)
    places = (ways @ axis > slope).astype(float)
    on_cone = rng.uniform(size=count) < 0.6
    places[on_cone] = rng.uniform(size=on_cone.sum())
    ways[on_cone] = slope * axis + np.sqrt(1.0 - slope**2) * aside[on_cone]
    sizes = radii[0] + places * (radii[1] - radii[0])
    return start + places[:, None] * (end - start) + sizes[:, None] * ways


def distances(fitted, points):
    capsule = Capsules(
        fitted.start[None], fitted.end[None], np.array([fitted.start_radius]), np.array([fitted.end_radius])
    )
    return capsule.distance(0, np.asarray(points, np.float32))[0]


def share_inside(fitted, points, weights):
    return weights[distances(fitted, points) <= 2e-6].sum() / weights.sum()


def turned_and_moved(rng):
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn[:, 0] *= np.sign(np.linalg.det(turn))
    return lambda points: points @ turn.T + (4.0, -2.0, 7.0)


def radii_of(fitted):
    return [fitted.start_radius, fitted.end_radius]


def test_radii_around_a_known_bone_are_found_again():
    points = on_surface(np.random.default_rng(0), 800)
    fitted = fit_capsule(points, np.ones(800), START, END, share=0.5)
    assert radii_of(fitted) == pytest.approx([START_RADIUS, END_RADIUS], abs=1e-6)
    assert np.array_equal(fitted.start, START) and np.array_equal(fitted.end, END)


def test_ends_slide_to_where_the_capsule_ends():
    points = on_surface(np.random.default_rng(1), 800)
    axis = (END - START) / LENGTH
    fitted = fit_capsule(points, np.ones(800), START - 0.4 * axis, START + 0.3 * axis, share=0.5, slide=True)
    assert fitted.start == pytest.approx(START, abs=1e-6)
    assert fitted.end == pytest.approx(END, abs=1e-6)
    assert radii_of(fitted) == pytest.approx([START_RADIUS, END_RADIUS], abs=1e-6)


def test_without_a_bone_the_axis_is_found_too():
    points = on_surface(np.random.default_rng(2), 1500)
    fitted = fit_free_capsule(points, np.ones(1500), share=0.5)
    ends = sorted([(fitted.start_radius, fitted.start), (fitted.end_radius, fitted.end)], key=lambda e: -e[0])
    assert [radius for radius, _ in ends] == pytest.approx([START_RADIUS, END_RADIUS], abs=1e-5)
    assert np.array([end for _, end in ends]) == pytest.approx(np.array((START, END)), abs=1e-5)


def test_noise_and_a_side_that_was_not_seen_hardly_matter():
    rng = np.random.default_rng(3)
    points = on_surface(rng, 3000)
    seen = points[(points - START) @ np.cross(END - START, (0.0, 0.0, 1.0)) > 0.0]
    noisy = seen + rng.normal(scale=0.01, size=seen.shape)
    fitted = fit_capsule(noisy, np.ones(len(noisy)), START, END, share=0.5)
    assert radii_of(fitted) == pytest.approx([START_RADIUS, END_RADIUS], abs=3e-3)


def test_strays_do_not_tilt_it():
    rng = np.random.default_rng(4)
    points = on_surface(rng, 600)
    points[:18] = END + rng.uniform(1.0, 2.0, (18, 3))
    fitted = fit_capsule(points, np.ones(600), START, END, share=0.5)
    assert radii_of(fitted) == pytest.approx([START_RADIUS, END_RADIUS], abs=4e-3)


def test_a_tube_without_caps_is_covered_from_end_to_end():
    angles, heights = np.meshgrid(np.linspace(0.0, 6.2, 24), np.linspace(0.0, 1.0, 21))
    points = np.stack((0.1 * np.cos(angles), 0.1 * np.sin(angles), heights), -1).reshape(-1, 3)
    fitted = fit_capsule(points, np.ones(len(points)), np.zeros(3), np.array((0, 0, 2.0)), slide=True)
    assert radii_of(fitted) == pytest.approx([0.1, 0.1], abs=5e-3)
    assert -0.01 <= fitted.start[2] < 0.06 and 0.94 < fitted.end[2] <= 1.01


@pytest.mark.parametrize("share", [0.5, 0.8, 0.95, 1.0])
@pytest.mark.parametrize("slide", [False, True])
def test_the_share_asked_for_lies_inside_and_hardly_more(share, slide):
    rng = np.random.default_rng(5)
    points = rng.normal(size=(500, 3)) * (0.3, 0.2, 0.6)
    weights = rng.uniform(0.0, 1.0, 500)
    bone = np.array((0.0, 0.1, -0.5)), np.array((0.1, 0.0, 0.7))
    for fitted in (
        fit_capsule(points, weights, *bone, share=share, slide=slide),
        fit_free_capsule(points, weights, share),
    ):
        assert share - 1e-9 <= share_inside(fitted, points, weights) <= share + 2.0 / 500 + 1e-9


def test_a_weight_counts_as_often_as_the_point_is_there():
    rng = np.random.default_rng(6)
    points, times = rng.normal(size=(60, 3)), rng.integers(1, 4, 60)
    bone = np.array((0.0, 0.0, -0.5)), np.array((0.0, 0.0, 0.5))
    weighted = fit_capsule(points, times.astype(float), *bone)
    repeated = fit_capsule(np.repeat(points, times, 0), np.ones(times.sum()), *bone)
    assert radii_of(weighted) == pytest.approx(radii_of(repeated), abs=1e-6)


@pytest.mark.parametrize("slide", [False, True])
def test_what_is_moved_and_turned_is_fitted_alike(slide):
    rng = np.random.default_rng(7)
    points, weights = on_surface(rng, 400) + rng.normal(scale=0.02, size=(400, 3)), rng.uniform(0.1, 1.0, 400)
    move = turned_and_moved(rng)
    here = fit_capsule(points, weights, START, END, slide=slide)
    there = fit_capsule(move(points), weights, move(START), move(END), slide=slide)
    assert radii_of(there) == pytest.approx(radii_of(here), abs=1e-6)
    assert there.start == pytest.approx(move(here.start), abs=1e-6)
    free, moved = fit_free_capsule(points, weights), fit_free_capsule(move(points), weights)
    expected = sorted([(free.start_radius, *move(free.start)), (free.end_radius, *move(free.end))])
    found = sorted([(moved.start_radius, *moved.start), (moved.end_radius, *moved.end)])
    assert np.array(found) == pytest.approx(np.array(expected), abs=1e-4)


def test_a_bone_of_no_length_makes_a_ball():
    points = np.array([(1.0, 0, 0), (0, 1, 0), (0, 0, 1), (-1, 0, 0), (0, -1, 0), (0, 0, -1)])
    fitted = fit_capsule(points, np.ones(6), np.zeros(3), np.zeros(3), slide=True)
    assert radii_of(fitted) == pytest.approx([1.0, 1.0])
    assert np.array_equal(fitted.start, np.zeros(3)) and np.array_equal(fitted.end, np.zeros(3))


@pytest.mark.parametrize("slide", [False, True])
def test_one_point_is_just_reached(slide):
    fitted = fit_capsule(
        np.array([(0.2, 0, 0.5)]), np.ones(1), np.zeros(3), np.array((0, 0, 1.0)), slide=slide
    )
    assert distances(fitted, [(0.2, 0, 0.5)]) == pytest.approx(0.0, abs=1e-6)
    assert max(radii_of(fitted)) == pytest.approx(0.2, abs=1e-6)
    alone = fit_free_capsule(np.array([(0.2, 0, 0.5)]), np.ones(1))
    assert radii_of(alone) == [0.0, 0.0] and alone.start == pytest.approx([0.2, 0, 0.5])


@pytest.mark.parametrize("slide", [False, True])
def test_points_on_the_axis_make_a_line(slide):
    points = np.linspace((0, 0, 0.1), (0, 0, 0.9), 20)
    fitted = fit_capsule(points, np.ones(20), np.zeros(3), np.array((0, 0, 1.0)), slide=slide)
    assert max(radii_of(fitted)) < 0.06  # the ends of a line that slid are the outermost but for the tail
    assert share_inside(fitted, points, np.ones(20)) >= 0.95


def test_a_flat_sheet_is_no_endless_ball():
    x, y = np.meshgrid(np.linspace(-1, 1, 15), np.linspace(-0.6, 0.6, 9))
    points = np.stack((x, y, np.zeros_like(x)), -1).reshape(-1, 3)
    fitted = fit_free_capsule(points, np.ones(len(points)))
    assert max(radii_of(fitted)) < 1.0
    assert np.abs([fitted.start, fitted.end]).max() <= 1.0 + 1e-9


def test_nothing_to_fit_is_refused():
    bone = np.zeros(3), np.ones(3)
    with pytest.raises(ValueError, match="no point has weight"):
        fit_capsule(np.empty((0, 3)), np.empty(0), *bone)
    with pytest.raises(ValueError, match="no point has weight"):
        fit_free_capsule(np.ones((4, 3)), np.zeros(4))
    with pytest.raises(ValueError, match="share"):
        fit_capsule(np.ones((4, 3)), np.ones(4), *bone, share=0.0)
