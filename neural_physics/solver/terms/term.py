"""The parts that a potential is the sum of."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from ...arrays import Doubles, Indices


class Term(Protocol):
    """A sum over m elements, each a function of s of the degrees of freedom q.

    q (n,) float64: the coordinates of all vertices, x y z (or x y) of each in turn, in metres; then what
    else a term needs, such as the twist of a rod's edges, in radians. Units of value: J.
    """

    @property
    def stencils(self) -> Indices:
        """(m, s): which of q each element depends on."""
        ...

    def value(self, q: Doubles) -> Doubles:
        """(m,)."""
        ...

    def gradient(self, q: Doubles) -> Doubles:
        """(m, s), derivatives by the element's own degrees of freedom."""
        ...

    def hessian(self, q: Doubles) -> Doubles:
        """(m, s, s), symmetric and positive semi-definite."""
        ...


@runtime_checkable
class WithExactHessian(Protocol):
    """A term whose Hessian is quicker to have as it is than semi-definite."""

    def exact_hessian(self, q: Doubles) -> Doubles:
        """(m, s, s), symmetric; indefinite in places."""
        ...
