"""Colours of the typical error as they are drawn: over the mesh as it plays, of each place its own."""

from __future__ import annotations

from math import radians

import bpy
import gpu
import numpy as np
import play_scenes
import pytest
import synthetic
from mathutils import Matrix, Vector
from play_models import model_file

from neural_physics.blender.display import typical_error
from neural_physics.blender.display.evaluation import display_colours
from neural_physics.blender.playing import packing, playback
from neural_physics.blender.playing.handlers import PLAYED
from neural_physics.blender.playing.output.geometry_nodes import read_positions
from neural_physics.blender.settings.properties import settings_of

pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("graphics")]

SIZE, FRAME = 256, 30
MESH = synthetic.sheet_mesh()
ERROR = np.linspace(0.0, 0.2, MESH.vertex_count, dtype=np.float32)
EYE = Matrix.Translation((0.0, -3.0, -0.5)) @ Matrix.Rotation(radians(90.0), 4, "X")
PROJECTIONS = {
    "orthographic": Matrix.Diagonal((0.9, 0.9, -0.001, 1.0)),
    # 53 degrees, from 1 cm to 1 km.
    "perspective": Matrix(((2, 0, 0, 0), (0, 2, 0, 0), (0, 0, -1.00002, -0.0200002), (0, 0, -1, 0))),
}


@pytest.fixture(params=PROJECTIONS)
def projection(request):
    return PROJECTIONS[request.param]


@pytest.fixture
def sheet():
    """Plays a model that knows how far off it is."""
    return plays(ERROR)


def plays(error):
    play_scenes.open_scene()
    sheet = play_scenes.add_sheet(play_scenes.add_hand())
    packing.pack(sheet, model_file(MESH, error=error))
    playback.attach(sheet)
    settings_of(sheet).show_typical_error = True
    bpy.context.scene.frame_set(FRAME)
    return sheet


def pictures(sheet, projection):
    """What Blender draws, and the same with the colours over it: (SIZE, SIZE, 4) each, x and then y."""
    areas = bpy.context.window_manager.windows[0].screen.areas
    area = next(area for area in areas if area.type == "VIEW_3D")
    region = next(region for region in area.regions if region.type == "WINDOW")
    space = area.spaces.active
    space.overlay.show_overlays = space.shading.show_object_outline = False
    offscreen = gpu.types.GPUOffScreen(SIZE, SIZE)
    offscreen.draw_view3d(
        bpy.context.scene,
        bpy.context.view_layer,
        space,
        region,
        EYE.inverted(),
        projection,
        do_color_management=True,
        draw_background=False,
    )
    plain = pixels(offscreen)
    with offscreen.bind(), gpu.matrix.push_pop(), gpu.matrix.push_pop_projection():
        gpu.matrix.load_matrix(EYE.inverted())
        gpu.matrix.load_projection_matrix(projection)
        largest = typical_error.largest_error(bpy.context.scene)
        typical_error.draw_error(sheet, PLAYED.session_of(sheet), largest)
    return plain, pixels(offscreen)


def pixels(offscreen):
    buffer = offscreen.texture_color.read()
    buffer.dimensions = SIZE * SIZE * 4
    return np.frombuffer(buffer, np.uint8).reshape(SIZE, SIZE, 4).swapaxes(0, 1) / 255.0


def places(obj, positions, projection):
    """(V, 2) pixels: where these places, in the object's axes, are."""
    points = np.concatenate([positions, np.ones((len(positions), 1))], 1)
    clip = points @ np.array(projection @ EYE.inverted() @ obj.matrix_world).T
    return ((0.5 + 0.5 * clip[:, :2] / clip[:, 3:]) * SIZE).astype(int)


def yellow(picture):
    """Where the brightest colour is."""
    return (picture[..., 0] > 2.0 * picture[..., 2]) & (picture[..., 3] > 0.5)


