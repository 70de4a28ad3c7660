"""The order in which objects that play are shown: what is below before what is worn over it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from .crowds import Wanted

What = TypeVar("What", bound=tuple[Any, ...])  # the session first


def by_layer(wanted: Iterable[Wanted[What]]) -> list[list[Wanted[What]]]:
    """What objects want, level by level: each after all that it is pushed out of, where that plays, too."""
    levels, left = [], list(wanted)
    while left:
        waiting = {each.what[0].uid for each in left}
        ready = [each for each in left if not waiting & each.what[0].output.layering.below]
        if not ready:  # in a circle, which `check_layers` refuses
            ready = left
        levels.append(ready)
        left = [each for each in left if each not in ready]
    return levels
