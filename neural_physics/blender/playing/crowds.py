"""Objects that play one model alike are stepped and decoded together: what they need is read once for all.

Each shows, bit for bit, what it would show alone: `StepsMany` and `Method.shapes` promise it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

from ...arrays import Floats
from ...timeline.stepping import Stepping, together
from ...timeline.timeline import FrameState, Timeline
from .frame_prediction import MOST_NUMBERS
from .timings import Timings, decoding_of, steps_of

What = TypeVar("What")


class Wanted(NamedTuple, Generic[What]):
    """What one object needs at a frame.

    what: the caller's. alike: equal for objects that can be stepped and decoded together. stepping: gives the
    states that are needed. ys: of their frames. bases: how many are decoded; 0: all. decoded: whether their
    shapes are wanted, too.
    """

    what: What
    alike: Hashable
    timeline: Timeline
    timings: Timings
    stepping: Stepping[list[FrameState]]
    ys: Sequence[Floats]
    bases: int
    decoded: bool


class Given(NamedTuple, Generic[What]):
    """The states of one object, or what was raised. shapes (n, V, 3): None where it decodes itself."""

    what: What
    found: list[FrameState] | Exception
    shapes: Floats | None = None

    def states(self) -> list[FrameState]:
        """Raises what was raised."""
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


def given(wanted: Iterable[Wanted[What]], until: float | None = None) -> Iterator[Given[What]]:
    """What each needs; a few are decoded at a time, when the first of them is asked for.

    until: see `together`.
    """
    alike: dict[Hashable, list[Wanted[What]]] = {}
    for each in wanted:
        alike.setdefault((each.alike, each.bases), []).append(each)
    for group in alike.values():
        with steps_of([(each.timings, each.timeline) for each in group]):
            found = together([each.stepping for each in group], until)
        batch: list[tuple[Wanted[What], list[FrameState]]] = []
        for each, states in zip(group, found, strict=True):
            if len(group) > 1 and not isinstance(states, Exception) and _is_decoded_with_others(each, states):
                batch.append((each, states))
            else:
                yield Given(each.what, states)
        first = 0
        while first < len(batch):
            part = batch[first : first + _decoded_at_once(*batch[first])]
            yield from _decoded(part)
            first += len(part)


def _is_decoded_with_others(wanted: Wanted[What], states: Sequence[FrameState]) -> bool:
    """Not where what is shown lies between two shapes."""
    can = wanted.decoded and wanted.timeline.many is not None
    return can and bool(states) and all(state.ahead is None for state in states)


def _decoded_at_once(wanted: Wanted[What], states: Sequence[FrameState]) -> int:
    """How many objects: their shapes are still in the caches when they are written."""
    return max(1, MOST_NUMBERS // (3 * wanted.timeline.method.vertex_count * len(states)))


def _decoded(part: Sequence[tuple[Wanted[What], list[FrameState]]]) -> Iterator[Given[What]]:
    (first, _), method = part[0], part[0][0].timeline.method
    shown = [state.shown for _, states in part for state in states]
    ys = [y for wanted, states in part for y in wanted.ys[: len(states)]]
    try:
        with decoding_of([(wanted.timings, len(states)) for wanted, states in part]):
            shapes = method.shapes(shown, ys, first.bases or None)
    except Exception:  # noqa: BLE001 (whose it is shows when each is decoded by itself)
        yield from (Given(wanted.what, states) for wanted, states in part)
        return
    begin = 0
    for wanted, states in part:
        yield Given(wanted.what, states, shapes[begin : begin + len(states)])
        begin += len(states)
