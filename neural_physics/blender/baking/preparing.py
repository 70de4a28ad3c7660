"""Preparing a bake: the copy of the scene, the dataset's folder and the plan; nothing is simulated here."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import bpy

from ...baking.choice import write_guide
from ...baking.handing_over import gather, scene_begun
from ...baking.own_files import check_made_by_bakes, clear_holders
from ...baking.plan import (
    FEWEST_FRAMES,
    AlsoBaked,
    BakePlan,
    PlannedTake,
    check_own_folders,
    plan_takes,
    take_names,
)
from ...baking.pose_plan import plan_poses, pose_take_names
from ...datasets.dataset_info import TakeInfo, read_take_info
from ...datasets.own_take_files import remove_take
from ...datasets.take_folders import holders_folder, side_folder
from ...datasets.takes import Dataset
from ...errors import Problem
from ...files.atomic import writing
from ...files.blenders_places import BELOW_DATASET, check_blenders, check_fluids_place
from ...files.links import check_unmoved
from ...jobs.isolated_python import run_module
from ...wording import plural
from ..jobs import programs
from ..scene.collider_meshes import check_colliders
from ..scene.rigs.rig_actions import kept_for_testing, with_unused_actions
from ..scene.rigs.skins import check_skin, simulated_mesh
from ..scene.sampling import layout_of
from ..scene.saving import check_no_sculpt_elsewhere
from ..scene.simulation_caches import (
    caches_are_animated,
    caches_of,
    check_saved_elsewhere,
    has_fluid,
    kept_by_libraries,
)
from ..scene.sources import check_target, uses_solver
from ..settings.motions import is_wind
from ..settings.paths import dataset_folder
from ..settings.properties import settings_of
from .bake_datasets import KEPT, dataset_for, datasets_of_others
from .guide import MOTIONS, guide_of
from .local_programs import BY_THE_SOLVER, local_programs
from .motion.frame_rates import check_frame_rate
from .motion.pose_motion import check_poses, poses_asked_for
from .motion.training_motion import animation_end, check_training_motion, motion_varies, moving_takes
from .scene_copy import first_frame, noisy_winds, save_copy
from .seals import Trust, is_sealed, key_file
from .solver_request import solver_request
from .trust import holds_scripts, scripts_may_run

MOST_STILL = 8  # objects that are told of


def prepare_bake(scene: bpy.types.Scene, obj: bpy.types.Object) -> list[str]:
    """Write the copy of the scene and the plan beside the takes; returns the job's command.

    Takes that have frames are finished with the scene they were begun with; those without any frame that
    can be learned from are baked again.
    Raises every Problem that can be known before anything is simulated, among them
    Problem("dataset_made_otherwise" | "place_not_blenders").
    """
    _update_layer(scene)
    _check_caches(obj, dataset_folder(obj))
    view_layer = check_bake(scene, obj)
    folder = check_blenders(dataset_folder(obj).resolve(), BELOW_DATASET)
    check_own_folders(folder)
    check_made_by_bakes(side_folder(folder))
    dataset, asked = dataset_for(scene, obj, folder)
    if dataset.path != folder:
        raise Problem("place_is_link", path=folder)
    settings = settings_of(obj)
    count = moving_takes(obj)
    poses = poses_asked_for(obj)
    names = [*take_names(count), *pose_take_names(poses)]
    elsewhere = gather(dataset, names)
    discarded = _discard_useless(dataset, [name for name in names if name not in elsewhere])
    existing = {**_begun_takes(dataset), **elsewhere}
    if not existing:  # what the dataset says of itself may be of a bake that came to nothing
        dataset.describe_anew(asked, simulated_mesh(obj))
    together = datasets_of_others(scene, obj, view_layer, dataset.path)
    takes = (
        *plan_takes(existing, count, settings.take_frames, settings.seed),
        *plan_poses(existing, poses, settings.seed),
    )
    notes = (
        *_notes(scene, obj),
        *discarded,
        *_notes_of(takes, existing, varies=motion_varies(obj)),
        *_notes_on_kept(dataset, obj, existing),
        *_notes_on_scenes(dataset, existing),
        *_notes_on_others(together),
    )
    fresh = _needs_scene(takes, existing)
    guide = guide_of(obj, dataset) if fresh and motion_varies(obj) else None
    plan = _plan(scene, obj, dataset, takes, view_layer=view_layer, notes=notes)
    return _written(scene, obj, replace(plan, together=together), copied=fresh, guide=guide)


def _plan(
    scene: bpy.types.Scene,
    obj: bpy.types.Object,
    dataset: Dataset,
    takes: tuple[PlannedTake, ...],
    *,
    view_layer: bpy.types.ViewLayer,
    notes: tuple[str, ...],
) -> BakePlan:
    return BakePlan(
        dataset.path,
        object=obj.name,
        scene=scene.name,
        view_layer=view_layer.name,
        takes=takes,
        by_solver=uses_solver(obj),
        parallel=settings_of(obj).parallel_takes,
        notes=notes,
        makes=local_programs(by_solver=False).makes,
    )


def _written(
    scene: bpy.types.Scene,
    obj: bpy.types.Object,
    plan: BakePlan,
    *,
    copied: bool = True,
    guide: bytes | None = None,
) -> list[str]:
    """Write the plan, what the solver is asked for, and the copy of the scene; the job's command.

    guide: the model that chooses the motion of new takes, None to leave it to chance.
    """
    if copied:
        check_no_sculpt_elsewhere()  # before there is a plan
    if guide is not None:
        plan = replace(plan, motions=MOTIONS)
    plan.write()
    if guide is not None:
        write_guide(plan, guide)
    if uses_solver(obj):
        solver_request(scene, obj).write(plan.request)
    if copied:
        trust = Trust(key_file(), scripts=scripts_may_run())  # first: asking takes its time
        with with_unused_actions(obj):
            check_unmoved(plan.scene_copy.parent)
            trust.seal(plan.scene_copy, save_copy(plan.scene_copy))
    return work_command(plan.dataset, by_solver=plan.by_solver)


def work_command(dataset: Path, *, by_solver: bool, more: tuple[str, ...] = ()) -> list[str]:
    """The job that bakes what is left of a plan, here. more: arguments of `baking.work`."""
    here = local_programs(by_solver=by_solver)
    command = run_module(sys.executable, "neural_physics.baking.work")
    return [*command, "--programs", here.to_text(), *more, str(dataset)]


def prepare_trial(scene: bpy.types.Scene, obj: bpy.types.Object, folder: Path, frames: int) -> list[str]:
    """`prepare_bake` for the beginning of the first take alone, into an empty folder of its own."""
    _update_layer(scene)
    _check_caches(obj, folder)
    view_layer = check_bake(scene, obj)
    check_blenders(folder.resolve(), BELOW_DATASET)
    dataset, _ = dataset_for(scene, obj, folder)
    takes = plan_takes({}, 1, frames, settings_of(obj).seed)
    return _written(scene, obj, _plan(scene, obj, dataset, takes, view_layer=view_layer, notes=()))


def check_bake(scene: bpy.types.Scene, obj: bpy.types.Object) -> bpy.types.ViewLayer:
    """Raise the Problem that keeps an object from being baked; the view layer it is seen in.

    Those of `sources.check_target`, `skins.check_skin`, `sampling.layout_of`, `frame_rates`,
    `training_motion` and `pose_motion.check_poses`, where the bundled solver simulates those of
    `collider_meshes.check_colliders` and `programs.require_ml_backend`, and
    Problem("object_not_in_scene" | "interaction_missing" | "interaction_hidden" | "frames_too_few").
    """
    check_target(obj)
    view_layer = view_layer_of(scene, obj)
    check_skin(obj)
    layout_of(obj)
    settings = settings_of(obj)
    for item in settings.interactions:
        if item.object.name not in view_layer.objects:
            raise Problem("interaction_missing", object=obj.name, interaction=item.object.name)
        if _acts(item.object) and _is_disabled(item.object):
            raise Problem("interaction_hidden", object=obj.name, interaction=item.object.name)
    frame = settings.frame_object
    if frame and frame.name not in view_layer.objects:
        raise Problem("interaction_missing", object=obj.name, interaction=frame.name)
    check_frame_rate(scene, obj)
    if settings.take_frames < FEWEST_FRAMES:
        raise Problem("frames_too_few", object=obj.name, needed=FEWEST_FRAMES)
    check_training_motion(obj)
    check_poses(obj)
    if uses_solver(obj):
        check_colliders(scene, obj)
        programs.require_ml_backend(BY_THE_SOLVER)
    return view_layer


def view_layer_of(scene: bpy.types.Scene, obj: bpy.types.Object) -> bpy.types.ViewLayer:
    """The one that an object is seen in. Raises Problem("object_not_in_scene")."""
    found = next((layer for layer in _view_layers(scene) if obj.name in layer.objects), None)
    if found is None:
        raise Problem("object_not_in_scene", object=obj.name, layer=scene.view_layers[0].name)
    return found


def _check_caches(obj: bpy.types.Object, folder: Path) -> None:
    """Not in `check_bake`, which panels ask at each redraw: it goes through all curves."""
    if caches_are_animated():
        raise Problem("bake_cache_animated", object=obj.name)
    check_saved_elsewhere()
    if any(map(has_fluid, bpy.data.objects)):
        check_fluids_place(folder)


def _update_layer(scene: bpy.types.Scene) -> None:
    """Let what was just linked, hidden or removed show in the view layer that the artist works in.

    Others stay as they are: nobody looks at them, and what they simulate may write.
    """
    _view_layers(scene)[0].update()


def _acts(mover: bpy.types.Object) -> bool:
    """Whether an object acts by itself, and not only through a modifier of what it moves."""
    return is_wind(mover) or any(modifier.type == "COLLISION" for modifier in mover.modifiers)


def _is_disabled(obj: bpy.types.Object) -> bool:
    """Disabled in the viewport, which is more than hidden: Blender neither moves it nor lets it act."""
    return obj.hide_viewport or all(collection.hide_viewport for collection in obj.users_collection)


def _view_layers(scene: bpy.types.Scene) -> list[bpy.types.ViewLayer]:
    """The one that the artist works in first."""
    current = bpy.context.view_layer if bpy.context.scene == scene else None
    return [*([current] if current else []), *scene.view_layers]


def _discard_useless(dataset: Dataset, names: list[str]) -> list[str]:
    """Delete takes that a mended scene would otherwise never replace; what is to be said about them.

    Begun ones without frames, with the scenes made for them, and complete ones that exploded throughout.
    """
    useless: dict[str, str] = {}  # why, by take
    begun = dataset.take_names()
    for name in names:
        begun_in = holders_folder(dataset.path, name)
        take = dataset.outline(name) if name in begun else None
        if take is not None and take.is_kept:
            continue
        with writing(dataset.path):
            clear_holders(dataset.path, begun_in)
            if take is not None:
                remove_take(dataset.path, dataset.path / "takes" / name)
        if take is not None and take.info.complete:
            useless[name] = ", ".join(sorted({e.reason for e in take.info.excluded}))
    if not useless:
        return []
    reasons = ", ".join(dict.fromkeys(useless.values()))
    return [f"{', '.join(useless)} had no usable frames ({reasons}): baked again."]


def _begun_takes(dataset: Dataset) -> dict[str, TakeInfo]:
    """All takes there are; one whose scene was lost cannot go on and ends with the frames it has."""
    takes = {}
    for name in dataset.take_names():
        info = read_take_info(dataset.path / "takes" / name)
        if not info.complete and scene_begun(dataset.path, name) is None:
            with dataset.writer(name, info) as writer:
                writer.end_here()
            if writer.count < FEWEST_FRAMES:
                with writing(writer.folder):
                    remove_take(dataset.path, writer.folder)
                continue
            info = replace(info, frames=writer.count, complete=True)
        takes[name] = info
    return takes


def _needs_scene(takes: tuple[PlannedTake, ...], existing: dict[str, TakeInfo]) -> bool:
    return any(take.name not in existing for take in takes)


def _notes(scene: bpy.types.Scene, obj: bpy.types.Object) -> list[str]:
    notes = [
        f"The noise of {wind.name} was set to 0 in the baked copy, since noise cannot be learned."
        for wind in noisy_winds(scene)
    ]
    if not motion_varies(obj) and settings_of(obj).take_count > 1:
        notes.append(
            f"Only one take is baked: everything that {obj.name} reacts to keeps its animation, "
            "so all takes would be the same."
        )
    if holds_scripts() and not scripts_may_run():
        notes.append(
            "Python in this file (drivers, scripts) was disabled during the bake. If you trust the "
            "file: switch on Preferences > Save & Load > Auto Run Python Scripts, open the file "
            "again, delete the dataset, and bake again."
        )
    return [*notes, *_notes_on_animation(obj), *_notes_on_libraries()]


def _notes_on_libraries() -> list[str]:
    """What is simulated in other files has its frames there, and no bake writes any."""
    fluids = [each for each in bpy.data.objects if each.library is not None and has_fluid(each)]
    others = [each for each in kept_by_libraries() if any(True for _ in caches_of(each))]
    ways = [(each, "Make it local") for each in fluids]
    ways += [(each, "Bake it in that file, or make it local") for each in others if each not in fluids]
    return [
        f"{each.name} is simulated in another file ({each.library.name}), and stands still in "
        f"the takes. {way}, if {each.name} is to move in them."
        for each, way in ways[:MOST_STILL]
        if each.library is not None
    ]


def _notes_on_animation(obj: bpy.types.Object) -> list[str]:
    """What a take that is longer than the scene's animation mostly shows is stillness."""
    settings = settings_of(obj)
    kept = [item.object for item in settings.interactions if item.object and item.motion == "KEEP"]
    if settings.moving_frame:
        kept.append(settings.frame_object or obj)
    last = first_frame(obj) + settings.take_frames - 1
    ends = {mover: animation_end(mover) for mover in dict.fromkeys(kept)}
    return [
        f"The animation of {mover.name} ends at frame {end:.0f}, but the takes continue to frame {last}: "
        f"lower Frames per Take, or extend the animation of {mover.name}."
        for mover, end in ends.items()
        if end is not None and end < last
    ]


