"""One object that plays: its model, its timeline, and what was seen of the objects it reacts to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from ...capsules.projection import Bodies
from ...datasets.rest_mesh import topology_hash
from ...errors import Problem
from ...methods.interface import Method
from ...methods.registry import SPECIFICATIONS, load_method
from ...models.model_file import Model
from ...timeline.timeline import Timeline
from ..scene.capsule_sampling import CapsuleSampler, CapsuleSettings
from ..scene.collider_sizes import size_problem, widths_of
from ..scene.references import Named, Numbered
from ..scene.sampling import FRAME_BINDING, ChannelSampler, bindings_of, object_in, source_of
from ..scene.setting_up import is_animated
from ..scene.sources import check_mesh, faces_of, loose_edges_of, mesh_data
from ..settings.properties import settings_of
from .frame_prediction import FramePredictor, Predicted, Shown
from .geometry_nodes import has_positions, write_positions
from .live_jiggle import jiggle_of
from .looking_ahead import look_ahead_obstacle
from .packing import identity_of, model_of
from .shape_output import Moment, ShapeOutput, moved
from .unanimated_channels import Mask, UnanimatedChannels

Vector = NDArray[np.float32]


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
    bindings: see `sampling.bindings_of`. capsules: that cloth is simulated against; carriers: see
    `CapsuleSampler`.
    """

    scene: int
    fps: float
    start_frame: int
    bindings: dict[str, str]
    capsules: tuple[CapsuleSettings, ...]
    carriers: dict[int, str]


def setup_of(scene: bpy.types.Scene, obj: bpy.types.Object, capsules: CapsuleSampler | None) -> Setup:
    """What the scene and the object's settings ask for now."""
    render = scene.render
    fps, start = render.fps / render.fps_base, settings_of(obj).start_frame
    met, carriers = (capsules.settings, capsules.carriers()) if capsules is not None else ((), {})
    return Setup(scene.session_uid, fps, start, bindings_of(obj), met, carriers)


def check_belongs(model: Model, obj: bpy.types.Object) -> None:
    """Raise Problem("model_other_object") unless the model was trained on this mesh."""
    mesh = mesh_data(obj)
    if len(mesh.vertices) == model.info.vertex_count:
        corners, face_sizes = faces_of(mesh)
        if (
            topology_hash(len(mesh.vertices), corners, face_sizes, loose_edges_of(mesh))
            == model.info.topology
        ):
            return
    raise _other_mesh(model.info.vertex_count, obj)


