"""Several stages of a job as one progress: one bar from the first second to the last, and one time left."""

from __future__ import annotations

from collections.abc import Mapping

from .events import Emit, Event


class Whole:
    """Passes a job's events on; the progress of its stages becomes that of the whole.

    A stage's part of the bar is as long as it is expected to take, so the bar never goes back: what a resumed
    job need not do again is passed over. The time left is what the stage that runs measures of itself, and
    what is expected of those after it.
    """

    def __init__(self, emit: Emit, seconds: Mapping[str, float]) -> None:
        """seconds: by stage, in their order: roughly how long each takes, above 0."""
        self._emit, self._seconds = emit, dict(seconds)
        self._total = sum(self._seconds.values())
        self._done = 0.0
        first = next(iter(self._seconds))
        self._say({"event": "progress", "stage": first, "done": 0, "total": 1, "seconds_left": None})

    def __call__(self, event: Event) -> None:
        """Pass on one event. The stages of what is not expected, if any, are passed on where the bar is."""
        if event["event"] == "progress":
            self._say(event)
        else:
            self._emit(event)

    def _say(self, event: Event) -> None:
        stages = list(self._seconds)
        known = event["stage"] in self._seconds
        at = stages.index(event["stage"]) if known else 0
        share = event["done"] / event["total"] if known and event["total"] else 0.0
        own = self._seconds.get(event["stage"], 0.0)
        if known:
            self._done = max(self._done, sum(self._seconds[name] for name in stages[:at]) + share * own)
        left, later = event["seconds_left"], self._total - self._done
        if known and left is not None:
            later = left + sum(self._seconds[name] for name in stages[at + 1 :])
        self._emit({**event, "done": self._done, "total": self._total, "seconds_left": later, "whole": True})
