"""A body that touches itself in Play: the balls inside it, and two prongs that do not pass each other."""

from __future__ import annotations

import argparse
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import torch
from pressed_blocks import cube, silent
from pressed_forks import DEPTH, OUTLINE, bake, fork

from ml_backend.commands.train import add_arguments, run
from ml_backend.methods.contact_corrections.inner_balls import inner_balls
from ml_backend.simulation.bodies import make_body
from neural_physics.jobs.events import StopRequest
from neural_physics.methods.contact_corrections.method import ContactCorrections
from neural_physics.methods.contact_corrections.self_contact import SelfContact
from neural_physics.models.model_file import read_model
from neural_physics.models.normals import triangulate
from neural_physics.solver.meshing.embedding import Embedding

pytestmark = pytest.mark.torch


def balls_of(asked):
    """The balls of a body, their centres at rest, and its surface (t, 3, 3)."""
    body = make_body(asked)
    surface = asked.rest_positions[triangulate(asked.corners, asked.face_sizes)]
    found = inner_balls(surface, body.rest, body.elements, 1000.0)
    return found, carried(found, body.rest), surface


def carried(balls, positions):
    return np.einsum("bk,bkd->bd", balls.weights, positions[balls.corners])


@pytest.fixture(scope="module")
def forked():
    return balls_of(fork())


def test_balls_touch_the_surface_from_within(forked):
    balls, centres, _ = forked
    ends = np.roll(OUTLINE, -1, axis=0) - OUTLINE
    shares = np.clip(((centres[:, None, [0, 2]] - OUTLINE) * ends).sum(2) / (ends**2).sum(1), 0.0, 1.0)
    to_outline = np.linalg.norm(centres[:, None, [0, 2]] - OUTLINE - shares[:, :, None] * ends, axis=2).min(1)
    depths = np.minimum(to_outline, np.minimum(centres[:, 1], DEPTH - centres[:, 1]))
    assert balls.radii == pytest.approx(0.98 * depths, abs=1e-4)
    assert np.median(balls.radii) > 0.01 and balls.radii.max() <= 0.5 * DEPTH


def test_it_makes_no_difference_which_way_its_faces_look():
    asked = fork()
    body = make_body(asked)
    surface = asked.rest_positions[triangulate(asked.corners, asked.face_sizes)]
    turned = inner_balls(surface[:, ::-1], body.rest, body.elements, 1000.0)
    centres = carried(turned, body.rest)
    assert centres.min() > -1e-9 and centres[:, 1].max() < DEPTH + 1e-9
    assert np.median(turned.radii) > 0.01


def test_what_is_near_is_found_as_by_looking_at_each_pair(forked):
    balls, centres, _ = forked
    squeezed = centres * [0.4, 1.0, 1.0]
    neighbours = {tuple(sorted(pair)) for pair in balls.neighbours.tolist()}
    expected = {
        (a, b)
        for a, b in combinations(range(len(centres)), 2)
        if (a, b) not in neighbours
        and np.linalg.norm(squeezed[a] - squeezed[b]) < 2.0 * (balls.radii[a] + balls.radii[b])
    }
    assert {tuple(pair) for pair in balls.near(squeezed).tolist()} == expected and len(expected) > 100


def test_no_more_pairs_are_near_than_a_step_has_time_for():
    random = np.random.default_rng(4)
    corners = np.zeros((300, 4), np.intp)
    radii = random.uniform(0.1, 0.2, 300)
    balls = SelfContact(corners, np.ones((300, 4)), radii, np.zeros((0, 2), np.intp), 1.0)
    near = balls.near(0.1 * random.normal(size=(300, 3)))
    assert len(near) == balls.most_near == 4096 and (near[:, 0] < near[:, 1]).all()


def test_nothing_pushes_at_rest_and_parts_with_room_between_them_do_when_they_meet(forked):
    balls, centres, _ = forked
    assert not len(balls.pressed(centres, balls.near(centres), 0).short)
    left, right = ((centres[:, 2] > 0.15) & side for side in (centres[:, 0] < 0.1, centres[:, 0] > 0.22))
    met = centres - right[:, None] * [0.2, 0.0, 0.0]
    met[~left & ~right] += np.array([0.0, 0.0, -10.0])
    pressed = balls.pressed(met, balls.near(met), 0)
    assert len(pressed.short) > 20
    a, b = pressed.corners.T
    assert (left[a] & right[b] | right[a] & left[b]).all()
    # They are pushed apart: those on the left to the left.
    assert (np.where(left[a], 1.0, -1.0) * pressed.normals[:, 0]).mean() < -0.5


