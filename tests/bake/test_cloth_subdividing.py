"""Coarse meshes made fine: held against the library's own subdivision and closed counts."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

import bpy
from library_subdivision import subdivided
from scenes import add_cloth, empty_scene

from neural_physics.blender.modelling import cloth_subdividing
from neural_physics.blender.modelling.cloth_subdividing import check_subdivide, subdivide_cloth
from neural_physics.blender.scene.sources import group_weights, mesh_of, read_positions
from neural_physics.blender.settings.properties import settings_of
from neural_physics.blender.tasks import facts
from neural_physics.errors import Problem
from neural_physics.subdivision.usual_levels import usual_hierarchy


@pytest.fixture
def cloth():
    """5 x 5 vertices, the upper row pinned."""
    empty_scene()
    return add_cloth(points=5)


def add_sphere(subdivisions=1):
    """Triangles, with UVs that have seams, and a group of random weights."""
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=subdivisions)
    sphere = bpy.context.object
    sphere.modifiers.new("Cloth", "CLOTH")
    group, rng = sphere.vertex_groups.new(name="Some"), np.random.default_rng(0)
    for vertex in range(0, len(sphere.data.vertices), 2):
        group.add([vertex], rng.uniform(0.1, 1.0), "REPLACE")
    return sphere


def uvs_of(obj):
    uvs = np.empty((len(obj.data.loops), 2), np.float32)
    obj.data.uv_layers.active.data.foreach_get("uv", uvs.reshape(-1))
    return uvs


def sorted_rows(rows):
    """In an order of their own, but for rounding."""
    rows = np.asarray(rows, float)
    return rows[np.lexsort(np.round(rows, 4).T)]


def expected_counts(points, levels):
    """A grid of quads has one vertex more than faces along each side."""
    return ((points - 1) * 2**levels + 1) ** 2


@pytest.mark.parametrize("levels", [1, 2, 3])
def test_a_grid_becomes_one_whose_coarse_levels_are_found(levels):
    """Of five faces along each side, which no coarser level fits to."""
    empty_scene()
    cloth = add_cloth(points=6)
    before = read_positions(cloth.data)
    subdivide_cloth(cloth, levels)
    after = mesh_of(cloth)
    assert after.vertex_count == expected_counts(6, levels)
    assert np.array_equal(after.rest_positions[:36], before)
    found = usual_hierarchy(after, cloth.name)
    assert len(found.levels) == min(levels, 2) + 1
    assert found.levels[0].vertex_count == expected_counts(6, max(levels - 2, 0))
    if levels <= 2:
        assert set(found.order[:36]) == set(range(36))


@pytest.mark.parametrize("levels", [1, 2])
def test_triangles_positions_weights_and_uvs_are_those_of_the_papers_subdivision(levels):
    empty_scene()
    sphere = add_sphere()
    weights = group_weights(sphere, "Some", 0.0)[:, None]
    library = subdivided(mesh_of(sphere), levels, "Sphere", uvs=uvs_of(sphere), weights=weights)
    subdivide_cloth(sphere, levels)
    ours, theirs = mesh_of(sphere), library.mesh
    assert (ours.face_sizes == 3).all()

    def vertices(mesh, weights):
        return np.column_stack([mesh.rest_positions, weights])

    ours_weights = group_weights(sphere, "Some", 0.0)
    assert sorted_rows(vertices(ours, ours_weights)) == pytest.approx(
        sorted_rows(vertices(theirs, library.weights)), abs=1e-5
    )

    def corners(mesh, uvs):
        return np.column_stack([mesh.rest_positions[mesh.corners], uvs])

    assert sorted_rows(corners(ours, uvs_of(sphere))) == pytest.approx(
        sorted_rows(corners(theirs, library.uvs)), abs=1e-5
    )


@pytest.mark.parametrize("kind", ["BLENDER", "SPRINGS"])
def test_only_what_is_between_pinned_vertices_is_pinned(cloth, kind):
    settings = settings_of(cloth)
    settings.simulation.kind, settings.simulation.pins = kind, "Pins"
    subdivide_cloth(cloth, 2)
    mesh = mesh_of(cloth)
    upper = mesh.rest_positions[:, 2] > 1.0 - 1e-6
    assert upper.sum() == 17
    assert np.array_equal(mesh.pins > 0, upper)


def test_other_weights_are_means_and_shape_keys_and_materials_go_along(cloth):
    cloth.vertex_groups.new(name="Other").add(range(20, 25), 1.0, "REPLACE")
    cloth.shape_key_add(name="Basis")
    lifted = cloth.shape_key_add(name="Lifted")
    for k, point in enumerate(lifted.data):
        point.co.y = 0.1 * k
    for name in ("First", "Second"):
        cloth.data.materials.append(bpy.data.materials.new(name))
    cloth.data.polygons[0].material_index = 1
    cloth.data.polygons[0].use_smooth = True
    subdivide_cloth(cloth, 1)
    x = read_positions(cloth.data)
    weights = group_weights(cloth, "Other", 0.0)
    assert weights == pytest.approx(np.clip((x[:, 2] - 0.5) / 0.5, 0, 1), abs=1e-6)
    keys = cloth.data.shape_keys.key_blocks
    assert len(keys["Lifted"].data) == len(x) == 81
    # Vertex k stood at x = -1 + k % 5 / 2, z = -1 + k // 5 / 2, so that the lift is linear in both.
    lift = np.array([point.co.y for point in keys["Lifted"].data])
    assert lift == pytest.approx(0.1 * (2 * (x[:, 0] + 1) + 10 * (x[:, 2] + 1)), abs=1e-5)
    second = [face for face in cloth.data.polygons if face.material_index == 1]
    assert len(second) == 4 and all(face.use_smooth for face in second)


def test_it_is_offered_where_hierarchical_cloth_lacks_levels_and_then_no_more(cloth):
    empty_scene()
    cloth = add_cloth(points=6)  # five faces along each side
    assert not cloth_subdividing.offers_subdivide(cloth)
    settings_of(cloth).method = "hierarchical_cloth"
    assert cloth_subdividing.offers_subdivide(cloth)
    with pytest.raises(Problem, match="Subdivide Cloth"):
        facts.check_object(bpy.context.scene, cloth)
    subdivide_cloth(cloth, 2)
    assert not cloth_subdividing.offers_subdivide(cloth)
    facts.check_object(bpy.context.scene, cloth)


def refused(code, obj, levels=2):
    before = read_positions(obj.data)
    with pytest.raises(Problem) as caught:
        subdivide_cloth(obj, levels)
    assert caught.value.code == code
    assert np.array_equal(read_positions(obj.data), before)


def test_what_cannot_be_subdivided_is_refused_and_stays_as_it_was(cloth):
    refused("subdivide_too_fine", cloth, 8)
    settings_of(cloth).playing = True
    refused("subdivide_playing", cloth)
    settings_of(cloth).playing = False
    cloth.data.vertices.add(1)
    refused("levels_loose", cloth)


def test_a_mesh_that_two_objects_have_is_refused(cloth):
    other = cloth.copy()
    bpy.context.scene.collection.objects.link(other)
    with pytest.raises(Problem, match=f"Sheet shares its mesh with {other.name}, which would change too"):
        check_subdivide(cloth)


def test_faces_that_no_levels_can_be_made_of_are_refused():
    empty_scene()
    bpy.ops.mesh.primitive_circle_add(vertices=5, fill_type="NGON")
    refused("levels_corners", bpy.context.object)
    data = bpy.data.meshes.new("Three")
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, -1, 0)]
    data.from_pydata(corners, [], [(0, 1, k) for k in (2, 3, 4)])
    book = bpy.data.objects.new("Three", data)
    bpy.context.scene.collection.objects.link(book)
    refused("levels_edge_shared", book)
    data = bpy.data.meshes.new("Turned")
    data.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], [], [(0, 1, 2), (1, 2, 3)])
    turned = bpy.data.objects.new("Turned", data)
    bpy.context.scene.collection.objects.link(turned)
    refused("levels_winding", turned)


def test_a_mesh_that_is_fine_already_is_no_coarsest_level():
    empty_scene()
    with pytest.raises(Problem) as caught:
        check_subdivide(add_cloth(points=65))
    assert caught.value.code == "subdivide_not_coarse"
    with pytest.raises(Problem) as caught:
        check_subdivide(None)
    assert caught.value.code == "nothing_selected"
