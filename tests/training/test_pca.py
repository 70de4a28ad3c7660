import numpy as np
import pytest

from learning.training.interaction_basis import fit_interaction_basis, still_spreads
from learning.training.pca import fit_pca
from neural_physics.interaction.channels import Channel, ChannelLayout, frame_kinematics


def in_chunks(rows, size=100):
    rows = rows.astype(np.float32)
    return lambda: (rows[i : i + size] for i in range(0, len(rows), size))


def data(frames, columns, falling, seed=0):
    """Rows whose singular values fall as `falling` says, about a mean far from zero."""
    rng = np.random.default_rng(seed)
    left = np.linalg.qr(rng.normal(size=(frames, len(falling))))[0]
    right = np.linalg.qr(rng.normal(size=(columns, len(falling))))[0]
    return left * falling @ right.T * frames**0.5 + rng.normal(size=columns) * 3


@pytest.mark.parametrize("frames,columns", [(40, 300), (900, 12)])
def test_it_is_the_svd_where_the_data_is_small(frames, columns):
    rows = data(frames, columns, np.linspace(2.0, 0.5, 12))
    found = fit_pca(in_chunks(rows), 10)
    _, values, directions = np.linalg.svd(rows - rows.mean(0), full_matrices=False)
    assert found.mean == pytest.approx(rows.mean(0), abs=1e-5)
    assert found.deviations == pytest.approx(values[:10] / frames**0.5, rel=1e-3)
    assert np.abs((found.basis * directions[:10]).sum(1)) == pytest.approx(np.ones(10), abs=2e-3)


def test_it_captures_what_the_svd_does_when_the_spectrum_falls_slowly_beyond_the_bases():
    rows = data(1500, 600, 1.0 / np.arange(1, 301) ** 0.7)
    found = fit_pca(in_chunks(rows), 20)
    centred = rows - rows.mean(0)
    best = np.linalg.svd(centred, compute_uv=False)
    captured = ((centred @ found.basis.T) ** 2).sum()
    assert captured >= 0.998 * (best[:20] ** 2).sum()
    assert found.captured == pytest.approx(captured / (best**2).sum(), rel=1e-3)
    assert found.basis @ found.basis.T == pytest.approx(np.eye(20), abs=1e-4)


def test_no_more_bases_than_the_data_has_directions():
    rows = data(200, 90, np.array([3.0, 2.0, 1.0]))
    found = fit_pca(in_chunks(rows), 16)
    assert found.basis.shape == (3, 90)
    assert found.captured == pytest.approx(1.0, abs=1e-4)


def test_the_interaction_is_whitened_and_what_only_repeats_is_left_out():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 5000))
    y = np.stack([3 * a + 7, 1000 * b + a, 3 * a + 8, np.full(5000, 5.0)], 1).astype(np.float32)
    found = fit_interaction_basis(y, np.zeros(4))
    w = found.project(y)
    assert w.shape == (5000, 2)
    assert np.cov(w.T) == pytest.approx(np.eye(2), abs=0.01)
    assert w.mean(0) == pytest.approx(np.zeros(2), abs=1e-3)


def test_a_value_that_moves_by_next_to_nothing_makes_no_infinite_basis():
    y = np.random.default_rng(0).normal(size=(50, 2)).astype(np.float32)
    y[:, 1] = np.where(np.arange(50) % 2, 1e-44, 0.0)
    found = fit_interaction_basis(y, np.zeros(2))
    assert found.project(y).std(0) == pytest.approx([1.0])


def test_an_interaction_that_never_changes_gives_one_finite_number():
    found = fit_interaction_basis(np.full((50, 3), 2.0, np.float32), np.zeros(3))
    assert np.array_equal(found.project(np.full((50, 3), 2.0, np.float32)), np.zeros((50, 1)))


def test_a_frame_that_is_moved_by_rounding_alone_does_not_become_a_signal():
    """A ball that moves, beside a frame whose float32 matrices differ in their last digits."""
    fps, count = 24.0, 400
    rng = np.random.default_rng(2)
    kinds = ("velocity", "acceleration", "angular_velocity", "angular_acceleration")
    moving = ChannelLayout((Channel("Ball", "position", 3),))
    still = (Channel("Chair", "position", 3), *(Channel(kind, kind, 3) for kind in kinds))
    layout = ChannelLayout((*moving.channels, *still))
    matrices = np.tile(np.eye(4), (count, 1, 1))
    matrices[:, :3] *= 1.0 + 1e-7 * rng.normal(size=(count, 3, 4))
    matrices[:, :3, 3] = 2.5 + 2e-7 * rng.normal(size=(count, 3))
    ball = np.cumsum(rng.normal(0, 0.01, (count, 3)), 0)
    y = np.zeros((count, layout.size), np.float32)
    for t in range(2, count):
        motion = frame_kinematics(matrices[[t, t - 1, t - 2]], 1 / fps)
        y[t] = layout.pack({"Ball": ball[t], "Chair": matrices[t, :3, 3], **vars(motion)})
    y = y[2:]
    found = fit_interaction_basis(y, still_spreads(layout, fps))
    assert found.basis.shape == (3, layout.size) and not found.basis[:, 3:].any()
    alone = fit_interaction_basis(y[:, :3], still_spreads(moving, fps))
    assert found.basis[:, :3] == pytest.approx(alone.basis, rel=1e-5)


def test_values_of_any_unit_count_if_float32_resolves_their_changes():
    rng = np.random.default_rng(3)
    layout = ChannelLayout((Channel("tiny", "value", 1), Channel("huge", "value", 1)))
    tiny = 1e-9 * rng.normal(size=500)
    huge = 1e6 + 0.06 * rng.normal(size=500)  # one step of float32 there
    y = np.stack([tiny, huge], 1).astype(np.float32)
    found = fit_interaction_basis(y, still_spreads(layout, 24.0))
    assert found.basis.shape == (1, 2) and found.basis[0, 0] != 0 and found.basis[0, 1] == 0


def test_more_numbers_than_frames_are_found_by_the_frames_and_are_the_same():
    rng = np.random.default_rng(4)
    motions = rng.normal(size=(60, 5))
    y = (motions @ rng.normal(size=(5, 90))).astype(np.float32)
    wide = fit_interaction_basis(y, np.zeros(90))
    tall = fit_interaction_basis(np.concatenate([y, y]), np.zeros(90))
    assert len(wide.basis) == len(tall.basis) == 5
    # Each direction may be turned round.
    signs = np.sign((wide.basis * tall.basis).sum(1, keepdims=True))
    assert signs * wide.basis == pytest.approx(tall.basis, rel=1e-3, abs=1e-6)
    w = wide.project(y)
    assert w.T @ w / len(y) == pytest.approx(np.eye(5), abs=1e-3)
