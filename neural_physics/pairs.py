"""Work on pairs of things, of which there may be as many as all times all: in pieces, and up to a limit.

A vertex is near a few faces or capsules. But a scene may be anybody's, with thousands of them in one place.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .arrays import Indices

# A vertex 5 cm above a body with one every millimetre has about a hundred; a million take less than a second.
EACH, FEW = 256, 1 << 20
AT_ONCE = 1 << 16  # some tens of megabytes of what is made from them


class TooManyPairs(Exception):
    """There are more than is worked on."""


def check_count(pairs: int, things: int, each: int = EACH) -> None:
    """Whether so many things may have so many pairs, `each` of them or a million. Raises TooManyPairs."""
    if pairs > max(FEW, each * things):
        raise TooManyPairs(f"{pairs:,} pairs of {things:,} things")


def in_pieces(counts: Indices) -> Iterator[slice]:
    """Slices of things that have these counts (n,) of pairs, in order: `AT_ONCE` pairs, or a thing's own."""
    ends = np.cumsum(counts)
    first, before = 0, 0
    while first < len(ends):
        last = max(first + 1, int(np.searchsorted(ends, before + AT_ONCE, "right")))
        yield slice(first, last)
        first, before = last, int(ends[last - 1])
