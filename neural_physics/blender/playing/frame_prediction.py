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

from ...arrays import Floats
from ...timeline.stepping import Stepping
from ...timeline.timeline import FrameState, Timeline
from ..scene.animation.action_curves import curves_played
from ..scene.references import Named, with_parents
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


class Preparation(NamedTuple):
    """What has to be stepped and decoded before a guess can be acted on.

    frames: the guessed one and some that follow on. stepping: gives the states of the first of them, as far
    as they can be known, if these are their ys.
    """

    frames: range
    ys: Sequence[Floats]
    bases: int
    stepping: Stepping[list[FrameState]]


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
        self._stood: list[mathutils.Vector] = []  # where what has no keys was at the last guess

    def can_predict(self, frame: int) -> bool:
        """Whether there is anything to go by; raises Problem("interaction_missing")."""
        if frame > self._timeline.next_frame:
            return False
        return not any(hangs_on_a_shape(source.original()) for source in self._followed)

    def guess(self, frame: int, last: int, seen: Floats, bases: int, *, alike: int) -> Guess | Preparation:
        """What a frame will show, or what `prepared` needs to say it.

        seen: the y of the frame `last`, where the scene was before. alike: how many objects are prepared at
        once. To be acted on only if the last guess is known to have matched: that is asked for each time.
        """
        trusted, self.trusted = self.trusted, False
        stood, self._stood = self._stood, self._without_keys()
        dragged = stood != self._stood  # it will be elsewhere in the next frame, too
        ready = self._prepared.get(frame) if trusted and not dragged else None
        # Whatever makes another state of a frame forgets the one it had.
        if ready and ready.state is self._timeline.at_hand(frame) and ready.bases == bases:
            return ready
        places = KeyedPlaces()
        y = self._expected(frame, seen, places)
        if not trusted:
            return Guess(y.tobytes(), bases)
        self._prepared = {}
        count = frames_together(self._timeline.method.vertex_count * alike) if abs(frame - last) == 1 else 1
        if self._timeline.recorded(frame) is None:
            frames = range(frame, frame + (1 if dragged else count))
            ys = [y, *(self._expected(further, seen, places) for further in frames[1:])]
            return Preparation(frames, ys, bases, self._timeline.predicting(ys))
        step = frame - last if count > 1 else 1
        return self._known(range(frame, frame + count * step, step), y, bases)

    def prepared(
        self, preparation: Preparation, states: Sequence[FrameState], shapes: Floats | None
    ) -> Guess:
        """The guess, given the states of a preparation, and their shapes where they are decoded already.

        Not one to be acted on where its state cannot be known, or is no number.
        """
        frames, ys, bases, _ = preparation
        if states and shapes is None:
            with self._timings.decoding(len(states)):
                shapes = self._timeline.shapes(states, ys, bases or None)
        if shapes is not None and isfinite(float(shapes.sum())):
            for f, its_y, state, positions in zip(frames, ys, states, shapes, strict=False):
                self._prepared[f] = Guess(its_y.tobytes(), bases, state, positions)
        return self._prepared.get(frames[0]) or Guess(ys[0].tobytes(), bases)

    def _expected(self, frame: int, seen: Floats, places: KeyedPlaces) -> Floats:
        """The y of a frame: recorded, as it was read ahead, or as the keys say."""
        known = self._timeline.recorded(frame)
        if known is None and self._timeline.broken_at() is None:
            known = self._timeline.expected(frame)
        if known is not None:
            return known
        return self._sampler.with_places(seen, lambda source: places.at(source, frame))

    def _without_keys(self) -> list[mathutils.Vector]:
        """Where what y depends on stands, of what stays where a hand puts it."""
        objects = (source.original() for source in self._followed)
        return [obj.location.copy() for obj in objects if not has_keys(obj)]

    def _known(self, frames: range, y: Floats, bases: int) -> Preparation:
        """Of frames that are recorded: the first, whose y is this one, and those that need no step."""
        timeline, ys, states = self._timeline, [y], []
        for further in frames[1:]:
            state, known = timeline.at_hand(further), timeline.recorded(further)
            if state is None or known is None:
                break
            ys.append(known)
            states.append(state)

        def stepping() -> Stepping[list[FrameState]]:
            return [(yield from timeline.reaching(frames[0])), *states]

        return Preparation(frames, ys, bases, stepping())


def frames_together(vertices: int) -> int:
    """How many frames to prepare at a time; vertices: of all objects that are prepared at once."""
    return max(1, min(MOST_FRAMES, MOST_NUMBERS // (3 * vertices)))


def has_keys(obj: bpy.types.Object) -> bool:
    """Whether an action of its own moves an object, as far as that is seen at a glance."""
    return obj.animation_data is not None and obj.animation_data.action is not None


class KeyedPlaces:
    """Where objects will be, going by their own keys alone; for as long as nothing is edited.

    Their curves are gone through once: an action may have thousands.
    """

    def __init__(self) -> None:
        self._curves: dict[int, list[bpy.types.FCurve]] = {}  # of the location, by session_uid

    def at(self, obj: bpy.types.Object, frame: int) -> mathutils.Vector | None:
        """Where an object will be at a frame, world space; None for one with a parent."""
        if obj.parent is not None:
            return None
        place = obj.location.copy()
        for curve in self._curves_of(obj):
            place[curve.array_index] = curve.evaluate(frame)
        return place + obj.delta_location

    def _curves_of(self, obj: bpy.types.Object) -> list[bpy.types.FCurve]:
        if obj.session_uid not in self._curves:
            animation = obj.animation_data
            curves = [] if animation is None else curves_played(animation)
            self._curves[obj.session_uid] = [
                each
                for each in curves
                if each.data_path == "location" and each.array_index in range(3) and not each.mute
            ]
        return self._curves[obj.session_uid]


def hangs_on_a_shape(obj: bpy.types.Object) -> bool:
    """Whether where an object is may depend on the shape of a mesh, which may be one that plays.

    Writing that shape before the evaluation instead of after it would move such an object.
    """
    return any(
        each.constraints or (each.parent is not None and each.parent_type in SHAPE_PARENTS)
        for each in with_parents(obj)
    )
