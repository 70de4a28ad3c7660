"""What y will be at later frames, as keyed animation was read ahead, and how long that may be believed.

It is valid up to the first frame whose recorded y differs, as it does once somebody poses by hand:
what was read of later frames then says nothing of what they will be.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ..arrays import Floats
from ..methods.between_steps import parabola

SAME_TIME = 1e-6  # frames


class Lookahead:
    """The y of all frames from the start one on, as far as they were read.

    recorded: the y of frames as they were, by frame; looked at, never changed. start_frame: the first of
    both. reach: how many frames after one must be known to look ahead from it.
    """

    def __init__(self, recorded: Mapping[int, Floats], start_frame: int, reach: int) -> None:
        self._recorded, self._start_frame, self.reach = recorded, start_frame, reach
        self._read: dict[int, Floats] = {}
        self._agreed = start_frame  # the first frame that is not known to be recorded as it was read

    @property
    def next_frame(self) -> int:
        """The first frame that was not read."""
        return self._start_frame + len(self._read)

    def at(self, frame: int) -> Floats | None:
        """The y of a frame as it was read."""
        return self._read.get(frame)

    def between(self, frame: float) -> Floats:
        """The y of a frame, or on the curve between those of two, which were read."""
        return between(self._read, frame)

    def read(self, frame: int, y: Floats) -> None:
        """Take the y (e,) of `next_frame`. Raises ValueError for another frame."""
        if frame != self.next_frame:
            raise ValueError(f"frame {frame} was read before those in front of it")
        self._read[frame] = np.array(y, np.float32)

    def forget(self) -> None:
        """Forget all that was read."""
        self._read.clear()
        self._agreed = self._start_frame

    def compare_again(self, frame: int) -> None:
        """What is recorded has changed, from `frame` on."""
        self._agreed = min(self._agreed, max(frame, self._start_frame))

    def broken_at(self) -> int | None:
        """The first frame that was recorded otherwise than it was read; None where there is none."""
        while (differs := self._differs(self._agreed)) is False:
            self._agreed += 1
        return self._agreed if differs else None

    def holds(self, frame: int) -> bool:
        """Whether what follows a frame is known: all went as read up to it, and enough was read."""
        self.broken_at()
        return frame < self._agreed and frame + self.reach < self.next_frame

    def unread(self, frame: int) -> range:
        """The frames to read, in this order, before a frame can be stepped to.

        None where that was broken off before it, and none for the start frame, to which nothing leads.
        """
        broken = self.broken_at()
        if frame <= self._start_frame or (broken is not None and broken <= frame):
            return range(0)
        return range(self.next_frame, frame + self.reach + 1)

    def _differs(self, frame: int) -> bool | None:
        """Whether a frame is recorded otherwise than read; None where one of the two is not there."""
        known, read = self._recorded.get(frame), self._read.get(frame)
        return None if known is None or read is None else known.tobytes() != read.tobytes()


def between(ys: Mapping[int, Floats], frame: float) -> Floats:
    """The y of a frame, or on the curve between those of two; each (e,) float32.

    The curve is the parabola through them and the frame before, where there is one. On straight lines a ball
    that goes round would go round a little less far, and a sheet might slip off it elsewhere.
    """
    whole = math.floor(frame + SAME_TIME)
    share, y = frame - whole, ys[whole]
    if share < SAME_TIME:
        return y
    if whole - 1 in ys:
        return parabola(ys[whole - 1], y, ys[whole + 1], share)
    return y + np.float32(share) * (ys[whole + 1] - y)
