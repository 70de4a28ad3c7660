"""What latent dynamics learns from, made ready: bases, what acted, energies that are quick to ask for, and
motion that was not baked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import torch

from learning.training.options import Options
from learning.training.spans import Span
from learning.training.tensor_files import read_tensors, write_tensors
from ml_backend.methods.latent_dynamics.cubature_energy import fit_cubature_energy, sample_shapes, whitened
from ml_backend.methods.latent_dynamics.data import LatentData, colliders_of, prepare
from ml_backend.methods.latent_dynamics.imagining import with_imagined
from ml_backend.methods.latent_dynamics.physics import LatentPhysics
from ml_backend.methods.latent_dynamics.potential.contact_energy import contact_energy
from ml_backend.methods.latent_dynamics.potential.incremental_potential import IncrementalPotential
from ml_backend.methods.latent_dynamics.potential.strand_softening import softened
from ml_backend.methods.latent_dynamics.presets import LatentPreset
from ml_backend.methods.latent_dynamics.stiffness import Stiffness
from neural_physics.datasets.body import Body
from neural_physics.datasets.takes import Dataset
from neural_physics.energies.air import AIR_DENSITY
from neural_physics.jobs.events import Emit, Progress, StopRequest

CHOOSING = "Choosing cubature elements"  # the stage


@dataclass(frozen=True)
class Prepared:
    """Data, and what the body does with them."""

    data: LatentData
    physics: LatentPhysics
    stiffness: Stiffness


@dataclass(frozen=True)
class Preparation:
    """The preparation of a dataset's body. key: the identity of the training, see `training.options`."""

    dataset: Dataset
    options: Options
    body: Body
    device: torch.device
    key: str
    emit: Emit
    stop: StopRequest

    def of(self, training: list[Span], validation: list[Span]) -> Prepared:
        """Prepare the body's spans; kept on disk for resuming. Raises Problem("stopped" | ...)."""
        path = self.options.work / "latent_data.safetensors"
        found = read_tensors(path, self.key)
        if found is not None:
            data = LatentData.from_tensors(found[0])
            stiffness = Stiffness(found[0]["stiffness.c"], found[0]["stiffness.each"])
            return Prepared(data, self._physics(data, stiffness), stiffness)
        preset, seed = self._preset, self.options.seed
        pace = preset.pace if preset.imagined else 1.0
        data = prepare(
            training,
            validation,
            self.dataset,
            self.body,
            bases=self.options.bases,
            emit=self.emit,
            stop=self.stop,
            pace=pace,
        )
        progress = Progress(self.emit, CHOOSING, 3)
        rough = self._physics(data, None)
        self.stop.check()
        progress.at(1)
        stiffness = rough.stiffness(data, seed)
        self.stop.check()
        progress.at(2)
        physics = self._physics(data, stiffness)
        progress.at(3)
        if data.motion.exact and not data.absolute:
            data = with_imagined(
                data, physics, stiffness, preset.imagined, seed=seed, emit=self.emit, stop=self.stop
            )
        kept = data.to_tensors() | {"stiffness.c": stiffness.c, "stiffness.each": stiffness.each}
        write_tensors(path, kept, {"identity": self.key})
        return Prepared(data, physics, stiffness)

    @property
    def _preset(self) -> LatentPreset:
        return cast(LatentPreset, self.options.preset)

    def _physics(self, data: LatentData, stiffness: Stiffness | None) -> LatentPhysics:
        """The potential of the solver's steps, with the elastic energy of some elements for that of all.

        stiffness: by which the forces are weighed that these are to have; None: it is to be found.
        """
        preset, dt = self._preset, self.dataset.info.dt
        colliders = colliders_of(self.dataset, self.body) if preset.contact else []
        contact = contact_energy(colliders, self.body, dt, self.device)
        weight = 0.0 if data.motion.exact else preset.boundary_weight
        body = softened(self.body, preset.give)
        potential = IncrementalPotential(body, dt, AIR_DENSITY, weight, contact=contact, device=self.device)
        physics = LatentPhysics(data, body, potential, dt, device=self.device)
        if not preset.sampled_elements:
            return physics
        most, seed = preset.sampled_elements, self.options.seed
        shapes = sample_shapes(data, seed)
        if stiffness is None:
            cubature = fit_cubature_energy(potential.elastic, data.basis, shapes, most // 2, seed=seed)
        else:
            directions = whitened(data.basis, stiffness.mean + physics.inertia())
            cubature = fit_cubature_energy(potential.elastic, directions, shapes, most, seed=seed)
            if cubature is not None:
                found = f"{cubature.element_count:,} cubature elements represent the whole body"
                off = f"elastic forces are {100.0 * max(cubature.errors):.2g} % off"
                self.emit({"event": "log", "text": f"{found}: {off}."})
        return LatentPhysics(data, body, potential, dt, device=self.device, cubature=cubature)
