"""The example scenes of the bundled solver do what they promise, baked as the artist bakes them."""

from __future__ import annotations

import subprocess
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

import bpy  # noqa: E402
from mathutils import Vector  # noqa: E402

from neural_physics.blender import job_host, properties  # noqa: E402
from neural_physics.blender.baking import prepare_bake  # noqa: E402
from neural_physics.blender.collider_meshes import check_colliders  # noqa: E402
from neural_physics.blender.examples import build, cloth_shell, hair_tuft  # noqa: E402
from neural_physics.blender.properties import settings_of  # noqa: E402
from neural_physics.blender.sources import mesh_of, read_positions  # noqa: E402
from neural_physics.reporting import parse_event  # noqa: E402
from neural_physics.takes import Dataset, Take  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
SOLVER_PYTHON = ROOT / ".venv" / "blender-4.5" / "bin" / "python"
SOLIDS = ["JELLY", "BUNNY", "DRAGON", "CANTILEVER"]
NAMES = [*SOLIDS, "HAIR_TUFT", "CLOTH_SHELL"]
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
    """The same scene, of fewer strands and threads."""
    monkeypatch.setattr(hair_tuft, "STRANDS", 20)
    if name == "CLOTH_SHELL":
        monkeypatch.setattr(cloth_shell.build, "__defaults__", (16,))
    return opened(name)


def baked(obj: bpy.types.Object, folder: Path) -> Take:
    """The scene's own animation, simulated."""
    settings = settings_of(obj)
    for item in settings.interactions:
        item.motion = "KEEP"
    settings.dataset_folder, settings.take_frames = str(folder), FRAMES
    command = prepare_bake(bpy.context.scene, obj)
    environment = {**job_host.environment(), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=300)
    events = [event for event in map(parse_event, done.stdout.splitlines()) if event]
    assert done.returncode == 0, events[-1:] or done.stderr
    assert (events[-1]["frames"], events[-1]["excluded"]) == (FRAMES, 0), events[-1]
    return Dataset.open(folder).take("take_000")


def carried(obj: bpy.types.Object) -> np.ndarray:
    """(FRAMES, V, 3): where hooks and the object carry all vertices, in the object's own axes."""
    for modifier in obj.modifiers:
        modifier.show_viewport = modifier.type == "HOOK"
    places = []
    for frame in range(1, FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        places.append(read_positions(obj.evaluated_get(depsgraph).data).copy())
    return np.array(places)


SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("BUNNY", "DRAGON")]  # to be filled


@needs_solver
@pytest.mark.parametrize("name", ["JELLY", "CANTILEVER", "HAIR_TUFT", "CLOTH_SHELL", *SLOW])
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
    from neural_physics.normals import triangulate
    from neural_physics.solver.surface_checks import require_solid

    mesh = mesh_of(opened(name))
    require_solid(mesh.rest_positions.astype(np.float64), triangulate(mesh.corners, mesh.face_sizes))


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
            found, nearest, normal, _ = evaluated.closest_point_on_mesh(local)
            assert found and (local - nearest).dot(normal) > 0.02, (name, other.name)
