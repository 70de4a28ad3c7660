"""Energies of elements by the library in C: see `native/solids.c`; NumPy's are the reference."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, Structure, byref, c_int64, c_void_p
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Doubles
from . import corotational, stable_neo_hookean, stvk

ENERGIES: dict[object, int] = {stable_neo_hookean: 0, stvk: 1, corotational: 2}


class ElementsStructure(Structure):
    """`Elements` of `native/elements.h`."""

    _fields_ = [
        ("count", c_int64),
        ("energy", c_int64),
        ("corners", c_void_p),
        ("inverse_rest", c_void_p),
        ("volumes", c_void_p),
        ("moduli", c_void_p),
    ]


class CompiledElements:
    """m elements of d + 1 vertices each, with energies of one kind."""

    def __init__(
        self,
        library: ctypes.PyDLL,
        elements: NDArray[np.integer],
        inverse_rest: Doubles,
        volumes: Doubles,
        *,
        moduli: Doubles,
        energy: ModuleType | object,
    ) -> None:
        """elements (m, d + 1); inverse_rest (m, d, d), 1/m; volumes (m,), m^3; moduli (m, 2), Pa; energy: one
        of `ENERGIES`.
        """
        at, out = POINTER(ElementsStructure), c_void_p
        arguments: dict[str, list[Any]] = {
            "solid_values": [c_int64, at, c_void_p, out],
            "solid_gradients": [c_int64, at, c_void_p, out],
            "solid_hessians": [c_int64, at, c_void_p, c_int64, out],
        }
        for name, types in arguments.items():
            function = getattr(library, name)
            function.argtypes, function.restype = types, None
        self._library, self._d = library, inverse_rest.shape[1]
        self._count, self._size = len(elements), (self._d + 1) * self._d
        self._kept = [
            np.ascontiguousarray(elements, np.int64),
            *(np.ascontiguousarray(each, np.float64) for each in (inverse_rest, volumes, moduli)),
        ]
        pointers = [array.ctypes.data for array in self._kept]
        self.structure = ElementsStructure(self._count, ENERGIES[energy], *pointers)
        self._at = byref(self.structure)

    def values(self, q: Doubles) -> Doubles:
        """(m,) J, of the vertices' coordinates, the first of q."""
        found, q = np.empty(self._count), np.ascontiguousarray(q, np.float64)
        self._library.solid_values(self._d, self._at, q.ctypes.data, found.ctypes.data)
        return found

    def gradients(self, q: Doubles) -> Doubles:
        """(m, (d + 1) d) N, by the vertices' coordinates."""
        found, q = np.empty((self._count, self._size)), np.ascontiguousarray(q, np.float64)
        self._library.solid_gradients(self._d, self._at, q.ctypes.data, found.ctypes.data)
        return found

    def hessians(self, q: Doubles, *, projected: bool) -> Doubles:
        """(m, (d + 1) d, (d + 1) d) N/m; projected: see `energies.projection`."""
        found = np.empty((self._count, self._size, self._size))
        q = np.ascontiguousarray(q, np.float64)
        self._library.solid_hessians(self._d, self._at, q.ctypes.data, projected, found.ctypes.data)
        return found
