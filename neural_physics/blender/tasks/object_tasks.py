"""The long tasks of an object as jobs: what stands in their way, and their command lines."""

from __future__ import annotations

import shutil
from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import bpy

from ...baking.handing_over import gather
from ...baking.own_files import check_made_by_bakes
from ...baking.plan import check_own_folders
from ...datasets import importing
from ...datasets.dataset_info import Role
from ...datasets.own_take_files import check_take_own
from ...datasets.pace import PACE
from ...datasets.status import dataset_status, forget
from ...datasets.take_folders import side_folder, together_folder, under_way
from ...datasets.takes import BODY, Dataset
from ...errors import Problem
from ...files.atomic import writing
from ...files.below import remove_below
from ...files.held_folders import held
from ...files.links import check_no_link, check_unmoved, may_be_looked_at, resolved
from ...files.looking import has_file, has_folder, is_file
from ...jobs.wording import job_name
from ...methods.registry import load_method
from ...models.model_file import parse_model, read_model_bytes
from ..baking import preparing
from ..baking.preparing import view_layer_of
from ..display.evaluation import hide_evaluation
from ..display.takes import hide_take
from ..exchange.reading import KIND as READ
from ..exchange.reading import Chosen, holds_scenes, read_steps
from ..jobs import host, programs
from ..jobs.scratch_job import ScratchJob
from ..playing import packing, playback
from ..playing.session import check_belongs
from ..scene import live_fabric, setting_up
from ..scene.artist_handles import (
    check_handles,
    check_unbound_handles,
    handle_arguments,
    list_unbound_handles,
)
from ..scene.companions import baked_together
from ..scene.modifiers.cache_modifier import remove_cache
from ..scene.modifiers.modifier_stack import check_play_place
from ..scene.rigs.skins import simulated_mesh
from ..scene.sampling import layout_of
from ..scene.scene_interaction import sample_steps
from ..scene.sources import check_mesh, check_shown_mesh, uses_solver
from ..scene.targets import check_set_up
from ..settings.frame_rate import frame_rate_of
from ..settings.from_files.limits import bring_within, enable
from ..settings.own_folders import scratch_folder
from ..settings.paths import (
    checkpoint_path,
    dataset_folder,
    jobs_folder,
    keep_together,
    model_path,
    remove_if_empty,
    report_folder,
)
from ..settings.properties import method_of, settings_of
from . import facts, watched_bakes
from .fewer_steps import now_and_then
from .job_files import delete_job_files
from .planned_takes import check_enough_baked

_importing: set[Path] = set()  # datasets
BAKE, TRAIN, EVALUATE, TEST = "bake", "train", "evaluate", "test_take"
NAMES = {kind: job_name(kind).capitalize() for kind in (BAKE, TRAIN, EVALUATE, TEST)}


def check_bake(scene: bpy.types.Scene, obj: bpy.types.Object | None) -> None:
    """Raise the Problem that keeps an object from being baked."""
    obj = check_set_up(obj)
    facts.check_object(scene, obj)
    preparing.check_bake(scene, obj)
    _check_free(obj)


def check_bake_anew(scene: bpy.types.Scene, obj: bpy.types.Object | None) -> None:
    """Raise the Problem that keeps the takes of an object from being replaced."""
    check_bake(scene, obj)
    watched_bakes.check_nobody_bakes(dataset_folder(check_set_up(obj)))


def check_train(obj: bpy.types.Object | None) -> None:
    """Raise the Problem that keeps a model from being trained here."""
    obj = check_trainable(obj)
    require_trainer(obj)
    check_enough_baked(obj)


def check_trainable(obj: bpy.types.Object | None) -> bpy.types.Object:
    """Raise the Problem that keeps a model from being trained, here or on another computer; the object."""
    obj = check_set_up(obj)
    _check_dataset(obj)
    facts.check_same_mesh(obj)
    facts.check_dataset(obj)
    if method_of(obj).has_handles:
        check_handles(obj)
    _check_free(obj)
    return obj


def require_trainer(obj: bpy.types.Object) -> None:
    """Check that there is a program that trains the object's method.

    Raises what `programs.require_ml_backend` does, and Problem("training_python_or_method") in place of
    Problem("training_python_unset") where one method needs no other Python, and the bake neither.
    """
    if method_of(obj).trains_in_blender:
        programs.require_learning()
        return
    try:
        programs.require_ml_backend(_training(obj))
    except Problem as problem:
        if problem.code == "training_python_unset" and not uses_solver(obj):
            raise Problem("training_python_or_method", task=_training(obj)) from None
        raise


def check_evaluate(obj: bpy.types.Object | None) -> None:
    """Raise the Problem that keeps a model from being evaluated."""
    check_play(obj)
    check_mesh(obj)
    obj = check_set_up(obj)
    _check_dataset(obj)
    programs.require_learning()
    _check_free(obj)


