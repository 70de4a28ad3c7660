"""Mirror images of takes, of a sheet whose motion is known to be its own mirror image, or not to be."""

from dataclasses import replace

import numpy as np
import pytest
from motion_data import grid

from learning.training import mirror as mirror_module
from learning.training.mirror import find_mirrors
from learning.training.spans import split
from learning.training.subspace_data import prepare
from neural_physics.datasets.dataset_info import ONLY_CHANNELS_ACT, YES, DatasetInfo, TakeInfo
from neural_physics.datasets.takes import Dataset
from neural_physics.interaction.channels import Channel, ChannelLayout
from neural_physics.jobs.events import StopRequest

FRAMES, FPS = 300, 24.0
ROLES = ("training", "training", "validation")
BALL = ChannelLayout((Channel("Ball", "position", 3),))


def wandering(random, low, high):
    """(FRAMES, 3): a smooth path through a box."""
    t = np.arange(FRAMES)[:, None] / FPS
    waves = sum(
        np.sin(2.0 * np.pi * f * t + random.uniform(0, 2 * np.pi, 3)) for f in random.uniform(0.1, 1.5, 6)
    )
    return low + (high - low) * (0.5 + 0.14 * waves)


def simulated(mesh, ball, wind):
    """(FRAMES, V, 3): each vertex on a spring of its own, drawn to a ball that is near, and blown at."""
    rest, free = mesh.rest_positions.astype(np.float64), (1.0 - mesh.pins)[:, None]
    x, v, shown = rest.copy(), np.zeros_like(rest), []
    for centre in ball:
        for _ in range(4):
            away = centre - x
            drawn = 30.0 * away * np.exp(-4.0 * np.square(away).sum(1, keepdims=True))
            v += free * (drawn - 80.0 * (x - rest) - 2.0 * v + wind) / (4 * FPS)
            x = x + v / (4 * FPS)
        shown.append(x.astype(np.float32))
    return np.array(shown)


def takes(path, mesh=None, wind=(0.0, 0.0, 0.0), low=(-1.0, -1.0, -0.5), high=(2.0, 2.0, 1.0), layout=BALL):
    """A dataset of a sheet in the unit square, with gravity along -z."""
    mesh = mesh or grid(7)
    info = DatasetInfo("Sheet", mesh.topology(), mesh.vertex_count, FPS, channels=layout)
    dataset = Dataset.create(path, info, mesh)
    for number, role in enumerate(ROLES):
        ball = wandering(np.random.default_rng(number), np.array(low), np.array(high))
        positions = simulated(mesh, ball, np.array(wind))
        with dataset.writer(f"take_{number:03d}", TakeInfo(FRAMES, role=role, seed=number)) as writer:
            for frame, centre in zip(positions, ball, strict=True):
                writer.append(frame, np.resize(centre, layout.size).astype(np.float32))
    return dataset


def mirrors_of(dataset):
    return find_mirrors(dataset.mesh, dataset.info, *split(dataset))


def planes(dataset):
    """The signs of each mirror, by axis."""
    return [tuple(int(sign) for sign in mirror.signs) for mirror in mirrors_of(dataset)]


ACROSS_X, ACROSS_Y = (-1, 1, 1), (1, -1, 1)


def test_both_upright_planes_are_found_and_what_they_make_together(tmp_path):
    assert planes(takes(tmp_path / "d")) == [ACROSS_X, ACROSS_Y, (-1, -1, 1)]


def test_a_force_that_no_channel_knows_is_noticed(tmp_path):
    assert planes(takes(tmp_path / "d", wind=(2.0, 0.0, 0.0))) == [ACROSS_Y]


def test_takes_of_motion_on_one_side_alone_do_not_show_that_the_other_is_alike(tmp_path):
    assert planes(takes(tmp_path / "d", low=(0.3, -1.0, -0.5), high=(2.0, 2.0, 1.0))) == [ACROSS_Y]


@pytest.mark.parametrize(
    ("provenance", "colliders", "both"),
    [
        ({ONLY_CHANNELS_ACT: YES}, {"Ball": 0.3}, True),
        ({ONLY_CHANNELS_ACT: YES}, {}, False),
        ({}, {"Ball": 0.3}, False),
    ],
    ids=["known", "not a ball", "not known"],
)
def test_a_bake_that_knows_that_nothing_else_acts_need_not_be_asked(tmp_path, provenance, colliders, both):
    dataset = takes(tmp_path / "d", low=(0.3, -1.0, -0.5), high=(2.0, 2.0, 1.0))
    dataset.info = replace(dataset.info, provenance=provenance, colliders=colliders)
    assert planes(dataset) == ([ACROSS_X, ACROSS_Y, (-1, -1, 1)] if both else [ACROSS_Y])


