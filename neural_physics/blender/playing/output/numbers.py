"""What a model says of the shape on show, as numbers that drivers, shaders and node groups can read.

How far outside the trained range, and how far off, are settings of the object, which drivers read by their
path; coefficients are a custom property of it; how far off each vertex may be is an attribute of the mesh.
"""

from __future__ import annotations

from typing import NamedTuple, cast

import bpy
import numpy as np

from ....arrays import Floats
from ...settings.properties import settings_of
from .geometry_nodes import new_layer

COEFFICIENTS = "neural_physics_coefficients"
ERROR = "neural_physics_error"


class Numbers(NamedTuple):
    """What there is to write.

    outside: the share of the numbers that was clipped. error: of the shape, and errors (V,): of each vertex,
    metres of the world, None where the model does not say. coefficients (u,): None where there are none.
    """

    outside: float
    error: float | None
    errors: Floats | None
    coefficients: Floats | None


def write_numbers(obj: bpy.types.Object, mesh: bpy.types.Mesh, numbers: Numbers) -> None:
    """mesh: the one that the object's positions are written into."""
    settings = settings_of(obj)
    settings.outside_now, settings.error_now = numbers.outside, numbers.error or 0.0
    if numbers.coefficients is None:
        _forget_coefficients(obj)
    else:
        obj[COEFFICIENTS] = np.asarray(numbers.coefficients, np.float64).tolist()
    if numbers.errors is None:
        _forget_errors(mesh)
    else:
        _error_layer(mesh).data.foreach_set("value", np.ascontiguousarray(numbers.errors, np.float32))
    obj.update_tag()


def remove_numbers(obj: bpy.types.Object, mesh: bpy.types.Mesh | None) -> None:
    """Take them away again; harmless where there are none. mesh: None of what is no mesh any more."""
    settings = settings_of(obj)
    if settings.outside_now or settings.error_now:
        settings.outside_now = settings.error_now = 0.0
    _forget_coefficients(obj)
    if mesh is not None:
        _forget_errors(mesh)


def _forget_coefficients(obj: bpy.types.Object) -> None:
    if COEFFICIENTS in obj.keys():  # noqa: SIM118 (custom properties)
        del obj[COEFFICIENTS]


def _forget_errors(mesh: bpy.types.Mesh) -> None:
    layer = mesh.attributes.get(ERROR)
    if layer is not None and mesh.library is None:
        mesh.attributes.remove(layer)


def _error_layer(mesh: bpy.types.Mesh) -> bpy.types.FloatAttribute:
    layer = mesh.attributes.get(ERROR)
    if not isinstance(layer, bpy.types.FloatAttribute) or layer.domain != "POINT":
        _forget_errors(mesh)
        layer = cast(bpy.types.FloatAttribute, new_layer(mesh, ERROR, "FLOAT"))
    return layer
