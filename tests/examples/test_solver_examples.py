"""The example scenes of the bundled solver do what they promise, baked as the artist bakes them."""

from __future__ import annotations

import subprocess
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

import bpy
from mathutils import Vector

from neural_physics.blender.baking.preparing import prepare_bake
from neural_physics.blender.baking.solver_request import solver_request
from neural_physics.blender.examples import build
from neural_physics.blender.examples.cloth import cloth_shell
from neural_physics.blender.examples.solids import ears, hanging_figure
from neural_physics.blender.examples.strands import hair_tuft, sliding_hair, turning_hair
from neural_physics.blender.scene.artist_handles import handle_arguments
from neural_physics.blender.scene.collider_meshes import check_colliders
from neural_physics.blender.scene.sampling import layout_of
from neural_physics.blender.scene.sources import mesh_of, read_positions
from neural_physics.blender.settings import properties
from neural_physics.blender.settings.properties import settings_of
from neural_physics.blender.tasks.facts import check_object
from neural_physics.datasets.body import Body
from neural_physics.datasets.simulation_request import SimulationRequest
from neural_physics.datasets.takes import Dataset, Take
from neural_physics.jobs.events import parse_event
from neural_physics.jobs.isolated_python import clean_environment

ROOT = Path(__file__).resolve().parents[2]
SOLVER_PYTHON = ROOT / ".venv" / "blender-4.5" / "bin" / "python"
SOLIDS = ["JELLY", "BUNNY", "DRAGON", "CANTILEVER", "HANGING_FIGURE", "EARS", "SOFT_CHARACTER", "SOFT_ANIMAL"]
BY_LATENT_DYNAMICS = ["PINNED_CLOTH", "SLIDING_HAIR", "TURNING_HAIR", "HANGING_FIGURE", "EARS"]
THIN = ["HAIR_TUFT", "CLOTH_SHELL", "PINNED_CLOTH", "SLIDING_HAIR", "TURNING_HAIR"]
FLAT = ["JELLY_WITH_CIRCLE", "JELLY_WITH_COMB", "JELLY_WITH_STAR"]
NAMES = [*SOLIDS, *THIN, *FLAT, "ACCORDION", "AUXETIC", "WORM", "FINGER", "BUNNY_WITH_CORE"]
FRAMES = 24
needs_solver = pytest.mark.skipif(
    not SOLVER_PYTHON.exists(), reason="needs the environment with the solver: make setup"
)


def opened(name: str) -> bpy.types.Object:
    """An example in an empty file."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if not hasattr(bpy.types.Object, "neural_physics"):
        properties.register()
    return build(name, bpy.context.scene)


def smaller(name: str, monkeypatch: pytest.MonkeyPatch) -> bpy.types.Object:
    """The same scene, of fewer strands, threads and tetrahedra."""
    monkeypatch.setattr(hair_tuft, "STRANDS", 20)
    monkeypatch.setattr(sliding_hair, "ROW", 4)
    monkeypatch.setattr(turning_hair, "COLUMNS", 2)
    monkeypatch.setattr(turning_hair, "ROWS", 2)
    for module in (hanging_figure, ears):
        monkeypatch.setattr(module, "TETRAHEDRA", 600)
    if name == "CLOTH_SHELL":
        monkeypatch.setattr(cloth_shell.build, "__defaults__", (16,))
    obj = opened(name)
    if name in ("BUNNY", "DRAGON"):
        settings_of(obj).simulation.tetrahedra = 1000
    return obj


def baked(obj: bpy.types.Object, folder: Path) -> Take:
    """The scene's own animation, simulated."""
    settings = settings_of(obj)
    for item in settings.interactions:
        item.motion = "KEEP"
    settings.dataset_folder, settings.take_frames = str(folder), FRAMES
    command = prepare_bake(bpy.context.scene, obj)
    environment = {**clean_environment(), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=300)
    events = [event for event in map(parse_event, done.stdout.splitlines()) if event]
    assert done.returncode == 0, events[-1:] or done.stderr
    assert (events[-1]["frames"], events[-1]["excluded"]) == (FRAMES, 0), events[-1]
    return Dataset.open(folder).take("take_000")


