# ruff: noqa: T201 (a tool that is read)
"""Measures hierarchical cloth (Oh 2018): `times` (Table 2), `errors FOLDER` against subdivision, `structures
FOLDER` (Fig. 10) and `stretched FOLDER` (Fig. 11).

All but `times` simulate what is not in FOLDER yet, and train for `--minutes` each: `errors` and `stretched`
the paper's networks and ours, and tell how far each is from the fine simulation if level 0 is true;
`structures` networks of each depth and width.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import scipy.sparse

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ml_backend.cloth_scenes import (
    ClothScene,
    Fabric,
    grid_triangles,
    motions_of,
    random_scenes,
    simulated,
)
from ml_backend.level_errors import (
    Refine,
    butterfly_subdivision,
    linear_subdivision,
    loop_subdivision,
    rms_error,
)
from ml_backend.level_pairs import Shapes
from ml_backend.sparse_solve import sparse_solve
from neural_physics.energies import springs
from neural_physics.energies.air import wind_forces
from neural_physics.energies.local_steps import Lengths
from neural_physics.energies.triangle_edges import triangle_edges
from neural_physics.hierarchy.coarsening import found_hierarchy
from neural_physics.methods.batched_perceptron import Layers
from neural_physics.methods.level_networks import LevelNetworks
from neural_physics.methods.triangle_forms import FORMS, OUTPUTS
from neural_physics.projective_dynamics.cloth import GRAVITY, Cloth, Load
from neural_physics.solver.linear import SparsePattern

FABRIC = Fabric()
CG_ITERATIONS = 100  # section 4.2
UNSEEN_FABRICS = (Fabric(50.0, 2e-3), Fabric(2000.0, 1e-5), Fabric(1500.0, 2e-3))


class ConjugateGradients:
    """Implicit Euler as Baraff and Witkin 1998 step it: one linear system, by so many iterations of CG."""

    def __init__(self, scene: ClothScene, triangles: np.ndarray) -> None:
        mesh = scene.mesh()
        self.dt, self.triangles = scene.dt, triangles
        self.rest = mesh.rest_positions.astype(float)
        cloth = Cloth(self.rest, triangles, np.flatnonzero(mesh.pins), scene.dt)
        stretch, bend = cloth.terms(FABRIC)
        assert isinstance(stretch, Lengths) and isinstance(bend, Lengths)
        self.masses, self.edges, self.stretch, self.bend = (
            cloth.masses(FABRIC),
            triangle_edges(triangles).edges,
            stretch,
            bend,
        )
        n = len(self.rest)
        self.free = (np.flatnonzero(mesh.pins == 0)[:, None] * 3 + np.arange(3)).ravel()
        every = np.arange(3 * n)[:, None]
        of_edges = (self.edges[:, :, None] * 3 + np.arange(3)).reshape(-1, 6)
        of_hinges = (bend.stencils.T[:, :, None] * 3 + np.arange(3)).reshape(-1, 12)
        self.pattern = SparsePattern([every, of_edges, of_hinges], 3 * n, self.free)
        self.bend_blocks = np.einsum(
            "rsm,rtm,m,ij->msitj", bend.operator, bend.operator, bend.stiffness, np.eye(3)
        ).reshape(-1, 12, 12)

    def step(self, x: np.ndarray, v: np.ndarray, wind: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        dt, ends = self.dt, x[self.edges]
        hessians = springs.projected_hessian(ends, self.stretch.rest, self.stretch.stiffness)
        diagonal = np.repeat(self.masses, 3)[:, None, None]
        matrix = self.pattern.matrix(
            self.pattern.assemble([diagonal, dt**2 * hessians, dt**2 * self.bend_blocks])
        )
        pull = springs.gradient(ends, self.stretch.rest, self.stretch.stiffness).reshape(-1, 3)
        curvature = self.bend.reduce(np.ascontiguousarray(x.T)) * (self.bend.stiffness / self.bend.weight)
        forces = self.masses[:, None] * GRAVITY - self.bend.spread(curvature, len(x)).T
        for axis in range(3):
            forces[:, axis] -= np.bincount(self.edges.ravel(), pull[:, axis], len(x))
        areas = self.masses.sum() / len(self.triangles) * np.ones(len(self.triangles))
        forces += wind_forces(x, v, self.triangles, areas, wind, dt)
        # (M + dt^2 H) v' = M v + dt f, as M v' = M v + dt (f - dt H v').
        momentum = self.masses[:, None] * v + dt * forces
        after = v.ravel().copy()
        after[self.free] = _conjugate_gradients(matrix, momentum.ravel()[self.free], after[self.free])
        after = after.reshape(-1, 3)
        return x + dt * after, after


def _conjugate_gradients(matrix: scipy.sparse.csr_matrix, right: np.ndarray, x: np.ndarray) -> np.ndarray:
    residual = right - matrix @ x
    direction, square = residual.copy(), float(residual @ residual)
    for _ in range(CG_ITERATIONS):
        if square < 1e-30:
            break
        product = matrix @ direction
        step = square / float(direction @ product)
        x = x + step * direction
        residual -= step * product
        square, before = float(residual @ residual), square
        direction = residual + square / before * direction
    return x


def times(frames: int) -> None:
    """ms of a frame, of processor time and of the clock: medians, all in one run, one after the other."""
    for name, columns, rows in (("Flag", 49, 73), ("Cloth", 25, 37)):
        scene = ClothScene(3, "flag", FABRIC, columns, rows, 1.0 / (columns - 1), frames)
        mesh, triangles, wind = scene.mesh(), grid_triangles(columns, rows), motions_of(scene).wind
        pinned = np.flatnonzero(mesh.pins)
        hierarchy = found_hierarchy(mesh, 2, name)
        rest = hierarchy.sorted(mesh.rest_positions)
        coarse = hierarchy.levels[0]
        n = coarse.vertex_count
        fine = Cloth(mesh.rest_positions, triangles, pinned, scene.dt, sparse_solve)
        level_0 = Cloth(rest[:n], coarse.triangles, np.flatnonzero(mesh.pins[hierarchy.order[:n]]), scene.dt)
        gradients = ConjugateGradients(scene, triangles)
        results = {
            f"CG ({CG_ITERATIONS})": _stepped(gradients.step, gradients.rest, wind),
            "ADMM (20)": _stepped(_admm(fine), fine.rest, wind),
        }
        rng = np.random.default_rng(0)
        for form in FORMS:
            inputs = FORMS[form].inputs
            sizes = [(32, inputs), (32, 32), (OUTPUTS, 32)]
            weights = [
                (0.01 * rng.normal(size=s).astype(np.float32), np.zeros(s[0], np.float32)) for s in sizes
            ]
            linear = np.zeros((OUTPUTS, inputs), np.float32) if form == "local" else None
            run = LevelNetworks(hierarchy, rest, [form] * 2, [Layers(weights, linear)] * 2)
            results[f"level 0 and networks, {form}"] = _stepped(_admm(level_0), level_0.rest, wind, run)
            results[f"networks alone, {form}"] = _stepped(lambda x, v, w: (x, v), level_0.rest, wind, run)
        level_0.system(FABRIC, False)
        started = time.process_time()
        for k in range(5):
            level_0.system(replace(FABRIC, stretch=100.0 + k), False)
        results["another stiffness, level 0"] = ((time.process_time() - started) * 200.0,) * 2
        print(f"{name}: {len(rest)} masses, {n} at level 0")
        for what, (processor, clock) in results.items():
            print(f"  {what:32s} {processor:8.2f} ms of processor, {clock:8.2f} ms by the clock")
        ours, admm = results["level 0 and networks, local"], results["ADMM (20)"]
        print(
            f"  ours is {admm[0] / ours[0]:.1f} times as fast as ADMM, {admm[1] / ours[1]:.1f} by the clock"
        )


def _admm(cloth: Cloth) -> Callable[..., tuple[np.ndarray, np.ndarray]]:
    return lambda x, v, wind: cloth.step(x, v, FABRIC, Load(wind, GRAVITY))


def _stepped(
    step: Callable[..., tuple[np.ndarray, np.ndarray]],
    x: np.ndarray,
    winds: np.ndarray,
    then: Callable[[np.ndarray], object] | None = None,
) -> tuple[float, float]:
    v, taken = np.zeros_like(x), []
    for wind in winds:
        before, clock = time.process_time(), time.perf_counter()
        x, v = step(x, v, wind)
        if then:
            then(x)
        taken.append((time.process_time() - before, time.perf_counter() - clock))
    assert np.isfinite(x).all()
    processor, by_clock = 1e3 * np.median(np.array(taken[2:]), axis=0)
    return float(processor), float(by_clock)


def scenes_of(part: str) -> list[ClothScene]:
    """What is learned from, what chooses the best networks, and what neither has seen."""
    match part:
        case "training":
            small = random_scenes(12, 2, frames=150, columns=25, rows=37, spacing=1 / 24)
            return random_scenes(6, 1, frames=120) + small
        case "validation":
            return random_scenes(3, 50, frames=105)
        case "motion":
            return random_scenes(3, 100, frames=105)
        case "stiffness":
            known = random_scenes(3, 200, frames=105)
            return [replace(s, fabric=f) for s, f in zip(known, UNSEEN_FABRICS, strict=True)]
        case "stretched":  # Fig. 11: far beyond what was trained
            return [ClothScene(s, "curtain", Fabric(4.0, 1e-4), 49, 73, frames=60) for s in (7, 8)]
        case _:
            unseen = random_scenes(3, 300, frames=105)
            return [replace(s, capsules=True, radius=0.13) for s in unseen if s.kind != "flag"]


def shapes_of(part: str, folder: Path, every: int = 5) -> list[tuple[ClothScene, Shapes]]:
    """Every so-manieth frame of each scene, simulated once."""
    found = []
    for number, scene in enumerate(scenes_of(part)):
        path = folder / f"{part}_{number}.npy"
        if not path.exists():
            folder.mkdir(parents=True, exist_ok=True)
            np.save(path, simulated(scene)[every - 1 :: every].astype(np.float32))
            print(f"simulated {path.name}", flush=True)
        mesh = scene.mesh()
        hierarchy = found_hierarchy(mesh, 2, part)
        found.append((scene, Shapes(hierarchy, mesh.rest_positions, np.load(path))))
    return found


def learned_from(folder: Path) -> tuple[list[Shapes], list[Shapes]]:
    """What is learned from, and what chooses the best networks."""
    training = [shapes for _, shapes in shapes_of("training", folder)]
    return training, [replace(s, frames=s.frames[::4]) for _, s in shapes_of("validation", folder)]


def networks_of(folder: Path, minutes: float) -> dict[str, tuple[str, list[Layers]]]:
    """Ours and the paper's: the form, and the layers of both levels."""
    import torch
    from hierarchy_studies import trained

    from ml_backend.methods.level_presets import PRESETS

    torch.set_num_threads(1)
    training, held_out = learned_from(folder)
    networks = {}
    for name in ("balanced", "paper"):
        preset = PRESETS[name]
        run = trained(preset, training, held_out, minutes, folder / f"{name}.safetensors")
        print(f"{name}: {run.course.step} steps, {run.course.seconds:.0f} s")
        networks[name] = preset.form, [_layers(run.best, level) for level in (1, 2)]
    return networks


