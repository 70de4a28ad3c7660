"""The datasets that a bake writes its takes into: the object's own, and of what is baked together with it."""

from __future__ import annotations

import re
from pathlib import Path

import bpy

from ...baking.fabric_ranges import middle_fabric, to_provenance
from ...baking.plan import MOST_TOGETHER, AlsoBaked
from ...datasets.dataset_info import ONLY_CHANNELS_ACT, YES, DatasetInfo, read_info
from ...datasets.fingerprint import MADE_WITH, check_made_with, to_text
from ...datasets.take_folders import together_folder
from ...datasets.takes import Dataset, is_there
from ...errors import Problem
from ...files.links import check_no_link
from ...files.names import portable
from ...interaction.channels import ChannelLayout
from ..scene.companions import baked_together
from ..scene.rigs.rig_actions import kept_for_testing
from ..scene.rigs.skins import simulated_mesh
from ..scene.sampling import layout_of, reference_frame_of
from ..scene.sources import check_target, physics_of
from ..settings.frame_rate import frame_rate_of
from ..settings.named_places import agree, place_named
from ..settings.notes import note_text
from ..settings.properties import settings_of
from ..settings.simulation import settings_for_solver
from .acting import only_channels_act
from .made_with import made_with
from .surroundings import ball_radii, gravity_of

KEPT = "kept_for_testing"  # in the dataset's provenance
LONGEST = 60  # letters of an object's name in that of a folder
NOT_PLAIN = re.compile(r"[^A-Za-z0-9_-]")


def datasets_of_others(
    scene: bpy.types.Scene, obj: bpy.types.Object, layer: bpy.types.ViewLayer, main: Path
) -> tuple[AlsoBaked, ...]:
    """What is baked together with an object, each with a dataset below that of the object, `main`.

    Their settings name it from now on. Raises, of each of them, what `sources.check_target`,
    `sampling.layout_of` and `dataset_for` do.
    """
    others = baked_together(layer, obj)
    for other in others:
        check_target(other)
        layout_of(other)
    found = []
    for other in others:
        folder = _folder_for(main, other)
        dataset, asked = dataset_for(scene, other, folder, moved_as=obj)
        if not dataset.take_names():
            dataset.describe_anew(asked, simulated_mesh(other))
        # No edit, at which a fluid would empty its folder; so that is agreed to here.
        note_text(other, "dataset_folder", _as_setting(folder))
        agree(place_named(_as_setting(folder)))
        found.append(AlsoBaked(other.name, folder.name))
    return tuple(found)


def _folder_for(main: Path, obj: bpy.types.Object) -> Path:
    """Its own, where it has one there, or one that nothing has."""
    name, parent = portable(NOT_PLAIN.sub("_", obj.name)[:LONGEST]), check_no_link(together_folder(main))
    for number in range(1, MOST_TOGETHER + 1):
        folder = parent / (f"{name}_{number}" if number > 1 else name)
        if not check_no_link(folder).exists() or (is_there(folder) and read_info(folder).object == obj.name):
            return folder
    raise Problem("dataset_damaged", path=main, reason=f"too many folders in it are called like {obj.name}")


def _as_setting(folder: Path) -> str:
    """A place as settings have it: relative to the .blend where it is below that, as it may be moved."""
    if bpy.data.filepath:
        for beside in (Path(bpy.data.filepath).parent, Path(bpy.data.filepath).parent.resolve()):
            if folder.is_relative_to(beside):
                return f"//{folder.relative_to(beside).as_posix()}"
    return str(folder)


def dataset_for(
    scene: bpy.types.Scene,
    obj: bpy.types.Object,
    folder: Path,
    *,
    moved_as: bpy.types.Object | None = None,
) -> tuple[Dataset, DatasetInfo]:
    """The dataset, made if it is not there, and what one made now would say of itself.

    moved_as: whose settings say what moves in its takes, None for its own. Raises what `Dataset.create` does,
    and Problem("frame_rate_missing" | "dataset_other_fps" | "dataset_made_otherwise").
    """
    fps = frame_rate_of(scene)
    mesh, layout, made = simulated_mesh(obj), layout_of(obj), made_with(scene, obj)
    info = DatasetInfo(
        object=obj.name,
        topology=mesh.topology(),
        vertex_count=mesh.vertex_count,
        fps=fps,
        channels=layout,
        reference_frame=reference_frame_of(obj),
        provenance={
            "program": f"Blender {bpy.app.version_string}",
            "physics": physics_of(obj),
            KEPT: kept_for_testing(moved_as or obj),
            **_alone(scene, obj, layout),
            MADE_WITH: to_text(made),
            **_fabric(obj),
        },
        gravity=gravity_of(scene, obj),
        colliders=ball_radii(scene, obj, layout),
    )
    dataset = Dataset.create(folder, info, mesh)
    if abs(dataset.info.fps - fps) > 1e-6 * fps:
        raise Problem(
            "dataset_other_fps", path=dataset.path, found=round(dataset.info.fps, 3), expected=round(fps, 3)
        )
    if any(take.usable_frames for take in dataset.outlines()):
        before = dataset.info.provenance.get(MADE_WITH, "")
        check_made_with(before, made, obj.name)
    return dataset, info


def _alone(scene: bpy.types.Scene, obj: bpy.types.Object, layout: ChannelLayout) -> dict[str, str]:
    """For the dataset's provenance, that nothing but its channels acts, if that is so."""
    sources = {channel.source for channel in layout.channels}
    return {ONLY_CHANNELS_ACT: YES} if only_channels_act(scene, obj, sources) else {}


def _fabric(obj: bpy.types.Object) -> dict[str, str]:
    """What the coarsest level of cloth of springs is to be made of, for the dataset's provenance."""
    simulation = settings_of(obj).simulation
    if simulation.kind != "SPRINGS":
        return {}
    return to_provenance(middle_fabric(settings_for_solver(simulation)))
