"""How long a played object's steps and decodings take, smoothed for the artist to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter

from ...timeline.timeline import Timeline

SMOOTHING = 0.1  # the share of the newest


class Timings:
    """Microseconds, 0 until known.

    step_us: of one model step. decode_us: of decoding one shape. push_us: of pushing it out
    of capsules and layers.
    """

    def __init__(self) -> None:
        self.step_us = self.decode_us = self.push_us = 0.0

    @contextmanager
    def decoding(self, shapes: int = 1) -> Iterator[None]:
        """Measure the decoding of so many shapes."""
        with decoding_of([(self, shapes)]):
            yield

    @contextmanager
    def pushing(self) -> Iterator[None]:
        """Measure pushing one shape out."""
        start = perf_counter()
        yield
        self.push_us = _smoothed(self.push_us, perf_counter() - start)


@contextmanager
def steps_of(timelines: Sequence[tuple[Timings, Timeline]]) -> Iterator[None]:
    """Measure the steps that timelines take together, if any: each has its share."""
    taken, start = [timeline.steps_taken for _, timeline in timelines], perf_counter()
    yield
    seconds = perf_counter() - start
    steps = [timeline.steps_taken - before for (_, timeline), before in zip(timelines, taken, strict=True)]
    for (timings, _), own in zip(timelines, steps, strict=True):
        if own:
            timings.step_us = _smoothed(timings.step_us, seconds / sum(steps))


@contextmanager
def decoding_of(shapes: Sequence[tuple[Timings, int]]) -> Iterator[None]:
    """Measure the decoding of so many shapes of each, together."""
    start = perf_counter()
    yield
    seconds = (perf_counter() - start) / sum(count for _, count in shapes)
    for timings, _ in shapes:
        timings.decode_us = _smoothed(timings.decode_us, seconds)


def _smoothed(shown: float, seconds: float) -> float:
    """A time in microseconds that does not flicker."""
    now = 1e6 * seconds
    return now if shown == 0.0 else shown + SMOOTHING * (now - shown)
