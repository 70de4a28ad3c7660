"""Stable Neo-Hookean: rubber that keeps its volume, and comes back when flat or inside out.

W = mu / 2 (I_C - 3) - mu / 2 log((I_C + 1) / 4) + lam / 2 (J - 1)^2 - 3 / 4 mu (J - 1), of I_C = |F|^2 and
J = det F: Smith, de Goes, Kim 2018, Stable Neo-Hookean flesh simulation, eq. 14, with its alpha written
out and shifted to be zero at rest, where F = I is free of stress.

Every function takes f (m, d, d), the deformation gradients F in space (d = 3) or in plane strain (d = 2),
and mu, lam: the Lame parameters of linear elasticity in Pa, numbers or (m,). Those are turned into the
paper's, mu = 4 / 3 mu_Lame and lam = lam_Lame + 5 / 6 mu_Lame (section 3), so that small strain agrees
with linear elasticity.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Doubles
from ..array_module import module_of
from ..projection import PAIRS, projected_isotropic_hessian
from .deformation import cofactor, determinant, determinant_hessian, signed_svd
from .lame import per_element


def energy_density(f: Any, mu: Any, lam: Any) -> Any:  # noqa: ANN401 (array or tensor)
    """(m,) J per m^3 at rest. f, and mu and lam where they are arrays: arrays or tensors.

    Written in G = F - I, in whose terms all that is linear cancels: near rest little would be left of the
    difference of large numbers, and a line search would see noise.
    """
    module, d = module_of(f), f.shape[-1]
    mu, lam = _reparametrised(mu, lam)
    g = f - module.diag(module.ones_like(f[0, 0]))  # where f is: on a GPU, too
    trace, squared = module.einsum("mii->m", g), module.einsum("mij,mij->m", g, g)
    minors = 0.5 * (trace * trace - module.einsum("mij,mji->m", g, g))  # the principal 2 x 2 ones
    volume = determinant(g) if d == 3 else 0.0
    above, growth = 2.0 * trace + squared, trace + minors + volume  # I_C - 3, J - 1
    log = 0.25 * above - module.log1p(0.25 * above)
    return mu * (0.5 * log + 0.75 * (0.5 * squared - minors - volume)) + 0.5 * lam * growth * growth


def stress(f: Doubles, mu: float | Doubles, lam: float | Doubles) -> Doubles:
    """First Piola-Kirchhoff stress dW/dF (m, d, d), Pa (section 4)."""
    shear, pressure, _, _ = _coefficients(f, mu, lam)
    return shear[:, None, None] * f + pressure[:, None, None] * cofactor(f)


def hessian(f: Doubles, mu: float | Doubles, lam: float | Doubles) -> Doubles:
    """d2W/dF2 (m, d * d, d * d), Pa, by the entries i * d + j of F (section 4); indefinite in places."""
    m, d, _ = f.shape
    shear, pressure, stretch, bulk = _coefficients(f, mu, lam)
    flat, slopes = f.reshape(m, -1), cofactor(f).reshape(m, -1)
    left = np.stack([stretch[:, None] * flat, bulk[:, None] * slopes], 2)
    by_entries: Doubles = left @ np.stack([flat, slopes], 1)
    by_entries += pressure[:, None, None] * determinant_hessian(f)
    by_entries.reshape(m, d**4)[:, :: d * d + 1] += shear[:, None]
    return by_entries


def projected_hessian(f: Doubles, mu: float | Doubles, lam: float | Doubles) -> Doubles:
    """The nearest positive semi-definite matrix to `hessian`, by the analytic eigensystem (section 4)."""
    shear, pressure, stretch, bulk = (each[:, None] for each in _coefficients(f, mu, lam))
    u, s, v = signed_svd(f)
    d = s.shape[1]
    a, b = np.transpose(PAIRS[d])
    # For each pair of stretches the one across them, which is 1 out of the plane; and dJ/ds.
    across, slopes = (s[:, ::-1], (s[:, a] * s[:, b])[:, ::-1]) if d == 3 else (1.0, s[:, ::-1])
    scaling = stretch[:, :, None] * s[:, :, None] * s[:, None]
    scaling += bulk[:, :, None] * slopes[:, :, None] * slopes[:, None]
    scaling[:, a, b] += pressure * across
    scaling[:, b, a] += pressure * across
    scaling[:, range(d), range(d)] += shear
    twist, flip = shear + pressure * across, shear - pressure * across
    return projected_isotropic_hessian(u, v, scaling, twist, flip=flip)


def _reparametrised(mu: Any, lam: Any) -> tuple[Any, Any]:  # noqa: ANN401
    return 4.0 / 3.0 * mu, lam + 5.0 / 6.0 * mu


def _coefficients(
    f: Doubles, mu: float | Doubles, lam: float | Doubles
) -> tuple[Doubles, Doubles, Doubles, Doubles]:
    """What multiplies F and dJ/dF in the stress, then their outer products in the Hessian, (m,) or (1,)."""
    shear, bulk = _reparametrised(per_element(mu, 0), per_element(lam, 0))
    inverse = 1.0 / (np.einsum("mij,mij->m", f, f) + (4 - f.shape[-1]))
    pressure = bulk * (determinant(f) - 1.0) - 0.75 * shear
    return shear - shear * inverse, pressure, 2.0 * shear * inverse * inverse, bulk