def test_a_bar_that_is_pressed_together_or_bent_by_a_right_angle_does_not_push_itself():
    """Its own elasticity does that."""
    asked = replace(fork(), pins=np.zeros(0, np.int32))
    vertices, corners, sizes = cube((0.0, 0.0, 0.0), (0.1, 0.1, 0.8), 4)
    asked = replace(asked, rest_positions=vertices, corners=corners, face_sizes=sizes)
    balls, centres, _ = balls_of(asked)
    pressed = centres * [1.1, 1.1, 0.75]
    assert not len(balls.pressed(pressed, balls.near(pressed), 0).short)
    angle, radius = 0.5 * np.pi * centres[:, 2] / 0.8, 0.8 / (0.5 * np.pi)
    off = radius - (centres[:, 0] - 0.05)
    bent = np.stack([radius - off * np.cos(angle), centres[:, 1], off * np.sin(angle)], 1)
    assert not len(balls.pressed(bent, balls.near(bent), 0).short)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A dataset of two prongs that meet, and a model of it."""
    folder = tmp_path_factory.mktemp("forked")
    dataset = bake(folder / "dataset", fork(self_contact=True))
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    out = folder / "model.safetensors"
    settings = ("handles=12", "poses=20", "cubature=120", "internal=false", "external=false")
    words = ["--method", "contact_corrections", str(dataset.path), "--out", str(out)]
    torch.set_num_threads(1)
    run(parser.parse_args(words + [f"--set={setting}" for setting in settings]), silent, StopRequest())
    return dataset, read_model(out)


def deepest(dataset, model):
    """m, in each frame of the second take: how deep the left prong is in the right one, measured at rest."""
    body, take = dataset.body, dataset.takes()[1]
    x, y, z = np.meshgrid(np.linspace(0.0, 0.08, 7), np.linspace(0.0, DEPTH, 7), np.linspace(0.2, 0.5, 25))
    points = Embedding(body.rest_positions, body.elements, np.stack([x, y, z], -1).reshape(-1, 3))
    of_right = body.elements[(body.rest_positions[body.elements].mean(1) > [0.2, -1.0, 0.12]).all(1)]
    rest = body.rest_positions[of_right]
    method, found = ContactCorrections(model), []
    state = method.start(take.interaction[0])
    for now in take.interaction:
        state = method.step(state, now)
        positions = method.body_positions(state, now)
        corners = positions[of_right]
        to_inside = np.linalg.inv((corners[:, 1:] - corners[:, :1]).swapaxes(1, 2))
        off = (
            np.einsum("pk,pkd->pd", points.weights, positions[points.corners])[:, None] - corners[None, :, 0]
        )
        shares = np.einsum("eij,pej->pei", to_inside, off)
        point, element = np.nonzero((shares > 0.0).all(2) & (shares.sum(2) < 1.0))
        at = rest[element, 0] + np.einsum(
            "nk,nkd->nd", shares[point, element], rest[element, 1:] - rest[element, :1]
        )
        within = np.minimum(at - [0.24, 0.0, 0.0], [0.32, DEPTH, 0.5] - at).min(1)
        found.append(max(0.0, within.max(initial=0.0)))
    return np.array(found)


@pytest.mark.slow
def test_prongs_that_meet_do_not_pass_through_each_other(trained):
    """Without it the one is half way through the other; with it an edge sinks in by a part of that."""
    dataset, model = trained
    tensors = {name: each for name, each in model.tensors.items() if "self_contact" not in name}
    through, kept = deepest(dataset, replace(model, tensors=tensors)), deepest(dataset, model)
    assert through.max() > 0.95 * 0.5 * DEPTH
    assert kept.max() < 0.5 * through.max() and kept.sum() < 0.4 * through.sum()


@pytest.mark.slow
def test_takes_without_self_contact_make_a_model_without(trained):
    dataset, model = trained
    assert "self_contact.radii" in model.tensors
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    folder = dataset.path.parent
    through = bake(folder / "through", fork(self_contact=False, tetrahedra=400), frames=70)
    out = folder / "through.safetensors"
    words = ["--method", "contact_corrections", str(through.path), "--out", str(out)]
    settings = ("handles=6", "poses=4", "cubature=40", "internal=false", "external=false")
    run(parser.parse_args(words + [f"--set={setting}" for setting in settings]), silent, StopRequest())
    assert not [name for name in read_model(out).tensors if "self_contact" in name]