def check_play(obj: bpy.types.Object | None) -> None:
    """Raise the Problem that shows, without reading the model, that an object cannot play."""
    obj = check_set_up(obj)
    check_shown_mesh(obj)
    check_play_place(obj)
    if settings_of(obj).model is None and not has_file(model_path(obj)):
        raise Problem("model_missing", object=obj.name)


def use_model(obj: bpy.types.Object, path: Path) -> None:
    """Pack a model file into the .blend; an object that plays continues with it.

    Raises what `check_mesh`, `read_model_bytes` and `use_model_bytes` do; then nothing has changed.
    """
    use_models([obj], path)


def use_models(objects: Sequence[bpy.types.Object], path: Path) -> None:
    """`use_model` for objects that name one and the same file: it is read once, and in the .blend once.

    Those that cannot play it, as duplicates that have become something else, are passed over. Raises what
    `use_model` does where none can.
    """
    problem: Problem | None = None
    able: list[bpy.types.Object] = []
    for obj in objects:
        try:
            check_mesh(obj)  # what is no mesh is not worth reading a large file for
        except Problem as unable:
            problem = problem or unable
        else:
            able.append(obj)
    data, packed = read_model_bytes(path) if able else b"", None
    for obj in able:
        try:
            use_model_bytes(obj, data, str(path), packed)
        except Problem as unable:
            problem = problem or unable
        else:
            packed = settings_of(obj).model
    if packed is None and problem is not None:
        raise problem


def use_model_bytes(
    obj: bpy.types.Object, data: bytes, name: str, packed: bpy.types.Text | None = None
) -> None:
    """`use_model`, with the bytes of a model file; `name` is what the sentences call the model.

    packed: a text that holds these bytes for another object.
    What the model reacts to and this scene does not have gets a line in the object's list, to choose it in.
    Raises what `check_mesh`, `parse_model`, `check_belongs` and `load_method` do, and
    Problem("model_reacts_to_too_much"); then nothing has changed.
    """
    check_mesh(obj)
    model = parse_model(data, name)
    check_belongs(model, obj)
    load_method(model)
    setting_up.check_unbound(obj, model.info.channels, name)
    check_unbound_handles(obj, model.info.channels, name)
    if settings_of(obj).model is None:
        live_fabric.begin_with(obj, model)
    if packed is None:
        packing.pack(obj, data)
    else:
        packing.share(obj, packed)
    enable(settings_of(obj))
    setting_up.keep_names(obj, model.info.channels)
    setting_up.list_unbound(obj, model.info.channels)
    list_unbound_handles(obj, model.info.channels)
    if settings_of(obj).playing:
        playback.attach(obj)


def import_steps(
    scene: bpy.types.Scene,
    obj: bpy.types.Object,
    cache: Path,
    interaction: Path | None,
    *,
    role: Role,
    chosen: Chosen | None = None,
) -> Generator[tuple[int, int], None, str]:
    """Add another program's point cache to the object's dataset, at the scene's frame rate.

    interaction: a file, or None: what the scene has, whose frames are visited one by one. chosen: what of an
    Alembic or USD file is meant, which has what the object reacts to, too, unless that is to be read from
    elsewhere. Returns the take's name. Yields how much is done, of how much; closing it leaves no take.
    Raises what `importing.import_take`, `check_mesh`, `sample_steps` and `read_steps` do, and
    Problem("object_busy" | "frame_rate_missing").
    """
    check_mesh(obj)
    _check_free(obj)
    keep_together(obj)
    folder, mesh, fps = resolved(dataset_folder(obj)), simulated_mesh(obj), frame_rate_of(scene)
    job, shapes = ScratchJob(READ), cache
    source: importing.Sampled | Path | None = interaction
    try:
        if holds_scenes(cache):
            wanted = chosen or Chosen()
            wanted = replace(wanted, shapes_alone=wanted.shapes_alone or interaction is not None)
            read = yield from read_steps(scene, obj, cache, wanted, job=job)
            shapes, source = read.shapes, read.sampled or interaction
            mesh = mesh if read.rest is None else replace(mesh, rest_positions=read.rest)
        count = len(importing.read_cache(shapes, mesh, obj.name))
        if source is None:
            source = yield from sample_steps(scene, obj, count)
        check_unmoved(folder)  # reading takes its time
        steps = importing.import_take(folder, mesh, obj.name, shapes, source=source, fps=fps, role=role)
        name = yield from _alone(obj, folder, now_and_then(steps))
    finally:
        job.close()
    enable(settings_of(obj))
    forget()
    return name


