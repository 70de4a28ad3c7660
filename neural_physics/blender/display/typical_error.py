"""Colours over what plays: how far off each place typically is on motion that its model had not seen."""

from __future__ import annotations

from typing import cast
from weakref import WeakKeyDictionary

import bpy
import gpu
import numpy as np
from mathutils import Matrix, Vector

from ...arrays import Floats
from ...models.normals import normals_from_faces
from ..gpu.drawing import opaque, triangles_of
from ..playing.geometry_nodes import has_positions, read_positions
from ..playing.handlers import PLAYED
from ..playing.session import PlaySession
from ..scene import sources
from ..scene.sources import faces_of, mesh_data
from ..scene.targets import set_up_objects
from ..settings.registration import ViewportHandler
from .evaluation import display_colours
from .viewport_lines import current_canvas

SIDEWAYS = 0.45  # of its brightness is what a surface has that is seen from the side
NEARER = 1e-3  # of the distance to the eye: how far colours are before the surface that they cover
LEAST_NEARER = 1e-6  # the same of all the depth there is, without perspective


class Surface:
    """What is drawn of one object: its triangles, and the colours of its vertices, made once for each mesh.

    largest: the error that has the brightest colour, metres.
    """

    def __init__(self, mesh: bpy.types.Mesh, error: Floats, largest: float) -> None:
        self._made_for = mesh.session_uid, largest
        self._triangles = triangles_of(mesh)
        self._colours = display_colours(error / max(largest, 1e-12))

    def fits(self, mesh: bpy.types.Mesh, largest: float) -> bool:
        """Whether it was made for this mesh and this largest error."""
        return self._made_for == (mesh.session_uid, largest)

    def draw(self, positions: Floats, normals: Floats) -> None:
        """Draw it over what is bound; positions, normals (V, 3), in the axes that the matrices are set to."""
        colours = self._colours.copy()
        colours[:, :3] *= headlight(normals, gpu.matrix.get_model_view_matrix())[:, None]
        layout = gpu.types.GPUVertFormat()
        for name, length in (("pos", 3), ("color", 4)):
            layout.attr_add(id=name, comp_type="F32", len=length, fetch_mode="FLOAT")
        vertices = gpu.types.GPUVertBuf(layout, len(positions))
        vertices.attr_fill("pos", positions)
        vertices.attr_fill("color", colours)
        batch = gpu.types.GPUBatch(type="TRIS", buf=vertices, elem=self._triangles)
        shader = gpu.shader.from_builtin("SMOOTH_COLOR")
        with opaque(), gpu.matrix.push_pop_projection():
            gpu.matrix.load_projection_matrix(nearer(gpu.matrix.get_projection_matrix()))
            batch.draw(shader)


_surfaces: WeakKeyDictionary[PlaySession, Surface] = WeakKeyDictionary()


def coloured(scene: bpy.types.Scene) -> list[tuple[bpy.types.Object, PlaySession]]:
    """The objects that are coloured now, and how they play."""
    found = [(obj, PLAYED.session_of(obj)) for obj in set_up_objects(scene)]
    return [
        (obj, session)
        for obj, session in found
        if session is not None and session.error_shown(obj) and session.output.preview.shape is None
    ]


def largest_error(scene: bpy.types.Scene) -> float:
    """What the brightest colour means, metres: one scale for all objects; 0 where none is coloured."""
    errors = [session.vertex_error for _, session in coloured(scene) if session.vertex_error is not None]
    return max((float(error.max()) for error in errors), default=0.0)


def register() -> None:
    """Start drawing the colours in viewports."""
    _HANDLER.register()


def unregister() -> None:
    """Stop drawing the colours, and let go of what they are made of."""
    _HANDLER.unregister()
    _surfaces.clear()


def _draw() -> None:
    scene, space = bpy.context.scene, bpy.context.space_data
    if current_canvas() is None or scene is None or not isinstance(space, bpy.types.SpaceView3D):
        return
    seen = [(obj, session) for obj, session in coloured(scene) if obj.visible_get(viewport=space)]
    if seen:
        depsgraph, largest = bpy.context.evaluated_depsgraph_get(), largest_error(scene)
        for obj, session in seen:
            draw_error(obj, session, depsgraph, largest)


def draw_error(
    obj: bpy.types.Object, session: PlaySession, depsgraph: bpy.types.Depsgraph, largest: float
) -> None:
    """Draw an object in the colours of its vertices' errors, as it is on show, into what is bound.

    largest: the error that has the brightest colour, metres. Nothing is drawn of what is being edited.
    """
    mesh, error = mesh_data(obj), session.vertex_error
    if error is None or mesh.is_editmode or len(mesh.vertices) != len(error):
        return
    shape = _shape(obj, depsgraph)
    if shape is None:
        return
    surface = _surfaces.get(session)
    if surface is None or not surface.fits(mesh, largest):
        surface = _surfaces[session] = Surface(mesh, error, largest)
    with gpu.matrix.push_pop():
        gpu.matrix.multiply_matrix(obj.matrix_world)
        surface.draw(*shape)


def headlight(normals: Floats, view_from_object: Matrix) -> Floats:
    """(V,): how bright a surface is on both sides, SIDEWAYS to 1, by a light that the viewer carries."""
    towards = view_from_object.to_3x3().transposed() @ Vector((0.0, 0.0, 1.0))
    facing = np.abs(normals @ np.array(towards.normalized(), np.float32))
    return SIDEWAYS + (1.0 - SIDEWAYS) * facing.clip(max=1.0)


def nearer(projection: Matrix) -> Matrix:
    """The projection that shows everything at the same place, and a little nearer to the eye."""
    moved = projection.copy()
    if projection[3][3] == 0.0:  # with perspective
        moved[2][3] *= 1.0 + NEARER
    else:
        across = 2.0 / projection[1][1]  # metres that are seen
        moved[2][3] -= max(abs(projection[2][2]) * NEARER * across, LEAST_NEARER)
    return moved


def _shape(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> tuple[Floats, Floats] | None:
    """Positions and normals, both (V, 3): of what Blender shows, of whose normals it has use itself.

    Where other modifiers add vertices, of what the model made; None where it has made nothing yet.
    """
    mesh = mesh_data(obj)
    shown = cast(bpy.types.Mesh, obj.evaluated_get(depsgraph).data)
    if len(shown.vertices) == len(mesh.vertices):
        normals = np.empty((len(shown.vertices), 3), np.float32)
        shown.vertex_normals.foreach_get("vector", normals.reshape(-1))
        return sources.read_positions(shown), normals
    if not has_positions(mesh):
        return None
    positions = read_positions(mesh)
    return positions, normals_from_faces(positions, *faces_of(mesh))


_HANDLER = ViewportHandler(_draw)
