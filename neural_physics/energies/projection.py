"""The nearest positive semi-definite matrix to the Hessian of an element, in the Frobenius norm."""

from __future__ import annotations

import numpy as np

from ..arrays import Doubles, Mask

# Eigenvalues above minus this share of the sum of a matrix's diagonal magnitudes count as not negative.
ROUND_OFF = 1e-13
PAIRS = {2: ((0, 1),), 3: ((0, 1), (0, 2), (1, 2))}


def project(hessian: Doubles) -> Doubles:
    """Each matrix made symmetric, and its negative eigenvalues zero. (m, s, s) -> (m, s, s).

    Those that are positive semi-definite but for round-off are only made symmetric.
    """
    symmetric = 0.5 * (hessian + hessian.swapaxes(1, 2))
    indefinite = np.flatnonzero(~_semi_definite(symmetric))
    if len(indefinite):
        values, vectors = np.linalg.eigh(symmetric[indefinite])
        vectors *= np.sqrt(np.maximum(values, 0.0))[:, None, :]
        symmetric[indefinite] = vectors @ vectors.swapaxes(1, 2)
    return symmetric


def _semi_definite(symmetric: Doubles) -> Mask:
    """Whether elimination meets no negative pivot, for all matrices at once. (m, s, s) -> (m,)."""
    rest = np.ascontiguousarray(symmetric.transpose(1, 2, 0))
    s = len(rest)
    diagonal = rest.reshape(s * s, -1)[:: s + 1]
    # Matrices of rank s - 1 are common (nothing resists a rigid motion): they must pass, too. Shifted by
    # so much, a semi-definite matrix has no pivot below that.
    shift = ROUND_OFF * np.abs(diagonal).sum(0) + np.finfo(np.float64).tiny
    diagonal += shift
    definite = rest[0, 0] >= 0.5 * shift
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows compares as not definite
        for k in range(s - 1):
            # Nothing is taken from what has failed, so that it stays finite.
            pivot = np.where(definite, rest[k, k], np.inf)
            for i in range(k + 1, s):
                # Only the upper triangle is read.
                rest[i, i:] -= (rest[k, i] / pivot) * rest[k, i:]
            definite &= rest[k + 1, k + 1] >= 0.5 * shift
    return definite


def isotropic_hessian(u: Doubles, v: Doubles, scaling: Doubles, twist: Doubles, flip: Doubles) -> Doubles:
    """The Hessian of an isotropic energy by F = U diag(s) V^T, from its analytic eigensystem.

    u, v (m, d, d) as of `signed_svd`; scaling (m, d, d): second derivatives by the stretches s; twist and
    flip (m, p), for the pairs a < b of stretches in the order of PAIRS: the eigenvalues of
    (u_a v_b^T - u_b v_a^T) / sqrt(2) and (u_a v_b^T + u_b v_a^T) / sqrt(2). Returns (m, d * d, d * d) by
    the entries i * d + j of F.
    Smith, de Goes, Kim 2019, Analytic eigensystems for isotropic distortion energies.
    """
    m, d, _ = u.shape
    local = np.zeros((m, d * d, d * d))
    local[:, :: d + 1, :: d + 1] = scaling
    for p, (a, b) in enumerate(PAIRS[d]):
        ab, ba = a * d + b, b * d + a
        local[:, ab, ab] = local[:, ba, ba] = 0.5 * (flip[:, p] + twist[:, p])
        local[:, ab, ba] = local[:, ba, ab] = 0.5 * (flip[:, p] - twist[:, p])
    turn = (u[:, :, None, :, None] * v[:, None, :, None, :]).reshape(m, d * d, d * d)
    # Into memory that is there already: fresh pages for so much cost as much as the product.
    return np.matmul(turn @ local, turn.swapaxes(1, 2), out=local)


def projected_isotropic_hessian(
    u: Doubles, v: Doubles, scaling: Doubles, twist: Doubles, flip: Doubles
) -> Doubles:
    """`isotropic_hessian` of the same arguments, projected."""
    return isotropic_hessian(u, v, project(scaling), np.maximum(twist, 0.0), flip=np.maximum(flip, 0.0))
