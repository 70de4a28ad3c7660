"""The reduced scene of contact corrections made of simkit's functions: `pip install simkit`.

simkit has no scene of this kind, but all that one is made of: a subspace (`lbs_jacobian`), the reduced
elastic energy (`elastic_energy_z`, stable Neo-Hookean), cubature (`spectral_cubature`), springs that push
points out of a sphere, a quadratic energy, and steps of implicit Euler by Newton's method
(`backward_euler`). Here they are put together to our equation of a step: the same mesh, material, masses,
damping, springs and motions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import simkit
from numpy.typing import NDArray
from scipy import sparse
from simkit import energies
from simkit.integrators import backward_euler

from ml_backend.methods.contact_corrections.scene import ContactScene
from neural_physics.energies.colliders.sphere import Sphere

Array = NDArray[np.float64]
MATERIAL = "stable-neo-hookean"


def basis_of(rest: Array, weights: Array, *, affine: bool) -> Array:
    """(3 B, c): how coordinates of h handles move B vertices, by their weights (B, h).

    affine: twelve numbers of each, as simkit has them, a matrix by which the place at rest is multiplied and
    a shift, of which only the shift is left otherwise, as ours are points.
    """
    whole = simkit.lbs_jacobian(rest, weights).reshape(rest.size, -1, 4, 3)
    found: Array = (whole if affine else whole[:, :, 3:]).reshape(rest.size, -1)
    return found


class SimkitScene:
    """Steps a scene in the coordinates of the free handles, z (c, 1).

    cubature: into how many clusters its tetrahedra are gathered, one of each standing for all; 0: none.
    """

    def __init__(
        self,
        scene: ContactScene,
        dt: float,
        tolerance: float,
        iterations: int,
        *,
        affine: bool,
        cubature: int,
    ) -> None:
        """dt, s; tolerance: of a coordinate in the last Newton step, m; iterations: at most."""
        body, handles, contact = scene.body, scene.handles, scene.contact
        rest, elements, n = body.rest, body.elements, handles.free
        (shape,) = contact.shapes
        assert isinstance(shape, Sphere)
        self._dt, self._most, self._damping = dt, iterations, body.settings.damping
        self._basis = basis_of(rest, handles.weights[:, :n], affine=affine)
        self._carried = basis_of(rest, handles.weights[:, n:], affine=False)
        self._start = np.zeros((n, 4 if affine else 1, 3))
        self._start[:, -1] = handles.rest[:n]
        self._frames_at_rest = handles.rest[n:]
        self._tolerance = tolerance * float(np.sqrt(self._start.size))  # of the norm, which simkit looks at
        picked, volumes = np.arange(len(elements)), simkit.volume(rest, elements)
        if cubature:
            picked, volumes = simkit.spectral_cubature(rest, elements, handles.weights, cubature)
            picked = picked[: len(volumes)]  # the last clusters may be empty
        mu, lam = body.moduli[picked].T.reshape(2, -1, 1)
        # The parameters of Smith et al., which ours are turned into, too (see `solids.stable_neo_hookean`).
        self._material = 4.0 / 3.0 * mu, lam + 5.0 / 6.0 * mu, volumes.reshape(-1, 1), MATERIAL
        chosen = sparse.kron(simkit.selection_matrix(picked, len(elements)), sparse.identity(9))
        jacobian = simkit.deformation_jacobian(rest, elements)
        self._elastic, self._whole = (
            energies.ElasticEnergyZPrecomp(basis, None, chosen, jacobian, 3)
            for basis in (self._basis, np.hstack([self._basis, self._carried]))
        )
        self._of_frames = self._whole.JB[:, self._start.size :]
        mass = simkit.massmatrix(rest, elements, body.settings.density)
        full = sparse.kron(mass, sparse.identity(3))
        self._mass = self._basis.T @ (full @ self._basis)
        self._lag = self._basis.T @ (full @ self._carried)
        self._weight = self._basis.T @ (mass @ np.tile(scene.gravity, (len(rest), 1))).reshape(-1, 1)
        carriers = _carriers(contact.corners, contact.weights, len(rest))
        self._points, self._points_carried = carriers @ self._basis, carriers @ self._carried
        self._stiffness, self._radius = contact.stiffness, shape.radius + contact.reach
        self._unit = sparse.identity(len(contact.corners))

    def start(self, frames: Array) -> None:
        """Begin at rest, as the body was made, moved along with the frames. See `step`."""
        shift = frames.mean(0) - self._frames_at_rest.mean(0)
        z = self._start.copy()
        z[:, -1] += shift
        self._z = self._before = z.reshape(-1, 1)
        self._frames = self._frames_before = frames.reshape(-1, 1)

    def step(self, frames: Array, centre: Array) -> None:
        """Implicit Euler. At its end, m: frames (k, 3), the frames' rows of Q; centre (3,), of the ball."""
        frames = frames.reshape(-1, 1)
        drag, linear = self._drag(frames)
        # What the frames do to the inertia of all that hangs on the handles, too.
        linear += self._lag @ (frames - 2.0 * self._frames + self._frames_before) / self._dt**2 - self._weight
        self._elastic.Jx0 = self._of_frames @ frames
        elastic = (*self._material, self._elastic)
        carried = self._points_carried @ frames
        pushed = self._stiffness, centre, self._radius, self._unit

        def points(z: Array) -> Array:
            return (self._points @ z + carried).reshape(-1, 3)

        def energy(z: Array) -> float:
            found = energies.elastic_energy_z(z, *elastic) + energies.quadratic_energy(z, drag, linear)
            return float(found + energies.contact_springs_sphere_energy(points(z), *pushed))

        def gradient(z: Array) -> Any:  # noqa: ANN401 (simkit's)
            found = energies.elastic_gradient_z(z, *elastic) + energies.quadratic_gradient(z, drag, linear)
            return found + self._points.T @ energies.contact_springs_sphere_gradient(points(z), *pushed)

        def hessian(z: Array) -> Any:  # noqa: ANN401
            springs = energies.contact_springs_sphere_hessian(points(z), *pushed)
            return energies.elastic_hessian_z(z, *elastic) + drag + self._points.T @ (springs @ self._points)

        z = backward_euler(
            self._z,
            self._before,
            energy,
            gradient,
            hessian,
            self._mass,
            self._dt,
            tolerance=self._tolerance,
            max_iter=self._most,
        )
        self._z, self._before = z, self._z
        self._frames, self._frames_before = frames, self._frames

    def positions(self) -> Array:
        """(B, 3) m, of all of the body's vertices."""
        x = self._basis @ self._z + self._carried @ self._frames
        return np.asarray(x, np.float64).reshape(-1, 3)

    def _drag(self, frames: Array) -> tuple[Array, Array]:
        """Damping by the stiffness where the step begins, as a quadratic energy: (c, c), (c, 1)."""
        count = len(self._z)
        now = np.concatenate([self._z, self._frames])
        stiffness = energies.elastic_hessian_z(now, *self._material, self._whole)[:count]
        drag = self._damping / self._dt * stiffness
        linear: Array = drag[:, count:] @ (frames - self._frames) - drag[:, :count] @ self._z
        return drag[:, :count], linear


def _carriers(corners: NDArray[np.intp], weights: Array, count: int) -> sparse.csr_matrix:
    """(3 P, 3 count): where points are that are carried by corners (P, s) with weights (P, s)."""
    rows = np.repeat(np.arange(len(corners)), corners.shape[1])
    each = sparse.csr_matrix((weights.ravel(), (rows, corners.ravel())), (len(corners), count))
    return sparse.kron(each, sparse.identity(3)).tocsr()
