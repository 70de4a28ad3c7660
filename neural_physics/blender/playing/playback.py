"""Play: an object shows its model's motion in place of its physics."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path

import bpy

from ...errors import Problem
from ...models.model_file import simulation_ms
from ...models.trained_range import Beyond
from ..jobs import host
from ..scene.live_fabric import live_names
from ..scene.modifiers.cache_modifier import remove_cache
from ..scene.modifiers.modifier_stack import check_play_place, play_place, restore_physics, switch_off_physics
from ..scene.simulation_caches import check_visits
from ..settings.having_settings import having_settings
from ..settings.properties import NEURALPHYSICS_PG_object, settings_of
from . import handlers
from .collision_suspension import resume_collisions, suspend_collisions
from .handlers import PLAYED, register, unregister
from .output import geometry_nodes
from .output.numbers import remove_numbers
from .output.position_places import give_place, positions_mesh, take_place
from .session import PlaySession

__all__ = [
    "PlayStatus",
    "attach",
    "catch_up",
    "check_play",
    "detach",
    "register",
    "status_of",
    "unregister",
]


@dataclass(frozen=True, kw_only=True)
class PlayStatus:
    """What the panel shows of an object that plays, or could.

    method: of the model that plays, "" where none is loaded. problem: why it stands still. warning: what
    would make the result wrong later. behind: frames to catch up before the current one can be shown.
    outside: the share of the numbers, 0 to 1, that had to be clipped to what was trained. beyond: what is
    noticeably outside the trained range, by name, where the model knows that range. unsettled: the share of
    the frames at hand, 0 to 1, whose step was not solved to the end. has_places: whether it knows that range
    of positions. has_error: whether it knows how far off each vertex typically is.
    expected_error: how far off the shape on show may be, metres, None where the model does not know.
    unused: live settings that make no difference to the model. step_us,
    decode_us, push_us: microseconds, see `Timings`. bases: how many there are. deep, wedged: vertices left
    inside capsules, see `Projection`. behind_layers: vertices left behind layers, see `Layering`.
    previewed: whether it is drawn by the graphics card now. linear: whether shapes are mixed, of which fewer
    can be taken. live: what of its cloth can be changed now, names in `fabric_ranges.LIVE`. collides:
    whether what is simulated collides with the object's capsules.
    frame_ms: milliseconds that the model takes for a frame. simulation_ms: those that a frame of the
    simulation took when it was baked, 0 where the model does not say.
    can_look_ahead: whether its method does, where later frames are known; not_ahead: why that is nowhere, or
    from some frame on, not so.
    """

    playing: bool
    method: str = ""
    problem: Problem | None = None
    warning: Problem | None = None
    behind: int = 0
    outside: float = 0.0
    unsettled: float = 0.0
    beyond: dict[str, Beyond] = field(default_factory=dict)
    has_places: bool = False
    has_error: bool = False
    expected_error: float | None = None
    unused: frozenset[str] = frozenset()
    step_us: float = 0.0
    decode_us: float = 0.0
    push_us: float = 0.0
    bases: int = 0
    deep: int = 0
    wedged: int = 0
    behind_layers: int = 0
    previewed: bool = False
    linear: bool = True
    live: tuple[str, ...] = ()
    collides: bool = False
    frame_ms: float = 0.0
    simulation_ms: float = 0.0
    can_look_ahead: bool = False
    not_ahead: Problem | None = None


def check_play(obj: bpy.types.Object) -> None:
    """Raise the Problem that keeps an object from playing (see `PlaySession`)."""
    PlaySession(obj, PLAYED.models)


def attach(obj: bpy.types.Object) -> None:
    """Play an object's model; on one that plays already, its model is read again.

    The physics is switched off and a Geometry Nodes modifier put in its place; colliders rest.
    Raises what `check_play_place` and `PlaySession` do; then nothing has changed.
    """
    check_play_place(obj)
    PLAYED.start(obj)
    settings = settings_of(obj)
    remove_cache(obj)
    geometry_nodes.add_modifier(obj, play_place(obj))
    give_place(obj)
    switch_off_physics(obj)
    settings.playing = True
    _lock_interface(settings)
    if not waits():
        suspend_collisions()
    handlers.show_current_frame()


def waits() -> bool:
    """Whether what plays waits for the artist to ask for motion, see `Consent`."""
    return PLAYED.waits


def go_on() -> None:
    """The artist asks for motion: show it now, though something else in the file may write on disk."""
    PLAYED.go_on()
    if PLAYED.sessions():
        suspend_collisions()
    handlers.show_current_frame()


def may_deliver(folder: Path, kind: str) -> bool:
    """Whether what comes of a job may be shown: files beside a stranger's scene may say that one has ended.

    What was begun here, in this file, may where nothing waits; all else until the artist asks for motion.
    """
    return (host.began_here(folder, kind) and not waits()) or PLAYED.consent.is_given


def detach(obj: bpy.types.Object) -> list[bpy.types.Modifier]:
    """Stop playing: the object is as it was before `attach`, but for what `restore_physics` returns."""
    PLAYED.stop(obj)
    settings = settings_of(obj)
    settings.playing = False
    _unlock_interface(settings)
    remove_numbers(obj, positions_mesh(obj) if obj.type == "MESH" else None)
    take_place(obj)
    geometry_nodes.remove_modifier(obj)
    left = restore_physics(obj)
    resume_collisions()
    return left


def _lock_interface(settings: NEURALPHYSICS_PG_object) -> None:
    """Renders are to show what plays: while one runs, nothing else may change the frame."""
    scene = bpy.context.scene
    if scene is not None and not scene.render.use_lock_interface:
        scene.render.use_lock_interface = settings.locked_interface = True


def _unlock_interface(settings: NEURALPHYSICS_PG_object) -> None:
    """What Play locked; another object that still plays takes that over."""
    scene = bpy.context.scene
    if scene is None or not settings.locked_interface:
        return
    settings.locked_interface = False
    others = [obj for obj in having_settings(scene.objects) if settings_of(obj).playing]
    if others:
        settings_of(others[0]).locked_interface = True
    else:
        scene.render.use_lock_interface = False


def status_of(obj: bpy.types.Object) -> PlayStatus:
    """How an object's playing goes, for the panel."""
    session, playing = PLAYED.session_of(obj), settings_of(obj).playing
    if session is None:
        return PlayStatus(playing=playing, problem=PLAYED.problem_of(obj))
    return PlayStatus(
        playing=playing,
        method=session.model.info.method,
        problem=session.problem,
        warning=_warning(session),
        behind=session.behind,
        outside=session.outside,
        unsettled=session.unsettled(),
        beyond=session.beyond(),
        has_places=session.trained_range is not None and bool(session.trained_range.places()),
        has_error=session.vertex_error is not None,
        expected_error=session.expected_error(),
        unused=session.unused_settings,
        step_us=session.output.timings.step_us,
        decode_us=session.output.timings.decode_us,
        push_us=session.output.push_us,
        bases=session.method.basis_count,
        deep=session.output.projection.deep,
        wedged=session.output.projection.wedged,
        behind_layers=session.output.layering.deep,
        previewed=session.output.preview.on,
        linear=session.method.decoder is not None,
        live=live_names(session.method.channels),
        collides=session.collides,
        frame_ms=session.output.frame_ms,
        simulation_ms=simulation_ms(session.model),
        can_look_ahead=session.method.look_ahead > 0,
        not_ahead=session.not_ahead(obj),
    )


