"""The order in which objects that play are shown: what is below before what is worn over it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, TypeVar

from .crowds import Wanted

What = TypeVar("What", bound=tuple[Any, ...])  # the session first


def by_layer(wanted: Iterable[Wanted[What]]) -> list[list[Wanted[What]]]:
    """What objects want, level by level: each after all that it is pushed out of, where that plays, too."""
    each_of = {each.what[0].uid: each for each in wanted}
    places = {uid: place for place, uid in enumerate(each_of)}
    waits, worn_over = {}, defaultdict(list)
    for uid, each in each_of.items():
        below = each.what[0].output.layering.below & each_of.keys()
        waits[uid] = len(below)
        for other in below:
            worn_over[other].append(uid)
    levels, ready = [], [uid for uid, count in waits.items() if not count]
    while ready:
        levels.append([each_of.pop(uid) for uid in ready])
        over = [other for uid in ready for other in worn_over[uid]]
        for other in over:
            waits[other] -= 1
        ready = sorted({other for other in over if not waits[other]}, key=places.__getitem__)
    if each_of:  # in a circle, which `check_layers` refuses
        levels.append(list(each_of.values()))
    return levels
