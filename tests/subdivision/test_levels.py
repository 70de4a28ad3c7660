"""Levels held against closed counts, and against undoing what was done."""

from __future__ import annotations

import numpy as np
import pytest
from level_meshes import fan, grid, icosahedron, mesh_of, tube
from library_subdivision import subdivided

from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.errors import Problem
from neural_physics.subdivision import usual_levels
from neural_physics.subdivision.coarsening import found_hierarchy
from neural_physics.subdivision.levels import check_memory

BASES = {
    "icosahedron": icosahedron(),
    "fan": fan(7),
    "tube": tube(6, 3),
    "triangle": fan(3),
    "grid": grid(4, 3),
}


def edges_of(mesh):
    return {tuple(edge) for edge in mesh.edges()}


def faces_of(corners):
    """Triangles as a set, whatever corner they begin with."""
    return {tuple(np.roll(t, -int(np.argmin(t)))) for t in np.asarray(corners).reshape(-1, 3)}


def shuffled(mesh, rng):
    """The same mesh, its vertices and faces numbered anew."""
    to = rng.permutation(mesh.vertex_count)
    positions, pins = np.empty_like(mesh.rest_positions), np.empty_like(mesh.pins)
    positions[to], pins[to] = mesh.rest_positions, mesh.pins
    faces = np.split(to[mesh.corners], np.cumsum(mesh.face_sizes)[:-1])
    faces = [np.roll(faces[k], rng.integers(len(faces[k]))) for k in rng.permutation(len(faces))]
    return mesh_of(positions, faces, pins)


def quads_of(mesh):
    """Each quad as four, each triangle as four, new vertices in the middles, as Blender subdivides."""
    positions, middle, faces = list(mesh.rest_positions), {}, []

    def middle_of(*vertices):
        key = tuple(sorted(int(v) for v in vertices))
        if key not in middle:
            middle[key] = len(positions)
            positions.append(mesh.rest_positions[list(key)].mean(0))
        return middle[key]

    for face in np.split(mesh.corners, np.cumsum(mesh.face_sizes)[:-1]):
        sides = [middle_of(face[k], face[(k + 1) % len(face)]) for k in range(len(face))]
        if len(face) == 4:
            c = middle_of(*face)
            faces += [[face[k], sides[k], c, sides[k - 1]] for k in range(4)]
        else:
            faces += [[face[k], sides[k], sides[k - 1]] for k in range(3)] + [sides]
    return mesh_of(positions, faces)


@pytest.mark.parametrize("name", BASES)
@pytest.mark.parametrize("levels", [0, 1, 3])
def test_each_level_adds_one_vertex_per_edge_and_four_triangles_for_one(name, levels):
    base = BASES[name]
    done = subdivided(base, levels, "Cloth")
    v, f = base.vertex_count, int((base.face_sizes - 2).sum())
    e = len(base.edges()) + int((base.face_sizes == 4).sum())
    for _ in range(levels):
        v, e, f = v + e, 2 * e + 3 * f, 4 * f
    fine = done.mesh
    assert (fine.vertex_count, len(fine.edges()), len(fine.face_sizes)) == (v, e, f)


@pytest.mark.parametrize("name", BASES)
def test_new_vertices_are_in_the_middle_of_edges_and_triangles_keep_their_side_and_area(name):
    base = BASES[name]
    done = subdivided(base, 1, "Cloth")
    coarse, fine = done.hierarchy.levels
    x = done.mesh.rest_positions
    assert np.array_equal(x[: base.vertex_count], base.rest_positions)
    assert x[base.vertex_count :] == pytest.approx(x[coarse.edges].mean(1), abs=1e-6)
    normals = [
        np.cross(*(x[level.triangles][:, [1, 2]] - x[level.triangles][:, [0, 0]]).swapaxes(0, 1))
        for level in (coarse, fine)
    ]
    assert normals[1] == pytest.approx(np.repeat(normals[0], 4, axis=0) / 4, abs=1e-5)


@pytest.mark.parametrize("name", BASES)
@pytest.mark.parametrize("levels", [1, 2])
def test_what_was_subdivided_is_found_again(name, levels, rng):
    base = BASES[name]
    fine = shuffled(subdivided(base, levels, "Cloth").mesh, rng)
    found = found_hierarchy(fine, levels, "Cloth")
    assert np.array_equal(np.sort(found.order), np.arange(fine.vertex_count))
    assert faces_of(found.order[found.levels[-1].triangles]) == faces_of(fine.corners)
    sizes = [level.vertex_count for level in subdivided(base, levels, "Cloth").hierarchy.levels]
    assert [level.vertex_count for level in found.levels] == sizes
    if name == "tube":  # turned by one vertex it is as good a subdivision
        return
    x = found.sorted(fine.rest_positions)
    for level, finer in zip(found.levels, found.levels[1:], strict=False):
        middles = x[level.vertex_count : finer.vertex_count]
        assert middles == pytest.approx(level.midpoints(x), abs=1e-6)


