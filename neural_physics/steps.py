"""Work in steps, after each of which whoever asked for it may do something else, or give it up."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from typing import TypeVar

Step = TypeVar("Step")
Result = TypeVar("Result")


def to_the_end(
    steps: Generator[Step, None, Result], visited: Callable[[Step], None] = lambda step: None
) -> Result:
    """Take all steps, and return what they do. visited: called after each; what it raises gives them up."""
    with closing(steps):
        while True:
            try:
                step = next(steps)
            except StopIteration as end:
                result: Result = end.value
                return result
            visited(step)
