"""A job's events for a person at a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn

from neural_physics.jobs.events import Emit, Event
from neural_physics.plain_text import MOST_PRINTED, one_line
from neural_physics.wording import duration


@contextmanager
def terminal() -> Iterator[Emit]:
    """What shows an event, while this lasts."""
    with Terminal() as display:
        yield display.emit


class Terminal:
    """Shows each stage as a bar, and the result as a list."""

    def __init__(self) -> None:
        # What is shown holds names and paths, and a folder [old] is no style.
        self._console = Console(markup=False, emoji=False, highlight=False)
        self._bars = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(30),
            TaskProgressColumn(),
            TextColumn("{task.fields[more]}", markup=False),
            console=self._console,
        )
        self._stage, self._task = "", TaskID(0)
        self._whole = False  # whether the bar is of all stages: see `jobs.stages.Whole`

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def emit(self, event: Event) -> None:
        """Show one event."""
        match event["event"]:
            case "progress":
                self._progress(event)
            case "log":
                self._console.print(one_line(event["text"], MOST_PRINTED))
            case "error":
                self._bars.stop()
                self._console.print(event["message"], style="bold red")
            case "result":
                self._bars.stop()
                for name, value in event.items():
                    if isinstance(value, str | int | float) and name != "event":
                        self._console.print(one_line(f"{name.replace('_', ' ')}: {value}", MOST_PRINTED))

    def _progress(self, event: Event) -> None:
        if event["stage"] != self._stage and event.get("whole") and self._whole:
            self._stage = event["stage"]
            self._bars.update(self._task, description=one_line(self._stage))
        elif event["stage"] != self._stage:
            self._stage, self._whole = event["stage"], bool(event.get("whole"))
            self._task = self._bars.add_task(one_line(self._stage), total=event["total"], more="")
        words = [f"{name} {event[name]:.4g}" for name in ("loss", "validation") if name in event]
        if event["seconds_left"] is not None:
            words.append(f"{duration(event['seconds_left'])} left")
        self._bars.update(self._task, completed=event["done"], total=event["total"], more=", ".join(words))
