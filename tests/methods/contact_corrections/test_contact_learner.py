"""Training of one correction: what it predicts between the few values that one of its inputs takes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from learning.training.presets import changed
from ml_backend.methods.contact_corrections.learner import CorrectionLearner
from ml_backend.methods.contact_corrections.presets import ContactPreset
from ml_backend.methods.contact_corrections.samples import Samples

pytestmark = pytest.mark.torch
BODY, WIDTH = 12, 120


def dented(count: int, sizes: list[float], seed: int) -> Samples:
    """Dents as deep as a ball is large, near the places in the plane where it is."""
    rng = np.random.default_rng(seed)
    places, size = rng.uniform(-1.0, 1.0, (count, 2)), rng.choice(sizes, count)
    body = np.random.default_rng(0).uniform(-1.0, 1.0, (BODY, 2))
    away = np.square(places[:, None] - body).sum(-1)
    r = np.zeros((count, BODY, 2))
    r[..., 1] = -size[:, None] * np.exp(-away / 0.3**2)
    nothing = np.zeros((count, 1, 2), np.float32)
    return Samples(
        np.column_stack([places, size]).astype(np.float32),
        r.astype(np.float32),
        np.ones(count, np.float32),
        nothing,
        centres=nothing[:, 0],
        turns=np.tile(np.eye(2, dtype=np.float32), (count, 1, 1)),
        recorded=np.ones(count, bool),
    )


def said(tensors: dict[str, np.ndarray], features: np.ndarray) -> np.ndarray:
    """(N, B, 2): what the network of these tensors says, written out."""
    within, margin = np.clip(features, tensors["one.low"], tensors["one.high"]), tensors["one.margin"]
    within = within + margin * np.tanh((features - within) / margin)
    x = (within - tensors["one.mean"]) * tensors["one.scale"]
    hidden = np.tanh(x @ tensors["one.layers.0.weight"].T + tensors["one.layers.0.bias"])
    c = hidden @ tensors["one.layers.1.weight"].T + tensors["one.layers.1.bias"]
    return np.einsum("nm,mbd->nbd", c, tensors["one.basis"])


@pytest.mark.parametrize("steps", [0, 100])
def test_between_sizes_that_were_learned_from_dents_are_between(steps):
    learned, between = [0.05, 0.065, 0.08, 0.1], [0.0575, 0.0725, 0.09]
    preset, cpu = changed(ContactPreset(), ["batch=256"]), torch.device("cpu")
    torch.set_num_threads(1)
    learner = CorrectionLearner(
        dented(3000, learned, 1), dented(300, learned, 2), BODY, preset, width=WIDTH, seed=0, device=cpu
    )
    for number in range(steps):
        learner.step(number, number / steps)
    measured = learner.validate()
    (tensors, told), errors = learner.finished("one", learner.weights()), []
    unseen = dented(300, learned, 2)
    off = said(tensors, unseen.features) - unseen.r
    assert told.metres == pytest.approx(np.square(off).sum(-1).mean() ** 0.5, rel=1e-3)
    assert told.relative == pytest.approx(np.linalg.norm(off) / np.linalg.norm(unseen.r), rel=1e-3)
    assert told.relative <= 1.01 * measured.relative
    for sizes in (learned, between):
        tested = dented(500, sizes, 3)
        wrong = said(tensors, tested.features) - tested.r
        errors.append(np.linalg.norm(wrong) / np.linalg.norm(tested.r))
    assert errors[0] < 0.15 and errors[1] < 1.3 * errors[0]


def test_what_no_network_can_know_takes_no_time_in_play():
    """Of five shapes two vary with what the network is given, and three hardly at all, and by chance."""
    rng = np.random.default_rng(5)
    shapes = np.linalg.qr(rng.normal(size=(2 * BODY, 5)))[0].T.reshape(5, BODY, 2)

    def samples(count: int) -> Samples:
        x = rng.uniform(-1.0, 1.0, (count, 3))
        sizes = np.column_stack([x[:, 0], 0.3 * x[:, 1] ** 2, *1e-3 * rng.normal(size=(3, count))])
        r = np.einsum("nk,kbd->nbd", sizes, shapes).astype(np.float32)
        return replace(dented(count, [0.1], 0), features=x.astype(np.float32), r=r)

    preset, cpu = changed(ContactPreset(), ["batch=256"]), torch.device("cpu")
    torch.set_num_threads(1)
    training, held_out = samples(2000), samples(500)
    learner = CorrectionLearner(training, held_out, 5, preset, width=WIDTH, seed=0, device=cpu)
    tensors, told = learner.finished("one", learner.weights())
    assert len(tensors["one.basis"]) == 2 + 1  # and the mean
    off = said(tensors, held_out.features) - held_out.r
    assert told.relative == pytest.approx(np.linalg.norm(off) / np.linalg.norm(held_out.r), rel=1e-2)
    assert told.relative < 0.05
