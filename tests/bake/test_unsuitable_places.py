"""What keeps a mesh from being filled is reported by a bake and then selected in Edit Mode."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

import bmesh
import bpy
from scenes import add_ball, empty_scene, react_to
from workplaces import planned

from neural_physics.baking.plan import places_file
from neural_physics.baking.surface_places import MOST, Places
from neural_physics.blender.baking import preparing
from neural_physics.blender.baking.local_programs import local_programs
from neural_physics.blender.display.unsuitable_places import places_of, show_places
from neural_physics.blender.jobs import programs
from neural_physics.blender.settings.paths import dataset_folder
from neural_physics.blender.settings.properties import settings_of
from neural_physics.errors import Problem
from neural_physics.jobs.isolated_python import clean_environment


@pytest.fixture(autouse=True)
def _a_python_that_simulates(monkeypatch):
    monkeypatch.setattr(programs, "require_ml_backend", lambda _task: Path(sys.executable))


def solid_cube(folder: Path) -> bpy.types.Object:
    """A cube of 54 quads that a ball runs into, to be filled."""
    empty_scene()
    shape = bmesh.new()
    bmesh.ops.create_cube(shape, size=1.0)
    bmesh.ops.subdivide_edges(shape, edges=list(shape.edges), cuts=2, use_grid_fill=True)
    cube = bpy.data.objects.new("Cube", bpy.data.meshes.new("Cube"))
    shape.to_mesh(cube.data)
    bpy.context.scene.collection.objects.link(cube)
    settings = settings_of(cube)
    settings.dataset_folder, settings.take_frames = str(folder), 3
    settings.simulation.kind, settings.simulation.tetrahedra = "SOLID", 100
    react_to(cube, add_ball("Ball", (0.0, 0.0, 2.0)), motion="KEEP")
    return cube


def without_face(obj: bpy.types.Object, index: int) -> set[frozenset[int]]:
    """Delete one face only; the ends of its edges."""
    shape = bmesh.new()
    shape.from_mesh(obj.data)
    shape.faces.ensure_lookup_table()
    ends = {frozenset(vertex.index for vertex in edge.verts) for edge in shape.faces[index].edges}
    bmesh.ops.delete(shape, geom=[shape.faces[index]], context="FACES_ONLY")
    shape.to_mesh(obj.data)
    return ends


def write_places(obj: bpy.types.Object, kind: str, indices: tuple[int, ...]) -> None:
    mesh = obj.data
    count = len({"vertices": mesh.vertices, "edges": mesh.edges, "faces": mesh.polygons}[kind])
    path = places_file(dataset_folder(obj))
    path.parent.mkdir(parents=True, exist_ok=True)
    Places(obj.name, kind, indices, count).write(path)


def selected(obj: bpy.types.Object) -> dict[str, set[int]]:
    """What is selected in Edit Mode, which is left for it."""
    bpy.ops.object.mode_set(mode="OBJECT")
    mesh = obj.data
    kinds = {"vertices": mesh.vertices, "edges": mesh.edges, "faces": mesh.polygons}
    return {kind: {e.index for e in elements if e.select} for kind, elements in kinds.items()}


def make_body(obj: bpy.types.Object) -> dict:
    """What the bake's first job says at last."""
    plan = planned(preparing.prepare_bake(bpy.context.scene, obj))
    words = [*local_programs(by_solver=True).solver, str(plan.path), "body"]
    done = subprocess.run(words, capture_output=True, text=True, env=clean_environment(), check=False)
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.skipif(find_spec("scipy") is None, reason="the solver needs SciPy")
def test_a_bake_of_an_open_mesh_leaves_where_it_is_open_until_it_is_mended(tmp_path):
    cube = solid_cube(tmp_path / "d")
    ends = without_face(cube, 20)
    said = make_body(cube)
    assert said["code"] == "body_unusable" and "Fill Holes" in said["message"]
    places = show_places(cube)
    assert bpy.context.mode == "EDIT_MESH" and bpy.context.active_object == cube
    assert places.kind == "edges" and len(places.indices) == 4
    chosen = selected(cube)["edges"]
    assert {frozenset(cube.data.edges[index].vertices) for index in chosen} == ends
    settings_of(cube).simulation.filling = "cage"
    assert make_body(cube)["event"] == "result"
    assert places_of(cube) is None


