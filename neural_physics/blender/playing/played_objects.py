"""All objects that play, and what happens when the frame changes or something is edited.

One visit of a frame: look at what moves each object, sample the frames that are missing before it,
then step, decode and write. Nothing here raises: what goes wrong is kept as the object's problem.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from time import perf_counter
from typing import cast

import bpy

from ...errors import Problem
from ...methods.loaded_models import LoadedModels
from ...plain_text import print_line
from ...timeline.stepping import OutOfTime, together
from ..jobs.timers import in_window
from ..scene.evaluated import nameable
from ..scene.references import search_again
from ..scene.setting_up import keep_names
from ..scene.simulation_caches import check_visits
from ..settings.edits import note_edit
from ..settings.from_files.readable_names import readable_name
from ..settings.having_settings import has_settings, having_settings
from ..settings.overridden import misdirected, redirect
from ..settings.properties import settings_of
from .collision_suspension import collides, resume_collisions
from .consent import Consent
from .crowds import Wanted, given
from .frame_prediction import Predicted, Preparation
from .interaction_reader import InteractionReader, Visit, span
from .layer_order import by_layer
from .output.position_places import give_place
from .output.shape_output import Moment
from .packing import identity_of
from .session import PlaySession

LONGEST_WAIT = 1.0  # seconds that catching up may hold up an artist who only changed the frame
LONGEST_STEPS = 10.0  # seconds that a frame's steps and shapes may take, where nobody can stop them
SHORT_WAIT = 0.1  # seconds of reading further ahead than the frame needs: where frames follow on, they will

Followed = tuple[PlaySession, bpy.types.Object, InteractionReader]


class PlayedObjects:
    """The sessions of this file, by the object's session_uid. models: those that they play."""

    def __init__(self) -> None:
        self._sessions: dict[int, PlaySession] = {}
        self._problems: dict[int, Problem] = {}  # of objects that should play and have no session
        self._predicted: dict[int, Predicted] = {}  # for the visit that follows, and for no other
        self._catching_up: Visit | None = None  # the one that others are visited for
        self.consent = Consent(lambda: bool(self._sessions) or any(_said_to_play()))
        self.models = LoadedModels()

    def session_of(self, obj: bpy.types.Object) -> PlaySession | None:
        """The session of an object that plays."""
        return self._sessions.get(obj.session_uid)

    def sessions(self) -> list[PlaySession]:
        """The sessions of all objects that play."""
        return list(self._sessions.values())

    def movers(self) -> list[bpy.types.Object]:
        """What the objects that play react to."""
        found = [source.there() for session in self._sessions.values() for source in session.followed]
        return sorted({obj for obj in found if obj is not None}, key=lambda obj: obj.name_full)

    def problem_of(self, obj: bpy.types.Object) -> Problem | None:
        """Why an object that should play stands still."""
        session = self.session_of(obj)
        return session.problem if session else self._problems.get(obj.session_uid)

    def sound_session(self, obj: bpy.types.Object) -> PlaySession:
        """The session of an object that plays, without trouble.

        Raises Problem("not_playing") and what keeps it from playing.
        """
        session, problem = self.session_of(obj), self.problem_of(obj)
        if problem is not None:
            raise problem
        if session is None:
            raise Problem("not_playing", object=obj.name)
        return session

    @property
    def waits(self) -> bool:
        """Whether nothing is shown before the artist asks for it."""
        return self.consent.waits

    def go_on(self) -> None:
        """The artist has asked for motion: see `Consent`. What was left undone meanwhile is done."""
        self.consent.give(bpy.context.scene)
        meant = misdirected()
        free = set(nameable(each for _, _, each in meant))
        redirect(each for each in meant if each[2] in free)
        self.rebuild()
        self.settle_previews(animation_plays())
        resume_collisions(asked=True)

    def start(self, obj: bpy.types.Object) -> PlaySession:
        """A new session for an object. Raises what `PlaySession` does."""
        self.consent.note_start()
        session = self._begin(obj)
        if not self.waits:
            keep_names(obj, session.model.info.channels)
        return session

    def _begin(self, obj: bpy.types.Object, topologies: dict[int, str] | None = None) -> PlaySession:
        """topologies: see `check_belongs`."""
        self.stop(obj)
        session = PlaySession(obj, self.models, topologies)
        self._sessions[obj.session_uid] = session
        return session

    def stop(self, obj: bpy.types.Object) -> None:
        """End an object's session; harmless where there is none."""
        self._sessions.pop(obj.session_uid, None)
        self._problems.pop(obj.session_uid, None)

    def clear(self) -> None:
        """End all sessions."""
        search_again()
        self._sessions.clear()
        self._problems.clear()

    def rebuild(self) -> None:
        """A session of its present model for each object whose settings say Play; end the others."""
        self._problems.clear()
        playing = list(_said_to_play())
        self._sessions = {
            obj.session_uid: session
            for obj in playing
            if (session := self.session_of(obj)) and session.model_identity == identity_of(obj)
        }
        topologies: dict[int, str] = {}  # a crowd may share one mesh
        fresh = [obj for obj in playing if obj.session_uid not in self._sessions]
        if fresh:
            self.consent.note_start()
        for obj in fresh:
            try:
                self._begin(obj, topologies)
            except Exception as error:  # noqa: BLE001 (a file may hold anything, and others are to play)
                self._problems[obj.session_uid] = _problem_of(error, readable_name(obj))
        for obj in playing if not self.waits else ():
            session = self.session_of(obj)
            if session is not None:
                with _KeepingProblem(session):
                    keep_names(obj, session.model.info.channels)
                    give_place(obj)  # one that was duplicated shares its mesh since

    def note_places(self) -> None:
        """The frame will change, and no handler has moved anything for it yet."""
        if self._catching_up or self.waits or animation_plays():
            return
        for session in self._sessions.values():
            if session.reader is not None:
                with suppress(Problem):  # the visit says what is missing
                    session.reader.note_places()

    def predict(self, scene: bpy.types.Scene) -> None:
        """Write what objects will show at the scene's frame, where that is known before it is evaluated."""
        if self._catching_up or self._waits_in(scene):
            return
        if scene.frame_current <= scene.frame_start:
            resume_collisions()  # simulations begin here; a script may have added one without notice
        self._predicted = {}
        if scene.frame_subframe:
            return
        alike = Counter(session.plays_like for session in self._sessions.values())
        wanted: list[Wanted[tuple[PlaySession, bpy.types.Object, Preparation]]] = []
        for session in self._sessions.values():
            obj = session.object() if session.problem is None else None
            if obj is not None:
                with _KeepingProblem(session):  # one that still holds at the visit is reported there
                    guess = session.guess(scene, obj, alike[session.plays_like])
                    if isinstance(guess, Preparation):
                        wanted.append(session.wanted_before(guess, (session, obj, guess)))
                    elif guess is not None:
                        self._predicted[session.uid] = session.predict(obj, scene.frame_current, guess)
        for each in given(wanted, _until(LONGEST_WAIT, patient=bpy.app.background)):
            session, obj, preparation = each.what
            if isinstance(each.found, OutOfTime):
                continue
            with _KeepingProblem(session):
                guess = session.prepared(preparation, each.states(), each.shapes)
                self._predicted[session.uid] = session.predict(obj, scene.frame_current, guess)

    def visit(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
        """Show every object as it is at the scene's frame."""
        if not self._sessions or self._waits_in(scene, depsgraph):
            return
        if self._catching_up:
            self._record_next(scene, depsgraph, self._catching_up)
            return
        rendering = depsgraph.mode == "RENDER"
        patient = rendering or bpy.app.background
        subframe = scene.frame_subframe
        # What moves an object may be hidden in renders: it is only read where the artist sees it.
        sampled = not rendering and subframe == 0.0
        visit = Visit(scene.frame_current, subframe, sampled, is_playing(depsgraph))
        others = self._not_as_predicted(scene, depsgraph, visit)
        if not others:
            return
        followed = self._present(scene, depsgraph, others)
        for session, obj, reader in followed:
            with _KeepingProblem(session):
                reader.look(obj, depsgraph, visit)
        missing = span(reader.needs(visit) for _, _, reader in _sound(followed))
        if missing and self.consent.may_visit:
            further = span(reader.further(visit, scene.frame_end) for _, _, reader in _sound(followed))
            self._catch_up(scene, visit, missing, further, patient=patient)
            if not rendering:
                # Blender 4.5 crashes later if the scene itself had changed, and is not evaluated again.
                scene.update_tag()
        wanted: list[Wanted[tuple[PlaySession, bpy.types.Object, Moment]]] = []
        for session, obj, reader in _sound(followed):
            session.behind = len(reader.needs(visit)) if missing else 0
            if session.behind and rendering:
                print_line(Problem("catch_up_needed", object=session.name, frames=session.behind).message)
            if session.behind == 0:
                with _KeepingProblem(session):
                    moment = session.record(obj, depsgraph, visit, bool(missing))
                    wanted.append(session.wanted(obj, moment, (session, obj, moment)))
        until = _until(LONGEST_STEPS, patient=patient)
        # Those that do not show it yet come first: so each visit gets further, however long a shape takes.
        wanted.sort(key=lambda each: each.what[0].shows(visit))
        begun = False
        for each in chain.from_iterable(given(level, until) for level in by_layer(wanted)):
            session, obj, moment = each.what
            late = begun and until is not None and perf_counter() > until
            if late or isinstance(each.found, OutOfTime):
                if not session.shows(visit):
                    session.behind, session.stale = max(1, session.timeline.unstepped(visit.frame)), True
                continue
            begun = True
            with _KeepingProblem(session):
                each.states()
                session.show(obj, moment, each.shapes, patient=patient)

    def _waits_in(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph | None = None) -> bool:
        if self._sessions:
            self.consent.note_scene(scene)
        if self.waits and depsgraph is not None and depsgraph.mode == "RENDER":  # where no panel says it
            for session in self._sessions.values():
                print_line(Problem("play_waits", object=session.name).message)
        return self.waits

    def edited(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
        """Show what an edit has changed, and forget what no longer holds after it."""
        if self._catching_up or depsgraph.mode == "RENDER" or bpy.app.is_job_running("RENDER"):
            return
        moved, animation = self._look_through(depsgraph)
        for session in self._sessions.values() if animation else ():
            if session.reader is not None:
                session.reader.note_keys_changed()
        if not self._sessions or self._waits_in(scene) or is_playing(depsgraph):
            return
        followed = self._present(scene, depsgraph, self._sessions.values())
        for session, obj, reader in followed:
            # On another frame than the last one seen, a frame change is under way, which looks itself.
            if session.frame == scene.frame_current and scene.frame_subframe == 0.0:
                with _KeepingProblem(session):
                    related = session.keyed or not moved.isdisjoint(session.sources)
                    animated = animation and (related or session.timeline.looks_ahead)
                    session.stale |= reader.edited(obj, depsgraph, animated)
                    session.stale |= session.output.layering.moved(obj, depsgraph)
        if any(session.stale for session, _, _ in _sound(followed)):
            if not self.missing(scene):
                self.visit(scene, depsgraph)
            elif not self.consent.may_visit:
                self.visit(scene, depsgraph)  # which says so
            elif not bpy.app.background and not bpy.app.timers.is_registered(_show_current_frame):
                # Another frame cannot be evaluated in the middle of this evaluation.
                bpy.app.timers.register(_show_current_frame, first_interval=0.0)

    def undone(self) -> None:
        """Show all afresh after an undo, which brought back the mesh and settings of before."""
        search_again()
        note_edit()
        self.consent.note_undo()
        self.rebuild()
        if self.waits:
            return
        self.settle_previews(False)
        for session in self._sessions.values():
            session.stale = True

    def begin_run(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
        """Playing starts: on the start frame with a new run, from where things stand now."""
        for _, _, reader in self._present(scene, depsgraph, self._sessions.values()):
            if scene.frame_current <= reader.timeline.start_frame:
                reader.begin_run()
        self.settle_previews(True)
        if not self.missing(scene):
            self.visit(scene, depsgraph)

    def previews_unsettled(self) -> bool:
        """Whether what is previewed is not what should be, as things are now."""
        if self.waits:
            return False
        playing = animation_plays()
        return any(
            session.output.preview.on != session.preview_wanted(obj, playing)
            for session in self._sessions.values()
            if (obj := session.object()) is not None
        )

    def settle_previews(self, playing: bool) -> None:
        """Preview what should be while the animation plays or not; all else is to be shown as a mesh.

        Nothing is changed of what waits, as it would be evaluated then.
        """
        if self.waits:
            return
        for session in self._sessions.values():
            obj = session.object()
            if obj is None:
                continue
            if session.preview_wanted(obj, playing):
                session.output.preview.on = True
            else:
                session.stale |= session.output.preview.on
                session.output.preview.end(obj)

    def behind(self) -> int:
        """How many frames are to be stepped to, or shown, of all objects together."""
        return sum(s.behind for s in self._sessions.values() if s.problem is None)

    def missing(self, scene: bpy.types.Scene) -> range:
        """The frames to visit, in this order, before the scene's frame can be shown."""
        frame, subframe = scene.frame_current, scene.frame_subframe
        visit = Visit(frame, subframe, sampled=subframe == 0.0, playing=False)
        sound = [s.reader for s in self._sessions.values() if s.problem is None]
        return span(reader.needs(visit) for reader in sound if reader is not None)

    def _not_as_predicted(
        self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, visit: Visit
    ) -> list[PlaySession]:
        """The sessions that have still to show what they should."""
        predicted, self._predicted = self._predicted, {}
        sessions = []
        for session in self._sessions.values():
            guess, matches = predicted.get(session.uid), False
            if guess is not None:
                with _KeepingProblem(session):  # one that still holds is reported again
                    matches = session.shows_as_predicted(guess, scene, depsgraph, visit)
            if not matches:
                sessions.append(session)
        return sessions

    def _present(
        self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, sessions: Iterable[PlaySession]
    ) -> list[Followed]:
        """The sessions whose objects are in this depsgraph, and without a problem so far."""
        followed = []
        for session in sessions:
            obj = session.object()
            if obj is None or not obj.evaluated_get(depsgraph).is_evaluated:
                continue
            session.problem = None
            with _KeepingProblem(session):
                session.follow(scene, obj)
            if session.reader is not None:
                followed.append((session, obj, session.reader))
        return list(_sound(followed))

    def _record_next(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, visit: Visit) -> None:
        if scene.frame_subframe:
            return
        for session, _, reader in self._present(scene, depsgraph, self._sessions.values()):
            with _KeepingProblem(session):
                reader.record_next(depsgraph, scene.frame_current, visit)

    def _catch_up(
        self, scene: bpy.types.Scene, visit: Visit, frames: range, further: range, *, patient: bool
    ) -> None:
        """Visit frames for `_record_next`, and come back; if not `patient`, for `LONGEST_WAIT` at most.

        further: more of them, that the visited frame does not need, as far as there is time.
        """
        started = perf_counter()
        self._catching_up = visit
        try:
            for missing in frames:
                scene.frame_set(missing)
                if not patient:
                    self._step_along(missing, started + LONGEST_WAIT)
                    if perf_counter() - started > LONGEST_WAIT:
                        break
            wait = LONGEST_WAIT if visit.playing or patient else SHORT_WAIT
            for later in range(frames.stop, further.stop):
                if perf_counter() - started > wait:
                    break
                scene.frame_set(later)
            scene.frame_set(visit.frame, subframe=visit.subframe)
        finally:
            self._catching_up = None

    def _step_along(self, frame: int, until: float) -> None:
        """Take the steps up to a frame that was caught up: with a slow model they take longer than it did."""
        readers = [s.reader for s in self._sessions.values() if s.problem is None and s.reader is not None]
        # What goes wrong there goes wrong once more where the state is asked for, and is reported then.
        following = [each for reader in readers if (each := reader.timeline.following(frame)) is not None]
        together(following, until)

    def _look_through(self, depsgraph: bpy.types.Depsgraph) -> tuple[set[str], bool]:
        """The names of the objects that moved, or whose shape keys did, and whether animation was edited.

        Notices Play switches.
        """
        moved, animation, switched, simulated, fewer = set(), False, False, False, not is_playing(depsgraph)
        keyed = any(isinstance(update.id, bpy.types.Key) for update in depsgraph.updates)
        for update in depsgraph.updates:
            data = update.id
            if data is not None and data.original is not None:
                self.consent.note_update(data.original)
            fewer |= isinstance(data, bpy.types.Collection | bpy.types.Scene)
            if isinstance(data, bpy.types.Action):
                animation = True
            elif isinstance(data, bpy.types.Object):
                if update.is_updated_transform or (keyed and update.is_updated_geometry):
                    moved.add(readable_name(data))
                obj = cast(bpy.types.Object, data.original)
                simulated |= update.is_updated_geometry and collides(obj)
                known = self.session_of(obj) is not None or self.problem_of(obj) is not None
                switched |= (has_settings(obj) and settings_of(obj).playing) != known
        if fewer:  # perhaps: objects may have been deleted
            for session in self._sessions.values():
                session.unsure = True
        if simulated and not self.waits:
            resume_collisions()
        if switched:
            self.rebuild()
        return moved, animation


@in_window
def _show_current_frame() -> None:
    scene = bpy.context.scene
    if scene is not None and not bpy.app.is_job_running("RENDER"):
        with suppress(Problem):  # something has come meanwhile
            check_visits()
            scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)


def _until(seconds: float, *, patient: bool) -> float | None:
    """When nobody is to wait any longer; None where nobody does."""
    return None if patient else perf_counter() + seconds


def _said_to_play() -> Iterator[bpy.types.Object]:
    return (obj for obj in having_settings(bpy.data.objects) if settings_of(obj).playing)


def is_playing(depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether the animation plays in a window, and not in a render."""
    return depsgraph.mode != "RENDER" and animation_plays()


def animation_plays() -> bool:
    """Whether the animation plays in a window."""
    if bpy.app.background:
        return False
    manager = bpy.context.window_manager
    return manager is not None and any(window.screen.is_animation_playing for window in manager.windows)


def _sound(followed: Iterable[Followed]) -> Iterator[Followed]:
    return (each for each in followed if each[0].problem is None)


class _KeepingProblem:
    """What goes wrong in a handler is shown in the panel: raised, it would only be lost in a console."""

    def __init__(self, session: PlaySession) -> None:
        self._session = session

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> bool:
        if isinstance(error, Exception):
            self._session.problem = _problem_of(error, self._session.name)
        return isinstance(error, Exception)


def _problem_of(error: Exception, name: str) -> Problem:
    """What went wrong with an object, in a sentence."""
    if isinstance(error, Problem):
        return error
    return Problem("play_failed", object=name, reason=f"{type(error).__name__}: {error}")
