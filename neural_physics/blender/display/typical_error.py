"""Colours over what plays: how far off each place may be now, or typically is where that is not known."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import bpy
import gpu
import numpy as np
from mathutils import Matrix, Vector

from ...arrays import Floats
from ...errors import Problem
from ..gpu.context import NoGPU
from ..gpu.drawing import opaque, triangle_buffer
from ..gpu.shaders import coloured_shader
from ..playing.handlers import PLAYED
from ..playing.output.geometry_nodes import has_positions, read_positions
from ..playing.output.position_places import positions_mesh
from ..playing.session import PlaySession
from ..scene.sources import mesh_data
from ..scene.targets import set_up_objects
from ..settings.registration import ViewportHandler
from .evaluation import display_colours
from .viewport_lines import current_canvas

SIDEWAYS = 0.45  # of its brightness is what a surface has that is seen from the side
BRIGHTEST = 2.0  # where errors change from frame to frame: of the largest typical one
NEARER = 1e-3  # of the distance to the eye: how far colours are before the surface that they cover
LEAST_NEARER = 1e-6  # the same of all the depth there is, without perspective


class Surface:
    """What is drawn of one object: its triangles, made once for each mesh, and the colours of its vertices,
    made once for each error.
    """

    def __init__(self, mesh: bpy.types.Mesh) -> None:
        self._made_for = mesh.session_uid
        self._triangles = triangle_buffer(mesh)
        self._coloured_for: tuple[Floats | None, float] = None, 0.0

    def fits(self, mesh: bpy.types.Mesh) -> bool:
        """Whether it was made for this mesh."""
        return self._made_for == mesh.session_uid

    def colour(self, error: Floats, largest: float) -> None:
        """error (V,), and the one that has the brightest colour, metres."""
        if self._coloured_for[0] is error and self._coloured_for[1] == largest:
            return
        self._coloured_for = error, largest
        self._colours = _vertex_buffer("color", display_colours(error / max(largest, 1e-12))[:, :3])

    def draw(self, positions: Floats) -> None:
        """Draw it over what is bound; positions (V, 3), in the axes that the matrices are set to.

        Raises NoGPU.
        """
        shader = coloured_shader()
        batch = gpu.types.GPUBatch(type="TRIS", buf=_vertex_buffer("pos", positions), elem=self._triangles)
        batch.vertbuf_add(self._colours)
        shader.uniform_float("towards", towards_viewer(gpu.matrix.get_model_view_matrix()))
        shader.uniform_float("sideways", SIDEWAYS)
        with opaque(), gpu.matrix.push_pop_projection():
            gpu.matrix.load_projection_matrix(nearer(gpu.matrix.get_projection_matrix()))
            batch.draw(shader)


def _vertex_buffer(name: str, values: Floats) -> gpu.types.GPUVertBuf:
    """values (V, 3)."""
    layout = gpu.types.GPUVertFormat()
    layout.attr_add(id=name, comp_type="F32", len=3, fetch_mode="FLOAT")
    buffer = gpu.types.GPUVertBuf(layout, len(values))
    buffer.attr_fill(name, np.ascontiguousarray(values, np.float32))
    return buffer


_surfaces: WeakKeyDictionary[PlaySession, Surface] = WeakKeyDictionary()


def coloured(scene: bpy.types.Scene) -> list[tuple[bpy.types.Object, PlaySession]]:
    """The objects that are coloured now, and how they play."""
    found = [(obj, PLAYED.session_of(obj)) for obj in set_up_objects(scene)]
    return [
        (obj, session)
        for obj, session in found
        if session is not None and session.error_shown(obj) and session.output.preview.shape is None
    ]


def is_of_now(scene: bpy.types.Scene) -> bool:
    """Whether a model that is coloured knows how far off it may be at this frame."""
    return any(session.expected_error() is not None for _, session in coloured(scene))


def largest_error(scene: bpy.types.Scene) -> float:
    """What the brightest colour means, metres: one scale for all objects; 0 where none is coloured."""
    largest = 0.0
    for _, session in coloured(scene):
        if session.vertex_error is not None:
            times = BRIGHTEST if session.expected_error() is not None else 1.0
            largest = max(largest, times * float(session.vertex_error.max()))
    return largest


def register() -> None:
    """Start drawing the colours in viewports."""
    _HANDLER.register()


def unregister() -> None:
    """Stop drawing the colours, and let go of what they are made of."""
    _HANDLER.unregister()
    _surfaces.clear()


def _draw() -> None:
    scene, space = bpy.context.scene, bpy.context.space_data
    if current_canvas() is not None and scene is not None and isinstance(space, bpy.types.SpaceView3D):
        draw_all(scene, space)


def draw_all(scene: bpy.types.Scene, space: bpy.types.SpaceView3D | None) -> None:
    """Draw what is coloured of a scene over what is bound; one that fails keeps its problem.

    space: the viewport, whose hidden objects are left out; None draws all.
    """
    largest = largest_error(scene)
    for obj, session in coloured(scene):
        if space is not None and not obj.visible_get(viewport=space):
            continue
        try:
            draw_error(obj, session, largest)
        except Exception as error:  # noqa: BLE001 (raised, it would be lost in a console at every redraw)
            reason = _said(error)
            session.error_problem = Problem("typical_error_not_drawn", object=obj.name, reason=reason)


def _said(error: Exception) -> str:
    """What went wrong, as part of a sentence."""
    if isinstance(error, NoGPU):
        return "its driver rejected the shader"
    return f"{type(error).__name__}: {error}".rstrip(".")


def draw_error(obj: bpy.types.Object, session: PlaySession, largest: float) -> None:
    """Draw the shape that plays in the colours of its vertices' errors over what is bound.

    largest: the error that has the brightest colour, metres. Modifiers below ours are not followed: having
    their result evaluated for this would cost more than all else. Nothing is drawn of what is being edited.
    Raises NoGPU.
    """
    mesh, place, error = mesh_data(obj), positions_mesh(obj), session.error_now()
    if error is None or mesh.is_editmode or not has_positions(place) or len(mesh.vertices) != len(error):
        return
    surface = _surfaces.get(session)
    if surface is None or not surface.fits(mesh):
        surface = _surfaces[session] = Surface(mesh)
    surface.colour(error, largest)
    with gpu.matrix.push_pop():
        gpu.matrix.multiply_matrix(obj.matrix_world)
        surface.draw(read_positions(place))


def towards_viewer(view_from_object: Matrix) -> Vector:
    """A unit vector in the axes of an object."""
    return (view_from_object.to_3x3().transposed() @ Vector((0.0, 0.0, 1.0))).normalized()


def nearer(projection: Matrix) -> Matrix:
    """The projection that shows everything at the same place, and a little nearer to the eye."""
    moved = projection.copy()
    if projection[3][3] == 0.0:  # with perspective
        moved[2][3] *= 1.0 + NEARER
    else:
        across = 2.0 / projection[1][1]  # metres that are seen
        moved[2][3] -= max(abs(projection[2][2]) * NEARER * across, LEAST_NEARER)
    return moved


_HANDLER = ViewportHandler(_draw)
