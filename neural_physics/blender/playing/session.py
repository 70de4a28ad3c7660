"""One object that plays, from the frame that Blender visits to the mesh that is shown.

Data goes one way, each stage an object of its own:

    read y           `InteractionReader`, through its `Binding` to the scene
    predict          `FramePredictor`: what the next frame will show, before Blender evaluates it
    step             `Timeline`: frame -> state
    decode, push     `ShapeOutput`: state -> vertices, out of capsules, into the mesh or the preview
    out, write

Steps are asked for, not taken: `crowds` takes those of all objects that play alike, and decodes for them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

import bpy
import numpy as np

from ...arrays import Doubles, Floats
from ...datasets.rest_mesh import topology_hash
from ...errors import Problem
from ...methods.interface import KnowsItsError, Method
from ...methods.loaded_models import LoadedModels
from ...methods.registry import SPECIFICATIONS, load_method
from ...models.model_file import Model
from ...models.trained_range import Beyond, face_levels, trained_range
from ...models.vertex_error import vertex_error
from ...timeline.stepping import Stepping
from ...timeline.timeline import FrameState, Timeline
from ..scene.capsule_sampling import CapsuleSampler
from ..scene.collider_sizes import size_problem
from ..scene.references import Named, Numbered, is_in
from ..scene.sources import check_shown_mesh, faces_of, loose_edges_of, mesh_data
from ..settings.properties import settings_of
from .binding import Binding, check_channels, setup_of
from .crowds import Wanted
from .frame_prediction import FramePredictor, Guess, Predicted, Preparation, Shown
from .interaction_reader import InteractionReader, Visit
from .live_settings import live_settings_of
from .output.geometry_nodes import find_modifier, has_positions, write_positions
from .output.numbers import Numbers, remove_numbers, write_numbers
from .output.position_places import positions_mesh
from .output.shape_output import Moment, ShapeOutput, moved
from .packing import identity_of, model_bytes_of

What = TypeVar("What")


def check_belongs(model: Model, obj: bpy.types.Object, topologies: dict[int, str] | None = None) -> None:
    """Raise Problem("model_other_object") unless the model was trained on this mesh.

    topologies: of meshes that were looked at, by their session_uid, for as long as nothing changes them.
    """
    mesh, known = mesh_data(obj), {} if topologies is None else topologies
    if len(mesh.vertices) == model.info.vertex_count:
        if mesh.session_uid not in known:
            faces = faces_of(mesh)
            known[mesh.session_uid] = topology_hash(len(mesh.vertices), *faces, loose_edges_of(mesh))
        if known[mesh.session_uid] == model.info.topology:
            return
    raise _other_mesh(model.info.vertex_count, obj)


def _has_mesh(obj: bpy.types.Object) -> bool:
    """An overridden object has none where its library was reloaded and has something else in its place."""
    return obj.type == "MESH" and obj.data is not None


class Place(NamedTuple):
    """Where one position was in training and is now, in the reference frame.

    low, high, at (3,). world_from_frame (4, 4).
    """

    low: Floats
    high: Floats
    at: Floats
    world_from_frame: Doubles

    @property
    def levels(self) -> Doubles:
        """See `face_levels`."""
        return face_levels(self.low, self.high, self.at)

    @property
    def outside(self) -> bool:
        """Whether it is not in its box."""
        return bool((self.at < self.low).any() or (self.at > self.high).any())


class PlaySession:
    """One object that plays. Of Blender's data it holds nothing but `references`.

    problem: why the object stands still; None while all is well. behind: frames that must be caught
    up before the frame on show can be. outside: the share of the numbers clipped to what was trained
    at the frame on show. trained_range: of y; None where the model does not say. vertex_error (V,):
    metres; None where the model does not say, or there are no faces to colour. error_problem: why that is
    not drawn although it is asked for. stale: what is on
    show does not hold any more. unsure: what y depends on may have been deleted. model_identity:
    see `packing.identity_of`. reader: reads y; None until the object is followed for the first time.
    """

    def __init__(
        self, obj: bpy.types.Object, models: LoadedModels, topologies: dict[int, str] | None = None
    ) -> None:
        """models: where the model is there already if another object plays it. topologies: see
        `check_belongs`.

        Raises what `sources.check_shown_mesh`, `packing.model_bytes_of`, `LoadedModels.of` and
        `check_belongs` do.
        """
        self.name, self.uid = obj.name, obj.session_uid
        self._object = Numbered(obj)
        self.problem: Problem | None = None
        self.behind, self.outside, self.stale = 0, 0.0, True
        self.unsure = True
        self._wrote_numbers = True  # perhaps, before the file was saved
        self._bases = 0
        self._object_from_frame: Doubles | None = None  # where something was shown last
        self._on_show: tuple[int, float] | None = None  # the frame, and how much later
        self._mesh_in_edit = False
        check_shown_mesh(obj)
        self.model_identity = identity_of(obj)
        self._loaded = models.of(*model_bytes_of(obj))
        self.model = self._loaded.model
        check_belongs(self.model, obj, topologies)
        self.trained_range = trained_range(self.model)
        self.vertex_error = vertex_error(self.model) if mesh_data(obj).polygons else None
        self.error_problem: Problem | None = None
        self._specification = SPECIFICATIONS[self.model.info.method]
        self._run_with(self._loaded.method())
        self.output = ShapeOutput(self.model_identity, self.model, self.method)
        self.reader: InteractionReader | None = None
        self._predictor: FramePredictor

    def object(self) -> bpy.types.Object | None:
        """The object that plays; None once it is deleted."""
        obj = self._object.original()
        if obj is not None:
            self.name = obj.name
        return obj

    @property
    def timeline(self) -> Timeline:
        """The states, of an object that is followed."""
        return self._following.timeline

    def follow(self, scene: bpy.types.Scene, obj: bpy.types.Object) -> None:
        """Notice what has changed in the settings, the scene and the mesh; `stale` if it shows.

        Raises Problem("no_mesh" | "edit_mode" | "model_other_object" | "play_modifier_missing" |
        "interaction_missing" | "channel_not_sampled").
        """
        if not _has_mesh(obj):
            raise Problem("no_mesh", object=obj.name)
        if mesh_data(obj).is_editmode:
            self._mesh_in_edit = True
            raise Problem("edit_mode", object=obj.name)
        if self._mesh_in_edit:
            check_belongs(self.model, obj)
            self._mesh_in_edit, self.stale = False, True
        if find_modifier(obj) is None:
            raise Problem("play_modifier_missing", object=obj.name)
        bases = settings_of(obj).bases_shown
        edited = self.output.follow(obj)
        if self._cloth_capsules is not None:
            self.output.projection.check_carriers(scene)
        changed = self._bind(scene, obj)
        self.unsure |= changed
        if self.unsure:
            self.check_sources(scene)
            self.unsure = False
        changed |= self.timeline.look_ahead(self._looks_ahead(obj))
        if self._live is not None and self._live.follow(obj):
            self.timeline.forget_states()
            changed = True
        if edited or changed or bases != self._bases:
            self._bases, self.stale = bases, True

    @property
    def plays_like(self) -> Hashable:
        """Equal for objects that can be stepped and decoded together, see `StepsMany.steps_with`."""
        many = None if self.reader is None else self.timeline.many
        return self.uid if many is None else many.steps_with

    def guess(self, scene: bpy.types.Scene, obj: bpy.types.Object, alike: int) -> Guess | Preparation | None:
        """What the object will show at the scene's frame, if that can be known before it is evaluated.

        alike: how many objects play like it. Raises Problem("interaction_missing").
        """
        mesh, frame, reader = mesh_data(obj), scene.frame_current, self.reader
        if self.stale or self.unsure or reader is None or reader.frame is None or not _has_mesh(obj):
            return None
        if reader.binding.setup.scene != scene.session_uid:
            return None
        if mesh.is_editmode or len(mesh.vertices) != self.method.vertex_count:
            return None
        if self.output.needs_evaluation(obj) or not self._predictor.can_predict(frame):
            return None
        if reader.timeline.unread(frame):
            return None
        return self._predictor.guess(frame, reader.frame, reader.seen, self._bases, alike=alike)

    def wanted_before(self, preparation: Preparation, what: What) -> Wanted[What]:
        """What has to be stepped and decoded for a guess. what: the caller's."""
        _, ys, bases, stepping = preparation
        return self._wanted(what, stepping, ys, bases, decoded=True)

    def prepared(
        self, preparation: Preparation, states: Sequence[FrameState], shapes: Floats | None
    ) -> Guess:
        """See `FramePredictor.prepared`."""
        return self._predictor.prepared(preparation, states, shapes)

    def predict(self, obj: bpy.types.Object, frame: int, guess: Guess) -> Predicted:
        """Write what is guessed, before the scene is evaluated, where that is to be acted on."""
        mesh = positions_mesh(obj)
        if guess.positions is not None:
            write_positions(mesh, moved(guess.positions, self._object_from_frame))
        return Predicted(self._shown(frame, guess.y, mesh), guess.state)

    def shows_as_predicted(
        self, predicted: Predicted, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, visit: Visit
    ) -> bool:
        """Whether the evaluated scene is as predicted: then it shows what it should, and y is recorded.

        Raises Problem("interaction_missing").
        """
        obj, frame, reader = self.object(), visit.frame, self.reader
        if obj is None or visit.subframe or reader is None:
            return False
        mesh = positions_mesh(obj)
        if mesh_data(obj).is_editmode or not obj.evaluated_get(depsgraph).is_evaluated:
            return False
        if self._is_set_otherwise(scene, obj) or (reader.keys_changed and not visit.playing):
            return False
        y = reader.read_as_predicted(obj, depsgraph, visit)
        if y is None:
            return False
        self._object_from_frame = reader.binding.sampler.object_from_frame(depsgraph)
        matches = predicted.shown == self._shown(frame, y.tobytes(), mesh)
        self._predictor.trusted = matches
        state = predicted.state
        if not matches or state is None or not reader.accept(visit, y, state):
            return False
        self.outside, self.behind = float(state.state.outside), 0
        return has_positions(mesh)

    def record(
        self, obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, visit: Visit, caught_up: bool
    ) -> Moment:
        """Record y of a frame, those before it being recorded; what there is to show.

        Raises Problem("model_other_object").
        """
        reader, frame = self._following, visit.frame
        reader.record(depsgraph, visit, caught_up)
        if len(mesh_data(obj).vertices) != self.method.vertex_count:
            raise _other_mesh(self.method.vertex_count, obj)
        self._object_from_frame = reader.binding.sampler.object_from_frame(depsgraph)
        return Moment(
            depsgraph=depsgraph,
            frame=frame,
            subframe=visit.subframe,
            bases=self._bases,
            bodies=reader.binding.bodies(depsgraph, frame, visit.subframe),
            object_from_model=self._object_from_frame,
            rendering=depsgraph.mode == "RENDER",
        )

    def wanted(self, obj: bpy.types.Object, moment: Moment, what: What) -> Wanted[What]:
        """What has to be stepped, and decoded where the processor does that, before a moment is shown."""
        timeline, frame = self.timeline, moment.frame

        def stepping() -> Stepping[list[FrameState]]:
            states = [(yield from timeline.reaching(frame))]
            if moment.subframe:
                states.append((yield from timeline.reaching(frame + 1)))
            return states

        y = timeline.recorded(frame)
        assert y is not None  # `record` comes first
        decoded = self.output.decodes_here(obj, moment)
        return self._wanted(what, stepping(), [y], moment.bases, decoded=decoded)

    def shows(self, visit: Visit) -> bool:
        """Whether what is asked for at a frame is on show already."""
        there = self._on_show == (visit.frame, visit.subframe) and not self.stale
        return there and not self.timeline.unstepped(visit.frame)

    def show(
        self, obj: bpy.types.Object, moment: Moment, shapes: Floats | None, *, patient: bool = True
    ) -> None:
        """Show what was stepped to: write its positions, or preview it.

        shapes (1, V, 3): where it was decoded with those of others. patient: see `Layering.push`. Raises
        Problem("play_not_numbers").
        """
        decoded = None if shapes is None else shapes[0]
        self.outside = self.output.show(obj, self.timeline, moment, decoded, patient=patient)
        self.stale, self._on_show = False, (moment.frame, moment.subframe)
        if settings_of(obj).write_numbers:
            write_numbers(obj, positions_mesh(obj), self._numbers(moment))
        elif self._wrote_numbers:
            remove_numbers(obj, positions_mesh(obj))
        self._wrote_numbers = settings_of(obj).write_numbers

    def check_sources(self, scene: bpy.types.Scene) -> None:
        """Notice what was deleted, whose data settings keep alive. Raises Problem("interaction_missing")."""
        for source in self.followed:
            if not is_in(scene, source.original()):
                raise Problem("interaction_missing", object=self.name, interaction=source.name)
        self.output.projection.check_carriers(scene)
        self.output.layering.check_there(scene)

    @property
    def frame(self) -> int | None:
        """Where it was seen last."""
        return None if self.reader is None else self.reader.frame

    @property
    def followed(self) -> list[Named]:
        """All objects that y depends on."""
        return [] if self.reader is None else list(self.reader.binding.followed.values())

    @property
    def sources(self) -> frozenset[str]:
        """Their names."""
        return frozenset(source.name for source in self.followed)

    @property
    def keyed(self) -> bool:
        """Whether keys change what the cloth is made of, or hold handles."""
        return self.reader is not None and self.reader.binding.unanimated.keyed

    @property
    def collides(self) -> bool:
        """Whether what is simulated collides with capsules."""
        return self._cloth_capsules is not None

    def not_ahead(self, obj: bpy.types.Object) -> Problem | None:
        """Why a method that looks ahead cannot, or does not from some frame on; None where it does."""
        if self.method.look_ahead == 0 or self.reader is None:
            return None
        try:
            obstacle = self.reader.binding.look_ahead_obstacle(obj)
        except Problem as problem:  # something was deleted since the frame on show
            return problem
        ends = self.timeline.broken_at()
        if obstacle is None and ends is not None:
            return Problem("look_ahead_ends", object=obj.name, frame=ends)
        return obstacle

    def size_problem(self) -> Problem | None:
        """The Problem of a collider larger or smaller than any that was learned from; None without one."""
        if self.reader is None or self.reader.frame is None:
            return None
        y = self.timeline.recorded(self.reader.frame)
        names = {channel: source.name for channel, source in self.reader.binding.sources.items()}
        return None if y is None else size_problem(self.name, self.method, y, names)

    def beyond(self) -> dict[str, Beyond]:
        """How far everything that is outside the trained range is, by its name, where that is noticeable."""
        trained, y = self.trained_range, self._shown_y()
        if trained is None or y is None:
            return {}
        found: dict[str, Beyond] = {}
        for channel, beyond in trained.beyond(y, self._world_from_frame()).items():
            name = self._following.binding.label(channel)
            if beyond.noticeable and (name not in found or beyond.share > found[name].share):
                found[name] = beyond
        return found

    @property
    def unused_settings(self) -> frozenset[str]:
        """Live settings of the method that make no difference to the model."""
        return frozenset() if self._live is None else self._live.unused

    def unsettled(self) -> float:
        """See `Timeline.unsettled`; 0 of what is not followed yet."""
        return 0.0 if self.reader is None else self.timeline.unsettled()

    def expected_error(self) -> float | None:
        """How far off the shape on show may be, metres of the world; None where the model does not say."""
        state = self._shown_state()
        found = self.method.expected_error(state) if isinstance(self.method, KnowsItsError) else None
        if found is None:
            return None
        return found * self._scale()

    def error_now(self) -> Floats | None:
        """How far off each vertex may be (V,), metres: at the frame on show where the model knows that, else
        typically. None where there is nothing to colour.
        """
        if self.vertex_error is None:
            return None
        state = self._shown_state()
        found = self.method.expected_errors(state) if isinstance(self.method, KnowsItsError) else None
        return self.vertex_error if found is None else found

    def error_shown(self, obj: bpy.types.Object) -> bool:
        """Whether places are to be coloured by how far off they typically are.

        Where that has failed, it is not tried again until the artist asks for it again.
        """
        settings = settings_of(obj)
        if not settings.show_typical_error:
            self.error_problem = None
            return False
        return self.vertex_error is not None and settings.playing and self.error_problem is None

    def preview_wanted(self, obj: bpy.types.Object, playing: bool) -> bool:
        """See `PreviewSwitch.wanted`."""
        linear = self.method.decoder is not None
        return self.output.preview.wanted(obj, playing, linear=linear, coloured=self.error_shown(obj))

    def places(self) -> list[Place]:
        """Where positions were in training and are at the frame on show; none where that is not known."""
        trained, y = self.trained_range, self._shown_y()
        if trained is None or y is None:
            return []
        slices, world_from_frame = trained.channels.slices(), self._world_from_frame()
        return [
            Place(*trained.place(name), at=y[slices[name]], world_from_frame=world_from_frame)
            for name in trained.places()
        ]

    def _shown_state(self) -> Any:  # noqa: ANN401 (each method has its own)
        """The state at the frame on show; None where there is none."""
        if self.reader is None or self.reader.frame is None:
            return None
        found = self.timeline.at_hand(self.reader.frame)
        return None if found is None else found.state

    def _shown_y(self) -> Floats | None:
        """y (e,) of the model at the frame on show; None where there is none."""
        if self.reader is None or self.reader.frame is None:
            return None
        y = self.timeline.recorded(self.reader.frame)
        return None if y is None else y[: self.model.info.channels.size]

    def _world_from_frame(self) -> Doubles:
        return np.linalg.pinv(self._following.binding.sampler.frame_from_world())

    def _numbers(self, moment: Moment) -> Numbers:
        """What the model says of what was just shown."""
        found = self.timeline.at_hand(moment.frame)
        state = None if found is None else found.state
        errors = self.method.expected_errors(state) if isinstance(self.method, KnowsItsError) else None
        return Numbers(
            outside=self.outside,
            error=self.expected_error(),
            errors=None if errors is None else np.float32(self._scale()) * errors,
            coefficients=self.timeline.coefficients(moment.frame, moment.subframe),
        )

    def _scale(self) -> float:
        """Metres of the world for one of the reference frame."""
        return float(np.cbrt(abs(np.linalg.det(self._world_from_frame()[:3, :3]))))

    @property
    def _following(self) -> InteractionReader:
        assert self.reader is not None  # `follow` comes first
        return self.reader

    def _wanted(
        self,
        what: What,
        stepping: Stepping[list[FrameState]],
        ys: Sequence[Floats],
        bases: int,
        *,
        decoded: bool,
    ) -> Wanted[What]:
        timings = self.output.timings
        return Wanted(what, self.plays_like, self.timeline, timings, stepping, ys, bases, decoded)

    def _bind(self, scene: bpy.types.Scene, obj: bpy.types.Object) -> bool:
        """Follow the scene and the settings; whether anything had changed.

        Raises Problem("interactions_too_many" | "model_reacts_to_too_much" | "interaction_missing" |
        "channel_not_sampled").
        """
        cloth_capsules = self._cloth_capsules
        setup = setup_of(scene, obj, cloth_capsules)
        if self.reader is not None and setup == self.reader.binding.setup:
            return False
        self.reader = None
        check_channels(obj, self.model.info.channels, self.model.path)
        self._make_ready(cloth_capsules, setup.bound)
        info, projection = self.model.info, self.output.projection
        binding = Binding(obj, setup, info, self.method, projection=projection, cloth_capsules=cloth_capsules)
        followed = list(binding.followed.values())
        self._predictor = FramePredictor(binding.timeline, binding.sampler, followed, self.output.timings)
        self.reader = InteractionReader(binding)
        return True

    def _make_ready(self, cloth_capsules: CapsuleSampler | None, bound: Iterable[str]) -> None:
        """Make the method ready for y with these capsules, if it is not."""
        own = self.model.info.channels.channels
        taken = {*bound, *(channel.name for channel in own)}
        capsules = cloth_capsules.channels(taken) if cloth_capsules is not None else ()
        if self.method.channels.channels != (*own, *capsules):
            self._run_with(load_method(self.model, capsules) if capsules else self._loaded.method())

    def _run_with(self, method: Method) -> None:
        self.method = method
        self._live = live_settings_of(method, self._specification)

    def _is_set_otherwise(self, scene: bpy.types.Scene, obj: bpy.types.Object) -> bool:
        """Whether settings that show are others than when something was shown last."""
        if self.output.projection.out_of_date or settings_of(obj).bases_shown != self._bases:
            return True
        if self._live is not None and self._live.out_of_date(obj):
            return True
        if setup_of(scene, obj, self._cloth_capsules) != self._following.binding.setup:
            return True
        return self._looks_ahead(obj) != self.timeline.looks_ahead

    def _looks_ahead(self, obj: bpy.types.Object) -> bool:
        """Whether it should. Raises Problem("interaction_missing")."""
        wanted = self.method.look_ahead > 0 and settings_of(obj).look_ahead
        return wanted and self._following.binding.look_ahead_obstacle(obj) is None

    def _shown(self, frame: int, y: bytes, mesh: bpy.types.Mesh) -> Shown:
        placed = b"" if self._object_from_frame is None else self._object_from_frame.tobytes()
        return Shown(frame, y, placed, self._bases, mesh.session_uid)

    @property
    def _cloth_capsules(self) -> CapsuleSampler | None:
        """The capsules that a method which simulates collides with; None for none."""
        return self.output.projection.sampler if self._specification.simulates else None


def _other_mesh(vertex_count: int, obj: bpy.types.Object) -> Problem:
    found = len(mesh_data(obj).vertices)
    return Problem("model_other_object", object=obj.name, expected=vertex_count, found=found)