def test_pins_on_one_side_leave_the_plane_through_them(tmp_path):
    mesh = grid(7)
    pinned = replace(mesh, pins=(mesh.rest_positions[:, 0] < 0.01).astype(np.float32))
    assert planes(takes(tmp_path / "d", pinned)) == [ACROSS_Y]


def test_none_is_looked_for_with_more_numbers_than_there_is_time_for(tmp_path, monkeypatch):
    dataset = takes(tmp_path / "d")
    monkeypatch.setattr(mirror_module, "MOST_VALUES", 2)
    assert planes(dataset) == []


def test_a_mesh_that_is_not_its_own_mirror_image_has_none(tmp_path):
    mesh = grid(7)
    rest = mesh.rest_positions.copy()
    rest[10, :2] += 0.01
    assert planes(takes(tmp_path / "d", replace(mesh, rest_positions=rest))) == []


@pytest.mark.parametrize("kind", ["joints", "value", "orientation"])
def test_what_cannot_be_mirrored_has_none(tmp_path, kind):
    size, parts = {"joints": (3, ("Bone",)), "value": (1, ()), "orientation": (6, ())}[kind]
    layout = ChannelLayout((*BALL.channels, Channel("Other", kind, size, parts=parts)))
    assert planes(takes(tmp_path / "d", layout=layout)) == []


def test_a_mirror_image_is_simulated_as_its_mirrored_ball_says(tmp_path):
    """And of two planes one after the other, as well."""
    dataset = takes(tmp_path / "d")
    take = dataset.takes("training")[0]
    for mirror in mirrors_of(dataset):
        images = mirror.positions(np.asarray(take.positions))
        ball = mirror.interaction(np.asarray(take.interaction))
        assert np.abs(images - take.positions).max() > 0.01, "it is another motion"
        assert images == pytest.approx(simulated(dataset.mesh, ball, np.zeros(3)), abs=1e-4)
        assert mirror.positions(images) == pytest.approx(np.asarray(take.positions), abs=1e-6)
        assert mirror.interaction(ball) == pytest.approx(np.asarray(take.interaction), abs=1e-6)


def test_mirror_images_in_the_bases_are_those_of_the_shapes(tmp_path):
    dataset = takes(tmp_path / "d")
    training, held_out = split(dataset)
    mirrors = find_mirrors(dataset.mesh, dataset.info, training, held_out)
    data = prepare(
        training, held_out, dataset.info, 12, mirrors=mirrors, emit=lambda _: None, stop=StopRequest()
    )
    frames = sum(map(len, training))
    assert len(data.training.z) == (1 + len(mirrors)) * frames
    assert list(data.training.ends) == [FRAMES * (k + 1) for k in range(2 * (1 + len(mirrors)))]
    shapes = np.concatenate([np.asarray(span.take.positions) for span in training])
    y = np.concatenate([span.interaction for span in training])
    to_unit = (data.basis.reshape(len(data.basis), -1) / data.deviations[:, None] ** 2).T
    for k, mirror in enumerate(mirrors, 1):
        part = slice(k * frames, (k + 1) * frames)
        offsets = (mirror.positions(shapes) - data.mean).reshape(frames, -1)
        shown = (data.training.z[part] * data.deviations) - (offsets @ to_unit) * data.deviations
        assert np.abs(shown).max() < 0.02 * np.abs(offsets @ to_unit * data.deviations).max()
        assert data.training.squares[part] == pytest.approx(np.square(offsets).sum(1), rel=0.02, abs=1e-3)
        w = (mirror.interaction(y) - data.y_mean) @ data.interaction_basis.T
        assert data.training.w[part] == pytest.approx(w, abs=1e-4)


def test_a_mesh_with_all_of_it_in_one_place_is_not_gone_through_pair_by_pair(tmp_path, monkeypatch):
    dataset = takes(tmp_path)
    assert mirrors_of(dataset)
    monkeypatch.setattr(mirror_module, "MOST_TRIED", 0)
    monkeypatch.setattr(mirror_module, "MOST_PAIRS", len(dataset.mesh.rest_positions) - 1)
    assert mirrors_of(dataset) == []
