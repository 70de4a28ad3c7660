"""What an evaluation found, in the scene: the truth beside the prediction, coloured by its error.

Reads what `ml_backend evaluate` leaves beside the model: prediction.pc2 and reference.pc2, one take
as predicted and as it was, in the object's axes, and error.npz: vertex_error (V,), metres.
"""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import cast

import bpy
import numpy as np

from ...arrays import Floats
from ...datasets.point_caches import read_pc2
from ...datasets.usable_numbers import FURTHEST
from ...errors import Problem
from ...files.links import has_own_file
from ...files.reading import Torn, read_arrays, read_json
from ..scene.evaluated import check_may_be_copied
from ..scene.modifiers.cache_modifier import blend_in, find_blend, show_cache
from ..scene.sources import check_layer_names, check_mesh, mesh_data
from ..settings.frame_rate import frame_rate_of
from ..settings.paths import report_folder
from .copies_beside import collection_name, copies_in, copy_beside, open_collection, put, remove_copies

ERROR = "neural_physics_error"
LARGEST = "neural_physics_largest_error"
MATERIAL = "Neural Physics Error"
_made = set[int]()  # materials, by session_uid
HEAD = 4096  # bytes of error.npz, at most, that are no errors
FILES = ("error.npz", "reference.pc2", "prediction.pc2")
# Dark blue where it is exact, over green, to yellow at the largest error: rising in lightness, so that
# it reads without colour vision too. Linear RGB.
RAMP = np.array([(0.02, 0.0, 0.12), (0.0, 0.15, 0.3), (0.05, 0.5, 0.15), (1.0, 0.75, 0.02)], np.float32)

# How the files of a folder looked when they were checked last, and what was wrong with them.
_checked: dict[Path, tuple[tuple[object, ...], Problem | None]] = {}


def forget_evaluations() -> None:
    """Check the files of evaluations again where they are asked about."""
    _checked.clear()


def check_evaluation(obj: bpy.types.Object) -> None:
    """Raise the Problem that keeps an evaluation from being shown."""
    check_mesh(obj)
    folder = report_folder(obj)
    stamp = (obj.name, len(mesh_data(obj).vertices), *(_stamp(folder / name) for name in FILES))
    if folder not in _checked or _checked[folder][0] != stamp:
        try:
            _read_error(obj)
            _checked[folder] = stamp, None
        except Problem as problem:
            _checked[folder] = stamp, problem
    found = _checked[folder][1]
    if found is not None:
        raise found.with_traceback(None)


def show_evaluation(scene: bpy.types.Scene, obj: bpy.types.Object) -> float:
    """Put two copies beside an object, which play one held-out take: "Reference" and "Prediction".

    The prediction is coloured by its error, and can be blended with the reference: see `prediction_of`.
    Returns the error, metres, that the brightest colour means.
    Raises Problem("evaluation_missing" | "file_missing" | "evaluation_other_object" | "cache_not_pc2") and
    what `sources.check_mesh`, `check_may_be_copied` and `frame_rate_of` do.
    """
    check_mesh(obj)
    check_may_be_copied(obj)
    check_layer_names(obj, (ERROR,))
    error = _read_error(obj)
    folder = report_folder(obj)
    rate = _fps(obj, folder) / frame_rate_of(scene)
    collection = open_collection(scene, _collection_name(obj))
    for step, name in enumerate(("Reference", "Prediction"), 1):
        copy = copy_beside(obj, f"{obj.name} {name}", step)
        put(collection, copy)
        show_cache(copy, folder / f"{name.lower()}.pc2", scene.frame_start, rate)
        if name == "Prediction":
            _colour(mesh_data(copy), error)
            blend_in(copy, folder / "reference.pc2")
            copy[LARGEST] = float(error.max())
    return float(error.max())


def hide_evaluation(obj: bpy.types.Object) -> None:
    """Take the two copies away again, and nothing else; harmless where there are none."""
    remove_copies(_collection_name(obj))
    material = _made_here()
    if material is not None and material.users == 0:
        bpy.data.materials.remove(material)


def is_shown(obj: bpy.types.Object) -> bool:
    """Whether the two copies are there."""
    return bool(copies_in(_collection_name(obj)))


def prediction_of(obj: bpy.types.Object) -> bpy.types.Object | None:
    """The copy of an object that shows the prediction, while it is there."""
    copies = copies_in(_collection_name(obj))
    return next((copy for copy in copies if find_blend(copy) is not None), None)