def _alone(obj: bpy.types.Object, folder: Path, steps: importing.ImportSteps) -> importing.ImportSteps:
    """The steps, if no other import into the folder is under way here: it would be waited for without end."""
    if folder in _importing:
        raise Problem("object_busy", object=obj.name, job="import")
    _importing.add(folder)
    try:
        return (yield from steps)
    finally:
        _importing.remove(folder)


def interaction_beside(cache: Path) -> Path:
    """The interaction file of a point cache's name: .npy if there is one, else .csv.

    Raises Problem("place_is_link"): of what the artist has not chosen, links are not followed.
    """
    arrays = check_no_link(cache.with_suffix(".npy"))
    return arrays if is_file(arrays) else check_no_link(cache.with_suffix(".csv"))


def interaction_of(obj: bpy.types.Object, cache: Path, chosen: Path | None, from_scene: bool) -> Path | None:
    """Where a cache's interaction is read: from a file, or None: from the scene, as poses always are.

    Raises Problem("file_is_folder" | "place_not_readable").
    """
    if has_folder(cache):
        raise Problem("file_is_folder", path=cache.absolute())
    if from_scene or method_of(obj).follows_bones or (holds_scenes(cache) and chosen is None):
        return None
    return chosen or interaction_beside(cache)


def remove(obj: bpy.types.Object) -> None:
    """Show the simulation again and forget the object's settings; dataset and model stay."""
    playback.detach(obj)
    remove_cache(obj)
    hide_evaluation(obj)
    hide_take(obj)
    if not host.state_of(trial_folder(obj), TEST).active:
        shutil.rmtree(trial_folder(obj), ignore_errors=True)
    settings = settings_of(obj)
    settings.interactions.clear()
    settings.capsules.clear()
    settings.handles.clear()
    settings.enabled = False


def check_delete(obj: bpy.types.Object | None) -> None:
    """Raise the Problem that keeps a dataset from being deleted."""
    obj = check_set_up(obj)
    status = dataset_status(dataset_folder(obj))
    if status.trouble and status.trouble.code != "dataset_missing":
        raise status.trouble.with_traceback(None)
    if not status.takes:
        raise Problem("not_baked", object=obj.name)
    _check_free(obj)
    watched_bakes.check_nobody_bakes(dataset_folder(obj))


def delete_dataset(obj: bpy.types.Object) -> None:
    """Delete an object's takes and what its jobs have left beside them; all else in the folder stays.

    Raises what `check_delete` does, and Problem("file_not_ours" | "place_is_link" | "folder_not_writable").
    """
    check_delete(obj)
    hide_take(obj)
    folder = resolved(dataset_folder(obj))
    check_own_folders(folder)
    takes = [about.parent for about in (folder / "takes").glob("*/take.json")]
    bake = side_folder(folder)
    for take in takes:  # before anything is deleted
        check_take_own(check_no_link(take))
    importing.check_killed(folder)
    if baked := (bake / "bake.json").is_file():
        check_made_by_bakes(bake)
    host.forget(jobs_folder(obj), NAMES)
    with writing(folder):
        # First, so that a half-deleted folder is no dataset.
        with held(folder, folder) as there:
            for name in ("dataset.json", "mesh.npz", BODY, PACE):
                there.unlink(name)
        importing.discard_killed(folder)
        for take in takes:
            remove_below(folder, take)
        if baked:
            remove_below(folder, bake)
        delete_job_files(folder)
        remove_if_empty(folder / "takes")
        remove_if_empty(folder)
    forget()
    facts.forget_facts()


def bake_command(scene: bpy.types.Scene, obj: bpy.types.Object) -> list[str]:
    """Write what the bake needs; the job that bakes. Raises what `check_bake` and the bake do."""
    facts.forget_facts()
    bring_within(settings_of(obj))  # a library that was reloaded brings what its file says
    check_bake(scene, obj)
    setting_up.keep_names(obj, layout_of(obj))
    keep_together(obj)
    return preparing.prepare_bake(scene, obj)


def bake_anew_command(scene: bpy.types.Scene, obj: bpy.types.Object) -> list[str]:
    """The job that bakes from scratch; the takes there are deleted now, if a bake could begin.

    Raises what `bake_command` and `delete_dataset` do.
    """
    check_bake_anew(scene, obj)
    if dataset_status(dataset_folder(obj)).takes:
        delete_dataset(obj)
    for other in _recorded_with(scene, obj):
        delete_dataset(other)
    return bake_command(scene, obj)


def _recorded_with(scene: bpy.types.Scene, obj: bpy.types.Object) -> list[bpy.types.Object]:
    """What is baked together with an object, and has takes in a dataset within that of the object."""
    within = together_folder(dataset_folder(obj).resolve())
    others = baked_together(view_layer_of(scene, obj), obj)
    return [
        other
        for other in others
        if dataset_folder(other).resolve().parent == within and dataset_status(dataset_folder(other)).takes
    ]