def structures(folder: Path, minutes: float) -> None:
    """Fig. 10: equal minutes for each structure, of the paper's form and of ours."""
    import torch
    from hierarchy_studies import study

    from ml_backend.methods.level_presets import PRESETS

    torch.set_num_threads(1)
    for name in ("paper", "balanced"):
        study(PRESETS[name], *learned_from(folder), minutes, folder)


def stretched(folder: Path, minutes: float) -> None:
    """Fig. 11: how rough over-stretched cloth becomes; a picture of each scene is left in the folder."""
    import hierarchy_studies

    networks = networks_of(folder, minutes)
    for number, (_, shapes) in enumerate(shapes_of("stretched", folder)):
        rest = shapes.hierarchy.sorted(shapes.rest)
        refined: dict[str, Refine] = {"linear": linear_subdivision(shapes.hierarchy)}
        for name, (form, layers) in networks.items():
            refined[name] = LevelNetworks(shapes.hierarchy, rest, [form] * 2, layers)
        hierarchy_studies.stretched(shapes, refined, folder / f"stretched_{number}.png")


def errors(folder: Path, minutes: float) -> None:
    """RMS over all vertices beyond level 0, relative to linear subdivision's."""
    networks = networks_of(folder, minutes)
    for part in ("motion", "stiffness", "colliders", "stretched"):
        for scene, shapes in shapes_of(part, folder):
            rest = shapes.hierarchy.sorted(shapes.rest)
            refined = {
                "Loop": loop_subdivision(shapes.hierarchy),
                "butterfly": butterfly_subdivision(shapes.hierarchy),
                **{k: LevelNetworks(shapes.hierarchy, rest, [f] * 2, n) for k, (f, n) in networks.items()},
            }
            linear = rms_error(linear_subdivision(shapes.hierarchy), shapes)
            print(f"{part:10s} {scene.kind:8s} linear {1e3 * linear:6.2f} mm", end="")
            for name, refine in refined.items():
                print(f"  {name} {rms_error(refine, shapes) / linear:.3f}", end="")
            run_free, spread = _free_error(scene, shapes, refined["balanced"])
            print(f"  running free {1e3 * run_free:.0f} mm of {1e3 * spread:.0f}", flush=True)