@pytest.mark.parametrize("columns,rows,sizes", [(49, 73, [247, 925, 3577]), (25, 37, [70, 247, 925])])
def test_the_papers_grids_have_the_papers_numbers_of_masses(columns, rows, sizes, rng):
    mesh = grid(columns, rows)
    for one in (mesh, shuffled(mesh, rng)):
        found = found_hierarchy(one, 2, "Cloth")
        assert [level.vertex_count for level in found.levels] == sizes
        assert len(np.unique(found.order)) == columns * rows
        fine = edges_of(one)
        drawn = np.sort(found.order[found.levels[-1].edges], axis=1)
        assert fine <= {tuple(edge) for edge in drawn}
        assert len(drawn) == len(fine) + (columns - 1) * (rows - 1)


def test_all_diagonals_of_a_grid_run_one_way_and_all_triangles_look_alike():
    mesh = grid(9, 5, 2.0, 1.0)
    found = found_hierarchy(mesh, 2, "Cloth")
    for level in found.levels:
        x = found.sorted(mesh.rest_positions)[level.triangles]
        sides = np.stack([x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]], 1)
        sides *= np.sign(sides[:, :1, :1] + sides[:, :1, 1:2])
        assert sides == pytest.approx(np.broadcast_to(sides[0], sides.shape))
        assert np.abs(np.einsum("tc,tc->t", sides[:, 0], sides[:, 1])).max() < 1e-9


def test_quads_and_triangles_in_one_mesh_are_found_again(rng):
    house = mesh_of([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0.5, 1.8, 0]], [[0, 1, 2, 3], [3, 2, 4]])
    fine = shuffled(quads_of(quads_of(house)), rng)
    found = found_hierarchy(fine, 2, "House")
    assert found.levels[0].vertex_count == 5 and len(found.levels[0].triangles) == 3
    assert np.array_equal(np.sort(found.order), np.arange(fine.vertex_count))


def test_pieces_that_touch_in_nothing_are_found_each(rng):
    one, other = subdivided(icosahedron(), 1, "A").mesh, subdivided(fan(5), 1, "B").mesh
    both = Mesh(
        np.concatenate([one.rest_positions, other.rest_positions]),
        np.concatenate([one.corners, other.corners + one.vertex_count]),
        np.concatenate([one.face_sizes, other.face_sizes]),
        np.concatenate([one.pins, other.pins]),
    )
    assert found_hierarchy(shuffled(both, rng), 1, "Both").levels[0].vertex_count == 12 + 6


def test_pins_uvs_and_weights_go_along():
    base = grid(4, 3)
    base.pins[[0, 1, 2, 3]] = 1.0
    x = base.rest_positions[:, :2]
    uvs, weights = x[base.corners] * 0.5, np.stack([x[:, 0], 1 - x[:, 1]], 1)
    done = subdivided(base, 2, "Cloth", uvs=uvs, weights=weights)
    fine = done.mesh.rest_positions
    # What is linear stays linear: UVs and weights that are places are those of the new vertices.
    assert done.uvs == pytest.approx(0.5 * fine[done.mesh.corners, :2], abs=1e-6)
    assert done.weights == pytest.approx(np.stack([fine[:, 0], 1 - fine[:, 1]], 1), abs=1e-6)
    assert np.array_equal(done.mesh.pins == 1.0, fine[:, 1] == 0.0)
    found = found_hierarchy(done.mesh, 2, "Cloth")
    assert done.mesh.pins[found.order[: found.levels[0].vertex_count]].sum() == 4
    assert np.array_equal(found.sorted(fine), fine[found.order])


