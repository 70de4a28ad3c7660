"""Statics by CalculiX, another solver (Dhondt, Wittig: www.calculix.de), to hold ours against."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Shares of the forces and of the increment's displacements, at which an increment counts as converged. Its
# own, 0.005 and 0.01, are those of engineering.
CONVERGED = 1e-7


def installed() -> bool:
    """Whether its program is on the PATH."""
    return shutil.which("ccx") is not None


@dataclass(frozen=True)
class Rest:
    """displacements (V, 3), metres, of all vertices; reactions (V, 3), N, zero where nothing is held."""

    displacements: Array
    reactions: Array


def linear_elastic(young: float, poisson: float) -> str:
    """Young's modulus in Pa. With large strain this is the Saint Venant-Kirchhoff material."""
    return f"*ELASTIC\n{young:.12e}, {poisson:.12e}"


def neo_hookean(mu: float, lam: float) -> str:
    """Lame parameters, Pa, of small strain. See `compressible_neo_hookean`."""
    return f"*HYPERELASTIC, NEO HOOKE\n{mu / 2:.12e}, {2 / (lam + 2 / 3 * mu):.12e}"


def equilibrium(
    folder: Path,
    vertices: Array,
    tetrahedra: NDArray[np.integer],
    material: str,
    held: Array,
    forces: Array,
    *,
    large: bool,
) -> Rest:
    """Where linear tetrahedra (C3D4) rest.

    vertices (V, 3) metres; tetrahedra (m, 4); held (V, 3) metres: the displacements that are given, NaN
    where they are not; forces (V, 3) N, constant; large: whether rotations and strains may be (NLGEOM), or
    all is linear. Writes into `folder`. Raises RuntimeError, with what CalculiX says, where that ends without
    a result.
    """
    (folder / "solid.inp").write_text(
        _input(vertices, tetrahedra, material, held, forces=forces, large=large)
    )
    run = subprocess.run(
        ["ccx", "solid"],
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )
    printed = folder / "solid.dat"
    tables = _tables(printed.read_text(), len(vertices)) if printed.exists() else {}
    whole = tables.keys() == {"displacements", "forces"} and all(
        np.isfinite(table).all() for table in tables.values()
    )
    if run.returncode or not whole:
        raise RuntimeError(f"CalculiX ended with {run.returncode} and no result:\n{run.stdout[-2000:]}")
    # Its forces at the vertices are all that come from outside.
    return Rest(tables["displacements"], tables["forces"] - forces)


def _input(
    vertices: Array, tetrahedra: NDArray[np.integer], material: str, held: Array, forces: Array, large: bool
) -> str:
    """Vertices and elements are numbered from 1, axes too."""
    lines = ["*NODE, NSET=ALL"]
    lines += [f"{k}, {x:.12e}, {y:.12e}, {z:.12e}" for k, (x, y, z) in enumerate(vertices, 1)]
    lines += ["*ELEMENT, TYPE=C3D4, ELSET=SOLID"]
    lines += [f"{k}, {a}, {b}, {c}, {d}" for k, (a, b, c, d) in enumerate(tetrahedra + 1, 1)]
    lines += ["*MATERIAL, NAME=STUFF", material, "*SOLID SECTION, ELSET=SOLID, MATERIAL=STUFF"]
    lines += ["*STEP, NLGEOM, INC=1000" if large else "*STEP", "*STATIC"]
    if large:
        lines += ["0.25, 1.0", "*CONTROLS, PARAMETERS=FIELD", f"{CONVERGED}, {CONVERGED}"]
    lines += ["*BOUNDARY"]
    lines += [f"{v + 1}, {i + 1}, {i + 1}, {held[v, i]:.12e}" for v, i in np.argwhere(~np.isnan(held))]
    if forces.any():
        lines += ["*CLOAD"]
        lines += [f"{v + 1}, {i + 1}, {forces[v, i]:.12e}" for v, i in np.argwhere(forces)]
    lines += ["*NODE PRINT, NSET=ALL, FREQUENCY=1000", "U, RF", "*END STEP", ""]
    return "\n".join(lines)


def _tables(text: str, count: int) -> dict[str, Array]:
    """What is printed of each quantity at the end of the step, (V, 3), by the first word of its heading."""
    tables: dict[str, Array] = {}
    table = None
    for words in map(str.split, text.splitlines()):
        if "time" in words:
            table = np.full((count, 3), np.nan)
            if float(words[-1]) == 1.0:
                tables[words[0]] = table
        elif table is not None and len(words) == 4 and words[0].isdigit():
            table[int(words[0]) - 1] = [float(word) for word in words[1:]]
    return tables
