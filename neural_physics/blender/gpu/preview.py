"""A viewport preview: an object's triangles drawn straight from result textures, with nothing read back.

The selection shows as a rim in the theme's colour: the silhouette, drawn a little to each side first and
then covered by the object itself. Blender's own outline cannot be used: it is made of the evaluated mesh,
which stays as it was while only textures change. Pushing the surface outwards along its normals would
leave the edges of open sheets, which is what cloth is, without a rim.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import bpy
import gpu
import numpy as np
from mathutils import Matrix

from ...arrays import Floats
from ..scene.references import Numbered
from ..scene.sources import mesh_data
from .context import check_context, gpu_failures
from .decoder import Decoded
from .drawing import opaque, triangle_buffer
from .shaders import preview_shader

LIGHTS = 4
RIM_PIXELS = 2.0
PLAIN = (0.8, 0.8, 0.8)  # of what has no material
RIM_SIDES = [(x, y) for x in (-1.0, 0.0, 1.0) for y in (-1.0, 0.0, 1.0) if x or y]

Colour = tuple[float, float, float]


@dataclass(frozen=True)
class View:
    """The view and the target that is drawn to: of a viewport's region, of an offscreen, or made up."""

    view_from_world: Matrix
    clip_from_view: Matrix
    width: int
    height: int

    @classmethod
    def current(cls) -> View:
        """The view that is being drawn; called within a POST_VIEW draw handler or a bound offscreen."""
        _, _, width, height = gpu.state.viewport_get()
        return cls(gpu.matrix.get_model_view_matrix(), gpu.matrix.get_projection_matrix(), width, height)


def viewport_colour(obj: bpy.types.Object, space: bpy.types.SpaceView3D | None) -> Colour:
    """The colour, scene linear, of an object in a viewport in solid mode; None: the object's own."""
    kind = space.shading.color_type if space is not None else "OBJECT"
    if space is not None and kind == "SINGLE":
        return _rgb(space.shading.single_color[:])
    if kind == "OBJECT":
        return _rgb(obj.color)
    # What else there is, textures and attributes and random colours, is drawn as materials are.
    material = obj.active_material
    return _rgb(material.diffuse_color) if material is not None else PLAIN


class Preview:
    """Draws one instance of a decoded model as an object: with its faces, in its viewport colour.

    While it is drawn, whoever draws it keeps Blender from drawing the object itself. Main thread only.
    """

    def __init__(self, obj: bpy.types.Object, decoded: Decoded, instance: int = 0) -> None:
        """Upload the triangles of the object's mesh, whose vertices are those of the textures.

        Raises NoGPU, and ValueError for another number of vertices.
        """
        check_context()
        mesh = mesh_data(obj)
        if len(mesh.vertices) != decoded.vertex_count:
            raise ValueError(f"{decoded.vertex_count} decoded vertices for {len(mesh.vertices)}")
        self._object = Numbered(obj)
        self._flat = mesh.normals_domain == "FACE"
        self._batch = _batch(mesh)
        self.show(decoded, instance)

    def show(self, decoded: Decoded, instance: int = 0) -> None:
        """Draw these textures from now on; the model is the same."""
        self._decoded, self._instance = decoded, instance

    def draw(
        self,
        view: View,
        object_from_model: Matrix | None = None,
        rim: bool = True,
        colour: Colour | None = None,
    ) -> None:
        """Draw into what is bound, tested against its depth; nothing if the object was deleted.

        object_from_model: from the axes of the textures to the object's, if they are not the same. rim:
        whether the selection is shown. colour: scene linear; None: the object's own. Raises NoGPU.
        """
        obj = self._object.original()
        if obj is None:
            return
        check_context()
        shader, decoded = preview_shader(), self._decoded
        placed = obj.matrix_world @ object_from_model if object_from_model else obj.matrix_world
        smooth = decoded.normals is not None and not self._flat
        values = _values(view, placed, colour or _rgb(obj.color), smooth)
        rim_colour = _rim_colour(obj) if rim else None
        with gpu_failures(), opaque():
            # A new one each time: another viewport's draw may still be waiting to read the last.
            uniforms = gpu.types.GPUUniformBuf(gpu.types.Buffer("FLOAT", values.size, values))
            shader.bind()
            shader.uniform_block("preview", uniforms)
            shader.uniform_sampler("positions", decoded.positions)
            shader.uniform_sampler("normals", decoded.normals or decoded.positions)
            shader.uniform_int("first", self._instance * decoded.vertex_count)
            if rim_colour is not None:
                gpu.state.depth_mask_set(False)
                shader.uniform_float("flat_colour", (*rim_colour, 1.0))
                pixel = 2.0 * RIM_PIXELS / view.width, 2.0 * RIM_PIXELS / view.height
                for x, y in RIM_SIDES:
                    shader.uniform_float("shift", (x * pixel[0], y * pixel[1]))
                    self._batch.draw(shader)
            gpu.state.depth_mask_set(True)
            shader.uniform_float("flat_colour", (0.0, 0.0, 0.0, 0.0))
            shader.uniform_float("shift", (0.0, 0.0))
            self._batch.draw(shader)


def _batch(mesh: bpy.types.Mesh) -> gpu.types.GPUBatch:
    """The mesh's triangles by index; each vertex carries nothing but its own number."""
    layout = gpu.types.GPUVertFormat()
    layout.attr_add(id="vertex_index", comp_type="I32", len=1, fetch_mode="INT")
    with gpu_failures():
        vertices = gpu.types.GPUVertBuf(layout, len(mesh.vertices))
        vertices.attr_fill("vertex_index", np.arange(len(mesh.vertices), dtype=np.int32))
        return gpu.types.GPUBatch(type="TRIS", buf=vertices, elem=triangle_buffer(mesh))


def _values(view: View, placed: Matrix, colour: Colour, normals: bool) -> Floats:
    """The members of `PreviewView`, one after the other; matrices column by column."""
    view_from_object = view.view_from_world @ placed
    to_view = view_from_object.to_3x3().inverted_safe().transposed().to_4x4()
    preferences = bpy.context.preferences
    assert preferences is not None  # Blender always has some
    system = preferences.system
    directions, colours = np.zeros((LIGHTS, 4)), np.zeros((LIGHTS, 4))
    for k, light in enumerate(list(system.solid_lights)[:LIGHTS]):
        if light.use:
            directions[k, :3], directions[k, 3] = light.direction, light.smooth
            colours[k, :3] = light.diffuse_color
    base, ambient = np.zeros(4), np.zeros(4)
    base[:3], ambient[:3] = colour, system.light_ambient
    perspective = view.clip_from_view[3][3] == 0.0
    parts = [
        *(np.array(matrix).T for matrix in (view_from_object, to_view, view.clip_from_view)),
        base,
        ambient,
        directions,
        colours,
        np.array([float(normals), float(perspective), 0.0, 0.0]),
    ]
    return np.concatenate([part.ravel() for part in parts]).astype(np.float32)


def _rim_colour(obj: bpy.types.Object) -> Colour | None:
    """Scene linear; None where the object is not selected in the view layer on show."""
    layer, preferences = bpy.context.view_layer, bpy.context.preferences
    if layer is None or preferences is None or not obj.select_get():
        return None
    theme = preferences.themes[0].view_3d
    active = obj == layer.objects.active
    colour = np.array(theme.object_active if active else theme.object_selected)
    # Not by Color's own method: bpy as a module, without the files of its colour management, makes it black.
    linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
    return float(linear[0]), float(linear[1]), float(linear[2])


def _rgb(colour: Iterable[float]) -> Colour:
    red, green, blue, *_ = colour
    return red, green, blue
