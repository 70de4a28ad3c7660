"""Corotational: W = mu |F - R|^2 + lam / 2 tr(R^T F - I)^2, of the rotation R nearest to F.

Every function takes f (m, d, d), the deformation gradients F in space (d = 3) or in plane strain (d = 2),
and mu, lam: Lame parameters in Pa, numbers or (m,). Small strain agrees with linear elasticity. R is a
rotation also where F is inverted (U V^T of `signed_svd`); in plane strain it turns in the plane. Where two
stretches add up to zero (s_d = -s_(d-1), only inverted or of rank d - 2) R jumps: the energy has a ridge
there, and its derivatives are those of one side. Source: Sifakis, Barbic 2012, FEM simulation of 3D
deformable solids, section 3.4; the Hessian: Smith, de Goes, Kim 2019, Analytic eigensystems for isotropic
distortion energies.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Doubles
from ..array_module import module_of
from ..projection import PAIRS, isotropic_hessian, projected_isotropic_hessian
from .deformation import signed_svd
from .lame import per_element

# The least sum of two stretches that the Hessian divides by, so that it is finite on the ridge.
LEAST_SUM = 1e-8


def energy_density(f: Any, mu: Any, lam: Any) -> Any:  # noqa: ANN401 (array or tensor)
    """(m,) J per m^3 at rest. f, and mu and lam where they are arrays: arrays or tensors, once derivable."""
    distance, trace = _invariants_2(f) if f.shape[-1] == 2 else _invariants_3(f)
    return mu * distance + 0.5 * lam * trace * trace


def stress(f: Doubles, mu: float | Doubles, lam: float | Doubles) -> Doubles:
    """First Piola-Kirchhoff stress dW/dF = 2 mu (F - R) + lam tr(R^T F - I) R, (m, d, d), Pa."""
    u, s, v = signed_svd(f)
    rotation = u @ v.swapaxes(1, 2)
    trace = per_element(lam, 0) * (s - 1.0).sum(1)
    return 2.0 * per_element(mu, 2) * (f - rotation) + trace[:, None, None] * rotation


def hessian(f: Doubles, mu: float | Doubles, lam: float | Doubles) -> Doubles:
    """d2W/dF2 (m, d * d, d * d), Pa, by the entries i * d + j of F; indefinite under compression."""
    return isotropic_hessian(*_eigensystem(f, mu, lam))


def projected_hessian(f: Doubles, mu: float | Doubles, lam: float | Doubles) -> Doubles:
    """The nearest positive semi-definite matrix to `hessian`."""
    return projected_isotropic_hessian(*_eigensystem(f, mu, lam))


def _eigensystem(
    f: Doubles, mu: float | Doubles, lam: float | Doubles
) -> tuple[Doubles, Doubles, Doubles, Doubles, Doubles]:
    """The arguments of `isotropic_hessian`."""
    u, s, v = signed_svd(f)
    m, d = s.shape
    mu, lam = per_element(mu, 1), per_element(lam, 1)
    a, b = np.transpose(PAIRS[d])
    scaling = 2.0 * mu[:, :, None] * np.eye(d) + lam[:, :, None]
    flip = np.broadcast_to(2.0 * mu, (m, len(a)))
    softening = 2.0 * lam * (s - 1.0).sum(1, keepdims=True) - 4.0 * mu
    twist = flip + softening / np.maximum(s[:, a] + s[:, b], LEAST_SUM)
    return u, v, np.broadcast_to(scaling, (m, d, d)), twist, flip


def _invariants_2(f: Any) -> tuple[Any, Any]:  # noqa: ANN401
    """|F - R|^2 and tr(R^T F - I). The conformal part of F is its multiple of R, the rest is traceless."""
    module = module_of(f)
    conformal = f[:, 0, 0] + f[:, 1, 1], f[:, 1, 0] - f[:, 0, 1]
    rest = f[:, 0, 0] - f[:, 1, 1], f[:, 1, 0] + f[:, 0, 1]
    trace = module.sqrt(conformal[0] ** 2 + conformal[1] ** 2) - 2.0
    return 0.5 * (trace * trace + rest[0] ** 2 + rest[1] ** 2), trace


def _invariants_3(f: Any) -> tuple[Any, Any]:  # noqa: ANN401
    """|F - R|^2 and tr(R^T F - I), by the signed stretches.

    tr(Q^T F) of a rotation Q is a quadratic form of its quaternion (Horn 1987, Closed-form solution of
    absolute orientation using unit quaternions), with eigenvalues s1 + s2 + s3, s1 - s2 - s3,
    s2 - s1 - s3 and s3 - s1 - s2. Its gradient is finite at repeated stretches, unlike that of the vectors
    of a decomposition.
    """
    module = module_of(f)
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = (f[:, i].swapaxes(0, 1) for i in range(3))
    form = [
        [xx + yy + zz, zy - yz, xz - zx, yx - xy],
        [zy - yz, xx - yy - zz, xy + yx, xz + zx],
        [xz - zx, xy + yx, yy - xx - zz, yz + zy],
        [yx - xy, xz + zx, yz + zy, zz - xx - yy],
    ]
    values = module.linalg.eigvalsh(module.stack([module.stack(row, -1) for row in form], -1))
    strains = 0.5 * (values[:, 3:] + values[:, :3]) - 1.0
    return module.einsum("mi,mi->m", strains, strains), module.einsum("mi->m", strains)