def catch_up(scene: bpy.types.Scene) -> Generator[tuple[int, int], None, None]:
    """Visit the frames that are missing before the scene's one; yields how many are done, of how many.

    For long waits that are to be seen, and stopped by closing the iterator. The scene ends where it was.
    Raises what `check_visits` does.
    """
    waited = waits()
    PLAYED.go_on()
    if waited:
        handlers.show_current_frame()  # it was not looked at what is missing
    frame, subframe = scene.frame_current, scene.frame_subframe
    frames = PLAYED.missing(scene)
    if frames:
        check_visits()
        try:
            for done, missing in enumerate(frames, 1):
                scene.frame_set(missing)
                yield done, len(frames)
        finally:
            scene.frame_set(frame, subframe=subframe)
    # Steps of a slow model that there was no time for; what was stepped to is kept.
    most = left = PLAYED.behind()
    if left:
        check_visits()
    while left:
        yield most - left, most
        scene.frame_set(frame, subframe=subframe)
        before, left = left, PLAYED.behind()
        if left >= before:
            break


def _warning(session: PlaySession) -> Problem | None:
    if waits():
        return Problem("play_waits", object=session.name)
    if session.behind:
        return Problem("catch_up_needed", object=session.name, frames=session.behind)
    for followed in sorted(session.followed, key=lambda followed: followed.name):
        source = followed.there()
        if source is not None and source.hide_viewport:
            return Problem("interaction_hidden", object=session.name, interaction=source.name)
    showing, sizes = session.output, session.size_problem()
    on_card = session.error_problem, showing.preview.problem, showing.card_problem
    for problem in (sizes, showing.projection.problem, showing.layering.problem, *on_card):
        if problem is not None:
            return problem
    scene = bpy.context.scene
    if scene is not None and not bpy.app.background and not scene.render.use_lock_interface:
        return Problem("lock_interface_off", object=session.name)
    return None
