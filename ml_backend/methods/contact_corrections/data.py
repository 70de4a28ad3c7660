"""What corrections are learned from (Romero 2021, section 4.2): shapes at rest of recorded states."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from learning.training.helper_processes import cores_for
from learning.training.spans import Span
from ml_backend.methods.contact_corrections.presets import ContactPreset
from ml_backend.methods.contact_corrections.samples import CorrectionData, Gathered
from ml_backend.methods.contact_corrections.scene import ContactScene
from ml_backend.methods.contact_corrections.shapes_at_rest import ShapeSolver
from ml_backend.methods.contact_corrections.shared_solving import solved
from ml_backend.methods.contact_corrections.solving_helper import Asked
from neural_physics.jobs.events import Emit, Progress, StopRequest

SAVE_EVERY = 20.0  # seconds


def solve_corrections(
    scene: ContactScene,
    spans: list[Span],
    count: int,
    preset: ContactPreset,
    *,
    seed: int,
    kept: tuple[Path, str],
    stage: str,
    emit: Emit,
    stop: StopRequest,
    helpers: Sequence[str] = (),
    cores: int | None = 1,
) -> CorrectionData:
    """`count` states, evenly over the spans, and in the preset's share of these colliders pressed in.

    kept: a file, and what must be the same to go on from it. helpers: what processes are told that help, see
    `solving_helper.helper_words`. cores: how many to use, all of this computer if None.

    Raises Problem("stopped" | "disk_full" | "folder_not_writable" | "place_is_link").
    """
    frames = [(span, t) for span in spans for t in range(span.start, span.stop)]
    picked = np.unique(np.linspace(0, len(frames) - 1, min(count, len(frames))).round().astype(int))

    wanted = max(1, min(len(picked), round(preset.pressed * count / preset.poses)))
    pressed = set(np.linspace(0, len(picked) - 1, wanted).round().astype(int).tolist())

    def asked(number: int) -> Asked:
        span, t = frames[picked[number]]
        found = span.take.body_positions
        assert found is not None  # the dataset has a body
        y = np.asarray(span.take.interaction[t], np.float64)
        positions = scene.coordinates.of(np.asarray(found[t], np.float64))
        return Asked((seed, number), positions, y, number in pressed)

    gathered = Gathered.resumed(*kept)
    left = range(gathered.states, len(picked))
    progress, saved = Progress(emit, stage, len(picked), gathered.states), time.monotonic()
    solving = solved(ShapeSolver(scene, preset), asked, left, helpers, processes=cores_for(cores))
    with closing(solving):  # so that no helper is left, however this ends
        for found in solving:
            if found is not None:
                gathered.add(found)
                progress.at(gathered.states)
            if stop.asked() or time.monotonic() - saved > SAVE_EVERY:
                gathered.save(*kept)
                saved = time.monotonic()
                stop.check()
    gathered.save(*kept)
    return gathered.data()
