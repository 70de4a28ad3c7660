"""What the bundled solver simulated, kept in the dataset as `body.npz`: several methods learn from it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Indices, Mask, StoredIndices
from ..coordinates import SPACE, Coordinates, plane_of
from ..errors import Problem
from ..files.atomic import write_atomically, writing
from ..files.reading import read_arrays
from .simulation_request import SimulationSettings
from .usable_numbers import FURTHEST

ELEMENT_SIZES = {"solid": (4, 3), "shell": (3,), "rod": (2,)}
MODULI = {"solid": 2, "shell": 3, "rod": 3}


@dataclass(frozen=True)
class Body:
    """A body of B vertices and m elements at rest, in metres, and what it is made of.

    settings: of the bake. rest_positions (B, 3). elements: tetrahedra (m, 4) of a solid, or triangles (m, 3)
    of a flat one; triangles (m, 3) of a shell, edges (m, 2) of rods, strand by strand. pinned (B,).
    masses (B,), kg; of flat solids, for each metre of their depth across the plane.
    moduli: of each element; of solids Lame's mu and lam in Pa, (m, 2); of shells those of plane stress times
    the thickness in N/m, and the bending stiffness in N m, (m, 3); of rods E A in N, E I and G J in N m^2,
    (m, 3). gravity (3,), m/s^2.
    embedding_corners, embedding_weights (V, d + 1), d being 3, or 2 of flat solids: which vertices carry each
    vertex of the artist's mesh, and by how much; None for shells and rods, whose vertices are the mesh's.
    bones (B,): of solids, which of the request's bones holds each vertex, -1 where none does. cores (B,):
    which of the request's cores each vertex is in, -1 in none; None where there are no cores.
    """

    settings: SimulationSettings
    rest_positions: Doubles
    elements: StoredIndices
    pinned: Mask
    masses: Doubles
    moduli: Doubles
    gravity: Doubles
    embedding_corners: StoredIndices | None = None
    embedding_weights: Doubles | None = None
    bones: StoredIndices | None = None
    cores: StoredIndices | None = None

    @property
    def vertex_count(self) -> int:
        """B."""
        return len(self.rest_positions)

    @property
    def flat(self) -> bool:
        """Whether it is a solid in a plane, which it does not leave, in plane strain."""
        return self.settings.kind == "solid" and self.elements.shape[1] == 3

    @cached_property
    def coordinates(self) -> Coordinates:
        """The d numbers that it is simulated in, in the axes of rest_positions.

        Raises ValueError for a flat solid that is in no plane.
        """
        plane = plane_of(self.rest_positions) if self.flat else SPACE
        if plane is None:
            raise ValueError("a flat solid must be in one plane")
        return plane

    @property
    def rest(self) -> Doubles:
        """rest_positions (B, d) in these."""
        return self.coordinates.of(self.rest_positions) if self.flat else self.rest_positions

    def carried(self, positions: Doubles) -> Doubles:
        """Where the artist's mesh (V, 3) is when the body's vertices are at positions (B, 3)."""
        if self.embedding_corners is None or self.embedding_weights is None:
            return positions
        return np.einsum("vk,vkd->vd", self.embedding_weights, positions[self.embedding_corners])

    def write(self, path: Path) -> None:
        """All or nothing. Raises Problem("folder_not_writable" | "disk_full")."""
        held = {name: getattr(self, name) for name in (*_ARRAYS, *_OF_SOLIDS)}
        arrays: dict[str, NDArray[Any]] = {name: array for name, array in held.items() if array is not None}
        arrays["settings"] = np.frombuffer(json.dumps(asdict(self.settings)).encode(), np.uint8)
        data = BytesIO()
        np.savez(data, **arrays)
        with writing(path):
            write_atomically(path, data.getvalue())

    @staticmethod
    def read(path: Path) -> Body:
        """Raises Problem("dataset_damaged")."""
        try:
            arrays = read_arrays(path)
            settings = SimulationSettings.from_json(json.loads(arrays["settings"].tobytes()))
            names = [*_ARRAYS, *(name for name in _OF_SOLIDS if name in arrays)]
            body = Body(settings, **{name: arrays[name] for name in names})
            body._check()
            return body
        except Exception as error:  # JSON and NumPy have many errors of their own
            raise Problem("dataset_damaged", path=path.parent, reason=f"{path.name}: {error}") from error

    def _check(self) -> None:
        """Raises ValueError for what is no body."""
        kind, count, m = self.settings.kind, len(self.rest_positions), len(self.elements)
        _require("rest_positions", self.rest_positions, (count, 3), np.float64)
        _require("pinned", self.pinned, (count,), np.bool_)
        _require("masses", self.masses, (count,), np.float64)
        _require("moduli", self.moduli, (m, MODULI[kind]), np.float64)
        _require("gravity", self.gravity, (3,), np.float64)
        if np.abs(self.rest_positions).max(initial=0.0) > FURTHEST:
            raise ValueError(f"rest_positions must be at most {FURTHEST:g} m away")
        if (self.masses < 0.0).any() or (self.moduli[:, 0] < 0.0).any():
            raise ValueError("masses and moduli must not be negative")
        size = self.elements.shape[-1]
        _require("elements", self.elements, (m, size if size in ELEMENT_SIZES[kind] else -1), np.int32)
        _require_indices("elements", self.elements, count)
        if (kind == "solid") != (self.embedding_corners is not None):
            raise ValueError("a solid, and nothing else, has an embedding")
        if self.embedding_corners is not None:
            carried = len(self.embedding_corners)
            _require("embedding_corners", self.embedding_corners, (carried, size), np.int32)
            _require("embedding_weights", self.embedding_weights, (carried, size), np.float64)
            _require_indices("embedding_corners", self.embedding_corners, count)
            _require("bones", self.bones, (count,), np.int32)
            corners = self.rest[self.elements]  # raises for what is not flat
            if not (np.linalg.det(corners[:, 1:] - corners[:, :1]) > 0.0).all():
                raise ValueError("elements of a solid must have a volume")
        if self.cores is not None:
            _require("cores", self.cores, (count,), np.int32)
            if not -1 <= self.cores.min(initial=-1) <= self.cores.max(initial=-1) < count:
                raise ValueError("cores must be counted")

    @property
    def core_groups(self) -> list[Indices]:
        """The free vertices of each core, in the request's order."""
        if self.cores is None:
            return []
        free = np.where(self.pinned, -1, self.cores)
        order = np.argsort(free, kind="stable")
        # Where each core's vertices begin, and the last one's end.
        return np.split(order, np.searchsorted(free[order], np.arange(self.cores.max() + 2)))[1:-1]


_ARRAYS = ("rest_positions", "elements", "pinned", "masses", "moduli", "gravity")
_OF_SOLIDS = ("embedding_corners", "embedding_weights", "bones", "cores")


def _require(name: str, array: NDArray[Any] | None, shape: tuple[int, ...], dtype: type) -> None:
    if array is None or array.shape != shape or array.dtype != dtype:
        raise ValueError(f"{name} must be {shape} of {dtype.__name__}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite numbers")


def _require_indices(name: str, array: StoredIndices, count: int) -> None:
    if not len(array) or not 0 <= array.min() <= array.max() < count:
        raise ValueError(f"{name} must be numbers of the body's vertices")