def change_since_bake(scene: bpy.types.Scene, obj: bpy.types.Object) -> Problem | None:
    """What keeps takes from being added to those of an object, and not from baking them anew."""
    return facts.change_since_bake(scene, obj)


def train_command(obj: bpy.types.Object) -> list[str]:
    """The job that trains a model, on what a killed bake has left, too.

    Raises what `check_train`, `gather` and `working_python` do.
    """
    check_train(obj)
    keep_together(obj)
    folder = dataset_folder(obj)
    if left := under_way(folder):
        check_own_folders(folder)
        gather(Dataset.open(folder), left)
    in_blender = method_of(obj).trains_in_blender
    program = programs.learning() if in_blender else programs.ml_backend(_training(obj))
    return [*program, *_train_arguments(obj)]


def resumes_training(obj: bpy.types.Object) -> bool:
    """Whether Train would go on with a training that was stopped or killed: the same settings and takes."""
    if not may_be_looked_at(checkpoint_path(obj)):
        return False
    began = host.begun(jobs_folder(obj), TRAIN, _train_arguments(obj))
    return began is not None and dataset_status(dataset_folder(obj)).changed <= began


def was_baked_since_training(obj: bpy.types.Object) -> bool:
    """Whether takes came after the last training ended: what that said of them is no longer so."""
    return dataset_status(dataset_folder(obj)).changed > host.last_said(jobs_folder(obj), TRAIN)


def evaluate_command(obj: bpy.types.Object, model: Path | None = None) -> list[str]:
    """The job that measures a model file, or what plays, on takes it has not seen.

    Raises what `check_evaluate`, `working_python` and `packing.file_of` do.
    """
    check_evaluate(obj)
    keep_together(obj)
    model = model or packing.file_of(obj)
    places = resolved(dataset_folder(obj)), resolved(report_folder(obj))
    words = _words("evaluate", [model, places[0]], [("--out", places[1])])
    return [*programs.learning(), *words]


def running(obj: bpy.types.Object) -> str:
    """Which of the object's tasks runs now, "" if none."""
    return next((kind for kind in NAMES if host.state_of(job_folder(obj, kind), kind).active), "")


def job_folder(obj: bpy.types.Object, kind: str) -> Path:
    """Where a task keeps its log and its stop file. Raises what `jobs_folder` does."""
    return trial_folder(obj) if kind == TEST else jobs_folder(obj)


def job_folders(obj: bpy.types.Object) -> dict[str, Path]:
    """Those of all tasks, by their kinds, without those that the scene may not name."""
    folders = {TEST: trial_folder(obj)}
    with suppress(Problem):  # the tab asks about such places
        folders |= dict.fromkeys(NAMES.keys() - {TEST}, jobs_folder(obj))
    return {kind: folders[kind] for kind in NAMES if kind in folders}


def trial_folder(obj: bpy.types.Object) -> Path:
    """Where all of an object's test take is, as long as this Blender runs."""
    return scratch_folder() / f"test_{obj.session_uid}"


def _training(obj: bpy.types.Object) -> str:
    return f"Training {method_of(obj).label}"


def _train_arguments(obj: bpy.types.Object) -> list[str]:
    settings = settings_of(obj)
    options: list[tuple[str, object]] = [
        ("--method", method_of(obj).id),
        ("--preset", settings.preset),
        ("--bases", settings.basis_count),
        ("--seed", settings.training_seed),
        ("--out", resolved(model_path(obj).parent) / model_path(obj).name),
    ]
    for setting in method_of(obj).training_settings:
        value = getattr(settings, setting.property)
        if value != setting.default and not (setting.replaced_by and getattr(settings, setting.replaced_by)):
            options.append(("--set", f"{setting.option}={value}"))
    words = _words("train", [resolved(dataset_folder(obj))], options)
    return [*words, *handle_arguments(obj)] if method_of(obj).has_handles else words


def _words(command: str, what: Sequence[object], options: Sequence[tuple[str, object]]) -> list[str]:
    """A command of `learning` or `ml_backend`."""
    words = [word for option in options for word in option]
    return [*map(str, [command, *what, *words]), "--json"]


def _check_dataset(obj: bpy.types.Object) -> None:
    status = dataset_status(dataset_folder(obj))
    if status.trouble and status.trouble.code != "dataset_missing":
        raise status.trouble.with_traceback(None)
    if not status.frames:
        if status.trouble and settings_of(obj).dataset_folder:
            raise status.trouble.with_traceback(None)
        raise Problem("not_baked", object=obj.name)


def _check_free(obj: bpy.types.Object) -> None:
    busy = running(obj)
    if busy:
        raise Problem("object_busy", object=obj.name, job=job_name(busy))
