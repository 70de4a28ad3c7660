"""Predicting what a frame will show before Blender evaluates it, so that it need evaluate it only once.

A guess is made in `frame_change_pre`, where only plain keys can be read, and is verified in
`frame_change_post` against what the evaluated scene says. So it may be wrong, and then costs time and
nothing else; and a session whose last guess was wrong does not act on the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import NamedTuple

import bpy
import mathutils
from bpy_extras.anim_utils import action_get_channelbag_for_slot

from ...arrays import Floats
from ...timeline.timeline import FrameState, Timeline
from ..scene.references import Named
from ..scene.sampling import ChannelSampler
from .timings import Timings

SHAPE_PARENTS = ("VERTEX", "VERTEX_3")
# Shapes that are decoded together while frames follow each other: the bases, the most there is to be read,
# are read from memory once for all of them. Fewer where that would be a pause to be felt.
MOST_FRAMES, MOST_NUMBERS = 16, 1 << 18


class Shown(NamedTuple):
    """All that the shape on show at a frame depends on, apart from the frames before it.

    y, object_from_frame: their bytes, as comparing these is quick and exact; the latter empty where
    the reference frame is the object. mesh: the session_uid of what was written to.
    """

    frame: int
    y: bytes
    object_from_frame: bytes
    bases: int
    mesh: int


class Predicted(NamedTuple):
    """A guess; state: that of the shape which was written, None where it was not trusted enough for that."""

    shown: Shown
    state: FrameState | None


class Guess(NamedTuple):
    """What a frame shows if its y is this one.

    y: its bytes. state, and positions (V, 3) float32, metres: None where the guess is not to be acted on.
    """

    y: bytes
    bases: int
    state: FrameState | None = None
    positions: Floats | None = None


class FramePredictor:
    """Guesses what one object will show.

    trusted: whether the last prediction matched; set by the caller, who compares them.
    """

    def __init__(
        self, timeline: Timeline, sampler: ChannelSampler, followed: Sequence[Named], timings: Timings
    ) -> None:
        """followed: the objects that y depends on."""
        self.trusted = False
        self._timeline, self._sampler, self._followed = timeline, sampler, followed
        self._timings = timings
        self._prepared: dict[int, Guess] = {}  # by frame

    def can_predict(self, frame: int) -> bool:
        """Whether there is anything to go by; raises Problem("interaction_missing")."""
        if frame > self._timeline.next_frame:
            return False
        return not any(hangs_on_a_shape(source.original()) for source in self._followed)

    def guess(self, frame: int, last: int, seen: Floats, bases: int) -> Guess:
        """What a frame will show; `seen` is the y of the frame `last`, where the scene was before.

        To be acted on only if the last guess is known to have matched: that is asked for each time.
        """
        trusted, self.trusted = self.trusted, False
        ready = self._prepared.get(frame) if trusted else None
        # Whatever makes another state of a frame forgets the one it had.
        if ready and ready.state is self._timeline.at_hand(frame) and ready.bases == bases:
            return ready
        y = self._expected(frame, seen)
        if trusted:
            self._prepare(frame, frame - last, y, seen, bases=bases)
            ready = self._prepared.get(frame)
            if ready:
                return ready
        return Guess(y.tobytes(), bases)

    def _expected(self, frame: int, seen: Floats) -> Floats:
        """The y of a frame: recorded, as it was read ahead, or as the keys say."""
        known = self._timeline.recorded(frame)
        if known is None and self._timeline.broken_at() is None:
            known = self._timeline.expected(frame)
        if known is not None:
            return known
        return self._sampler.with_places(seen, lambda source: place_at(source, frame))

    def _prepare(self, frame: int, way: int, y: Floats, seen: Floats, *, bases: int) -> None:
        """Decode what a frame will show if its y is this one, and more of the way while frames follow on.

        Nothing where its state cannot be known, or is no number.
        """
        timeline = self._timeline
        count = frames_together(timeline.method.vertex_count) if abs(way) == 1 else 1
        self._prepared = {}
        with self._timings.steps(timeline):
            if timeline.recorded(frame) is None:
                frames = range(frame, frame + count)
                ys = [y, *(self._expected(further, seen) for further in frames[1:])]
                states = timeline.predict(ys)
            else:
                step = way if count > 1 else 1
                frames = range(frame, frame + count * step, step)
                ys, states = [y], [timeline.at(frame)]
                for further in frames[1:]:
                    state, known = timeline.at_hand(further), timeline.recorded(further)
                    if state is None or known is None:
                        break
                    ys.append(known)
                    states.append(state)
        if not states:
            return
        with self._timings.decoding(len(states)):
            shapes = timeline.shapes(states, ys, bases or None)
        if isfinite(float(shapes.sum())):
            for f, its_y, state, positions in zip(frames, ys, states, shapes, strict=False):
                self._prepared[f] = Guess(its_y.tobytes(), bases, state, positions)


def frames_together(vertices: int) -> int:
    """How many frames to prepare at a time."""
    return max(1, min(MOST_FRAMES, MOST_NUMBERS // (3 * vertices)))


def place_at(obj: bpy.types.Object, frame: int) -> mathutils.Vector | None:
    """Where an object without a parent will be at a frame, world space, going by its own keys alone."""
    if obj.parent is not None:
        return None
    place = obj.location.copy()
    animation = obj.animation_data
    if animation is not None and animation.action is not None:
        bag = action_get_channelbag_for_slot(animation.action, animation.action_slot)
        if bag is not None:
            for axis in range(3):
                curve = bag.fcurves.find("location", index=axis)
                if curve is not None and not curve.mute:
                    place[axis] = curve.evaluate(frame)
    return place + obj.delta_location


def hangs_on_a_shape(obj: bpy.types.Object) -> bool:
    """Whether where an object is may depend on the shape of a mesh, which may be one that plays.

    Writing that shape before the evaluation instead of after it would move such an object.
    """
    above: bpy.types.Object | None = obj
    while above is not None:
        if above.constraints:
            return True
        below, above = above, above.parent
        if above is not None and below.parent_type in SHAPE_PARENTS:
            return True
    return False