def test_each_vertex_has_the_colour_of_its_error_however_the_surface_is_turned(sheet, projection):
    _, drawn = pictures(sheet, projection)
    # Not at the rim, where a pixel may be beside the sheet.
    inner = np.arange(MESH.vertex_count).reshape(6, 6)[1:-1, 1:-1].ravel()
    at = places(sheet, read_positions(sheet.data), projection)[inner]
    found = drawn[at[:, 0], at[:, 1], :3]
    wanted = display_colours(ERROR / ERROR.max())[inner, :3]
    light = (found * wanted).sum(1) / (wanted * wanted).sum(1)
    assert found == pytest.approx(light[:, None] * wanted, abs=0.05)
    assert (light > typical_error.SIDEWAYS - 0.05).all() and (light < 1.05).all()


def test_the_mesh_is_covered_with_nothing_of_it_showing_through(projection):
    sheet = plays(np.full(MESH.vertex_count, 0.1, np.float32))
    sheet.location, sheet.rotation_euler, sheet.scale = (0.1, 0.2, -0.1), (0.3, 0.2, 0.4), (1.1, 1.1, 1.1)
    bpy.context.view_layer.update()
    plain, drawn = pictures(sheet, projection)
    covered = plain[..., 3] > 0.99
    assert covered.mean() > 0.05 and not yellow(plain).any()
    assert yellow(drawn)[covered].all()
    assert (yellow(drawn) & (plain[..., 3] == 0.0)).mean() < 0.005


def test_what_is_a_few_centimetres_before_it_hides_it(projection):
    sheet = plays(np.full(MESH.vertex_count, 0.1, np.float32))
    board = play_scenes.add_object("Board", MESH)
    nearest = read_positions(sheet.data)[:, 1].min()
    board.location.y = nearest - 0.03
    bpy.context.view_layer.update()
    _, drawn = pictures(sheet, projection)
    x, y = places(board, MESH.rest_positions, projection)[14]
    assert not yellow(drawn[x - 5 : x + 5, y - 5 : y + 5]).any()
    bpy.data.objects.remove(board)
    bpy.context.view_layer.update()
    assert yellow(pictures(sheet, projection)[1]).mean() > 0.05


def test_modifiers_that_add_vertices_do_not_keep_it_from_being_drawn(projection):
    sheet = plays(np.full(MESH.vertex_count, 0.1, np.float32))
    before = yellow(pictures(sheet, projection)[1]).mean()
    sheet.modifiers.new("Subdivision", "SUBSURF")
    bpy.context.view_layer.update()
    plain, drawn = pictures(sheet, projection)
    assert not yellow(plain).any() and yellow(drawn).mean() > 0.4 * before


def test_the_artist_s_mesh_is_left_alone(sheet):
    def held():
        mesh = sheet.data
        return (
            [attribute.name for attribute in mesh.attributes],
            list(mesh.materials),
            len(mesh.color_attributes),
            [modifier.name for modifier in sheet.modifiers],
            len(bpy.data.meshes),
        )

    before = held()
    pictures(sheet, PROJECTIONS["perspective"])
    assert held() == before


def test_nothing_is_drawn_while_the_mesh_is_edited(sheet):
    bpy.context.view_layer.objects.active = sheet
    bpy.ops.object.mode_set(mode="EDIT")
    plain, drawn = pictures(sheet, PROJECTIONS["perspective"])
    bpy.ops.object.mode_set(mode="OBJECT")
    assert np.array_equal(plain, drawn)


@pytest.mark.parametrize("point", [(0.3, -0.2, -0.5), (0.3, -0.2, -5.0), (3.0, 2.0, -80.0)])
def test_nearer_is_at_the_same_place_and_in_front(projection, point):
    at = Vector((*point, 1.0))
    plain, moved = projection @ at, typical_error.nearer(projection) @ at
    plain, moved = plain / plain.w, moved / moved.w
    assert moved.xy == plain.xy
    assert plain.z - moved.z > 1e-7
