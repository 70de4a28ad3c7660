"""Work in many small steps, of which few are stopped at: Blender draws and hears Esc after each."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import closing
from typing import TypeVar

EVERY = 0.1  # seconds
Step = TypeVar("Step")
Result = TypeVar("Result")


def now_and_then(steps: Generator[Step, None, Result]) -> Generator[Step, None, Result]:
    """The same work, which yields at most ten times a second. Closing it closes the steps."""
    with closing(steps):
        last = time.monotonic()
        while True:
            try:
                step = next(steps)
            except StopIteration as end:
                result: Result = end.value
                return result
            if time.monotonic() - last >= EVERY:
                yield step
                last = time.monotonic()
