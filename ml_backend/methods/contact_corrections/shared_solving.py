"""States whose shapes at rest several processes solve for at once, each for another one.

What comes of a state depends on no other, so that it is the same in however many processes. What a process
has ended over, for whatever reason, this one does.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from queue import Empty, SimpleQueue
from subprocess import Popen
from threading import Thread

from learning.training.helper_processes import started
from ml_backend.methods.contact_corrections.samples import OfState
from ml_backend.methods.contact_corrections.shapes_at_rest import ShapeSolver
from ml_backend.methods.contact_corrections.solving_helper import Asked, answer
from neural_physics.baking.workers import ONE_THREAD

HELPER = "ml_backend.methods.contact_corrections.solving_helper"
TRIED = 2.0  # seconds of this process alone, by which the others are judged
WORTH = 20.0  # seconds that it would take alone: what is sooner done is done before others have begun
LOOK_EVERY = 0.2  # seconds

Found = tuple[int, OfState | None]  # of which state; None where the helper has ended over it


def solved(
    solver: ShapeSolver,
    asked: Callable[[int], Asked],
    numbers: range,
    words: Sequence[str],
    *,
    processes: int,
) -> Generator[OfState | None]:
    """What comes of each of these states, in their order; None once in a while where there is nothing yet.

    words: what helpers are told, see `solving_helper.helper_words`. This process begins alone, and goes on so
    where it has soon done, where there is to be one process, and where no other can be started.
    """

    def here(number: int) -> OfState:
        return asked(number).solved(solver)

    first, begun = numbers.start, time.monotonic()
    while numbers:
        yield here(numbers[0])
        numbers, alone = numbers[1:], time.monotonic() - begun
        each = alone / (numbers.start - first)
        if processes > 1 and alone >= TRIED and each * len(numbers) >= WORTH:
            break
    helpers = started(HELPER, words, processes, **ONE_THREAD) if numbers else []
    if not helpers:
        yield from map(here, numbers)
        return
    waiting, done = SimpleQueue[int](), SimpleQueue[Found]()
    for number in numbers:
        waiting.put(number)
    threads = [Thread(target=_deal, args=(each, asked, waiting, done), daemon=True) for each in helpers]
    for thread in threads:
        thread.start()
    early: dict[int, OfState] = {}
    try:
        for number in numbers:
            while number not in early:
                try:
                    which, found = done.get(timeout=LOOK_EVERY)
                except Empty:
                    if not any(thread.is_alive() for thread in threads) and done.empty():
                        early[number] = here(number)
                    else:
                        yield None
                    continue
                early[which] = here(which) if found is None else found
            yield early.pop(number)
    finally:
        for helper in helpers:
            helper.kill()
            helper.wait()


def _deal(
    helper: Popen[bytes], asked: Callable[[int], Asked], waiting: SimpleQueue[int], done: SimpleQueue[Found]
) -> None:
    """Give a helper one state after the other, until none is left or it has ended."""
    assert helper.stdin is not None and helper.stdout is not None  # pipes
    while True:
        try:
            number = waiting.get_nowait()
        except Empty:
            return
        try:
            asked(number).send(helper.stdin)
            done.put((number, answer(helper.stdout)))
        except (OSError, EOFError):
            done.put((number, None))
            return
