"""Learned springs as colours of the mesh that they move (Jin 2022, Figure 8)."""

from __future__ import annotations

from typing import cast

import bpy
import numpy as np

from ...arrays import Doubles, Floats
from ...errors import Problem
from ...methods.registry import specification_of
from ..playing.packing import model_of
from ..scene.sources import check_layer_names, check_mesh, mesh_data
from .evaluation import ramp_colours

STIFFNESS, DAMPING, DAMPED = "Spring Stiffness", "Spring Damping", "Spring Swings or Creeps"
NAMES = (STIFFNESS, DAMPING, DAMPED)


def show_springs(obj: bpy.types.Object) -> None:
    """Add three colour attributes to an object's mesh, or replace them; the first becomes the active one.

    Stiffness k_s and damping k_d are on logarithmic scales of their own, from least to most; k_d^2 - 4 k_s is
    0 in the middle of its scale, and below it a vertex swings. Raises Problem("springs_unknown") and what
    `check_mesh` and `packing.model_of` do.
    """
    check_mesh(obj)
    check_layer_names(obj, NAMES)
    model, mesh = model_of(obj), mesh_data(obj)
    count = len(mesh.vertices)
    if not _has_springs(model.info.method) or model.info.vertex_count != count:
        raise Problem("springs_unknown", object=obj.name)
    k_s, k_d = (model.tensor(name, count).astype(np.float64) for name in ("stiffness", "damping"))
    shares = _logarithmic(k_s), _logarithmic(k_d), _around_zero(k_d**2 - 4.0 * k_s)
    for name, share in zip(NAMES, shares, strict=True):
        layer = mesh.color_attributes.get(name) or mesh.color_attributes.new(name, "FLOAT_COLOR", "POINT")
        cast(bpy.types.FloatColorAttribute, layer).data.foreach_set("color", ramp_colours(share).reshape(-1))
    mesh.color_attributes.active_color = mesh.color_attributes[STIFFNESS]
    mesh.update()


def hide_springs(obj: bpy.types.Object) -> None:
    """Take the colour attributes away again; harmless where there are none. Raises what `check_mesh` does."""
    check_mesh(obj)
    attributes = mesh_data(obj).color_attributes
    for name in NAMES:
        layer = attributes.get(name)
        if layer is not None:
            attributes.remove(layer)


def are_shown(obj: bpy.types.Object) -> bool:
    """Whether the colours are there."""
    return STIFFNESS in mesh_data(obj).color_attributes


def _logarithmic(values: Doubles) -> Floats:
    """(V,) 0 at the least and 1 at the most."""
    logs = np.log(np.maximum(values, 1e-6))
    spread: float = np.ptp(logs)
    return ((logs - logs.min()) / max(spread, 1e-12)).astype(np.float32)


def _around_zero(values: Doubles) -> Floats:
    """(V,) 0.5 at zero, 0 or 1 at the largest."""
    usual = max(float(np.median(np.abs(values))), 1e-12)
    squeezed = np.arcsinh(values / usual)
    return (0.5 + 0.5 * squeezed / max(float(np.abs(squeezed).max()), 1e-12)).astype(np.float32)


def _has_springs(method: str) -> bool:
    known = specification_of(method)
    return known is not None and known.has_springs
