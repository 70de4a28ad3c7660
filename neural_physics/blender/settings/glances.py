"""What was found out a moment ago, while panels are drawn: they ask the same a hundred times in a redraw."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

GLANCE, SHARE = 0.5, 0.05  # seconds that an answer is good for, or as many as it took over this share
MOST = 100  # answers that are kept

Answer = TypeVar("Answer")
_glancing = 0


@contextmanager
def at_a_glance() -> Iterator[None]:
    """While panels are drawn, and buttons asked whether they can be clicked.

    What is done at a click looks anew.
    """
    global _glancing  # noqa: PLW0603 (as deep as such questions lie in each other)
    _glancing += 1
    try:
        yield
    finally:
        _glancing -= 1


class Glances(Generic[Answer]):
    """Answers that take long, by what was asked."""

    def __init__(self) -> None:
        self._answers: dict[Hashable, tuple[float, Answer]] = {}  # and until when it is good

    def of(self, asked: Hashable, look: Callable[[], Answer]) -> Answer:
        """What `look` said a moment ago, if this is a glance, or says now. What it raises is not kept."""
        now = time.monotonic()
        until, answer = self._answers.get(asked, (now, None))
        if _glancing and answer is not None and now < until:
            return answer
        answer, took = look(), time.monotonic() - now
        if len(self._answers) >= MOST:
            self._answers.clear()
        self._answers[asked] = now + took + max(GLANCE, took / SHARE), answer
        return answer
