"""How quick the bundled solver is with a sheet, beside Blender's own cloth.

Both have 51 x 51 vertices, two corners held, and a ball that the sheet falls on; both are made of cotton, of
similar mass and stiffness, as near as the two models come. Neither has contact of the sheet with itself.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import bpy
import numpy as np

from neural_physics.blender.examples.parts import collider, cotton, pin, sheet
from neural_physics.energies.colliders.sphere import Sphere
from neural_physics.energies.shells.triangle_edges import triangle_edges
from neural_physics.materials import SHELLS
from neural_physics.solver.contact.rigid import RigidCollider, RigidContact
from neural_physics.solver.contact.rigid_motion import Pose, RigidMotion
from neural_physics.solver.implicit_euler import ImplicitEuler
from neural_physics.solver.masses import lumped, of_coordinates
from neural_physics.solver.system import State, Surroundings, System, gravity
from neural_physics.solver.terms.shells import HingeTerm, MembraneTerm
from neural_physics.solver.terms.term import Term
from tools.workshop import empty_scene

POINTS, SIZE, FRAMES, FPS, QUALITY = 51, 1.0, 12, 24, 5
DT = 1 / (FPS * QUALITY)
BALL, BELOW = 0.25, (0.0, 0.0, -0.35)  # its radius and its place, m
D_HAT = 2e-3
TOLERANCE = 5e-3  # of an edge

Array = np.ndarray


def judge(clock: Callable[[], float] = perf_counter) -> dict[str, Any]:
    """Milliseconds of a step and a frame, medians, in turns: Blender's and ours, of as many equal steps."""
    obj = _cloth()
    mesh = obj.data
    assert isinstance(mesh, bpy.types.Mesh)
    vertices = np.array([vertex.co for vertex in mesh.vertices], np.float64)
    quads = np.array([tuple(face.vertices) for face in mesh.polygons])
    system = _system(vertices, np.concatenate([quads[:, :3], quads[:, [0, 2, 3]]]))
    solver = ImplicitEuler(system, TOLERANCE * SIZE / (POINTS - 1))
    state = State(vertices.ravel(), np.zeros(vertices.size))
    scene = bpy.context.scene
    assert scene is not None
    scene.frame_set(1)
    blender, ours, iterations, unfinished = [], [], [], 0
    for frame in range(2, FRAMES + 2):
        began = clock()
        scene.frame_set(frame)
        between = clock()
        for _ in range(QUALITY):
            state = solver.step(state, DT)
            iterations.append(state.iterations)
            unfinished += not state.converged
        ended = clock()
        blender.append(1e3 * (between - began))
        ours.append(1e3 * (ended - between))
    return {
        "vertices": len(vertices),
        "steps_a_frame": QUALITY,
        "blender_step_ms": median(blender) / QUALITY,
        "blender_frame_ms": median(blender),
        "step_ms": median(ours) / QUALITY,
        "frame_ms": median(ours),
        "iterations": float(np.mean(iterations)),
        "not_converged": unfinished,
        "solver": solver.assembly.chosen,
    }


def _cloth() -> bpy.types.Object:
    """The sheet with Blender's cloth in a scene with the ball."""
    scene = empty_scene()
    scene.render.fps = FPS
    obj = sheet(scene.collection, "Sheet", (POINTS, POINTS), (SIZE, SIZE, 1.0), colour=(1.0, 1.0, 1.0))
    assert isinstance(obj.data, bpy.types.Mesh)
    pin(obj, "Pins", _corners(np.array([vertex.co for vertex in obj.data.vertices])).tolist())
    modifier = cotton(obj, "Pins", FRAMES + 1)
    modifier.settings.quality = QUALITY
    modifier.settings.mass = SHELLS["cotton"].area_density * SIZE**2 / POINTS**2
    collider(scene.collection, "Ball", BALL, BELOW, colour=(1.0, 1.0, 1.0))
    return obj


def _corners(vertices: Array) -> Array:
    """The two that are held."""
    return np.flatnonzero((vertices[:, 1] > 0.499 * SIZE) & (np.abs(vertices[:, 0]) > 0.499 * SIZE))


def _system(vertices: Array, triangles: Array) -> System:
    """Ours."""
    fabric, mesh = SHELLS["cotton"], triangle_edges(triangles)
    sides = vertices[triangles[:, 1:]] - vertices[triangles[:, :1]]
    areas = 0.5 * np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1)
    masses = of_coordinates(lumped(len(vertices), triangles, fabric.area_density * areas))
    terms: list[Term] = [
        MembraneTerm(triangles, vertices, fabric.thickness, fabric.young, poisson=fabric.poisson),
        HingeTerm(mesh, vertices, fabric.bending),
    ]
    free = np.ones(len(masses), bool)
    held = _corners(vertices)
    free.reshape(-1, 3)[held] = False
    loose = np.setdiff1d(np.arange(len(vertices)), held)
    ball = Pose(np.eye(3), np.array(BELOW))

    contact = RigidContact([RigidCollider("Ball", Sphere(BALL))], loose, masses[::3][loose] / DT**2, D_HAT)
    around = Surroundings(contact, lambda start, end: [RigidMotion(ball, ball)], np.full(1, 0.3))
    return System(masses, terms, free, around, force=gravity(masses, (0.0, 0.0, -9.81)), solid=False)