def _free_error(scene: ClothScene, shapes: Shapes, refine: Refine, every: int = 5) -> tuple[float, float]:
    """RMS in metres of all vertices if level 0 runs by itself, and of the distance from the mean shape."""
    hierarchy, mesh = shapes.hierarchy, scene.mesh()
    coarse, n = hierarchy.levels[0], hierarchy.levels[0].vertex_count
    pinned = np.flatnonzero(mesh.pins[hierarchy.order[:n]])
    motions = motions_of(scene)
    place = np.cumsum(mesh.pins > 0) - 1
    motions = replace(motions, pins=motions.pins[:, place[hierarchy.order[pinned]]])
    level_0 = Cloth(mesh.rest_positions[hierarchy.order[:n]], coarse.triangles, pinned, scene.dt)
    coarse_frames = simulated(scene, level_0, motions)[every - 1 :: every]
    squares = [
        ((refine(x).T - hierarchy.sorted(truth)) ** 2).sum(1).mean()
        for x, truth in zip(coarse_frames, shapes.frames, strict=True)
    ]
    spread = ((shapes.frames - shapes.frames.mean(0)) ** 2).sum(2).mean()
    return float(np.sqrt(np.mean(squares))), float(np.sqrt(spread))


def _layers(tensors: dict[str, np.ndarray], level: int) -> Layers:
    found, prefix = [], f"levels.{level}"
    while f"{prefix}.{len(found)}.weight" in tensors:
        k = len(found)
        found.append((tensors[f"{prefix}.{k}.weight"], tensors[f"{prefix}.{k}.bias"]))
    return Layers(found, tensors.get(f"{prefix}.linear"), tensors.get(f"{prefix}.limits"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    of_times = commands.add_parser("times")
    of_times.add_argument("--frames", type=int, default=60)
    of_folder = {"errors": errors, "structures": structures, "stretched": stretched}
    for name in of_folder:
        command = commands.add_parser(name)
        command.add_argument("folder", type=Path)
        command.add_argument("--minutes", type=float, default=8.0)
    args = parser.parse_args()
    if args.command == "times":
        times(args.frames)
    else:
        of_folder[args.command](args.folder, args.minutes)


if __name__ == "__main__":
    main()
