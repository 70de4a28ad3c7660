"""Steps that timelines ask for, taken for one of them, or for many at once.

A timeline does not step by itself: it says which step it needs, and goes on when it is given the next state.
So whoever asks several of them can take the steps of those that play one model together.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Iterable, Sequence
from contextlib import suppress
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

from ..arrays import Floats
from ..methods.interface import Method, StepsMany

MOST_TOGETHER = 64  # states in one call: what lies between the layers of a network stays in the caches

Result = TypeVar("Result")


class OutOfTime(Exception):
    """Raised where a step is asked for that there is no time for any more; what was stepped to is kept."""


class Step(NamedTuple):
    """What `Method.step` of a method is to be given. many: the method, where it can be taken with others."""

    method: Method
    state: Any
    y: Floats
    ahead: Sequence[Floats] = ()
    many: StepsMany | None = None

    def taken(self) -> Any:  # noqa: ANN401 (each method has its own State)
        """The next state."""
        return self.method.step(self.state, self.y, self.ahead)


# Asks for steps, is sent the state after each, and returns its result.
Stepping = Generator[Step, Any, Result]


def alone(stepping: Stepping[Result]) -> Result:
    """The result, its steps taken one by one."""
    after = None
    while True:
        try:
            step = stepping.send(after)
        except StopIteration as end:
            return end.value
        after = step.taken()


def together(steppings: Sequence[Stepping[Result]], until: float | None = None) -> list[Result | Exception]:
    """The result of each, or what was raised on its way: the first steps of all, then the second ones, ...

    Those of methods that step alike are taken at once. All are as they would be alone, bit for bit. until: by
    `perf_counter`; from then on no step is begun, and `OutOfTime` is raised where one is asked for.
    """
    results: dict[int, Result | Exception] = {}
    due = _sent([(k, None) for k in range(len(steppings))], steppings, results)
    while due:
        due = _sent(_taken(due, until), steppings, results)
    return [results[k] for k in range(len(steppings))]


def _sent(
    after: Iterable[tuple[int, Any]],
    steppings: Sequence[Stepping[Result]],
    results: dict[int, Result | Exception],
) -> list[tuple[int, Step]]:
    """Give each the state that it waits for, or raise there what went wrong; the steps they ask for next."""
    due = []
    for k, state in after:
        go_on: Callable[[Any], Step] = (
            steppings[k].throw if isinstance(state, Exception) else steppings[k].send
        )
        try:
            due.append((k, go_on(state)))
        except StopIteration as end:
            results[k] = end.value
        except Exception as error:  # noqa: BLE001 (whose it is decides what becomes of it)
            results[k] = error
    return due


def _taken(due: Sequence[tuple[int, Step]], until: float | None) -> list[tuple[int, Any]]:
    """The states after steps, or what was raised instead of one."""
    alike: dict[Hashable, list[tuple[int, Step]]] = {}
    for k, step in due:
        alike.setdefault(k if step.many is None else step.many.steps_with, []).append((k, step))
    after: list[tuple[int, Any]] = []
    for group in alike.values():
        for first in range(0, len(group), MOST_TOGETHER):
            part = group[first : first + MOST_TOGETHER]
            late = until is not None and perf_counter() > until
            after += [(k, OutOfTime()) for k, _ in part] if late else _taken_at_once(part)
    return after


def _taken_at_once(group: Sequence[tuple[int, Step]]) -> list[tuple[int, Any]]:
    places, steps = zip(*group, strict=True)
    many = steps[0].many
    if many is not None and len(steps) > 1:
        with suppress(Exception):  # whose it is shows when each is taken by itself
            states = many.step_many([step.state for step in steps], [step.y for step in steps])
            return list(zip(places, states, strict=True))
    return [(k, _taken_or_error(step)) for k, step in group]


def _taken_or_error(step: Step) -> Any:  # noqa: ANN401 (each method has its own State)
    try:
        return step.taken()
    except Exception as error:  # noqa: BLE001 (raised again where the step was asked for)
        return error
