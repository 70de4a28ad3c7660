"""Reading what another Blender is recording: each sample as soon as it is there."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np

from ...arrays import Doubles
from ...jobs.events import StopRequest
from .recording import PLACE

LOOK_EVERY = 0.002  # seconds

Place = tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]


class Tape:
    """The files of one object, see `Recorded`."""

    def __init__(self, shapes: Path, places: Path, stop: StopRequest) -> None:
        self.shapes, self._places, self._stop = shapes, places, stop
        self._there = 0  # samples, of both

    def place(self, index: int) -> Place:
        """Location, rotation and scale in a sample, whose shape is there then, too. Waits for it."""
        self._wait(index)
        with self._places.open("rb") as file:
            file.seek(PLACE.size * index)
            numbers = PLACE.unpack(file.read(PLACE.size))
        return numbers[:3], numbers[3:7], numbers[7:]

    def places(self, count: int) -> Doubles:
        """(count, 10), those of all samples, as `PLACE` has them. Waits for all."""
        self._wait(count - 1)
        return np.fromfile(self._places, "<f8", count * PLACE.size // 8).reshape(count, -1)

    def _wait(self, index: int) -> None:
        while index >= self._there:
            if self._stop.asked():
                # In the midst of Blender's exporter, which no exception of ours would end.
                sys.stdout.flush()
                os._exit(1)
            # A place is written after its shape.
            self._there = self._places.stat().st_size // PLACE.size if self._places.exists() else 0
            if index >= self._there:
                time.sleep(LOOK_EVERY)
