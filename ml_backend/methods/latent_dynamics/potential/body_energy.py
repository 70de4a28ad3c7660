"""The elastic energy of the bundled solver's bodies in torch, from the functions that the solver uses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ml_backend.simulation.strands import strands_of_edges
from neural_physics.datasets.body import Body
from neural_physics.energies.rods import rods
from neural_physics.energies.rods import stretching as rod_stretching
from neural_physics.energies.rods.frames import ReferenceFrames, Strands, adapted_frames, joints_at
from neural_physics.energies.shells import dihedral, hinge_bending, membrane
from neural_physics.energies.shells.triangle_edges import triangle_edges
from neural_physics.energies.solids import corotational, stable_neo_hookean, stvk
from neural_physics.energies.solids.deformation import deformation_gradient, rest_shapes
from neural_physics.energies.solids.lame import plane_stress_lame_parameters

STRAIGHT = 1e-3  # radians: strands that are bent by less at rest, as by rounding, need no frames

# Positions (n, B, 3) -> energies (n, m) of m elements, J.
Part = Callable[[Tensor], Tensor]
# Positions (k, s, 3) of the vertices of k elements, and their constants -> energies (k,), J.
ElementEnergy = Callable[..., Any]

DENSITIES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "stable_neo_hookean": stable_neo_hookean.energy_density,
    "stvk": stvk.energy_density,
    "corotational": corotational.energy_density,
}


def rest_bend(body: Body) -> float:
    """The largest angle, radians, by which a strand of rods is bent at a joint at rest; 0 for all else."""
    if body.settings.kind != "rod":
        return 0.0
    corners = body.rest_positions[strands_of_edges(body.elements).corners]
    sides = np.diff(corners, axis=1)
    across = np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=-1)
    angles = np.arctan2(across, (sides[:, 0] * sides[:, 1]).sum(-1))
    return float(angles.max(initial=0.0))


class BodyEnergy:
    """V(x) of a body's vertices, in J: E_elastic of Li et al. 2025, equation 1.

    For solids and shells it is the solver's to rounding. For rods, whose twist no take stores, each strand is
    taken to be free of twist: for strands of round section that are straight at rest and have a free end
    it is the solver's, too, as nothing then twists them (docs/methods/latent_dynamics.md has the figures).
    """

    def __init__(self, body: Body, device: torch.device, dtype: torch.dtype = torch.float64) -> None:
        """Raises ValueError for a shape at rest that has no energy, such as a strand that is folded back."""
        self._device, self._dtype = device, dtype
        make = {"solid": self._solid, "shell": self._shell, "rod": self._rod}[body.settings.kind]
        self.parts: list[Part] = make(body)

    def __call__(self, x: Tensor) -> Tensor:
        """(n,) J of positions (n, B, 3)."""
        return torch.stack([part(x).sum(1) for part in self.parts]).sum(0)

    def elements(self, x: Tensor) -> Tensor:
        """(n, m): the energies of all elements one by one."""
        return torch.cat([part(x) for part in self.parts], 1)

    def _solid(self, body: Body) -> list[Part]:
        inverse_rest, volumes = rest_shapes(body.rest_positions[body.elements])
        value = partial(_deformation_energy, DENSITIES[body.settings.elasticity])
        return [self._part(value, body.elements, inverse_rest, volumes, *body.moduli.T)]

    def _shell(self, body: Body) -> list[Part]:
        settings, rest = body.settings, body.rest_positions
        inverse_rest, areas = membrane.rest_shape(rest[body.elements])
        lame = plane_stress_lame_parameters(settings.young, settings.poisson)
        material = [np.broadcast_to(each, areas.shape) for each in lame]
        parts: list[Part] = [
            self._part(membrane.value, body.elements, inverse_rest, settings.thickness * areas, *material)
        ]
        if settings.bending > 0.0:
            hinges = triangle_edges(body.elements).hinges
            at_rest = rest[hinges]
            stiffness = hinge_bending.hinge_stiffness(at_rest, settings.bending)
            parts.append(self._part(hinge_bending.value, hinges, dihedral.angle(at_rest), stiffness))
        return parts

    def _rod(self, body: Body) -> list[Part]:
        rest, strands = body.rest_positions, strands_of_edges(body.elements)
        lengths = np.linalg.norm(np.diff(rest[strands.edges], axis=1)[:, 0], axis=1)
        stretching, bending, twisting = body.moduli.T
        stretch = self._part(rod_stretching.stretching_energy, strands.edges, lengths, stretching)
        if not len(strands.joints):
            return [stretch]
        bends = 0.5 * (bending[strands.joints[:, 0]] + bending[strands.joints[:, 1]])
        means = lengths[strands.joints].mean(axis=1)
        if rest_bend(body) < STRAIGHT:
            return [stretch, self._part(rods.straight_bend_energy, strands.corners, means, bends)]
        frames, _ = adapted_frames(rest, strands)
        with np.errstate(invalid="ignore", divide="ignore"):
            strains = rods.rod_strains(rest[strands.corners], np.zeros((len(strands.joints), 2)), frames)
        if not np.isfinite(strains).all():
            raise ValueError("a joint is folded back onto itself")
        stiffness = np.stack([bending, bending, twisting], 1)[strands.joints].mean(axis=1)
        constants = self._tensors(strains, means, stiffness)
        tensors: list[Any] = self._tensors(*(getattr(frames, field.name) for field in fields(frames)))
        kept = ReferenceFrames(*tensors)
        corners, untwist = self._indices(strands.corners), self._untwisting(strands)

        def bend(x: Tensor) -> Tensor:
            at = x[:, corners]
            measured: Any = joints_at
            reference: Tensor = measured(at, x.new_zeros(*at.shape[:2], 2), kept).twists
            bent: Any = rods.bend_twist_energy
            energies: Tensor = bent(at, untwist(reference), kept, *constants)
            return energies

        return [stretch, bend]

    def _untwisting(self, strands: Strands) -> Callable[[Tensor], Tensor]:
        """The thetas (n, m, 2) that, with the reference twists (n, m) of all joints, leave no twist anywhere.

        Each strand's first edge has its theta at 0, and the twist theta^i - theta^{i-1} + reference is 0 at
        all joints but, on a ring, the one that closes it.
        """
        onward = strands.joints[:, 1] > strands.joints[:, 0]
        joint_before = np.zeros(len(strands.edges), np.intp)  # of each edge, counted from 1; 0: none
        joint_before[strands.joints[onward, 1]] = 1 + np.flatnonzero(onward)
        joint_before[strands.places == 0] = 0
        # A strand's edges follow one another: sums over all edges, less those before the strand.
        starts = self._indices(np.arange(len(strands.edges)) - strands.places)
        before, joints = self._indices(joint_before), self._indices(strands.joints)

        def thetas(reference: Tensor) -> Tensor:
            padded = torch.cat([reference.new_zeros(len(reference), 1), reference], 1)
            sums = torch.cumsum(padded[:, before], 1)
            return -(sums - sums[:, starts])[:, joints]

        return thetas

    def _part(
        self, value: ElementEnergy, vertices: NDArray[np.integer], *constants: NDArray[np.floating]
    ) -> Elements:
        return Elements(value, self._indices(vertices), self._tensors(*constants))

    def _tensors(self, *arrays: NDArray[np.floating]) -> list[Tensor]:
        return [torch.tensor(np.array(array), dtype=self._dtype, device=self._device) for array in arrays]

    def _indices(self, array: NDArray[np.integer]) -> Tensor:
        return torch.from_numpy(np.asarray(array, np.int64)).to(self._device)


class Elements:
    """Energies of m elements, each of the positions of its own vertices.

    vertices (m, s): of each element. constants (m, ...): what its energy depends on beside them.
    """

    def __init__(self, value: ElementEnergy, vertices: Tensor, constants: Sequence[Tensor]) -> None:
        self.vertices = vertices
        self._value, self._constants = value, constants
        self._repeated: tuple[int, list[Tensor]] = 0, []

    def __call__(self, x: Tensor) -> Tensor:
        """(n, m) J of positions (n, B, 3)."""
        return self.apart(x[:, self.vertices])

    def apart(self, corners: Tensor) -> Tensor:
        """(n, m) J of the positions (n, m, s, 3) of each element's vertices."""
        n = len(corners)
        if self._repeated[0] != n:  # kept for the next batch
            self._repeated = n, [each.repeat(n, *(1,) * (each.ndim - 1)) for each in self._constants]
        energies: Tensor = self._value(corners.flatten(0, 1), *self._repeated[1])
        return energies.view(n, -1)

    def some(self, numbers: Tensor | slice, vertices: Tensor) -> Elements:
        """The elements with these numbers (k,), on other vertices (k, s)."""
        return Elements(self._value, vertices, [each[numbers] for each in self._constants])


def _deformation_energy(
    density: ElementEnergy, x: Tensor, inverse: Tensor, volumes: Tensor, *lame: Tensor
) -> Any:  # noqa: ANN401
    return volumes * density(deformation_gradient(x, inverse), *lame)
