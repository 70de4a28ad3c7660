"""St. Venant-Kirchhoff: W = mu |E|^2 + lam / 2 tr(E)^2 of Green's strain E = (F^T F - I) / 2.

Every function takes f (m, d, d), the deformation gradients F in space (d = 3) or in plane strain (d = 2),
and mu, lam: Lame parameters in Pa, numbers or (m,). Small strain agrees with linear elasticity. It softens
under compression and lets an element collapse. Source: Sifakis, Barbic 2012, FEM simulation of 3D
deformable solids, section 3.3.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Doubles
from ..array_module import module_of
from ..projection import PAIRS, projected_isotropic_hessian
from .deformation import signed_svd
from .lame import per_element


def energy_density(f: Any, mu: Any, lam: Any) -> Any:  # noqa: ANN401 (array or tensor)
    """(m,) J per m^3 at rest. f, and mu and lam where they are arrays: arrays or tensors."""
    module = module_of(f)
    strain = _strain(f)
    trace = module.einsum("mii->m", strain)
    return mu * module.einsum("mij,mij->m", strain, strain) + 0.5 * lam * trace * trace


def stress(f: Doubles, mu: float | Doubles, lam: float | Doubles) -> Doubles:
    """First Piola-Kirchhoff stress dW/dF = F S, (m, d, d), Pa."""
    return f @ _second_stress(f, mu, lam)


def hessian(f: Doubles, mu: float | Doubles, lam: float | Doubles) -> Doubles:
    """d2W/dF2 (m, d * d, d * d), Pa, by the entries i * d + j of F; indefinite under compression."""
    m, d, _ = f.shape
    outer = f[:, :, :, None, None] * f[:, None, None]
    # (i, j, k, l): lam F_ij F_kl + mu F_il F_kj
    by_entries: Doubles = per_element(lam, 4) * outer
    by_entries += per_element(mu, 4) * outer.swapaxes(2, 4)
    second, left = _second_stress(f, mu, lam), per_element(mu, 2) * (f @ f.swapaxes(1, 2))
    for i in range(d):
        by_entries[:, i, :, i, :] += second
        by_entries[:, :, i, :, i] += left
    return by_entries.reshape(m, d * d, d * d)


def projected_hessian(f: Doubles, mu: float | Doubles, lam: float | Doubles) -> Doubles:
    """The nearest positive semi-definite matrix to `hessian`, by the analytic eigensystem."""
    mu, lam = per_element(mu, 1), per_element(lam, 1)
    u, s, v = signed_svd(f)
    squares = s * s
    a, b = np.transpose(PAIRS[s.shape[1]])
    tension = 0.5 * lam * (squares - 1.0).sum(1, keepdims=True) - mu
    plain, mixed = mu * (squares[:, a] + squares[:, b]) + tension, mu * s[:, a] * s[:, b]
    scaling = lam[:, :, None] * s[:, :, None] * s[:, None, :]
    scaling[:, range(s.shape[1]), range(s.shape[1])] += 3.0 * mu * squares + tension
    return projected_isotropic_hessian(u, v, scaling, twist=plain - mixed, flip=plain + mixed)


def _strain(f: Any) -> Any:  # noqa: ANN401
    module = module_of(f)
    identity = module.diag(module.ones_like(f[0, 0]))  # where f is: on a GPU, too
    return 0.5 * (f.swapaxes(-1, -2) @ f - identity)


def _second_stress(f: Doubles, mu: float | Doubles, lam: float | Doubles) -> Doubles:
    """Second Piola-Kirchhoff stress S = 2 mu E + lam tr(E) I."""
    strain = _strain(f)
    second: Doubles = 2.0 * per_element(mu, 2) * strain
    diagonal = np.einsum("mii->mi", second)
    diagonal += per_element(lam, 1) * np.trace(strain, axis1=1, axis2=2)[:, None]
    return second