def test_seams_stay_seams():
    base = mesh_of([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
    uvs = np.array([[0, 0], [1, 0], [1, 1], [5, 5], [6, 6], [5, 6]], float)
    done = subdivided(base, 1, "Cloth", uvs=uvs)
    of_triangle = done.uvs.reshape(2, 12, 2)
    assert of_triangle[0].max() <= 1.0 and of_triangle[1].min() >= 5.0


def refused(mesh, levels=1, make=found_hierarchy):
    with pytest.raises(Problem) as caught:
        make(mesh, levels, "Cloth")
    return caught.value


def test_what_has_no_coarser_level_is_distinguished_from_what_has_too_few():
    problem = refused(grid(6, 5))
    assert (problem.code, problem.names["found"], problem.names["multiple"]) == ("levels_quads", 0, 2)
    assert refused(grid(7, 5), 2).names["found"] == 1
    assert refused(icosahedron()).code == "levels_not_found"
    assert refused(subdivided(icosahedron(), 1, "I").mesh, 2).names["found"] == 1


def test_a_mesh_without_faces_has_no_coarser_level():
    nothing = Mesh(np.zeros((0, 3), np.float32), np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0))
    assert refused(nothing).code == "levels_not_found"


def test_diagonals_that_alternate_have_no_coarser_level():
    at = np.arange(25).reshape(5, 5)
    faces = []
    for i in range(4):
        for j in range(4):
            a, b, c, d = at[i, j], at[i, j + 1], at[i + 1, j + 1], at[i + 1, j]
            faces += [[a, b, c], [a, c, d]] if (i + j) % 2 else [[a, b, d], [b, c, d]]
    assert refused(mesh_of(grid(5, 5).rest_positions, faces)).code == "levels_not_found"


def test_one_triangle_with_another_neighbour_is_noticed(rng):
    """An edge turned in a subdivided mesh: every vertex is still there, and it is no subdivision."""
    fine = subdivided(icosahedron(), 2, "I").mesh
    triangles = fine.corners.reshape(-1, 3).copy()
    first = triangles[7]
    a, b, c = (int(v) for v in first)
    other = next(k for k, t in enumerate(triangles) if k != 7 and {b, c} <= set(t.tolist()))
    d = next(int(v) for v in triangles[other] if v not in (b, c))
    triangles[7], triangles[other] = [a, b, d], [a, d, c]
    assert refused(mesh_of(fine.rest_positions, list(triangles))).code == "levels_not_found"


@pytest.mark.parametrize("make", [found_hierarchy, subdivided])
def test_faces_that_no_level_can_be_made_of_have_their_sentences(make):
    x = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
    assert refused(mesh_of(x, [[0, 1, 2], [1, 0, 3], [0, 1, 4]]), make=make).code == "levels_edge_shared"
    turned = refused(mesh_of(x[:4], [[0, 1, 2], [0, 1, 3]]), make=make)
    assert turned.code == "levels_winding" and {turned.names["a"], turned.names["b"]} == {0, 1}
    assert refused(mesh_of(x, [[0, 1, 4, 3, 2]]), make=make).code == "levels_corners"
    assert refused(mesh_of(x, [[0, 1, 2], [0, 2, 3]]), make=make).names["count"] == 1
    assert refused(mesh_of(x[:4], [[0, 1, 2], [0, 2, 3]], loose=[[1, 3]]), make=make).code == "levels_loose"


@pytest.mark.parametrize("make", [found_hierarchy, subdivided])
def test_two_quads_that_would_be_cut_along_one_line_are_refused(make):
    """Both have 0 and 3 at opposite corners: the line between them would have four triangles."""
    x = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [1, 0, 1], [0, 1, 1]]
    coarse = mesh_of(x, [[0, 1, 3, 2], [0, 4, 3, 5]])
    fine = blender_s_subdivision(coarse) if make is found_hierarchy else coarse
    problem = refused(fine, make=make)
    assert (problem.code, problem.names["a"], problem.names["b"]) == ("levels_cut_shared", 0, 3)


def blender_s_subdivision(mesh):
    """Quads (F, 4) into four each, new vertices in the middle of edges and faces."""
    quads = mesh.corners.reshape(-1, 4)
    x, middles, faces = list(mesh.rest_positions), {}, []

    def middle(*corners):
        key = tuple(sorted(corners))
        if key not in middles:
            middles[key] = len(x)
            x.append(np.mean([mesh.rest_positions[c] for c in corners], axis=0))
        return middles[key]

    for quad in quads.tolist():
        centre = middle(*quad)
        for k, corner in enumerate(quad):
            faces.append([corner, middle(corner, quad[(k + 1) % 4]), centre, middle(quad[k - 1], corner)])
    return mesh_of(x, faces)


def test_a_level_too_fine_is_refused_before_it_is_made():
    with pytest.raises(Problem) as caught:
        check_memory("Cloth", 2 * 100 * 100 * 4**8)
    problem = caught.value
    assert problem.code == "levels_too_fine" and "GiB" in problem.message


@pytest.mark.parametrize(
    ("columns", "rows", "coarse"),
    [(25, 37, 7 * 10), (49, 73, 13 * 19), (7, 5, 4 * 3), (161, 121, 21 * 16), (129, 193, 17 * 25)],
)
def test_the_usual_levels_are_two_or_what_there_is_or_more_where_level_0_were_slow(columns, rows, coarse):
    """Beyond a thousand vertices one more is taken: 41 x 31 and 33 x 49 are more."""
    assert usual_levels.usual_hierarchy(grid(columns, rows), "Cloth").levels[0].vertex_count == coarse


def test_the_usual_levels_name_what_is_missing_for_the_first_of_them(monkeypatch):
    def usual(mesh, _levels, name):
        return usual_levels.usual_hierarchy(mesh, name)

    assert refused(grid(6, 5), make=usual).names["multiple"] == 2
    assert refused(icosahedron(), make=usual).code == "levels_not_found"
    monkeypatch.setattr(usual_levels, "MOST_COARSE", 11)
    problem = refused(grid(7, 5), make=usual)
    assert (problem.code, problem.names["count"]) == ("levels_coarse_too_fine", 12)
