"""What takes were made with, as their dataset keeps it, and what of that has changed since."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from ..errors import Problem

MADE_WITH = "made_with"  # of a dataset's provenance
NAMED = 3  # at most so many settings of a part are named
RELATIVE, ABSOLUTE = 1e-4, 1e-9  # how far apart the same number may be, read twice
PLACE = 1e-5  # the same for lists of numbers, m: where objects that move stand

Value = bool | float | str | list[float]
# By the words an artist has for a part: all of its settings by their names, or one digest.
Fingerprint = Mapping[str, Mapping[str, Value] | str]


def digest(*arrays: NDArray[Any]) -> str:
    """The same text for the same arrays only."""
    found = hashlib.sha256()
    for array in arrays:
        found.update(f"{array.shape}{array.dtype}".encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()[:32]


def to_text(fingerprint: Fingerprint) -> str:
    """A fingerprint as a dataset's provenance has it."""
    return json.dumps(fingerprint)


def check_made_with(before: str, now: Fingerprint, object_name: str) -> None:
    """Raise Problem("dataset_made_otherwise") if takes were made with something else before."""
    parts = changed(before, now)
    if parts:
        what = " and ".join([", ".join(parts[:-1]), parts[-1]] if parts[1:] else parts)
        what = what[0].upper() + what[1:]
        raise Problem("dataset_made_otherwise", changed=what, object=object_name)


def changed(before: str, now: Fingerprint) -> list[str]:
    """The parts that are no longer what they were, in words, such as "cloth settings (mass)".

    before: what `to_text` gave; without one, as in takes of earlier versions, nothing has changed. What only
    one of the two knows is passed over: other versions may look at more, or at less.
    """
    try:
        known = json.loads(before or "{}")
    except (ValueError, RecursionError):
        return []
    if not isinstance(known, dict):
        return []
    found = []
    for part, value in now.items():
        old = known.get(part, value)
        if isinstance(value, str) or not isinstance(old, Mapping):
            found += [part] if old != value else []
            continue
        names = [name for name in value if name in old and not _same(old[name], value[name])]
        if names:
            found.append(f"{part} ({_listed(names)})")
    return found


def _same(old: object, new: Value) -> bool:
    if isinstance(new, list):
        return (
            isinstance(old, list)
            and len(old) == len(new)
            and all(_is_number(number) for number in old)
            and bool(np.allclose(old, new, rtol=RELATIVE, atol=PLACE))
        )
    if isinstance(new, float) and _is_number(old):
        return bool(np.isclose(old, new, rtol=RELATIVE, atol=ABSOLUTE))
    return old == new


def _is_number(value: object) -> TypeGuard[int | float]:
    """Whether it is one that a float can be: what a file says may be larger."""
    return isinstance(value, int | float) and abs(value) <= sys.float_info.max


def _listed(names: list[str]) -> str:
    words = [name.replace("_", " ") for name in names]
    more = len(words) - NAMED
    return ", ".join(words[:NAMED]) + (f" and {more} more" if more > 0 else "")
