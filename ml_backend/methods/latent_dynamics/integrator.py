"""The integrator of latents and its self-supervised training (Li et al. 2025, section 3.3)."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from learning.training.tensor_files import Tensors
from learning.training.validation_error import ValidationError
from ml_backend.methods.latent_dynamics.autoencoder import LARGEST_GRADIENT, WARM_UP, Autoencoder
from ml_backend.methods.latent_dynamics.data import LatentData
from ml_backend.methods.latent_dynamics.minimum import minimise
from ml_backend.methods.latent_dynamics.networks import load_module, module_state
from ml_backend.methods.latent_dynamics.physics import LatentPhysics
from ml_backend.methods.latent_dynamics.potential.incremental_potential import Step
from ml_backend.methods.latent_dynamics.presets import LatentPreset
from ml_backend.methods.latent_dynamics.samples import Solved, StateSampler
from ml_backend.methods.latent_dynamics.step import Integrator
from ml_backend.methods.latent_dynamics.step_energies import StepEnergies
from ml_backend.methods.latent_dynamics.stiffness import Stiffness, in_latents, scaling_of
from ml_backend.methods.latent_dynamics.validation import LatentValidation
from ml_backend.training.learner_state import load_optimiser, optimiser_state

SOLVED = 3e-4  # of the inertia in what a step changes of the motion: what energy may be left
LEAST_ENERGY = 1e-12  # J, where nothing in the training data is moved
SAMPLES_PER_INPUT = 16  # that the linear model is fitted to


class IntegratorLearner:
    """Equations 4 to 6. See `learning.training.loop.Learner`."""

    def __init__(
        self,
        data: LatentData,
        coder: Autoencoder,
        physics: LatentPhysics,
        stiffness: Stiffness,
        *,
        preset: LatentPreset,
        seed: int,
        device: torch.device,
    ) -> None:
        """The coder stays as it is, its normalisations too."""
        torch.manual_seed(seed)
        self._preset, self._seed, self._physics, self._coder = preset, seed, physics, coder.eval()
        coder.requires_grad_(False)
        frames = data.training
        self._frames = physics.frames(data.acting)
        with torch.no_grad():
            self.z, *imagined = (
                coder.encode(torch.from_numpy(c.astype(np.float32)).to(device))
                for c in (frames.c, *data.imagined)
            )
        s = torch.from_numpy(data.acting.s.astype(np.float32)).to(device)
        self._states = StateSampler(data, self.z, torch.stack(imagined), s, preset=preset)
        z, at = self.z, self._states.steps
        hessians = in_latents(coder, stiffness, physics.inertia())
        scaling = scaling_of(hessians)
        raw, known = self._states.known(torch.Generator().manual_seed(seed))
        silent = torch.zeros(raw.shape[1], dtype=torch.bool, device=device)
        if not data.absolute:
            after_s = 2 * z.shape[1] + s.shape[1]
            silent[after_s - 3 : after_s] = True
        self.network = Integrator(raw, known, silent, scaling, preset=preset).to(device)
        if preset.residual:
            self.network.fit_linear(self._states.raw(at, z[at - 1], z[at - 2]), z[at])
        self._parameters = list(self.network.network.parameters())
        self._average = [parameter.detach().clone() for parameter in self._parameters]
        self._optimiser = torch.optim.AdamW(self._parameters, lr=preset.learning_rate, weight_decay=1e-5)
        self._mean_speed = self._find_mean_speed()
        self._to_energy = torch.linalg.inv(scaling)  # z to what has an energy for its square
        self._stiffness = stiffness
        self._inverses = torch.linalg.inv(hessians)
        jolts = z[at] - 2.0 * z[at - 1] + z[at - 2]
        self._of_jolts = max(float((jolts @ self._to_energy.T).square().sum(1).mean()), LEAST_ENERGY)
        self._tolerance = SOLVED * max(frames.jolts(physics.inertia()), LEAST_ENERGY)
        kept = preset.memory if preset.loss == "solved" else 0
        self._solved = Solved(kept, raw.shape[1], z.shape[1], device)
        self._validation = LatentValidation(data.validation, coder, device, vertices=data.basis.shape[1])

    def step(self, number: int, share: float) -> float:
        """See `Learner`."""
        generator = torch.Generator().manual_seed(self._seed * 1_000_003 + number)
        if number == 0 and self._preset.loss == "solved" and self._preset.residual:
            self._find_linear(generator)
        loss = {
            "solved": self._solved_loss,
            "potential": self._potential_loss,
            "supervised": self._true_loss,
        }[self._preset.loss](number, share, generator)
        self._optimiser.zero_grad()
        loss.backward()
        preset = self._preset
        rate = preset.learning_rate
        if preset.falling:
            rate *= min(1.0, (number + 1) / WARM_UP) * 0.5 * (1.0 + np.cos(np.pi * share))
        self._optimiser.param_groups[0]["lr"] = rate
        torch.nn.utils.clip_grad_norm_(self._parameters, LARGEST_GRADIENT)
        self._optimiser.step()
        decay = 0.0 if preset.average == 0 else min(1.0 - 1.0 / preset.average, number / (number + 10))
        with torch.no_grad():
            for average, parameter in zip(self._average, self._parameters, strict=True):
                average.lerp_(parameter, 1.0 - decay)
        return loss.item()

    def validate(self) -> ValidationError:
        """See `Learner`. The averaged parameters are used."""
        with _Swapped(self._parameters, self._average):
            return self._validation.error(self.network)

    def weights(self) -> Tensors:
        """See `Learner`. The averaged parameters are used."""
        with _Swapped(self._parameters, self._average):
            return module_state(self.network, "integrator")

    def state(self) -> Tensors:
        """See `Learner`."""
        state = module_state(self.network, "integrator") | optimiser_state(self._optimiser, "adam")
        state |= {f"average.{k}": each.cpu().numpy().copy() for k, each in enumerate(self._average)}
        return state | {
            f"solved.{name}": each.cpu().numpy().copy() for name, each in vars(self._solved).items()
        }

    def restore(self, state: Tensors) -> None:
        """See `Learner`."""
        load_module(self.network, "integrator", state)
        load_optimiser(self._optimiser, "adam", state)
        for k, average in enumerate(self._average):
            average.copy_(torch.from_numpy(state[f"average.{k}"].copy()))
        for name, old in vars(self._solved).items():
            setattr(self._solved, name, torch.from_numpy(state[f"solved.{name}"].copy()).to(old.device))

    def _solved_loss(self, number: int, share: float, generator: torch.Generator) -> Tensor:
        """How far the network is from the minima of the potential, as energies to the second order."""
        preset, solved = self._preset, self._solved
        if number % preset.solve_every == 0:
            self._solve_more(generator, share)
        picked = solved.drawn(preset.batch, generator)
        away = (self.network(solved.raw[picked]) - solved.z[picked]) @ self._to_energy.T
        energy = away.square().sum(1)
        if preset.outlying:  # pseudo-Huber: E where it is small, and its root where it is large
            bound = preset.outlying * self._of_jolts
            energy = 2.0 * bound * (torch.sqrt(1.0 + energy / bound) - 1.0)
        return (energy * solved.weights[picked]).mean()

    def _find_linear(self, generator: torch.Generator) -> None:
        """Fit the linear model to solved samples: two frames in a row hardly differ."""
        network, preset = self.network, self._preset
        raw: list[Tensor] = []
        found: list[Tensor] = []
        while sum(map(len, raw)) < SAMPLES_PER_INPUT * len(network.mean):
            at, now, before = self._states.drawn(preset.solved, network, 0.0, generator)
            raw.append(self._states.raw(at, now, before))
            found.append(self._solve(at, now, before, network.clipped(2.0 * now - before)))
        network.fit_linear(torch.cat(raw), torch.cat(found))

    def _solve_more(self, generator: torch.Generator, share: float) -> None:
        """Solve new samples, from where the network says."""
        at, now, before = self._states.drawn(self._preset.solved, self.network, share, generator)
        with torch.no_grad():
            guess = self.network.clipped(self.network(self._states.raw(at, now, before)))
        self._solve(at, now, before, guess)

    def _solve(self, at: Tensor, now: Tensor, before: Tensor, guess: Tensor) -> Tensor:
        """Find where the steps of samples end, in latents (n, L), from a guess, and keep them."""
        raw = self._states.raw(at, now, before)
        steps = self._steps(at, now, before)

        def energies(z: Tensor, numbers: Tensor) -> Tensor:
            return steps(self._coder.decode(z.float()), numbers)

        with torch.no_grad():
            inverse = self._inverses[self._stiffness.nearest(self._coder.decode(guess))]
        z, _ = minimise(energies, guess, inverse, self._tolerance, evaluations=self._preset.evaluations)
        found = self.network.clipped(z.float())
        self._solved.add(raw, found, self._weights(steps.step).float())
        return found

    def _potential_loss(self, number: int, share: float, generator: torch.Generator) -> Tensor:
        """Equation 4, balanced by equation 6."""
        at, now, before = self._states.drawn(self._preset.batch, self.network, share, generator)
        z = self.network(self._states.raw(at, now, before))
        steps = self._steps(at, now, before)
        with torch.no_grad():  # without a gradient, but part of the reported loss
            still = steps(self._coder.decode(now))
        return ((steps(self._coder.decode(z)) - still) * self._weights(steps.step)).mean()

    def _true_loss(self, number: int, share: float, generator: torch.Generator) -> Tensor:
        """The square distance from what the solver did (Fig. 8)."""
        at, now, before = self._states.drawn(self._preset.batch, self.network, share, generator)
        away = self.network(self._states.raw(at, now, before)) - self.z[at]
        return (away / self.z.std(0)).square().mean()

    def _steps(self, at: Tensor, now: Tensor, before: Tensor) -> StepEnergies:
        """The steps to frames (n,) from decoded latents."""
        decode = self._coder.decode
        with torch.no_grad():
            return StepEnergies(self._physics, decode(now), decode(before), self._frames, at=at)

    def _weights(self, step: Step) -> Tensor:
        """(n,), 1/J but for a factor: one over each sample's mean speed (eq. 6), or over that of all.

        The mean of |v| over the vertices is taken; eq. 6 of Li 2025 has the length of the mean v.
        """
        last, earlier = step.before, step.earlier
        if not self._preset.balance:
            return torch.ones(len(last), dtype=last.dtype, device=last.device) / self._mean_speed
        speed = ((last - earlier) / self._physics.dt).norm(dim=-1).mean(1)
        return 1.0 / speed.clamp(min=self._preset.floor * self._mean_speed)

    def _find_mean_speed(self) -> float:
        """m/s, of the vertices over the training data."""
        some = self._states.steps[:: max(1, len(self._states.steps) // 500)]
        with torch.no_grad():
            now, before = (
                self._physics.positions(self._coder.decode(self.z[at]), self._frames, at)
                for at in (some, some - 1)
            )
        return max(float(((now - before) / self._physics.dt).norm(dim=-1).mean()), 1e-9)


class _Swapped:
    """A context within which parameters have other values."""

    def __init__(self, parameters: list[nn.Parameter], values: list[Tensor]) -> None:
        self._parameters, self._values = parameters, values

    def __enter__(self) -> None:
        self._own = [parameter.detach().clone() for parameter in self._parameters]
        self._set(self._values)

    def __exit__(self, *_: object) -> None:
        self._set(self._own)

    def _set(self, values: list[Tensor]) -> None:
        with torch.no_grad():
            for parameter, value in zip(self._parameters, values, strict=True):
                parameter.copy_(value)
