"""What moving or still air does to sheets, to the surfaces of solids, and to strands.

Explicit forces, of the velocities at the start of a time step, that are stable at any step and any lightness:
they are those with which the drag alone, solved over the whole step, would bring about its end.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.integer]

AIR_DENSITY = 1.225  # kg/m^3, at 15 degrees Celsius
FLAT_PLATE_DRAG = 1.28  # across the stream, of a plate (Hoerner 1965)
CYLINDER_DRAG = 1.2  # across the stream, of a long cylinder at Reynolds numbers of 1e3 to 1e5 (Hoerner 1965)
BLENDER_PRESSURE = 0.02  # N/m^2 for each unit of a wind's strength


def wind_velocity(strength: Array) -> Array:
    """Velocities (..., 3) in m/s of Blender's winds, directions times strengths (..., 3).

    Blender's cloth has no air: `SIM_mass_spring_force_face_wind` presses on a face that the wind meets head
    on with 0.02 N/m^2 (its effector_scale) for each unit of strength s. The wind that presses a flat plate
    as hard has 1/2 rho C_d v^2 = 0.02 |s|: a strength of 1,000 is 5 m/s.
    """
    size = np.linalg.norm(strength, axis=-1, keepdims=True)
    speed = np.sqrt(2.0 * BLENDER_PRESSURE * size / (AIR_DENSITY * FLAT_PLATE_DRAG))
    return np.divide(speed * strength, size, out=np.zeros_like(speed * strength), where=size > 0.0)


def wind_forces(
    positions: Array,
    velocities: Array,
    triangles: Indices,
    triangle_masses: Array,
    wind: Array,
    dt: float,
    air_density: float = AIR_DENSITY,
    drag: float = FLAT_PLATE_DRAG,
    closed: bool = False,
) -> Array:
    """Forces (n, 3) of air on triangles (m, 3), along their normals, in newtons.

    positions and velocities (n, 3), m and m/s; wind (3,) or one for each triangle (m, 3), m/s.
    The pressure air_density drag / 2 times the square of the relative speed along the normal, spread
    over the corners (Wejchert and Haumann 1991). That of a whole time step dt, seconds, in which the
    speed itself is slowed down: triangle_masses (m,), kg, never end faster than the air.
    closed: the triangles, counter-clockwise from outside, enclose a solid, and those in its lee are not
    pressed: a cube then has a plate's drag, a ball 0.64 of its disc's.
    """
    x, v = positions[triangles], velocities[triangles].mean(axis=1)
    normals = np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0])
    double = np.linalg.norm(normals, axis=1)
    normals /= np.maximum(double, 1e-30)[:, None]
    speed = np.einsum("mc,mc->m", wind - v, normals)
    if closed:
        speed = np.minimum(speed, 0.0)
    # m dv/dt = c v |v| solved over dt: v falls to v / (1 + c |v| dt / m).
    c = 0.25 * air_density * drag * double
    force = c * speed * np.abs(speed) / (1.0 + c * np.abs(speed) * dt / triangle_masses)
    return _shared(triangles, force[:, None] * normals, len(positions))


def strand_forces(
    positions: Array,
    velocities: Array,
    edges: Indices,
    edge_masses: Array,
    radius: float,
    wind: Array,
    dt: float,
    air_density: float = AIR_DENSITY,
    drag: float = CYLINDER_DRAG,
) -> Array:
    """Forces (n, 3) of air on the edges (m, 2) of strands, across them, in newtons.

    As `wind_forces`, with edge_masses (m,) in kg. radius: m. A cylinder's drag, 1/2 rho C_d 2 r L |v| v, of
    the part v of the relative velocity that is normal to the edge.
    """
    x, v = positions[edges], velocities[edges].mean(axis=1)
    along = x[:, 1] - x[:, 0]
    lengths = np.linalg.norm(along, axis=1)
    along /= np.maximum(lengths, 1e-30)[:, None]
    across = wind - v
    across = across - np.einsum("mc,mc->m", across, along)[:, None] * along
    c_speed = air_density * drag * radius * lengths * np.linalg.norm(across, axis=1)
    return _shared(edges, (c_speed / (1.0 + c_speed * dt / edge_masses))[:, None] * across, len(positions))


def _shared(elements: Indices, forces: Array, count: int) -> Array:
    """(count, 3): forces (m, 3) on elements (m, s), shared out evenly among their vertices."""
    s = elements.shape[1]
    each = np.repeat((forces / s).T, s, axis=1)
    return np.stack([np.bincount(elements.ravel(), of_axis, count) for of_axis in each], 1)
