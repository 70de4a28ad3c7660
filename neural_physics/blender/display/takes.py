"""A take beside the object it was baked from, with what it reacts to where that was in the take."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import bpy
import numpy as np

from ...arrays import Doubles
from ...datasets.status import dataset_status
from ...datasets.takes import Dataset, Take
from ...errors import Problem
from ..scene.animation.keying import Span, key_frames
from ..scene.evaluated import check_may_be_copied, nameable
from ..scene.interaction_names import MOST_INTERACTIONS
from ..scene.modifiers.cache_modifier import show_cache
from ..scene.sources import check_mesh, mesh_data
from ..settings.frame_rate import frame_rate_of
from ..settings.paths import dataset_folder
from .copies_beside import collection_name, copies_in, copy_beside, open_collection, put, remove_copies, shift

TEST = "test take"  # what a take that belongs to no dataset is called
TAKE = "neural_physics_take"  # holds the name of the take that a copy shows
MOST_KEYED = 1_000_000  # frames of all that moves beside it: a second, and 300 MB
Mover = tuple[bpy.types.Object, slice]


def check_takes(obj: bpy.types.Object) -> None:
    """Raise the Problem that keeps takes from being shown: one of `check_mesh`'s, or "not_baked"."""
    check_mesh(obj)
    status = dataset_status(dataset_folder(obj))
    if status.trouble and status.trouble.code != "dataset_missing":
        raise status.trouble.with_traceback(None)
    if not status.frames:
        raise Problem("not_baked", object=obj.name)


def show_take(
    scene: bpy.types.Scene,
    obj: bpy.types.Object,
    name: str = "",
    folder: Path | None = None,
    *,
    called: str = "",
) -> str:
    """Put a copy beside an object that plays a take, by default the one after the take that is shown.

    folder: of the dataset, None for the object's own. called: another name for what is shown.
    Where the take is kept in the object's own axes, copies of what it reacts to move as they did in it.
    Returns the take's name. Raises what `check_takes`, `Dataset.open` and `check_may_be_copied` do, and
    Problem("take_unknown" | "take_too_long_to_show" | "dataset_other_object" |
    "frame_rate_missing"); then nothing is shown.
    """
    check_may_be_copied(obj)
    if folder is None:
        check_takes(obj)
    dataset = Dataset.open(folder or dataset_folder(obj))
    if dataset.info.vertex_count != len(mesh_data(obj).vertices):
        raise Problem("dataset_other_object", path=dataset.path, object=obj.name)
    name = _chosen(dataset, name, shown_take(obj))
    movers = _movers(scene, dataset)
    _check_length(dataset, name, len(movers))
    rate = dataset.info.fps / frame_rate_of(scene)
    collection = open_collection(scene, _collection_name(obj))
    copy = copy_beside(obj, f"{obj.name} {called or name}", 1)
    put(collection, copy)
    copy[TAKE] = called or name
    show_cache(copy, dataset.path / "takes" / name / "positions.pc2", scene.frame_start, rate)
    if movers:
        _show_movers(scene, obj, collection, dataset.take(name), movers=movers, fps=dataset.info.fps)
    return name


def hide_take(obj: bpy.types.Object) -> None:
    """Take the copies away again; harmless where there are none."""
    remove_copies(_collection_name(obj))


def shown_take(obj: bpy.types.Object) -> str:
    """The name of the take that is shown, "" if none is."""
    names = [copy.get(TAKE) for copy in copies_in(_collection_name(obj))]
    return next((str(name) for name in names if name), "")


def _chosen(dataset: Dataset, name: str, shown: str) -> str:
    # Poses come after what moves.
    takes = sorted(dataset.outlines(), key=lambda take: take.info.kind == "quasistatic")
    there = [take.name for take in takes if take.frame_count]
    if name:
        if name not in there:
            raise Problem("take_unknown", path=dataset.path, take=name)
        return name
    return there[(there.index(shown) + 1) % len(there)] if shown in there else there[0]


def _movers(scene: bpy.types.Scene, dataset: Dataset) -> list[Mover]:
    """The objects whose place is known from a take's interaction vector, each with where it is in that.

    No more than an object can react to, and what is `nameable`: each becomes a copy.
    """
    if dataset.info.reference_frame:
        return []
    slices, found = dataset.info.channels.slices(), list[Mover]()
    for channel in dataset.info.channels.channels:
        source = scene.objects.get(channel.source)
        if channel.kind != "position" or source is None or source.type not in ("MESH", "EMPTY"):
            continue
        found.append((source, slices[channel.name]))
    free = set(nameable(source for source, _ in found))
    return [each for each in found if each[0] in free][:MOST_INTERACTIONS]


def _check_length(dataset: Dataset, name: str, movers: int) -> None:
    """Raise Problem("take_too_long_to_show") for more keys than are made while the artist waits."""
    found = dataset.outline(name).frame_count
    if found * movers > MOST_KEYED:
        allowed = f"{MOST_KEYED // movers:,}"
        raise Problem(
            "take_too_long_to_show", path=dataset.path, take=name, found=f"{found:,}", allowed=allowed
        )


def _show_movers(
    scene: bpy.types.Scene,
    obj: bpy.types.Object,
    collection: bpy.types.Collection,
    take: Take,
    *,
    movers: Sequence[Mover],
    fps: float,
) -> None:
    """Copies of what the object reacts to, where it was in the take."""
    beside = np.array(shift(obj, 1) @ obj.matrix_world)
    spacing = frame_rate_of(scene) / fps
    for source, where in movers:
        places = take.interaction[:, where] @ beside[:3, :3].T + beside[:3, 3]
        _put_mover(collection, source, places, Span(scene.frame_start, len(places), fps, spacing))


def _put_mover(
    collection: bpy.types.Collection, source: bpy.types.Object, places: Doubles, span: Span
) -> None:
    copy = bpy.data.objects.new(source.name, _looks_of(source))
    copy.empty_display_type, copy.empty_display_size = source.empty_display_type, source.empty_display_size
    copy.matrix_world = source.matrix_world.copy()
    put(collection, copy)
    key_frames(copy, "location", places, span)


def _looks_of(source: bpy.types.Object) -> bpy.types.Mesh | None:
    """A mesh as its modifiers make it, and nothing that simulates: the frames of that are the source's."""
    if source.type != "MESH":
        return None
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return bpy.data.meshes.new_from_object(source.evaluated_get(depsgraph), depsgraph=depsgraph)


def _collection_name(obj: bpy.types.Object) -> str:
    return collection_name("Take", obj)