def _notes_on_others(together: tuple[AlsoBaked, ...]) -> list[str]:
    if not together:
        return []
    names = ", ".join(also.object for also in together)
    return [f"Baked together with it, each into a dataset of its own: {names}."]


def _notes_of(takes: tuple[PlannedTake, ...], existing: dict[str, TakeInfo], *, varies: bool) -> list[str]:
    """A note that nothing is left to do, if all takes are baked already; else none."""
    if not all(take.name in existing and existing[take.name].complete for take in takes):
        return []
    more = "raise Takes" if varies else "let something wander or play actions"
    return [
        f"Nothing left to do, all that was requested ({plural(len(takes), 'take')}) is baked: "
        f"{more} for more, or delete the dataset to bake again from scratch."
    ]


def _notes_on_kept(dataset: Dataset, obj: bpy.types.Object, existing: dict[str, TakeInfo]) -> list[str]:
    """What was kept for testing later on, takes that are there may have learned from."""
    before, now = dataset.info.provenance.get(KEPT, ""), kept_for_testing(obj)
    if not existing or before == now:
        return []
    return [
        f"The existing takes were baked with {before or 'no action'} reserved for testing, which is now "
        f"{now or 'none'}: delete the dataset and bake again to use it in all of them."
    ]


def _notes_on_scenes(dataset: Dataset, existing: dict[str, TakeInfo]) -> list[str]:
    """In which scenes scripts do not run, although they would in the artist's."""
    if not scripts_may_run():
        return []
    begun = (name for name, info in existing.items() if not info.complete)
    scenes = {name: scene_begun(dataset.path, name) for name in begun}
    others = [name for name, scene in scenes.items() if scene and not is_sealed(scene, key_file())]
    if not others:
        return []
    return [
        f"The scenes that {', '.join(others)} began with were not made on this computer, or not with Python "
        "allowed to run, so that Python of their own does not run in them. If it should, delete the dataset "
        "and bake again."
    ]
