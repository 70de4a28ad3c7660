"""One object that plays: its model, its timeline, and what was seen of the objects it reacts to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import isfinite
from time import perf_counter
from typing import NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from ..errors import Problem
from ..methods import Method, load_method
from ..model_file import Model
from ..takes import topology_hash
from ..timeline import FrameState, Timeline
from .foretelling import Foretold, Prepared, Shown, frames_together, hangs_on_a_shape, place_at
from .geometry_nodes import has_positions, write_positions
from .packing import identity_of, model_of
from .properties import settings_of
from .sampling import FRAME_BINDING, ChannelSampler, Named, bindings_of
from .setting_up import is_animated
from .sources import check_mesh, faces_of, mesh_data

Mask = NDArray[np.bool_]
Vector = NDArray[np.float32]
SMOOTHING = 0.1  # of the times shown to the artist: the share of the newest


class Visit(NamedTuple):
    """A frame that is to be shown.

    subframe: 0 up to 1. sampled: whether y is read at it. playing: whether the animation plays.
    """

    frame: int
    subframe: float
    sampled: bool
    playing: bool


class Setup(NamedTuple):
    """What a session depends on; when it changes, the session begins anew.

    scene: its session_uid. fps: frames per second. start_frame: shows the start state.
    bindings: see `sampling.bindings_of`.
    """

    scene: int
    fps: float
    start_frame: int
    bindings: dict[str, str]


def setup_of(scene: bpy.types.Scene, obj: bpy.types.Object) -> Setup:
    """What the scene and the object's settings ask for now."""
    render = scene.render
    start = settings_of(obj).start_frame
    return Setup(scene.session_uid, render.fps / render.fps_base, start, bindings_of(obj))


def check_belongs(model: Model, obj: bpy.types.Object) -> None:
    """Raise Problem("model_other_object") unless the model was trained on this mesh."""
    mesh = mesh_data(obj)
    if len(mesh.vertices) == model.info.vertex_count:
        corners, face_sizes = faces_of(mesh)
        if topology_hash(len(mesh.vertices), corners, face_sizes) == model.info.topology:
            return
    raise _other_mesh(model.info.vertex_count, obj)