def carried(obj: bpy.types.Object) -> np.ndarray:
    """(FRAMES, V, 3): where hooks carry all vertices, in the axes that takes are in."""
    for modifier in obj.modifiers:
        modifier.show_viewport = modifier.type == "HOOK"
    places = []
    for frame in range(1, FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        places.append(in_axes_of(settings_of(obj).frame_object or obj, obj, depsgraph))
    return np.array(places)


def in_axes_of(frame: bpy.types.Object, obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> np.ndarray:
    """(V, 3): an object's vertices in another one's axes."""
    moved = obj.evaluated_get(depsgraph)
    to_frame = np.array(frame.evaluated_get(depsgraph).matrix_world.inverted() @ moved.matrix_world)
    return read_positions(moved.data) @ to_frame[:3, :3].T + to_frame[:3, 3]


SLOW = [
    pytest.param(name, marks=[pytest.mark.slow, pytest.mark.once])
    for name in ("JELLY", *THIN[2:], "WORM", "BUNNY", "DRAGON", "HANGING_FIGURE", "EARS")
]
ONCE = [pytest.param(name, marks=pytest.mark.once) for name in THIN[:2]]


@needs_solver
@pytest.mark.parametrize("name", ["CANTILEVER", *ONCE, *SLOW])
def test_moves_stays_bounded_and_is_held_where_its_pins_are_carried(name, monkeypatch, tmp_path):
    monkeypatch.setenv("NEURAL_PHYSICS_PYTHON", str(SOLVER_PYTHON))
    obj = smaller(name, monkeypatch)
    pins = mesh_of(obj).pins > 0.0
    assert 0 < pins.sum() < len(pins)
    take = baked(obj, tmp_path / "d")
    held = carried(obj)[:, pins]
    assert np.isfinite(take.positions).all()
    np.testing.assert_allclose(take.positions[:, pins], held, atol=1e-4)
    free = take.positions[:, ~pins]
    assert np.abs(free - free[0]).max() > 0.02
    assert np.abs(free).max() < 3.0
    assert np.linalg.norm(np.diff(free, axis=0), axis=-1).max() < 0.4  # metres a frame: 9.6 m/s


@pytest.mark.skipif(find_spec("scipy") is None, reason="surfaces are looked at with SciPy")
@pytest.mark.parametrize("name", SOLIDS)
def test_the_surface_of_a_solid_encloses_one(name):
    from neural_physics.models.normals import triangulate
    from neural_physics.solver.meshing.surface_checks import require_solid

    mesh = mesh_of(opened(name))
    require_solid(mesh.rest_positions.astype(np.float64), triangulate(mesh.corners, mesh.face_sizes))


def crossings(obj: bpy.types.Object, place: Vector) -> int:
    """How often a ray from a place, in the object's axes, crosses its surface: oddly often from inside."""
    ray, count = Vector((0.531, 0.332, 0.781)), 0
    while count < 100:
        hit, place, _, _ = obj.ray_cast(place, ray)
        if not hit:
            return count
        place, count = place + 1e-5 * ray, count + 1
    raise AssertionError("a ray does not end")


@pytest.mark.parametrize("name", NAMES)
def test_colliders_are_rigid_and_begin_clear_of_the_body(name):
    obj = opened(name)
    scene = bpy.context.scene
    check_colliders(scene, obj)
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    free = read_positions(obj.data)[mesh_of(obj).pins == 0.0]
    for other in (o for o in scene.objects if "COLLISION" in [m.type for m in o.modifiers]):
        evaluated = other.evaluated_get(depsgraph)
        for place in free:
            local = evaluated.matrix_world.inverted() @ (obj.matrix_world @ Vector(place))
            found, nearest, _, _ = evaluated.closest_point_on_mesh(local)
            assert found and (local - nearest).length > 0.02, (name, other.name)
            assert crossings(evaluated, local) % 2 == 0, (name, other.name)


@pytest.mark.skipif(find_spec("scipy") is None, reason="outlines are filled with SciPy")
@pytest.mark.parametrize("name", FLAT)
def test_a_flat_jelly_is_simulated_in_its_plane_as_contact_corrections_need_it(name):
    from ml_backend.simulation.bodies import make_body
    from ml_backend.simulation.shapes.flat_shapes import fit_in_plane

    obj = opened(name)
    check_object(bpy.context.scene, obj)
    asked = solver_request(bpy.context.scene, obj)
    body = make_body(asked)
    assert settings_of(obj).method == "contact_corrections" and asked.settings.friction == 0.0
    assert body.flat and 800 < len(body.elements) < 1300
    (mesh,) = asked.colliders
    shape = fit_in_plane(mesh, body.coordinates, body.rest, obj.name).shape
    assert type(shape).__name__ == ("Sphere" if name.endswith("CIRCLE") else "Polygon")


@pytest.mark.skipif(find_spec("scipy") is None, reason="outlines are filled with SciPy")
def test_the_accordion_is_stiff_and_soft_in_turn_between_two_grips():
    from ml_backend.methods.contact_corrections.handle_fitting import pin_groups
    from ml_backend.simulation.bodies import make_body

    obj = opened("ACCORDION")
    check_object(bpy.context.scene, obj)
    asked = solver_request(bpy.context.scene, obj)
    body = make_body(asked)
    assert body.flat and len(pin_groups(body.elements, body.pinned)) == 2 and not asked.colliders
    middles = body.rest_positions[body.elements].mean(1)[:, 0]
    stripes = np.floor((middles / np.ptp(asked.rest_positions[:, 0]) + 0.5) * 9).astype(int)
    stiff = body.moduli[:, 0] > 0.5 * body.moduli[:, 0].max()
    assert (stiff == (stripes % 2 == 0)).mean() > 0.9  # but at the seams
    assert len(np.unique(np.round(body.moduli[:, 0], 3))) == 2


@pytest.mark.skipif(find_spec("scipy") is None, reason="outlines are filled with SciPy")
def test_the_auxetic_body_is_thicker_where_it_is_pulled():
    """Its ends a tenth further apart, without weight."""
    from ml_backend.simulation.bodies import make_body
    from ml_backend.simulation.elasticity import elastic_parts
    from neural_physics.solver.implicit_euler import equilibrium
    from neural_physics.solver.system import System

    obj = opened("AUXETIC")
    body = make_body(solver_request(bpy.context.scene, obj))
    parts = elastic_parts(body)
    rest = body.rest_positions
    pulled = body.coordinates.of((rest - rest.mean(0)) * [1.1, 1.0, 1.0] + rest.mean(0))
    system = System(parts.masses, parts.terms, parts.free, solid=False)
    found = equilibrium(system, pulled.ravel(), 1e-6)
    assert found.converged
    x = body.coordinates.places(found.q.reshape(-1, 2))
    middle = np.abs(rest[:, 0]) < 0.2
    top, bottom = (middle & (np.abs(rest[:, 2] - end) < 1e-6) for end in (rest[:, 2].max(), rest[:, 2].min()))
    thicker = (x[top, 2].mean() - x[bottom, 2].mean()) / np.ptp(rest[:, 2]) - 1.0
    assert 0.01 < thicker < 0.1


def filled(name: str) -> tuple[bpy.types.Object, SimulationRequest, Body]:
    """An example that can be baked, what is asked of the solver, and its body."""
    from ml_backend.simulation.bodies import make_body

    obj = opened(name)
    check_object(bpy.context.scene, obj)
    asked = solver_request(bpy.context.scene, obj)
    return obj, asked, make_body(asked)


@pytest.mark.slow  # to be filled
@pytest.mark.once
def test_the_finger_is_held_by_its_palm_and_three_phalanges_among_balls_of_four_sizes():
    obj, asked, body = filled("FINGER")
    assert settings_of(obj).method == "contact_corrections"
    assert 1000 < len(body.elements) < 1800
    assert set(body.bones.tolist()) == {-1, 0, 1, 2, 3}
    assert 0.05 < body.pinned.mean() < 0.3
    widths = sorted(collider.width for collider in asked.colliders)
    np.testing.assert_allclose(widths, [0.1, 0.13, 0.16, 0.2], atol=1e-6)


@pytest.mark.slow  # to be filled
@pytest.mark.once
def test_the_bunny_has_a_stiff_core_and_24_handles_in_its_skin():
    from ml_backend.methods.contact_corrections.placed_handles import placed_handle, vertices_at

    obj, _, body = filled("BUNNY_WITH_CORE")
    placed = [placed_handle(word) for word in handle_arguments(obj)[1::2]]
    skin = [handle for handle in placed if not handle.core]
    vertices = vertices_at(body, obj.name, skin)
    assert len(placed) == 25 and len(vertices) == 24
    off = body.rest[vertices] - [handle.place for handle in skin]
    assert np.linalg.norm(off, axis=1).max() < 0.1
    core = body.cores == 0
    assert 12 < core.sum() < 0.3 * len(core) and not (core & body.pinned).any()
    within = core[body.elements].all(1)
    assert within.sum() > 10
    assert (body.moduli[within].min(0) > 50.0 * body.moduli[~within].max(0)).all()


@pytest.mark.parametrize("name", BY_LATENT_DYNAMICS)
def test_is_simulated_as_latent_dynamics_needs_it(name):
    obj = opened(name)
    simulation = settings_of(obj).simulation
    assert settings_of(obj).method == "latent_dynamics"
    assert (simulation.steps, simulation.damping, simulation.self_contact) == (1, 0.0, False)
    assert bpy.context.scene.render.fps == 30
    assert not [o for o in bpy.context.scene.objects if "COLLISION" in [m.type for m in o.modifiers]]


@pytest.mark.parametrize(
    ("name", "numbers"), [("PINNED_CLOTH", 576), ("SLIDING_HAIR", 5400), ("TURNING_HAIR", 10800)]
)
def test_is_of_the_size_of_the_papers_scene(name, numbers):
    assert 3 * len(opened(name).data.vertices) == numbers


@needs_solver
@pytest.mark.slow  # to be filled
@pytest.mark.once
@pytest.mark.parametrize("name", ["HANGING_FIGURE", "EARS"])
def test_a_solid_is_about_of_the_size_of_the_papers(name, monkeypatch, tmp_path):
    monkeypatch.setenv("NEURAL_PHYSICS_PYTHON", str(SOLVER_PYTHON))
    monkeypatch.setattr(f"{__name__}.FRAMES", 3)
    baked(opened(name), tmp_path / "d")
    with np.load(tmp_path / "d" / "body.npz") as body:
        assert 7500 < body["rest_positions"].size < 10_500


@pytest.mark.parametrize(("name", "axis"), [("SLIDING_HAIR", 0), ("PINNED_CLOTH", 1)])
def test_slides_along_one_line_and_says_where_it_is(name, axis):
    obj = opened(name)
    (item,) = settings_of(obj).interactions
    size = np.subtract(item.box_high, item.box_low)
    assert size[axis] > 0.5 and not np.delete(size, axis).any()
    assert [channel.kind for channel in layout_of(obj).channels] == ["position"]


@pytest.mark.parametrize(("name", "axis"), [("TURNING_HAIR", 2), ("EARS", 0)])
def test_turns_about_one_axis_with_what_is_held_at_rest_in_its_frame(name, axis):
    obj = opened(name)
    settings = settings_of(obj)
    (item,) = settings.interactions
    assert item.turn_axis == "XYZ"[axis] and item.object == settings.frame_object and settings.moving_frame
    assert "position" not in [channel.kind for channel in layout_of(obj).channels]
    pins = mesh_of(obj).pins > 0.0
    held = carried(obj)[:, pins]
    np.testing.assert_allclose(held, np.tile(held[0], (FRAMES, 1, 1)), atol=1e-5)
    bpy.context.scene.frame_set(FRAMES)
    turned = np.array(item.object.matrix_world)[:3, :3]
    np.testing.assert_allclose(turned[:, axis], np.eye(3)[axis], atol=1e-6)
    assert np.abs(turned - np.eye(3)).max() > 0.1
