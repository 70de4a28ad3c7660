"""A job's events for a person, line by line: Blender's own Python has nothing that draws bars."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from neural_physics.jobs.events import Emit, Event
from neural_physics.plain_text import print_line
from neural_physics.wording import duration

EVERY = 10  # percent from one line of a stage to the next


@contextmanager
def plain_display() -> Iterator[Emit]:
    """What shows an event: a line at each tenth of a stage, and the result as a list."""
    last = ("", -1)

    def emit(event: Event) -> None:
        nonlocal last
        match event["event"]:
            case "progress":
                tenth = int(100 / EVERY * event["done"] / max(event["total"], 1))
                if (event["stage"], tenth) != last:
                    last = (event["stage"], tenth)
                    left = event["seconds_left"]
                    words = f", {duration(left)} left" if left is not None else ""
                    print_line(f"{event['stage']}: {tenth * EVERY} %{words}")
            case "log":
                print_line(event["text"])
            case "error":
                sys.stderr.write(event["message"] + "\n")
            case "result":
                for name, value in event.items():
                    if isinstance(value, str | int | float) and name != "event":
                        print_line(f"{name.replace('_', ' ')}: {value}")

    yield emit