@pytest.mark.parametrize(
    ("kind", "mode"),
    [("vertices", (True, False, False)), ("edges", (False, True, False)), ("faces", (False, False, True))],
)
def test_just_these_are_selected_whatever_was_selected_edited_or_hidden(tmp_path, kind, mode):
    cube = solid_cube(tmp_path / "d")
    write_places(cube, kind, (3, 7))
    other = bpy.data.objects["Ball"]
    bpy.context.view_layer.objects.active = other
    bpy.ops.object.mode_set(mode="EDIT")
    for polygon in cube.data.polygons:
        polygon.select = polygon.hide = True
    show_places(cube)
    assert tuple(bpy.context.tool_settings.mesh_select_mode) == mode
    assert other.mode == "OBJECT" and not other.select_get()
    found = selected(cube)
    assert found[kind] == {3, 7}
    if kind == "vertices":
        assert not found["faces"] and not found["edges"]
    assert not any(polygon.hide for polygon in cube.data.polygons)


def test_of_very_many_places_the_first_are_shown_and_none_of_a_file_that_no_bake_writes(tmp_path):
    cube = solid_cube(tmp_path / "d")
    path, many = places_file(dataset_folder(cube)), 10 * MOST
    path.parent.mkdir(parents=True)
    Places("Cube", "edges", tuple(range(many)), many).write(path)
    read = Places.read(path)
    assert read is not None and read.indices == tuple(range(MOST)) and read.count == many
    path.write_text(json.dumps({"object": "Cube", "kind": "faces", "count": 54, "indices": [3] * 1_000_000}))
    assert places_of(cube) is None


def test_places_of_another_mesh_are_not_shown(tmp_path):
    cube = solid_cube(tmp_path / "d")
    assert places_of(cube) is None
    with pytest.raises(Problem) as raised:
        show_places(cube)
    assert raised.value.code == "places_unknown" and "Cube" in raised.value.message
    write_places(cube, "faces", (3, 7))
    assert places_of(cube) is not None
    without_face(cube, 0)
    assert places_of(cube) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"object": "Cube", "kind": "loops", "indices": [1], "count": 54}',
        '{"object": "Cube", "kind": "faces", "indices": [54], "count": 54}',
        '{"object": "Cube", "kind": "faces", "indices": ["one"], "count": 54}',
        '{"object": "Ball", "kind": "faces", "indices": [1], "count": 54}',
    ],
)
def test_a_damaged_or_strange_file_is_no_place(tmp_path, text):
    cube = solid_cube(tmp_path / "d")
    write_places(cube, "faces", (3,))
    places_file(dataset_folder(cube)).write_text(text)
    assert places_of(cube) is None


def test_an_object_that_is_not_in_the_view_layer_is_refused(tmp_path):
    cube = solid_cube(tmp_path / "d")
    write_places(cube, "faces", (3,))
    bpy.context.scene.collection.objects.unlink(cube)
    with pytest.raises(Problem) as raised:
        show_places(cube)
    assert raised.value.code == "object_not_in_scene"


@pytest.mark.parametrize("how", ["eye", "screen", "collection"])
def test_what_the_eye_hides_is_shown_and_what_is_hidden_otherwise_refused(tmp_path, how):
    cube = solid_cube(tmp_path / "d")
    write_places(cube, "faces", (3,))
    if how == "eye":
        cube.hide_set(True)
        show_places(cube)
        assert cube.visible_get() and bpy.context.mode == "EDIT_MESH"
        bpy.ops.object.mode_set(mode="OBJECT")
        return
    if how == "screen":
        cube.hide_viewport = True
    else:
        hidden = bpy.data.collections.new("Hidden")
        bpy.context.scene.collection.children.link(hidden)
        hidden.objects.link(cube)
        bpy.context.scene.collection.objects.unlink(cube)
        hidden.hide_viewport = True
    with pytest.raises(Problem) as raised:
        show_places(cube)
    assert raised.value.code == "object_hidden"


def test_a_mesh_of_another_file_is_refused(tmp_path):
    cube = solid_cube(tmp_path / "d")
    write_places(cube, "faces", (3,))
    bpy.data.libraries.write(str(tmp_path / "library.blend"), {cube.data})
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (there, here):
        here.meshes = there.meshes
    cube.data = here.meshes[0]
    with pytest.raises(Problem) as raised:
        show_places(cube)
    assert raised.value.code == "object_linked"