class PlaySession:
    """Holds no Blender data between frames, only names and numbers: an undo or another file replaces all.

    problem: why the object stands still; None while all is well. behind: frames that must be caught
    up before the frame on show can be. outside: the share of the numbers clipped to what was trained
    at the frame on show. step_us, decode_us: microseconds per model step and per decoding.
    model_identity: see `packing.identity_of`.
    """

    def __init__(self, obj: bpy.types.Object) -> None:
        """Raises what `sources.check_mesh`, `packing.model_of`, `check_belongs` and `load_method` do."""
        self.name, self.uid = obj.name, obj.session_uid
        self._place = 0
        self.problem: Problem | None = None
        self.behind = 0
        self.outside = 0.0
        self.step_us = self.decode_us = 0.0
        self.frame: int | None = None  # where it was seen last
        self._bases = 0
        self._object_from_frame: NDArray[np.float64] | None = None  # where something was shown last
        self._trusted = False  # whether what was foretold last came true
        self._prepared: dict[int, Prepared] = {}  # by frame
        self._mesh_in_edit = self._moves_on = False
        self.stale = True  # what is on show does not hold any more
        self._setup: Setup | None = None
        self.sources: frozenset[str] = frozenset()  # the names of all objects that y depends on
        check_mesh(obj)
        self.model_identity = identity_of(obj)
        self._model = model_of(obj)
        check_belongs(self._model, obj)
        self.method: Method = load_method(self._model)
        self._slices = self.method.channels.slices()
        self._seen = np.empty(0, np.float32)  # y as it was read last
        self._hands: list[str] = []  # the channels that only a hand moves
        self._by_hand = np.zeros(self.method.channels.size, bool)  # their values

    def object(self) -> bpy.types.Object | None:
        """The object that plays, found again by its number, first where it was last."""
        objects = bpy.data.objects
        try:
            obj = objects[self._place]
        except IndexError:
            obj = None
        if obj is None or obj.session_uid != self.uid:
            places = (place for place, other in enumerate(objects) if other.session_uid == self.uid)
            place = next(places, None)
            if place is None:
                return None
            self._place, obj = place, objects[place]
        self.name = obj.name
        return obj

    def bind(self, scene: bpy.types.Scene, obj: bpy.types.Object) -> bool:
        """Follow the scene and the settings; whether anything had changed.

        Raises Problem("interaction_missing" | "channel_not_sampled").
        """
        setup = setup_of(scene, obj)
        if setup == self._setup:
            return False
        self._setup, self.frame = None, None
        info, bindings = self._model.info, dict(setup.bindings)
        if not info.reference_frame:
            bindings.pop(FRAME_BINDING, None)
        self.sampler = ChannelSampler(obj, info.channels, info.reference_frame, bindings, setup.fps)
        self.timeline = Timeline(self.method, setup.fps, setup.start_frame)
        self._prepared = {}
        frame = bindings.get(FRAME_BINDING, info.reference_frame)
        frame = (frame if frame in bpy.data.objects else frame.rpartition("/")[0]) or obj.name
        sources = {
            channel.name: bindings.get(channel.name, channel.source) or frame
            for channel in info.channels.channels
        }
        self.sources = frozenset((*sources.values(), frame))
        found = {name: Named(obj.name, name) for name in self.sources}
        self._frame_object, self._followed = found[frame], list(found.values())
        self._sources = {channel: found[name] for channel, name in sources.items()}
        self._hands_changed()
        self._setup = setup
        return True

    def check_sources(self, scene: bpy.types.Scene) -> None:
        """Raise Problem("interaction_missing") for what was deleted: settings keep its data alive."""
        for name in self.sources:
            if scene.objects.get(name) is None:
                raise Problem("interaction_missing", object=self.name, interaction=name)

    def needs(self, visit: Visit) -> range:
        """The frames to sample before the visited one can be shown."""
        if visit.frame < self.timeline.start_frame:
            return self.timeline.missing(self.timeline.start_frame + 1)
        if visit.subframe:
            return self.timeline.missing(visit.frame + 2)
        return self.timeline.missing(visit.frame if visit.sampled else visit.frame + 1)

    def look(self, depsgraph: bpy.types.Depsgraph, visit: Visit) -> None:
        """Read y; what was moved by hand since the last look counts from that frame on."""
        if not visit.sampled or visit.frame < self.timeline.start_frame:
            return
        y = self.sampler.sample(depsgraph, visit.frame).copy()
        if self.frame is not None and not visit.playing and not _same(y, self._seen):
            if self._hands_changed():
                self.begin_anew()
            elif self._hands and not is_animated(self._frame_object.original()):
                self._overwrite(self._by_hand & self._channels(y != self._seen), y)
        self._moves_on = visit.playing and (self.frame is None or visit.frame > self.frame)
        self._seen, self.frame = y, visit.frame

    def edited(self, depsgraph: bpy.types.Depsgraph, animation: bool) -> bool:
        """After an edit at the frame last seen: whether y has changed, there or (`animation`) anywhere."""
        if self.frame is None:
            return False
        if self._hands_changed() or animation:
            self.begin_anew()
            return True
        y = self.sampler.sample(depsgraph, self.frame).copy()
        if _same(y, self._seen):
            return False
        self._overwrite(self._channels(y != self._seen), y)
        self._seen = y
        return True

    def begin_anew(self) -> None:
        """Forget all that was recorded."""
        self.timeline.forget_from(self.timeline.start_frame)
        self.sampler.forget_from(self.timeline.start_frame)

    def record_next(self, depsgraph: bpy.types.Depsgraph, frame: int) -> None:
        """While frames are caught up: take this one if it is the next that is missing."""
        if frame in self.timeline.missing(frame + 1)[:1]:
            self.timeline.record(frame, self.sampler.sample(depsgraph, frame))

    def record(self, depsgraph: bpy.types.Depsgraph, visit: Visit, caught_up: bool) -> None:
        """Take the y that was looked at; `caught_up`: the frames before it have only become known since.

        While the animation plays forward the scene is right; else objects without animation keep
        what was recorded of them, because where they stand now says nothing of this frame.
        """
        frame, start = visit.frame, self.timeline.start_frame
        if not visit.sampled or frame < start:
            return
        new_run = visit.playing and frame == start and bool(self._hands)
        if new_run:
            self.begin_anew()
        if new_run or caught_up:
            self._seen = self.sampler.sample(depsgraph, frame).copy()
        y, known = self._seen, self.timeline.recorded(frame)
        if known is not None and not self._moves_on and not _same(known, y):
            y = np.where(self._by_hand, known, y)
        self.timeline.record(frame, y)

    def foretell(self, scene: bpy.types.Scene, obj: bpy.types.Object) -> Foretold | None:
        """Before the scene's whole frame is evaluated: write what it will show, if that can be told.

        Raises Problem("interaction_missing").
        """
        mesh, frame = mesh_data(obj), scene.frame_current
        if not self._can_foretell(scene, mesh):
            return None
        trusted, self._trusted = self._trusted, False
        ready = self._prepared.get(frame) if trusted else None
        # Whatever makes another state of a frame forgets the one it had.
        if ready is None or ready.state is not self.timeline.at_hand(frame) or ready.bases != self._bases:
            y = self._expected(frame)
            ready = self._prepare(frame, y) if trusted else None
            if ready is None:
                return Foretold(self._shown(frame, y.tobytes(), mesh), None)
        write_positions(mesh, self._in_object(ready.positions))
        return Foretold(self._shown(frame, ready.y, mesh), ready.state)

    def _expected(self, frame: int) -> Vector:
        """The y of a frame: recorded, or as the keys say."""
        recorded = self.timeline.recorded(frame)
        if recorded is not None:
            return recorded
        return self.sampler.with_places(self._seen, lambda source: place_at(source, frame))

    def _prepare(self, frame: int, y: Vector) -> Prepared | None:
        """Decode what a frame will show if its y is this one, and more of the way while frames follow on.

        None if its state cannot be told, or is no number.
        """
        timeline, way = self.timeline, frame - (frame if self.frame is None else self.frame)
        count = frames_together(self.method.vertex_count) if abs(way) == 1 else 1
        self._prepared = {}
        with self._timing_steps():
            if timeline.recorded(frame) is None:
                frames = range(frame, frame + count)
                ys = [y, *map(self._expected, frames[1:])]
                states = timeline.foretell(ys)
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
            return None
        with self._timing_decoding(len(states)):
            shapes = timeline.shapes(states, ys, self._bases or None)
        if isfinite(float(shapes.sum())):
            for f, its_y, state, positions in zip(frames, ys, states, shapes, strict=False):
                self._prepared[f] = Prepared(its_y.tobytes(), self._bases, state, positions)
        return self._prepared.get(frame)

    def _can_foretell(self, scene: bpy.types.Scene, mesh: bpy.types.Mesh) -> bool:
        if self.stale or self.frame is None or self._setup is None:
            return False
        if self._setup.scene != scene.session_uid or scene.frame_current > self.timeline.next_frame:
            return False
        # What a mesh that others share shows is up to the last one to write.
        if mesh.is_editmode or mesh.users > 1 or len(mesh.vertices) != self.method.vertex_count:
            return False
        return not any(hangs_on_a_shape(source.original()) for source in self._followed)

    def show(
        self,
        obj: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
        visit: Visit,
        foretold: Foretold | None,
    ) -> None:
        """Write the positions of a frame whose y, and those before it, are recorded.

        foretold: what was written before the evaluation; if it came true, nothing is left to do.
        Raises Problem("model_other_object" | "play_not_numbers").
        """
        mesh, frame = mesh_data(obj), visit.frame
        if len(mesh.vertices) != self.method.vertex_count:
            raise _other_mesh(self.method.vertex_count, obj)
        self._object_from_frame = self.sampler.object_from_frame(depsgraph)
        state = self.timeline.at_hand(frame)
        if state is None:
            with self._timing_steps():
                state = self.timeline.at(frame)
        if not self._came_true(foretold, state, visit, mesh):
            with self._timing_decoding():
                positions = self.timeline.positions(frame, visit.subframe, self._bases or None)
            if not isfinite(float(positions.sum())):
                raise Problem("play_not_numbers", object=obj.name, frame=frame)
            write_positions(mesh, self._in_object(positions))
        self.outside = float(state.state.outside)
        self.stale = False

    def _came_true(
        self, foretold: Foretold | None, state: FrameState, visit: Visit, mesh: bpy.types.Mesh
    ) -> bool:
        """Whether what is to be shown was written and evaluated already; learns whether to trust the next."""
        if foretold is None or visit.subframe:
            return False
        y = self.timeline.recorded(visit.frame)
        assert y is not None  # as `show` asks
        self._trusted = foretold.shown == self._shown(visit.frame, y.tobytes(), mesh)
        return self._trusted and foretold.state is state and not self.stale and has_positions(mesh)

    def _shown(self, frame: int, y: bytes, mesh: bpy.types.Mesh) -> Shown:
        moved = b"" if self._object_from_frame is None else self._object_from_frame.tobytes()
        return Shown(frame, y, moved, self._bases, mesh.session_uid)

    def _in_object(self, positions: NDArray[np.float32]) -> NDArray[np.float32]:
        """(V, 3) float32, metres: from the axes of the reference frame to the object's."""
        if self._object_from_frame is None:
            return positions
        turn, shift = self._object_from_frame[:3, :3], self._object_from_frame[:3, 3]
        return (positions @ turn.T + shift).astype(np.float32)

    @contextmanager
    def _timing_steps(self) -> Iterator[None]:
        taken, start = self.timeline.steps_taken, perf_counter()
        yield
        steps = self.timeline.steps_taken - taken
        if steps:
            self.step_us = _smoothed(self.step_us, (perf_counter() - start) / steps)

    @contextmanager
    def _timing_decoding(self, shapes: int = 1) -> Iterator[None]:
        start = perf_counter()
        yield
        self.decode_us = _smoothed(self.decode_us, (perf_counter() - start) / shapes)

    def follow(self, scene: bpy.types.Scene, obj: bpy.types.Object) -> None:
        """Notice what has changed in the settings, the scene and the mesh; `stale` if it shows.

        Raises Problem("edit_mode" | "model_other_object") and what `bind` does.
        """
        if mesh_data(obj).is_editmode:
            self._mesh_in_edit = True
            raise Problem("edit_mode", object=obj.name)
        if self._mesh_in_edit:
            check_belongs(self._model, obj)
            self._mesh_in_edit, self.stale = False, True
        bases = settings_of(obj).bases_shown
        if self.bind(scene, obj) or bases != self._bases:
            self._bases, self.stale = bases, True

    def _overwrite(self, which: Mask, y: NDArray[np.float32]) -> None:
        """Some values of y have changed at the frame last seen: what follows it no longer holds."""
        known = None if self.frame is None else self.timeline.recorded(self.frame)
        if self.frame is not None and known is not None and which.any():
            self.timeline.record(self.frame, np.where(which, y, known))
            self.sampler.forget_from(self.frame + 1)

    def _channels(self, values: Mask) -> Mask:
        """All values of the channels of which any value is marked."""
        marked = np.zeros_like(values)
        for where in self._slices.values():
            marked[where] = values[where].any()
        return marked

    def _hands_changed(self) -> bool:
        """Whether another set of values is moved by hand alone now: keys were made, or taken away."""
        hands = [name for name, source in self._sources.items() if not is_animated(source.original())]
        if hands == self._hands:
            return False
        self._hands = hands
        self._by_hand[:] = False
        for name in hands:
            self._by_hand[self._slices[name]] = True
        return True


def _same(a: Vector, b: Vector) -> bool:
    """Whether two y are equal, bit for bit; several times faster than comparing numbers."""
    return a.tobytes() == b.tobytes()


def _smoothed(shown: float, seconds: float) -> float:
    """A time in microseconds that does not flicker."""
    now = 1e6 * seconds
    return now if shown == 0.0 else shown + SMOOTHING * (now - shown)


def _other_mesh(vertex_count: int, obj: bpy.types.Object) -> Problem:
    found = len(mesh_data(obj).vertices)
    return Problem("model_other_object", object=obj.name, expected=vertex_count, found=found)
