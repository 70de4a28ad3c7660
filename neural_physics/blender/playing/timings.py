"""How long a played object's steps and decodings take, smoothed for the artist to read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from ...timeline.timeline import Timeline

SMOOTHING = 0.1  # the share of the newest


class Timings:
    """Microseconds, 0 until known.

    step_us: of one model step. decode_us: of decoding one shape. push_us: of pushing it out of capsules.
    """

    def __init__(self) -> None:
        self.step_us = self.decode_us = self.push_us = 0.0

    @contextmanager
    def steps(self, timeline: Timeline) -> Iterator[None]:
        """Measure the steps that a timeline takes meanwhile, if any."""
        taken, start = timeline.steps_taken, perf_counter()
        yield
        steps = timeline.steps_taken - taken
        if steps:
            self.step_us = _smoothed(self.step_us, (perf_counter() - start) / steps)

    @contextmanager
    def decoding(self, shapes: int = 1) -> Iterator[None]:
        """Measure the decoding of so many shapes."""
        start = perf_counter()
        yield
        self.decode_us = _smoothed(self.decode_us, (perf_counter() - start) / shapes)

    @contextmanager
    def pushing(self) -> Iterator[None]:
        """Measure pushing one shape out."""
        start = perf_counter()
        yield
        self.push_us = _smoothed(self.push_us, perf_counter() - start)


def _smoothed(shown: float, seconds: float) -> float:
    """A time in microseconds that does not flicker."""
    now = 1e6 * seconds
    return now if shown == 0.0 else shown + SMOOTHING * (now - shown)
