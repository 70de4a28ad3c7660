"""The first stage of Play: y is read from the evaluated scene, compared, and recorded.

What a hand moves while the animation stands counts from that frame on; what keys move is recorded as they
have it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import bpy
import mathutils
import numpy as np

from ...arrays import Floats, Mask
from ...timeline.timeline import FrameState
from .binding import Binding


class Visit(NamedTuple):
    """A frame that is to be shown.

    subframe: 0 up to 1. sampled: whether y is read at it. playing: whether the animation plays.
    """

    frame: int
    subframe: float
    sampled: bool
    playing: bool


class InteractionReader:
    """seen: y as it was read last, at `frame`, None before. keys_changed: since they were read ahead."""

    def __init__(self, binding: Binding) -> None:
        self.binding, self.timeline = binding, binding.timeline
        self.seen: Floats = np.empty(0, np.float32)
        self.frame: int | None = None
        self.keys_changed = False
        self._moves_on = False
        self._stood: dict[str, list[mathutils.Matrix]] = {}  # what a hand moves, when the frame changed

    def needs(self, visit: Visit) -> range:
        """The frames to sample before the visited one can be shown: those before it, and what it looks at."""
        return span([self.timeline.missing(self._recorded_until(visit)), self._unread(visit)])

    def further(self, visit: Visit, last: int) -> range:
        """The frames that will be read ahead until `last` can be shown, where that has begun."""
        return self.timeline.unread(last) if self._unread(visit) else range(0)

    def note_places(self) -> None:
        """Note where a hand has left what it moves. Raises Problem("interaction_missing")."""
        self._stood = self.binding.unanimated.places()

    def look(self, obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, visit: Visit) -> None:
        """Read y; what was moved by hand since the last look counts from that frame on."""
        if not visit.sampled or visit.frame < self.timeline.start_frame:
            return
        y = self.binding.sampler.sample(depsgraph, visit.frame).copy()
        self._read_again(visit, y)
        unanimated = self.binding.unanimated
        if self.frame is not None and not visit.playing and not same(y, self.seen):
            if unanimated.look(obj):
                self.animated_anew()
            elif unanimated.names and not self.binding.frame_is_animated():
                # What other handlers move for the new frame was not so at the last one.
                by_hand = unanimated.values & ~unanimated.moved_since(self._stood, depsgraph)
                self._overwrite(by_hand & unanimated.whole(y != self.seen), y)
        self._arrive(visit, y)

    def record(self, depsgraph: bpy.types.Depsgraph, visit: Visit, caught_up: bool) -> None:
        """Take the y that was looked at; `caught_up`: the frames before it have only become known since.

        While the animation plays forward the scene is right; else objects without animation keep
        what was recorded of them, because where they stand now says nothing of this frame.
        """
        frame, start = visit.frame, self.timeline.start_frame
        if not visit.sampled or frame < start:
            return
        new_run = visit.playing and frame == start and bool(self.binding.unanimated.names)
        if new_run:
            self.begin_anew()
        if new_run or caught_up:
            self.seen = self.binding.sampler.sample(depsgraph, frame).copy()
        y, known = self.seen, self.timeline.recorded(frame)
        if known is not None and not self._moves_on and not same(known, y):
            y = np.where(self.binding.unanimated.values, known, y)
        self.timeline.record(frame, y)

    def record_next(self, depsgraph: bpy.types.Depsgraph, frame: int, visit: Visit) -> None:
        """While frames are caught up for a visit: take this one if it is the next to record, or to read."""
        recorded = frame in self.timeline.missing(self._recorded_until(visit))[:1]
        ahead = frame in self.timeline.unread(frame + 1)[:1]
        if recorded or ahead:
            y = self.binding.sampler.sample(depsgraph, frame)
            if ahead:
                self.timeline.read_ahead(frame, y)
            if recorded:
                self.timeline.record(frame, y)
                self.binding.bodies(depsgraph, frame, 0.0)

    def read_as_predicted(
        self, obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, visit: Visit
    ) -> Floats | None:
        """The y of a frame that was predicted; None where it has to be looked at as any other."""
        if not self._is_read(visit):
            return self.timeline.recorded(visit.frame)
        y = self.binding.sampler.sample(depsgraph, visit.frame)
        by_hand = not visit.playing and not same(y, self.seen) and self._moved_by_hand(obj, y)
        return None if by_hand else y

    def accept(self, visit: Visit, y: Floats, state: FrameState) -> bool:
        """Record a y that is as it was predicted; whether its state is still the one that was shown."""
        if state is not self.timeline.at_hand(visit.frame):
            return False
        if self._is_read(visit):
            self._arrive(visit, self.timeline.record(visit.frame, y))
        return True

    def edited(self, obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, animation: bool) -> bool:
        """Whether an edit at the frame last seen has changed y, there or (`animation`) anywhere."""
        if self.frame is None:
            return False
        unanimated = self.binding.unanimated
        if unanimated.look(obj) or animation:
            self.animated_anew()
            return True
        y = self.binding.sampler.sample(depsgraph, self.frame).copy()
        if same(y, self.seen):
            return self.binding.moved(depsgraph, self.frame)
        self._overwrite(unanimated.whole(y != self.seen), y)
        self.seen = y
        return True

    def note_keys_changed(self) -> None:
        """Keys were edited, which what was read ahead does not know; while it plays, that counts later."""
        self.keys_changed |= self.timeline.looks_ahead

    def begin_run(self) -> None:
        """The animation is played from the start: what it is now is that run's."""
        if self.keys_changed or self.timeline.broken_at() is not None:
            self.animated_anew()
        else:
            self.begin_anew()

    def begin_anew(self) -> None:
        """Forget all that was recorded."""
        self.timeline.forget_from(self.timeline.start_frame)
        self.binding.forget_from(self.timeline.start_frame)

    def animated_anew(self) -> None:
        """Forget all that was recorded, and all that was read ahead: keys are others now."""
        self.begin_anew()
        self.timeline.forget_lookahead()
        self.keys_changed = False

    def _arrive(self, visit: Visit, y: Floats) -> None:
        self._moves_on = visit.playing and (self.frame is None or visit.frame > self.frame)
        self.seen, self.frame = y, visit.frame

    def _is_read(self, visit: Visit) -> bool:
        return visit.sampled and visit.frame >= self.timeline.start_frame

    def _recorded_until(self, visit: Visit) -> int:
        """The frame before which all are recorded when the visited one is shown."""
        if visit.frame < self.timeline.start_frame:
            return self.timeline.start_frame + 1
        if visit.subframe:
            return visit.frame + 2
        return visit.frame if visit.sampled else visit.frame + 1

    def _unread(self, visit: Visit) -> range:
        """The frames to read ahead; none where the visited one is not as it was read."""
        expected, seen = self.timeline.expected(visit.frame), visit.sampled and visit.frame == self.frame
        if seen and expected is not None and not same(expected, self.seen):
            return range(0)
        return self.timeline.unread(visit.frame + bool(visit.subframe))

    def _read_again(self, visit: Visit, y: Floats) -> None:
        """Forget what was read ahead where it can be read better: with other keys, and on the start frame.

        What a hand has posed on that is part of all frames. While it plays the hand may move on; it does not
        if it is where it was when the run before began.
        """
        if self.keys_changed and not visit.playing:
            self.animated_anew()
        if visit.frame != self.timeline.start_frame:
            return
        expected, known = self.timeline.expected(visit.frame), self.timeline.recorded(visit.frame)
        posed = expected is not None and not same(expected, y)
        if visit.playing:
            if posed and known is not None and same(known, y):
                self.timeline.forget_lookahead()
        elif posed or self.timeline.broken_at() is not None:
            self.timeline.forget_lookahead()
            if not self.binding.unanimated.names:
                self.begin_anew()

    def _overwrite(self, which: Mask, y: Floats) -> None:
        """Some values of y have changed at the frame last seen: what follows it no longer holds."""
        known = None if self.frame is None else self.timeline.recorded(self.frame)
        if self.frame is not None and known is not None and which.any():
            self.timeline.record(self.frame, np.where(which, y, known))
            self.binding.forget_from(self.frame + 1)

    def _moved_by_hand(self, obj: bpy.types.Object, y: Floats) -> bool:
        """Whether something was moved by hand since the last look, or what is moved so is not the same."""
        unanimated = self.binding.unanimated
        mask = unanimated.values
        moved = bool(unanimated.names) and not same(y[mask], self.seen[mask])
        return moved or unanimated.differ(obj)


def span(ranges: Iterable[range]) -> range:
    """The first and the last frame of any of them."""
    filled = [frames for frames in ranges if frames]
    if not filled:
        return range(0)
    return range(min(frames.start for frames in filled), max(frames.stop for frames in filled))


def same(a: Floats, b: Floats) -> bool:
    """Whether two y are equal, bit for bit; several times faster than comparing numbers."""
    return a.tobytes() == b.tobytes()
