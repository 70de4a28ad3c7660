"""Baked poses as training data of Unreal's ML Deformer: which they are, and what another Blender is given."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import bpy
import numpy as np
from mathutils import Matrix

from ....arrays import Doubles, Floats
from ....datasets.point_caches import pc2_header
from ....datasets.takes import Dataset, Take
from ....errors import Problem
from ....files.atomic import writing
from ....files.looking import has_folder
from ....interaction.poses import Pose, PosePlaces, to_world
from ....plain_text import one_line
from ...jobs import programs
from ...jobs.scratch_job import ScratchJob
from ...scene.rigs.skins import armature_modifier
from ...scene.saving import save_apart
from ...scene.sources import mesh_data
from ...settings.paths import dataset_folder
from ..formats import check_built_in
from ..landing import Landing
from ..plain_meshes import make_bare, plain_materials, take_properties
from ..recorded_file import NUMBER
from ..writing import KIND, SHARE, WORKER, Steps

CENTIMETRES = 100.0  # Unreal's unit is the centimetre
TRUE_SHAPES = "_shapes.abc"  # not the same name: Unreal would take one asset for the other
MOST_POSES = 100_000  # twice what Unreal's own guide asks for
MOVES, SHAPES, OBJECTS = "moves", "shapes.pc2", "posed.blend"


def shapes_beside(path: Path) -> Path:
    """Where the true shapes are, for a skeletal mesh."""
    return path.with_name(path.stem + TRUE_SHAPES)


def pose_steps(obj: bpy.types.Object, path: Path, takes: Sequence[str] = ()) -> Steps:
    """Write the poses in an object's takes: a skeletal mesh with a sequence, and its true shapes beside it.

    path: of the FBX, with the object at rest, its bones, and one frame for each pose; `shapes_beside` is an
    Alembic cache whose frames and vertices are the same ones. In centimetres. takes: names; if none are
    given, those of held poses, or else all. Excluded frames are left out.
    Yields how much is done, of how much, and returns what there is to say; closing the iterator leaves
    everything as it was. Raises Problem("poses_not_fbx" | "file_is_folder" | "poses_missing" |
    "poses_too_many" | "poses_other_rig" | "poses_of_bendy_bones" | "take_unknown" |
    "dataset_other_object"), and what `check_built_in`, `Dataset.open`, `armature_modifier` and jobs do.
    """
    if path.suffix.lower() != ".fbx":
        raise Problem("poses_not_fbx", path=path)
    files = [shapes_beside(path), path]
    check_built_in(files[0])
    for each in files:
        if has_folder(each):
            raise Problem("file_is_folder", path=each)
    dataset = Dataset.open(dataset_folder(obj))
    if dataset.info.vertex_count != len(mesh_data(obj).vertices):
        raise Problem("dataset_other_object", path=dataset.path, object=obj.name)
    found, places = _chosen(dataset, takes), _places(obj, dataset)
    count = sum(take.usable_frames for take in found)
    if not count:
        raise Problem("poses_missing", object=obj.name)
    if count > MOST_POSES:
        raise Problem("poses_too_many", object=obj.name, found=f"{count:,}", allowed=f"{MOST_POSES:,}")
    job = ScratchJob(KIND)
    landing = Landing(files, job.folder, known=os.path.lexists(path))
    try:
        job.make_folder()
        landing.begin()
        yield from _written(obj, found, places, job.folder, count=count)
        plan = _planned(obj, dataset, places, job.folder, scratch=landing.scratch, count=count)
        job.start([*programs.background_blender(WORKER), str(plan)])
        for share in job.shares():
            yield SHARE + round(SHARE * share), 2 * SHARE
        landing.land()
        return str(job.state.result.get("said", ""))
    finally:
        job.close()


def _chosen(dataset: Dataset, names: Sequence[str]) -> list[Take]:
    if names:
        there = dataset.take_names()
        for name in names:
            if name not in there:
                raise Problem("take_unknown", path=dataset.path, take=name)
        return [dataset.take(name) for name in names]
    return dataset.takes(kind="quasistatic") or dataset.takes()


def _places(obj: bpy.types.Object, dataset: Dataset) -> PosePlaces:
    """Where the takes say how the object's own armature stands."""
    places = PosePlaces.of(dataset.info.channels)
    if places is None:
        raise Problem("poses_missing", object=obj.name)
    rig = _rig_of(obj)
    bones = {bone.name: bone for bone in _armature(rig).bones}
    bendy = next((name for name in places.bones if name not in bones and name.endswith("]")), "")
    if bendy:
        raise Problem("poses_of_bendy_bones", object=obj.name, bone=bendy.rsplit(" [", 1)[0])
    missing = next((name for name in places.bones if name not in bones), "")
    if missing:
        raise Problem("poses_other_rig", object=obj.name, rig=rig.name, bone=missing)
    return places


