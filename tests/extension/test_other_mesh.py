"""A mesh that is not the one of the takes any more: nothing is trained that could not play."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.blender


def test_no_model_of_another_mesh_is_trained(in_blender: Callable[..., str]) -> None:
    in_blender(
        """
import bmesh
from drawn_panels import drawn
from inside_blender import add_example, few_vertices, ours, part, refused, saved_scene
saved_scene()
few_vertices()
sheet = add_example(method="linear_dynamics", basis_count=8, take_count=2, take_frames=70)
assert ours.bake() == {"FINISHED"} and ours.train() == {"FINISHED"}
whole = sheet.data.copy()
assert ours.train.poll() and ours.make_it_play.poll()

shape = bmesh.new()
shape.from_mesh(sheet.data)
shape.verts.ensure_lookup_table()
bmesh.ops.delete(shape, geom=[shape.verts[40]], context="VERTS")
shape.to_mesh(sheet.data)
part("neural_physics.blender.tasks.facts").forget_facts()
refused("undo that, or bake anew and train", ours.play)
refused("from a mesh with different vertices", ours.train)
refused("from a mesh with different vertices", ours.make_it_play)
assert "different vertices or faces than Sheet has now: undo that, bake anew" in drawn("train", sheet).words
assert "neural_physics.bake_anew" in drawn("bake", sheet).operators

sheet.data = whole
part("neural_physics.blender.tasks.facts").forget_facts()
assert ours.train.poll() and ours.make_it_play.poll() and ours.play() == {"FINISHED"}
"""
    )
