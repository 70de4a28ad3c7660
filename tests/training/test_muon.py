"""Muon beside torch's; what it does where there is no matrix beside torch's AmsGrad."""

from __future__ import annotations

import numpy as np
import pytest

from learning.training.amsgrad import MOMENTUM
from learning.training.muon import Muon, orthogonal


@pytest.mark.parametrize("shape", [(40, 40), (30, 80), (80, 30)])
def test_singular_values_become_about_one_and_their_directions_stay(shape):
    matrix = np.random.default_rng(3).standard_normal(shape).astype(np.float32)
    left, values, right = np.linalg.svd(matrix, full_matrices=False)
    assert values[0] / values[-1] > 2
    made = left.T @ orthogonal(matrix) @ right.T
    assert np.diag(made) == pytest.approx(np.ones(min(shape)), abs=0.35), "as the post says: 0.68 to 1.13"
    assert np.abs(made - np.diag(np.diag(made))).max() < 1e-4


@pytest.mark.torch
def test_it_steps_as_torch_does_and_goes_on_from_a_state():
    torch = pytest.importorskip("torch")
    if not hasattr(torch.optim, "Muon"):
        pytest.skip("this torch is older than its Muon")
    random = np.random.default_rng(0)
    shapes, decay, times = [(12, 30), (20, 12)], 0.1, 5.0
    theta = random.normal(size=12 * 30 + 12 + 20 * 12 + 20).astype(np.float32)
    began = theta.copy()
    parts = [slice(0, 360), slice(360, 372), slice(372, 612), slice(612, 632)]
    matrices = [(0, shapes[0]), (372, shapes[1])]
    theirs = [torch.nn.Parameter(torch.from_numpy(theta[part].copy())) for part in parts]
    for k, shape in zip((0, 2), shapes, strict=True):
        theirs[k] = torch.nn.Parameter(theirs[k].detach().reshape(shape))
    of_matrices = torch.optim.Muon(theirs[::2], lr=0.0, weight_decay=decay, momentum=MOMENTUM)
    of_others = torch.optim.Adam(theirs[1::2], lr=0.0, amsgrad=True)
    ours = Muon(len(theta), matrices, decay, times)
    for number in range(30):
        if number == 15:
            kept = {name: array.copy() for name, array in ours.state().items()}
            ours = Muon(len(theta), matrices, decay, times)
            ours.restore(kept)
        gradient, rate = random.normal(size=len(theta)).astype(np.float32), 0.01 / (1 + number)
        ours.step(theta, gradient, rate)
        for each, part in zip(theirs, parts, strict=True):
            each.grad = torch.from_numpy(gradient[part].copy()).reshape(each.shape)
        for optimiser, size in ((of_matrices, times * rate), (of_others, rate)):
            optimiser.param_groups[0]["lr"] = size
            optimiser.step()
    made = np.concatenate([each.detach().numpy().ravel() for each in theirs])
    for part in parts[::2]:
        # torch's turns are in bfloat16, which has three digits.
        assert np.linalg.norm(theta[part] - made[part]) < 0.01 * np.linalg.norm(theta[part] - began[part])
    for part in parts[1::2]:
        assert theta[part] == pytest.approx(made[part], abs=2e-6)
