"""Arrays with other numbers, shapes and types."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzing.extreme_values import EXTREME_INTEGERS, extreme_number

TYPES = ("<f4", "<f8", "<f2", "<i4", "<i8", "u1", "?", "<c8", ">f4")


def mutated_values(array: NDArray[Any], chance: random.Random) -> NDArray[Any]:
    """An array of the same shape and type: some numbers, a row, or all of them are other ones."""
    changed = np.array(array)
    if not changed.size:
        return changed
    flat = changed.reshape(-1)
    if chance.random() < 0.25 and changed.ndim > 1 and len(changed) > 1:
        changed[chance.randrange(len(changed))] = changed[chance.randrange(len(changed))]
        return changed
    with np.errstate(all="ignore"):
        if not np.issubdtype(changed.dtype, np.inexact):
            limits = np.iinfo(changed.dtype) if np.issubdtype(changed.dtype, np.integer) else None
            value = chance.choice(EXTREME_INTEGERS)
            flat[_where(flat, chance)] = value if limits is None else min(max(value, limits.min), limits.max)
        elif chance.random() < 0.3:
            flat *= flat.dtype.type(chance.choice((-1.0, 0.0, 1e-30, 1e-9, 1e3, 1e6, 1e9, 1e12, 3e38)))
        else:
            flat[_where(flat, chance)] = np.float64(extreme_number(chance)).astype(flat.dtype)
    return changed


def mutated_array(array: NDArray[Any], chance: random.Random) -> NDArray[Any]:
    """An array that may have another shape or type, too."""
    match chance.randrange(6):
        case 0:
            return reshaped(array, chance)
        case 1:
            with np.errstate(all="ignore"):
                return array.astype(chance.choice(TYPES)) if array.dtype.kind in "fiub" else array
        case _:
            return mutated_values(array, chance)


def reshaped(array: NDArray[Any], chance: random.Random) -> NDArray[Any]:
    """Fewer or more along one axis, an axis more or less, or two of them swapped."""
    axis = chance.randrange(array.ndim) if array.ndim else 0
    match chance.randrange(6):
        case 0 if array.ndim:
            return array.take(range(chance.randrange(array.shape[axis] + 1)), axis)
        case 1 if array.ndim and array.shape[axis]:
            return np.concatenate([array, array.take([0], axis)], axis)
        case 2:
            return array[None]
        case 3 if array.ndim and len(array):
            return array[0]
        case 4:
            return array.T
        case _:
            return array.reshape(-1)


def _where(flat: NDArray[Any], chance: random.Random) -> Any:
    """A few places, or all of them."""
    if chance.random() < 0.25:
        return slice(None)
    return [chance.randrange(len(flat)) for _ in range(chance.randint(1, 4))]
