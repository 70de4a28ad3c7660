"""The levels of a hierarchy of meshes."""

from __future__ import annotations

PROBLEMS: dict[str, str] = {
    "levels_loose": (
        "{object} has {count} vertices or edges that belong to no face and cannot be part of finer "
        "levels: delete them (Mesh > Clean Up > Delete Loose)."
    ),
    "levels_corners": (
        "{object} has a face with {corners} corners, but levels are made of triangles and quads: "
        "triangulate it (Face > Triangulate Faces)."
    ),
    "levels_edge_shared": (
        "{object} has more than two faces at the edge between its vertices {a} and {b}: "
        "delete all but two of them (Select > All by Trait > Non Manifold shows them)."
    ),
    "levels_winding": (
        "The faces of {object} at the edge between its vertices {a} and {b} have inconsistent normals: "
        "recalculate them (Mesh > Normals > Recalculate Outside)."
    ),
    "levels_cut_shared": (
        "The quads of {object} cannot all be split into triangles, since two would be split along the "
        "same line between the vertices {a} and {b}: rotate an edge of one of them (Edge > Rotate Edge "
        "CW), or merge the two."
    ),
    "levels_quads": (
        "The quads of {object} cannot be split into triangles that give {levels} coarser levels (only "
        "{found}): use a multiple of {multiple} faces along every side, or start from a coarse mesh and "
        "click Subdivide Cloth under Set Up."
    ),
    "levels_not_found": (
        "{object} is not a mesh that was subdivided {levels} times, only {found}: start from a coarse "
        "mesh and click Subdivide Cloth under Set Up, or choose fewer levels."
    ),
    "levels_too_fine": (
        "The levels of {object} would need {needed} of memory, but at most {allowed} are allowed: choose "
        "fewer levels, or a coarser mesh."
    ),
    "levels_coarse_too_fine": (
        "{object} has {count} vertices at its coarsest level ({levels} below its own), but at most "
        "{allowed} can be simulated during playback: make the cloth from a coarser mesh, subdivided more "
        "often."
    ),
    "subdivide_playing": (
        "{object} plays a model that fits its present mesh only: click Stop, then subdivide it."
    ),
    "subdivide_not_coarse": (
        "{object} has {count} vertices, but at most {allowed} can be simulated during playback: "
        "subdivide a coarser mesh, with a few hundred."
    ),
    "subdivide_too_fine": (
        "Subdivided {levels} times, {object} would have {count} triangles, but at most {allowed} are "
        "allowed: choose fewer levels, or a coarser mesh."
    ),
    "levels_need_cloth": (
        "Hierarchical Cloth learns from cloth only, but {object} is simulated as something else: add a "
        "Cloth modifier or set Simulated By to Mass-Spring Cloth, click Bake, or choose another method."
    ),
    "levels_scaled": (
        "{object} is scaled, but Hierarchical Cloth is simulated in metres during playback: apply its "
        "scale (Object > Apply > Scale), or choose another method."
    ),
}
