"""Training of one correction: PCA of its samples, and a network that gives the coefficients.

Dents are local, and a network that begins as Adam usually has it, with one soft slope for each unit across
all of its inputs, learns them badly: from 10,894 shapes of a flat jelly with a circle 0.67 is left of the
dents of another take after 10,000 steps. Two things bring that to 0.13 after 500: the last layer is linear,
so that the best one for the others is solved for; and units begin as steep as suits the samples, each with
its slope at one of them. But what takes a few values only, as the radii of a few balls, is given gentle
slopes: steep units follow it from one value to the next, and nothing says what is between them.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from learning.training.pca import fit_pca
from learning.training.tensor_files import Tensors
from learning.training.validation_error import ValidationError, of_frames
from ml_backend.methods.contact_corrections.presets import ContactPreset
from ml_backend.methods.contact_corrections.samples import Samples
from ml_backend.training.learner_state import (
    load_optimiser,
    load_parameters,
    optimiser_state,
    parameters_state,
)
from neural_physics.methods.contact_corrections.networks import LEAST_MARGIN

LAST_RATE = 0.01  # of the learning rate, where it falls
BEYOND = 0.1  # of the range of what was trained: how far the network's inputs come off it at most
STILL = 1e-6  # of the largest spread: what varies by less does not vary
STEEPNESS = (4.0, 1.0, 2.0, 8.0, 16.0)  # of the first layer, where the last is solved for: what is tried
FEW, GENTLY = 16, 0.1  # values; how much less steep units begin along what takes no more
RIDGES = (
    1e-7,
    1e-6,
    1e-5,
    1e-4,
    1e-3,
    1e-2,
    1e-1,
)  # of the mean square of the last layer's inputs: what is tried
ROWS = 4096  # of samples, at once
NEGLIGIBLE = 0.01  # of the error: what is left out for it, each frame in Play would be calculated with


class CorrectionLearner:
    """Adam on one network (section 4.3). Between steps all is a function of the seed and the number."""

    def __init__(
        self,
        training: Samples,
        validation: Samples,
        bases: int,
        preset: ContactPreset,
        *,
        width: int,
        seed: int,
        device: torch.device,
    ) -> None:
        """training: at least one sample; validation: others, to measure errors on. width: of layers."""
        self._preset, self._seed = preset, seed
        rows = training.r.reshape(len(training), -1)
        # What is multiplied by shares has none of it where these are 0: no mean either.
        scaled = (training.shares != 1.0).any()
        subspace = fit_pca(lambda: iter([rows, -rows] if scaled else [rows]), bases, seed)
        self._shape = (-1, *training.r.shape[1:])
        self.mean = np.zeros_like(subspace.mean) if scaled else subspace.mean
        self.basis = subspace.basis
        x = torch.from_numpy(training.features).to(device)
        self._low, self._high = x.amin(0), x.amax(0)
        self._margin = BEYOND * (self._high - self._low)
        spread = x.std(0, correction=0)
        self._x_mean = x.mean(0)
        self._x_scale = torch.where(spread > STILL * spread.max().clamp(min=1e-30), 1.0 / spread, 0.0)
        c = torch.from_numpy((rows - self.mean) @ self.basis.T).to(device)
        self._y_scale = float(c.square().mean().sqrt()) if c.numel() else 1.0
        self._y_scale = self._y_scale or 1.0
        self._x, self._y = self._scaled(x), c / self._y_scale
        self._shares = torch.from_numpy(training.shares[:, None]).to(device)
        self._validation = self._prepared(validation, device)
        sizes = [x.shape[1], *[width] * (preset.layers - 1), len(self.basis)]
        self.parameters = self._steepest(sizes) if preset.solved else self._drawn(sizes)
        for parameter in self.parameters:
            parameter.requires_grad_()
        self._optimiser = torch.optim.Adam(self.parameters, lr=preset.learning_rate)

    @property
    def steps(self) -> int:
        """How many steps the preset's epochs take."""
        return max(1, math.ceil(self._preset.epochs * len(self._x) / self._preset.batch))

    def step(self, number: int, share: float) -> float:
        """One step of Adam on a batch of samples (Romero 2021, section 4.3); its loss."""
        generator = torch.Generator().manual_seed(self._seed * 1_000_003 + number)
        count = min(self._preset.batch, len(self._x))
        at = torch.randint(len(self._x), (count,), generator=generator).to(self._x.device)
        loss = (self._predict(self._x[at], self._shares[at]) - self._y[at]).square().sum(1).mean()
        self._optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        fall = 0.5 * (1.0 + math.cos(math.pi * share)) if self._preset.falling else 1.0
        self._optimiser.param_groups[0]["lr"] = self._preset.learning_rate * max(LAST_RATE, fall)
        self._optimiser.step()
        return float(loss.detach())

    def validate(self) -> ValidationError:
        """Root mean square of what is wrong with r of the validation samples, over that of r.

        Where the preset says so, the last layer is solved for first.
        """
        if self._preset.solved:
            self._solve()
        return self._error()

    def _error(self, bases: int | None = None) -> ValidationError:
        """With the first `bases` alone, or with all."""
        count = len(self.basis) if bases is None else bases
        wrong, whole = self._squares()
        if not len(wrong):
            return ValidationError(0.0)
        points = self.mean.size // self._shape[-1]
        return of_frames(wrong[:, count].cpu().numpy() / points, whole / points)

    def _squares(self) -> tuple[Tensor, float]:
        """(n, m + 1), m^2: what is wrong with r of each validation sample with the first 0 to m bases.

        And the mean square of r.
        """
        x, shares, c, beyond, whole = self._validation
        with torch.no_grad():
            wrong = (self._predict(x, shares) * self._y_scale - c).square().double()
        # What there is no basis for is wrong as a whole.
        gained = functional.pad((wrong - c.square().double()).cumsum(1), (1, 0))
        return gained + (c.square().double().sum(1) + beyond)[:, None], float(whole.mean())

    def needed(self) -> int:
        """How many of the bases make a difference on the validation samples: the fewest that do."""
        wrong, _ = self._squares()
        if not len(wrong):
            return len(self.basis)
        errors = wrong.mean(0).sqrt()
        return int((errors <= (1.0 + NEGLIGIBLE) * errors.min()).int().argmax())

    def _drawn(self, sizes: list[int]) -> list[Tensor]:
        generator = torch.Generator().manual_seed(self._seed)
        parameters = list[Tensor]()
        for a, b in pairwise(sizes):
            weight = torch.randn(b, a, generator=generator) / math.sqrt(a)
            parameters += [weight.to(self._x.device), torch.zeros(b, device=self._x.device)]
        return parameters

    def _steepest(self, sizes: list[int]) -> list[Tensor]:
        """The drawn network whose first layer is as steep as suits the validation best, its last solved."""
        found = list[tuple[float, list[Tensor]]]()
        most = min(FEW, len(self._x) // 4)
        few = torch.tensor([len(values.unique()) <= most for values in self._x.T], device=self._x.device)
        for steepness in STEEPNESS:
            self.parameters = self._drawn(sizes)
            weight, bias = self.parameters[:2]
            generator = torch.Generator().manual_seed(self._seed)
            at = torch.randint(len(self._x), (len(weight),), generator=generator).to(weight.device)
            weight *= torch.where(few, GENTLY, 1.0) * steepness
            bias.copy_(-(weight * self._x[at]).sum(1))
            self._solve()
            found.append((self._error().relative, self.parameters))
        return min(found, key=lambda each: each[0])[1]

    def _solve(self) -> None:
        """The last layer by least squares over all samples, with the ridge that suits the validation best."""
        last, bias = self.parameters[-2:]
        with torch.no_grad():
            count = last.shape[1] + 1
            moments = torch.zeros(count, count, dtype=torch.float64, device=last.device)
            products = torch.zeros(count, len(last), dtype=torch.float64, device=last.device)
            for rows in torch.arange(len(self._x), device=last.device).split(ROWS):
                inputs = functional.pad(self._hidden(self._x[rows]), (0, 1), value=1.0)
                inputs = (self._shares[rows] * inputs).double()
                moments += inputs.T @ inputs
                products += inputs.T @ self._y[rows].double()
            found = list[tuple[float, Tensor]]()
            for ridge in RIDGES:
                eased = moments + ridge * moments.diagonal().mean() * torch.eye(count, device=last.device)
                solved = torch.linalg.solve(eased, products).to(last.dtype).T
                last.copy_(solved[:, :-1])
                bias.copy_(solved[:, -1])
                found.append((self._error().relative, solved))
            solved = min(found, key=lambda each: each[0])[1]
            last.copy_(solved[:, :-1])
            bias.copy_(solved[:, -1])

    def weights(self) -> Tensors:
        """See `Learner`."""
        return parameters_state(self.parameters)

    def state(self) -> Tensors:
        """See `Learner`."""
        return self.weights() | optimiser_state(self._optimiser, "moment")

    def restore(self, state: Tensors) -> None:
        """See `Learner`."""
        self.load(state)
        load_optimiser(self._optimiser, "moment", state)

    def load(self, weights: Tensors) -> None:
        """Take the network of `weights`."""
        load_parameters(self.parameters, weights)

    def finished(self, name: str, weights: Tensors) -> tuple[Tensors, ValidationError]:
        """What Play reads of these weights, and how far it is off: no more bases than make a difference.

        The mean of r is a basis, too, whose coefficient is 1.
        """
        self.load(weights)
        kept = self.needed()
        arrays = [weights[f"parameter.{k}"].astype(np.float64) for k in range(len(self.parameters))]
        layers = [*zip(arrays[::2], arrays[1::2], strict=True)]
        last, bias = (each[:kept] for each in layers[-1])
        last = np.concatenate([self._y_scale * last, np.zeros((1, last.shape[1]))])
        layers[-1] = last, np.concatenate([self._y_scale * bias, np.ones(1)])
        basis = np.concatenate([self.basis[:kept], self.mean[None]]).reshape(self._shape)
        tensors: Tensors = {f"{name}.basis": basis}
        for k, (weight, of_layer) in enumerate(layers):
            tensors |= {f"{name}.layers.{k}.weight": weight, f"{name}.layers.{k}.bias": of_layer}
        ranges = {
            "mean": self._x_mean,
            "scale": self._x_scale,
            "low": self._low,
            "high": self._high,
            "margin": self._margin,
        }
        tensors |= {f"{name}.{key}": each.cpu().numpy() for key, each in ranges.items()}
        return tensors, self._error(kept)

    def _scaled(self, x: Tensor) -> Tensor:
        within = x.clamp(self._low, self._high)
        beyond = self._margin * torch.tanh((x - within) / self._margin.clamp(min=LEAST_MARGIN))
        return (within + beyond - self._x_mean) * self._x_scale

    def _prepared(self, samples: Samples, device: torch.device) -> tuple[Tensor, ...]:
        """Scaled features, shares, coefficients; of each sample the squares beyond the bases and of r."""
        rows = samples.r.reshape(len(samples), len(self.mean))
        c = (rows - self.mean) @ self.basis.T
        away = rows - self.mean
        beyond = np.maximum(0.0, (away.astype(np.float64) ** 2).sum(1) - (c.astype(np.float64) ** 2).sum(1))
        whole = (rows.astype(np.float64) ** 2).sum(1)
        x = torch.from_numpy(samples.features.reshape(len(samples), len(self._x_mean))).to(device)
        sums = [torch.from_numpy(each).to(device) for each in (beyond, whole)]
        shares = torch.from_numpy(samples.shares.reshape(-1, 1)).to(device)
        return self._scaled(x), shares, torch.from_numpy(c).to(device), sums[0], sums[1]

    def _predict(self, x: Tensor, shares: Tensor) -> Tensor:
        return shares * functional.linear(self._hidden(x), *self.parameters[-2:])

    def _hidden(self, x: Tensor) -> Tensor:
        for k in range(0, len(self.parameters) - 2, 2):
            x = torch.tanh(functional.linear(x, *self.parameters[k : k + 2]))
        return x