class PlaySession:
    """Of Blender's data it holds nothing but `references`.

    problem: why the object stands still; None while all is well. behind: frames that must be caught
    up before the frame on show can be. outside: the share of the numbers clipped to what was trained
    at the frame on show. showing: how it is shown. model_identity: see `packing.identity_of`.
    """

    def __init__(self, obj: bpy.types.Object) -> None:
        """Raises what `sources.check_mesh`, `packing.model_of`, `check_belongs` and `load_method` do."""
        self.name, self.uid = obj.name, obj.session_uid
        self._object = Numbered(obj)
        self.problem: Problem | None = None
        self.behind = 0
        self.outside = 0.0
        self.frame: int | None = None  # where it was seen last
        self._bases = 0
        self._object_from_frame: NDArray[np.float64] | None = None  # where something was shown last
        self._mesh_in_edit = self._moves_on = False
        self.stale = True  # what is on show does not hold any more
        self._keys_changed = False  # since they were read ahead
        self._setup: Setup | None = None
        self.sources: frozenset[str] = frozenset()  # the names of all objects that y depends on
        check_mesh(obj)
        self.model_identity = identity_of(obj)
        self.model = model_of(obj)
        check_belongs(self.model, obj)
        self.method: Method = load_method(self.model)
        self.output = ShapeOutput(self.model_identity, self.model, self.method)
        self._jiggle = jiggle_of(self.method)
        self._seen = np.empty(0, np.float32)  # y as it was read last
        self._sources: dict[str, Named] = {}  # what each channel is read from
        self._unanimated = UnanimatedChannels(self.method.channels, widths_of(self.method), self._sources)

    def object(self) -> bpy.types.Object | None:
        """The object that plays; None once it is deleted."""
        obj = self._object.original()
        if obj is not None:
            self.name = obj.name
        return obj

    def bind(self, scene: bpy.types.Scene, obj: bpy.types.Object) -> bool:
        """Follow the scene and the settings; whether anything had changed.

        Raises Problem("interaction_missing" | "channel_not_sampled").
        """
        capsules = self._met
        setup = setup_of(scene, obj, capsules)
        if setup == self._setup:
            return False
        self._setup, self.frame = None, None
        info, bindings = self.model.info, dict(setup.bindings)
        self._meet(capsules, bindings)
        if not info.reference_frame:
            bindings.pop(FRAME_BINDING, None)
        self.sampler = ChannelSampler(
            obj,
            info.channels,
            info.reference_frame,
            bindings,
            fps=setup.fps,
            capsules=capsules,
            widths=widths_of(self.method),
        )
        self.timeline = Timeline(self.method, setup.fps, setup.start_frame)
        frame = bindings.get(FRAME_BINDING, info.reference_frame)
        frame = object_in(frame) or obj.name
        sources = {
            channel.name: object_in(source_of(channel, bindings)) or frame
            for channel in self.method.channels.channels
        }
        self.sources = frozenset((*sources.values(), frame))
        found = {name: Named(obj.name, name) for name in self.sources}
        self._frame_object = found[frame]
        self._predictor = FramePredictor(
            self.timeline, self.sampler, list(found.values()), self.output.timings
        )
        self._sources = {channel: found[name] for channel, name in sources.items()}
        self._unanimated = UnanimatedChannels(self.method.channels, widths_of(self.method), self._sources)
        self._unanimated.look(self.object())
        self._setup = setup
        return True

    def not_ahead(self, obj: bpy.types.Object) -> Problem | None:
        """Why a method that looks ahead cannot, or does not from some frame on; None where it does."""
        if self.method.look_ahead == 0 or self._setup is None:
            return None
        try:
            obstacle = look_ahead_obstacle(obj, self._sources.values())
        except Problem as problem:  # something was deleted since the frame on show
            return problem
        ends = self.timeline.broken_at()
        if obstacle is None and ends is not None:
            return Problem("look_ahead_ends", object=obj.name, frame=ends)
        return obstacle

    def size_problem(self) -> Problem | None:
        """What tells of a collider that is larger, or smaller, than any that was learned from."""
        if self._setup is None or self.frame is None:
            return None
        y = self.timeline.recorded(self.frame)
        names = {channel: source.name for channel, source in self._sources.items()}
        return None if y is None else size_problem(self.name, self.method, y, names)

    def _looks_ahead(self, obj: bpy.types.Object) -> bool:
        """Whether it should. Raises Problem("interaction_missing")."""
        wanted = self.method.look_ahead > 0 and settings_of(obj).look_ahead
        return wanted and look_ahead_obstacle(obj, self._sources.values()) is None

    def check_sources(self, scene: bpy.types.Scene) -> None:
        """Notice what was deleted, whose data settings keep alive. Raises Problem("interaction_missing")."""
        for name in self.sources:
            if scene.objects.get(name) is None:
                raise Problem("interaction_missing", object=self.name, interaction=name)
        self.output.projection.check_carriers(scene)

    def needs(self, visit: Visit) -> range:
        """The frames to sample before the visited one can be shown: those before it, and what it looks at."""
        return span([self.timeline.missing(self._recorded_until(visit)), self._unread(visit)])

    def further(self, visit: Visit, last: int) -> range:
        """The frames that will be read ahead until `last` can be shown, where that has begun."""
        return self.timeline.unread(last) if self._unread(visit) else range(0)

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
        if seen and expected is not None and not _same(expected, self._seen):
            return range(0)
        return self.timeline.unread(visit.frame + bool(visit.subframe))

    def look(self, depsgraph: bpy.types.Depsgraph, visit: Visit) -> None:
        """Read y; what was moved by hand since the last look counts from that frame on."""
        if not visit.sampled or visit.frame < self.timeline.start_frame:
            return
        y = self.sampler.sample(depsgraph, visit.frame).copy()
        self._read_again(visit, y)
        if self.frame is not None and not visit.playing and not _same(y, self._seen):
            if self._unanimated.look(self.object()):
                self.animated_anew()
            elif self._unanimated.names and not is_animated(self._frame_object.original()):
                self._overwrite(self._unanimated.values & self._unanimated.whole(y != self._seen), y)
        self._moves_on = visit.playing and (self.frame is None or visit.frame > self.frame)
        self._seen, self.frame = y, visit.frame

    def edited(self, depsgraph: bpy.types.Depsgraph, animation: bool) -> bool:
        """After an edit at the frame last seen: whether y has changed, there or (`animation`) anywhere."""
        if self.frame is None:
            return False
        if self._unanimated.look(self.object()) or animation:
            self.animated_anew()
            return True
        y = self.sampler.sample(depsgraph, self.frame).copy()
        if _same(y, self._seen):
            bodies = self._bodies(depsgraph, self.frame, 0.0)
            return self.output.projection.moved(bodies)
        self._overwrite(self._unanimated.whole(y != self._seen), y)
        self._seen = y
        return True

    @property
    def collides(self) -> bool:
        """Whether what is simulated collides with capsules."""
        return self._met is not None

    @property
    def keyed(self) -> bool:
        """Whether keys change what the cloth is made of, or hold handles."""
        return self._unanimated.keyed

    def begin_anew(self) -> None:
        """Forget all that was recorded."""
        self.timeline.forget_from(self.timeline.start_frame)
        self.sampler.forget_from(self.timeline.start_frame)
        self.output.projection.forget_from(self.timeline.start_frame)

    def animated_anew(self) -> None:
        """Forget all that was recorded, and all that was read ahead: keys are others now."""
        self.begin_anew()
        self.timeline.forget_lookahead()
        self._keys_changed = False

    def keys_changed(self) -> None:
        """Keys were edited, which what was read ahead does not know; while it plays, that counts later."""
        self._keys_changed |= self._setup is not None and self.timeline.looks_ahead

    def begin_run(self) -> None:
        """The animation is played from the start: what it is now is that run's."""
        if self._keys_changed or self.timeline.broken_at() is not None:
            self.animated_anew()
        else:
            self.begin_anew()

    def record_next(self, depsgraph: bpy.types.Depsgraph, frame: int, visit: Visit) -> None:
        """While frames are caught up for a visit: take this one if it is the next to record, or to read."""
        recorded = frame in self.timeline.missing(self._recorded_until(visit))[:1]
        ahead = frame in self.timeline.unread(frame + 1)[:1]
        if recorded or ahead:
            y = self.sampler.sample(depsgraph, frame)
            if ahead:
                self.timeline.read_ahead(frame, y)
            if recorded:
                self.timeline.record(frame, y)
                self._bodies(depsgraph, frame, 0.0)

    def record(self, depsgraph: bpy.types.Depsgraph, visit: Visit, caught_up: bool) -> None:
        """Take the y that was looked at; `caught_up`: the frames before it have only become known since.

        While the animation plays forward the scene is right; else objects without animation keep
        what was recorded of them, because where they stand now says nothing of this frame.
        """
        frame, start = visit.frame, self.timeline.start_frame
        if not visit.sampled or frame < start:
            return
        new_run = visit.playing and frame == start and bool(self._unanimated.names)
        if new_run:
            self.begin_anew()
        if new_run or caught_up:
            self._seen = self.sampler.sample(depsgraph, frame).copy()
        y, known = self._seen, self.timeline.recorded(frame)
        if known is not None and not self._moves_on and not _same(known, y):
            y = np.where(self._unanimated.values, known, y)
        self.timeline.record(frame, y)

    def predict(self, scene: bpy.types.Scene, obj: bpy.types.Object) -> Predicted | None:
        """Before the scene's whole frame is evaluated: write what it will show, if that can be told.

        Raises Problem("interaction_missing").
        """
        mesh, frame = mesh_data(obj), scene.frame_current
        if self.stale or self.frame is None or self._setup is None or self._setup.scene != scene.session_uid:
            return None
        # What a mesh that others share shows is up to the last one to write.
        if mesh.is_editmode or mesh.users > 1 or len(mesh.vertices) != self.method.vertex_count:
            return None
        if self.output.needs_evaluation(obj) or not self._predictor.can_tell(frame):
            return None
        if self.timeline.unread(frame):
            return None
        guess = self._predictor.guess(frame, self.frame, self._seen, self._bases)
        if guess.positions is not None:
            write_positions(mesh, moved(guess.positions, self._object_from_frame))
        return Predicted(self._shown(frame, guess.y, mesh), guess.state)

    def prediction_matches(
        self, predicted: Predicted, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, visit: Visit
    ) -> bool:
        """Whether the evaluated scene is as predicted: then it shows what it should, and y is recorded.

        Raises Problem("interaction_missing").
        """
        obj, frame = self.object(), visit.frame
        if obj is None or visit.subframe:
            return False
        mesh = mesh_data(obj)
        if mesh.is_editmode or not obj.evaluated_get(depsgraph).is_evaluated:
            return False
        bases = settings_of(obj).bases_shown
        jiggles = self._jiggle is not None and self._jiggle.out_of_date(obj)
        others = setup_of(scene, obj, self._met) != self._setup or bases != self._bases
        others |= self._looks_ahead(obj) != self.timeline.looks_ahead
        others |= self._keys_changed and not visit.playing
        if self.output.projection.out_of_date or jiggles or others:
            return False
        read = visit.sampled and frame >= self.timeline.start_frame
        y = self.sampler.sample(depsgraph, frame) if read else self.timeline.recorded(frame)
        if y is None or (read and not visit.playing and not _same(y, self._seen) and self._hands_moved(y)):
            return False
        self._object_from_frame = self.sampler.object_from_frame(depsgraph)
        as_told = predicted.shown == self._shown(frame, y.tobytes(), mesh)
        self._predictor.trusted = as_told
        state = predicted.state
        if not as_told or state is None or state is not self.timeline.at_hand(frame):
            return False
        if read:
            self._moves_on = visit.playing and (self.frame is None or frame > self.frame)
            self._seen, self.frame = self.timeline.record(frame, y), frame
        self.outside, self.behind = float(state.state.outside), 0
        return has_positions(mesh)

    def show(self, obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, visit: Visit) -> None:
        """Show a frame whose y, and those before it, are recorded: write its positions, or preview it.

        Raises Problem("model_other_object" | "play_not_numbers").
        """
        mesh, frame = mesh_data(obj), visit.frame
        if len(mesh.vertices) != self.method.vertex_count:
            raise _other_mesh(self.method.vertex_count, obj)
        self._object_from_frame = self.sampler.object_from_frame(depsgraph)
        with self.output.timings.steps(self.timeline):
            state = self.timeline.at(frame)
        bodies = self._bodies(depsgraph, frame, visit.subframe)
        bases, rendering = self._bases, depsgraph.mode == "RENDER"
        moment = Moment(
            frame,
            visit.subframe,
            bases,
            bodies,
            object_from_model=self._object_from_frame,
            rendering=rendering,
        )
        self.output.show(obj, self.timeline, moment)
        self.outside = float(state.state.outside)
        self.stale = False

    def _bodies(self, depsgraph: bpy.types.Depsgraph, frame: int, subframe: float) -> Bodies | None:
        """What to push out of at the frame that is evaluated, which is remembered.

        What is simulated is pushed out of what it met at this frame, wherever hands have moved that since.
        """
        if not self.output.projection.active:
            return None
        world = self.sampler.world_from_frame(depsgraph)
        if self._met is None:
            return self.output.projection.at(depsgraph, frame, subframe, world)
        y = self.timeline.recorded_between(frame, subframe)
        return None if y is None else self._met.bodies(y[self.model.info.channels.size :], world)

    def _shown(self, frame: int, y: bytes, mesh: bpy.types.Mesh) -> Shown:
        moved = b"" if self._object_from_frame is None else self._object_from_frame.tobytes()
        return Shown(frame, y, moved, self._bases, mesh.session_uid)

    def follow(self, scene: bpy.types.Scene, obj: bpy.types.Object) -> None:
        """Notice what has changed in the settings, the scene and the mesh; `stale` if it shows.

        Raises Problem("edit_mode" | "model_other_object") and what `bind` does.
        """
        if mesh_data(obj).is_editmode:
            self._mesh_in_edit = True
            raise Problem("edit_mode", object=obj.name)
        if self._mesh_in_edit:
            check_belongs(self.model, obj)
            self._mesh_in_edit, self.stale = False, True
        bases = settings_of(obj).bases_shown
        edited = self.output.follow(obj)
        if self._met is not None:
            self.output.projection.check_carriers(scene)
        changed = self.bind(scene, obj)
        changed |= self.timeline.look_ahead(self._looks_ahead(obj))
        if self._jiggle is not None and self._jiggle.follow(obj):
            self.timeline.forget_states()
            changed = True
        if edited or changed or bases != self._bases:
            self._bases, self.stale = bases, True

    @property
    def _met(self) -> CapsuleSampler | None:
        """The capsules that a method which simulates collides with; None for none."""
        return self.output.projection.sampler if SPECIFICATIONS[self.model.info.method].simulates else None

    def _meet(self, capsules: CapsuleSampler | None, bindings: Mapping[str, str]) -> None:
        """Make the method ready for y with these capsules, if it is not."""
        own = self.model.info.channels.channels
        met = capsules.channels({*bindings, *(channel.name for channel in own)}) if capsules else ()
        if self.method.channels.channels != (*own, *met):
            self.method = load_method(self.model, met)

    def _read_again(self, visit: Visit, y: Vector) -> None:
        """Forget what was read ahead where it can be read better: with other keys, and on the start frame.

        What a hand has posed on that is part of all frames. While it plays the hand may move on; it does not
        if it is where it was when the run before began.
        """
        if self._keys_changed and not visit.playing:
            self.animated_anew()
        if visit.frame != self.timeline.start_frame:
            return
        expected, known = self.timeline.expected(visit.frame), self.timeline.recorded(visit.frame)
        posed = expected is not None and not _same(expected, y)
        if visit.playing:
            if posed and known is not None and _same(known, y):
                self.timeline.forget_lookahead()
        elif posed or self.timeline.broken_at() is not None:
            self.timeline.forget_lookahead()
            if not self._unanimated.names:
                self.begin_anew()

    def _overwrite(self, which: Mask, y: NDArray[np.float32]) -> None:
        """Some values of y have changed at the frame last seen: what follows it no longer holds."""
        known = None if self.frame is None else self.timeline.recorded(self.frame)
        if self.frame is not None and known is not None and which.any():
            self.timeline.record(self.frame, np.where(which, y, known))
            self.sampler.forget_from(self.frame + 1)
            self.output.projection.forget_from(self.frame + 1)

    def _hands_moved(self, y: Vector) -> bool:
        """Whether something was moved by hand since the last look, or what is moved so is not the same."""
        mask = self._unanimated.values
        moved = bool(self._unanimated.names) and not _same(y[mask], self._seen[mask])
        return moved or self._unanimated.differ(self.object())


def span(ranges: Iterable[range]) -> range:
    """From the first to the last frame of any of them."""
    filled = [frames for frames in ranges if frames]
    if not filled:
        return range(0)
    return range(min(frames.start for frames in filled), max(frames.stop for frames in filled))


def _same(a: Vector, b: Vector) -> bool:
    """Whether two y are equal, bit for bit; several times faster than comparing numbers."""
    return a.tobytes() == b.tobytes()


def _other_mesh(vertex_count: int, obj: bpy.types.Object) -> Problem:
    found = len(mesh_data(obj).vertices)
    return Problem("model_other_object", object=obj.name, expected=vertex_count, found=found)