def largest_error(copy: bpy.types.Object) -> float:
    """Of the copy that shows a prediction: the error that the brightest colour means, metres."""
    error = copy.get(LARGEST)
    return error if isinstance(error, float) and isfinite(error) else 0.0


def error_colours(error: Floats) -> Floats:
    """(V, 4) float32 linear RGBA of (V,) errors, from exact to the largest of them."""
    return ramp_colours(error / max(float(error.max()), 1e-12))


def ramp_colours(share: Floats) -> Floats:
    """(V, 4) float32 linear RGBA of (V,) shares, from 0 to 1."""
    places = np.linspace(0.0, 1.0, len(RAMP))
    channels = [np.interp(share, places, RAMP[:, i]) for i in range(3)]
    return np.stack([*channels, np.ones_like(share)], axis=1).astype(np.float32)


def display_colours(share: Floats) -> Floats:
    """What `ramp_colours` gives, for drawing over a viewport, which is in display space."""
    colours = ramp_colours(share)
    colours[:, :3] **= 1.0 / 2.2
    return colours


def _collection_name(obj: bpy.types.Object) -> str:
    return collection_name("Evaluation", obj)


def _stamp(path: Path) -> tuple[int, int] | None:
    """Time and size of a file, None where there is none."""
    try:
        about = path.lstat()
    except OSError:
        return None
    return about.st_mtime_ns, about.st_size


def _read_error(obj: bpy.types.Object) -> Floats:
    folder = report_folder(obj)
    path = folder / "error.npz"
    count = len(mesh_data(obj).vertices)
    for name in FILES:
        has_own_file(folder.parent, folder.name, name)  # raises where it is a link
    try:
        error = read_arrays(path, most=HEAD + 8 * count)["vertex_error"]
    except (FileNotFoundError, Torn) as missing:  # torn: as good as absent
        raise Problem("evaluation_missing", object=obj.name) from missing
    except (OSError, KeyError, ValueError) as damage:
        raise Problem("evaluation_other_object", path=path, object=obj.name) from damage
    for name in ("reference.pc2", "prediction.pc2"):
        if read_pc2(folder / name).shape[1] != count:
            raise Problem("evaluation_other_object", path=folder / name, object=obj.name)
    if error.shape != (count,) or error.dtype.kind != "f" or not (np.abs(error) < FURTHEST).all():
        raise Problem("evaluation_other_object", path=path, object=obj.name)
    return error.astype(np.float32)


def _fps(obj: bpy.types.Object, folder: Path) -> float:
    """The frame rate of the take that is shown."""
    path = folder / "report.json"
    try:
        fps = float(read_json(path)["fps"])
    except FileNotFoundError as missing:
        raise Problem("file_missing", path=path) from missing
    except (OSError, ValueError, KeyError, TypeError, OverflowError) as damage:
        raise Problem("evaluation_other_object", path=path, object=obj.name) from damage
    if not 0.0 < fps < float("inf"):
        raise Problem("evaluation_other_object", path=path, object=obj.name)
    return fps


def _colour(mesh: bpy.types.Mesh, error: Floats) -> None:
    """Colour a mesh by (V,) errors, in Solid shading by attribute and in renders."""
    layer = mesh.color_attributes.new(ERROR, "FLOAT_COLOR", "POINT")
    cast(bpy.types.FloatColorAttribute, layer).data.foreach_set("color", error_colours(error).reshape(-1))
    mesh.color_attributes.active_color = layer
    mesh.materials.clear()
    mesh.materials.append(_material())


def _made_here() -> bpy.types.Material | None:
    """The material of such copies: one that came with a file may name anything, which would be evaluated."""
    return next((each for each in bpy.data.materials if each.session_uid in _made), None)


def _material() -> bpy.types.Material:
    there = _made_here()
    if there is not None:
        return there
    material = bpy.data.materials.new(MATERIAL)
    _made.add(material.session_uid)
    material.use_nodes = True
    tree = material.node_tree
    assert tree is not None  # it was just made, with nodes
    colour = tree.nodes.new("ShaderNodeVertexColor")
    colour.layer_name = ERROR  # type: ignore[attr-defined]
    tree.links.new(colour.outputs["Color"], tree.nodes["Principled BSDF"].inputs["Base Color"])
    return material
