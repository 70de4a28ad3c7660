"""What moving or still air does to sheets, to the surfaces of solids, and to strands.

Explicit forces, of the velocities at the start of a time step, that are stable at any step and any lightness:
they are those with which the drag alone, solved over the whole step, would bring about its end.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles
from .array_module import module_of
from .rods.frames import cross

AIR_DENSITY = 1.225  # kg/m^3, at 15 degrees Celsius
FLAT_PLATE_DRAG = 1.28  # across the stream, of a plate (Hoerner 1965)
CYLINDER_DRAG = 1.2  # across the stream, of a long cylinder at Reynolds numbers of 1e3 to 1e5 (Hoerner 1965)
BLENDER_PRESSURE = 0.02  # N/m^2 for each unit of a wind's strength


def wind_velocity(strength: Doubles) -> Doubles:
    """Velocities (..., 3) in m/s of Blender's winds, directions times strengths (..., 3).

    Blender's cloth has no air: `SIM_mass_spring_force_face_wind` presses on a face that the wind meets head
    on with 0.02 N/m^2 (its effector_scale) for each unit of strength s. The wind that presses a flat plate
    as hard has 1/2 rho C_d v^2 = 0.02 |s|: a strength of 1,000 is 5 m/s.
    """
    size = np.linalg.norm(strength, axis=-1, keepdims=True)
    speed = np.sqrt(2.0 * BLENDER_PRESSURE * size / (AIR_DENSITY * FLAT_PLATE_DRAG))
    return np.divide(speed * strength, size, out=np.zeros_like(speed * strength), where=size > 0.0)


def wind_forces(
    positions: Doubles,
    velocities: Doubles,
    triangles: NDArray[np.integer],
    triangle_masses: Doubles,
    *,
    wind: Doubles,
    dt: float,
    air_density: float = AIR_DENSITY,
    drag: float = FLAT_PLATE_DRAG,
    closed: bool = False,
) -> Doubles:
    """Forces (n, 3) of air on triangles (m, 3), along their normals, in newtons.

    positions and velocities (n, 3), m and m/s; wind (3,) or one for each triangle (m, 3), m/s.
    The pressure air_density drag / 2 times the square of the relative speed along the normal, spread
    over the corners (Wejchert and Haumann 1991). That of a whole time step dt, seconds, in which the
    speed itself is slowed down: triangle_masses (m,), kg, never end faster than the air.
    closed: the triangles, counter-clockwise from outside, enclose a solid, and those in its lee are not
    pressed: a cube then has a plate's drag, a ball 0.64 of its disc's.
    """
    x, v = positions[triangles], velocities[triangles]
    forces = triangle_forces(
        x, v, triangle_masses, wind, dt=dt, air_density=air_density, drag=drag, closed=closed
    )
    return _shared(triangles, forces, len(positions))


def triangle_forces(
    positions: Any,  # noqa: ANN401 (array or tensor, as all that follows)
    velocities: Any,  # noqa: ANN401
    masses: Any,  # noqa: ANN401
    wind: Any,  # noqa: ANN401
    *,
    dt: float,
    air_density: float = AIR_DENSITY,
    drag: float = FLAT_PLATE_DRAG,
    closed: bool = False,
) -> Any:  # noqa: ANN401
    """(..., m, 3) newtons on each whole triangle: what `wind_forces` shares out among its corners.

    positions and velocities (..., m, 3, 3) of the corners, masses (m,), wind broadcast to (..., m, 3).
    arrays or tensors, with any axes in front.
    """
    module = module_of(positions)
    normals = cross(positions[..., 1, :] - positions[..., 0, :], positions[..., 2, :] - positions[..., 0, :])
    double = module.sqrt((normals * normals).sum(-1))
    normals = normals / double.clip(1e-30)[..., None]
    speed = ((wind - velocities.mean(-2)) * normals).sum(-1)
    if closed:
        speed = speed.clip(max=0.0)
    # m dv/dt = c v |v| solved over dt: v falls to v / (1 + c |v| dt / m).
    c_speed = 0.25 * air_density * drag * double * abs(speed)
    return (c_speed * speed / (1.0 + c_speed * dt / masses))[..., None] * normals


def strand_forces(
    positions: Doubles,
    velocities: Doubles,
    edges: NDArray[np.integer],
    edge_masses: Doubles,
    *,
    radius: float,
    wind: Doubles,
    dt: float,
    air_density: float = AIR_DENSITY,
    drag: float = CYLINDER_DRAG,
) -> Doubles:
    """Forces (n, 3) of air on the edges (m, 2) of strands, across them, in newtons.

    As `wind_forces`, with edge_masses (m,) in kg. radius: m. A cylinder's drag, 1/2 rho C_d 2 r L |v| v, of
    the part v of the relative velocity that is normal to the edge.
    """
    x, v = positions[edges], velocities[edges]
    forces = edge_forces(x, v, edge_masses, radius, wind=wind, dt=dt, air_density=air_density, drag=drag)
    return _shared(edges, forces, len(positions))


def edge_forces(
    positions: Any,  # noqa: ANN401 (array or tensor, as all that follows)
    velocities: Any,  # noqa: ANN401
    masses: Any,  # noqa: ANN401
    radius: float,
    *,
    wind: Any,  # noqa: ANN401
    dt: float,
    air_density: float = AIR_DENSITY,
    drag: float = CYLINDER_DRAG,
) -> Any:  # noqa: ANN401
    """(..., m, 3) newtons on each whole edge: what `strand_forces` shares out between its ends.

    positions and velocities (..., m, 2, 3) of the ends, else as `triangle_forces`.
    """
    module = module_of(positions)
    along = positions[..., 1, :] - positions[..., 0, :]
    lengths = module.sqrt((along * along).sum(-1))
    along = along / lengths.clip(1e-30)[..., None]
    across = wind - velocities.mean(-2)
    across = across - (across * along).sum(-1)[..., None] * along
    c_speed = air_density * drag * radius * lengths * module.sqrt((across * across).sum(-1))
    return (c_speed / (1.0 + c_speed * dt / masses))[..., None] * across


def _shared(elements: NDArray[np.integer], forces: Doubles, count: int) -> Doubles:
    """(count, 3): forces (m, 3) on elements (m, s), shared out evenly among their vertices."""
    s = elements.shape[1]
    each = np.repeat((forces / s).T, s, axis=1)
    return np.stack([np.bincount(elements.ravel(), of_axis, count) for of_axis in each], 1)
