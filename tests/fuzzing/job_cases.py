"""What a job printed, and the file that says which process it is: of another program, torn, or made up."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from fuzzing.byte_mutations import mutated_bytes
from fuzzing.extreme_values import extreme_json
from fuzzing.json_mutations import mutated_json, mutated_json_bytes
from fuzzing.watching import Watch, finite
from neural_physics.jobs.events import parse_event
from neural_physics.jobs.life_cycle import Exited, JobState, Reported, Start, Stop, advance
from neural_physics.jobs.process import JobFiles, JobProcess

GOOD_EVENTS: tuple[dict[str, Any], ...] = (
    {"event": "progress", "stage": "Training", "done": 3, "total": 10, "seconds_left": 4.5},
    {
        "event": "progress",
        "stage": "Training",
        "done": 4,
        "total": 10,
        "seconds_left": None,
        "loss": 0.5,
        "step": 40,
        "validation": 0.4,
        "best": 0.4,
        "best_step": 40,
        "metres": 0.1,
    },
    {"event": "log", "text": "Two of three frames are left out."},
    {"event": "error", "code": "dataset_missing", "message": "There is no dataset."},
    {"event": "result", "model": "m.safetensors", "seconds": 3.2, "notes": ["a"]},
)
ABOUT = {"pid": 2**22 + 1, "host": "elsewhere", "argv": ["python"], "delivered": False}


def follow(folder: Path, chance: random.Random, watch: Watch) -> None:
    """A job that is found on disk: its log is read, and its state drawn."""
    files = JobFiles(folder, "train")
    lines = [_line(chance) for _ in range(chance.randint(1, 12))]
    files.log.write_bytes(b"\n".join(lines) + chance.choice((b"", b"\n", b"\r\n\0")))
    files.about.write_bytes(mutated_json_bytes(json.dumps(ABOUT).encode(), chance))
    if chance.random() < 0.2:
        files.stop.touch()
    job = watch(JobProcess, files)
    watch(job.poll)
    _draw(job.state)
    state = JobState()
    events = [Reported(event) for line in lines if (event := parse_event(line.decode("utf-8", "replace")))]
    for event in (Start(), *events, chance.choice((Stop(), Exited(0), Exited(-9))), Exited(1)):
        state, _ = watch(advance, state, event)
        _draw(state)


def _line(chance: random.Random) -> bytes:
    event = chance.choice(GOOD_EVENTS)
    match chance.randrange(5):
        case 0:
            return json.dumps(event).encode()
        case 1:
            return mutated_bytes(json.dumps(event).encode(), chance)
        case 2:
            name = chance.choice(sorted(event))
            return json.dumps({**event, name: extreme_json(chance)}).encode()
        case 3:
            return b"[" * chance.choice((1, 200, 100_000))
        case _:
            return json.dumps(mutated_json(event, chance)).encode()


def _draw(state: JobState) -> None:
    """What a panel makes of it."""
    finite("shares", state.share)
    f"{state.stage} {state.done:.0f} {state.total:.0f} {state.message}".encode()
    if state.seconds_left is not None:
        finite("seconds left", state.seconds_left)
    finite("steps", [step for step, _, _ in state.history])