def _rig_of(obj: bpy.types.Object) -> bpy.types.Object:
    return cast(bpy.types.Object, armature_modifier(obj).object)


def _armature(rig: bpy.types.Object) -> bpy.types.Armature:
    return cast(bpy.types.Armature, rig.data)


def _poses(takes: Sequence[Take], places: PosePlaces) -> Iterator[tuple[Pose, Floats]]:
    """Each pose, and the shape in it (V, 3), m, in the reference frame."""
    for take in takes:
        for start, stop in take.segments():
            for frame in range(start, stop):
                yield places.pose(take.interaction[frame]), take.positions[frame]


def _written(
    obj: bpy.types.Object, takes: Sequence[Take], places: PosePlaces, folder: Path, *, count: int
) -> Iterator[tuple[int, int]]:
    """Write where the bones take the mesh, from the world at rest to the world, and the shapes there."""
    rest_from_world = np.linalg.inv(np.array(obj.matrix_world, np.float64))
    vertices = len(mesh_data(obj).vertices)
    if count * (12 * vertices + 8 * 16 * len(places.bones)) > shutil.disk_usage(folder).free:
        raise Problem("disk_full", path=folder)
    moves: Doubles = np.zeros((len(places.bones), 4, 4))
    moves[:, 3, 3] = 1.0
    with writing(folder), (folder / SHAPES).open("xb") as shapes, (folder / MOVES).open("xb") as file:
        shapes.write(pc2_header(vertices, count))
        for number, (pose, positions) in enumerate(_poses(takes, places)):
            moves[:, :3] = pose.moves[1:].astype(np.float64) @ rest_from_world
            moves[:, :3, 3] *= CENTIMETRES
            file.write(moves.astype("<f8").tobytes())
            shapes.write((CENTIMETRES * to_world(pose, positions)).astype("<f4").tobytes())
            yield round(SHARE * (number + 1) / count), 2 * SHARE


def _planned(
    obj: bpy.types.Object,
    dataset: Dataset,
    places: PosePlaces,
    folder: Path,
    *,
    scratch: Path,
    count: int,
) -> Path:
    """The other Blender's work as a file, and beside it the object at rest with its bones, in centimetres."""
    rig = _rig_of(obj)
    # As an object has it, not as a copy of the data: that would bring whatever is stored with these.
    mesh, bones = bpy.data.meshes.new_from_object(obj), _armature(rig).copy()
    made = [mesh, bones]
    try:
        body = bpy.data.objects.new("Body", mesh)
        skeleton = bpy.data.objects.new("Skeleton", bones)
        made += [body, skeleton]
        body[NUMBER], skeleton[NUMBER] = 0, 1
        rest = np.ascontiguousarray(dataset.mesh.rest_positions, np.float32)
        mesh.attributes["position"].data.foreach_set("vector", rest.reshape(-1))  # type: ignore[attr-defined]
        mesh.transform(Matrix.Scale(CENTIMETRES, 4) @ obj.matrix_world)
        make_bare(mesh)
        _make_bare(bones)
        bones.transform(Matrix.Scale(CENTIMETRES, 4) @ rig.matrix_world)
        with plain_materials([mesh]) as materials:
            save_apart([body, skeleton], folder / OBJECTS)
    finally:
        bpy.data.batch_remove(ids=made[::-1])
    plan: dict[str, Any] = {
        "task": "poses",
        "folder": str(folder),
        "path": str(scratch),
        "shapes": str(scratch.with_name(shapes_beside(scratch).name)),
        "name": one_line(obj.name),
        "data_name": one_line(mesh_data(obj).name),
        "rig": one_line(rig.name),
        "bones": list(places.bones),
        "materials": materials[0],
        "count": count,
    }
    with writing(folder):
        (folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    return folder / "plan.json"


def _make_bare(bones: bpy.types.Armature) -> None:
    """Take from an armature of our own what leads to anything else."""
    bones.animation_data_clear()
    for owner in (bones, *bones.bones, *bones.collections_all):
        take_properties(owner)
