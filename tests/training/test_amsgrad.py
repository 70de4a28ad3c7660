"""The optimiser beside torch's."""

from __future__ import annotations

import numpy as np
import pytest

from learning.training.amsgrad import AmsGrad

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
def test_it_steps_as_torch_does_and_goes_on_from_a_state(weight_decay):
    random = np.random.default_rng(0)
    theta = random.normal(size=50).astype(np.float32)
    theirs = torch.nn.Parameter(torch.from_numpy(theta.copy()))
    reference = torch.optim.AdamW([theirs], lr=0.0, weight_decay=weight_decay, amsgrad=True)
    ours = AmsGrad(50, weight_decay)
    for number in range(60):
        if number == 30:
            kept = {name: array.copy() for name, array in ours.state().items()}
            ours = AmsGrad(50, weight_decay)
            ours.restore(kept)
        gradient, rate = random.normal(size=50).astype(np.float32) * (1 + number % 7), 0.01 / (1 + number)
        ours.step(theta, gradient, rate)
        reference.param_groups[0]["lr"], theirs.grad = rate, torch.from_numpy(gradient)
        reference.step()
        assert theta == pytest.approx(theirs.detach().numpy(), abs=2e-6)
