"""How far skinning, held poses and springs are from the simulation: on the action fitted to, and on another.

Beside them springs that were fitted to the other action itself, springs without the network of held poses,
one spring for all vertices, and Blender's soft body; see `scenes` and `regions`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.quasistatic_springs.curves import keep_curves
from benchmarks.quasistatic_springs.motions import Action, Floats, evenly, one_for_all, rms, swung
from benchmarks.quasistatic_springs.regions import REGIONS, regions_of
from benchmarks.quasistatic_springs.scenes import (
    FITTED,
    JUDGED,
    PRESET,
    STANDING,
    Character,
    baked,
    goals_file,
    soft_body_file,
    take_of,
)
from benchmarks.quasistatic_springs.training import loaded, springs_of, trained
from learning.training.spans import Span, split_poses
from ml_backend.methods.quasistatic_springs.fitting import Motion, SpringSettings, fit_springs
from ml_backend.methods.quasistatic_springs.presets import PRESETS
from ml_backend.methods.quasistatic_springs.rig_takes import RigTakes, Targets
from neural_physics.datasets.takes import Dataset
from neural_physics.jobs.events import StopRequest
from neural_physics.methods.quasistatic_springs.springs import Springs

SKINNING, HELD, SPRINGS = "skinning", "network of held poses", "springs about the network"
OWN = "springs fitted to the action itself"
WITHOUT_NETWORK = "springs without a network"
ONE, PLAIN = "one spring for all, about the network", "one spring for all, about the bones"
SOFT_BODY = "Blender's soft body"

Regions = dict[str, NDArray[np.bool_]]


@dataclass(frozen=True)
class Rig:
    """A character's models: where vertices rest in a pose, by skinning, by the network, by a settled shape.

    springs: about the network, without: about the settled shape. one, plain: k_s, k_d of the one spring for
    all about the network, and about the bones.
    """

    dt: float
    skinning: Targets
    network: Targets
    settled: Targets
    springs: Springs
    without: Springs
    one: tuple[float, float]
    plain: tuple[float, float]

    @classmethod
    def of(cls, dataset: Dataset, model: Path, without: Path, fitted: Action) -> Rig:
        """Load the springs of two model files, and fit the one spring for all to the `fitted` action."""
        skinning, network, settled = RigTakes.of(dataset).bones_alone(), _targets(model), _targets(without)
        dt = dataset.info.dt
        one, plain = (one_for_all(fitted.held(way), fitted.true, dt) for way in (network, skinning))
        return cls(dt, skinning, network, settled, springs_of(model), springs_of(without), one, plain)

    def shown(self, action: Action) -> dict[str, Floats]:
        """(N, V, 3) metres, world space, of each way to play an action."""
        skinned, held = action.held(self.skinning), action.held(self.network)
        count = action.true.shape[1]
        return {
            SKINNING: skinned,
            HELD: held,
            SPRINGS: swung(held, self.springs),
            OWN: swung(held, _fitted(held, action.true, self.dt)),
            WITHOUT_NETWORK: swung(action.held(self.settled), self.without),
            ONE: swung(held, evenly(*self.one, count, self.dt)),
            PLAIN: swung(skinned, evenly(*self.plain, count, self.dt)),
        }


def judge() -> dict[str, Any]:
    """Errors by region, mm, of each character that is baked, and the names of the others."""
    there = {character: baked(character) for character in JUDGED}
    return {
        "characters": [_row(character, data) for character, data in there.items() if data is not None],
        "missing": [character.name for character, data in there.items() if data is None],
    }


def _row(character: Character, dataset: Dataset) -> dict[str, Any]:
    path, training = trained(character.example, dataset.path, PRESET)
    bare = f"{character.example}_without_network"
    without, _ = trained(bare, dataset.path, PRESET, ["network=false"])
    regions = regions_of(character.example, dataset.mesh)
    actions = {use: Action.of(dataset, take_of(name)) for use, name in character.actions.items()}
    rig = Rig.of(dataset, path, without, actions[FITTED])
    found = {}
    for use, action in actions.items():
        name = character.actions[use]
        shown = rig.shown(action) | _soft_body(character, name)
        found[use] = {
            "action": name,
            "frames": len(action.true),
            "excluded": _left_out(dataset, take_of(name)),
            "mm": {way: _errors(shapes, action.true, regions) for way, shapes in shown.items()},
        }
        motions = {"true": action.true} | {k: shown[k] for k in (SKINNING, HELD, SPRINGS)}
        keep_curves(character, use, dataset, action.poses, motions=motions, belly=regions["belly"])
    return {
        "name": character.name,
        "vertices": dataset.info.vertex_count,
        "regions": {name: int(inside.sum()) for name, inside in regions.items()},
        "soft": [name for name, region in REGIONS[character.example].items() if region.soft],
        "actions": found,
        "poses": _poses(dataset, rig, regions),
        "one_spring": {ONE: rig.one, PLAIN: rig.plain},
        "goal": _chosen_goal(goals_file(character)),
        "training": training,
    }


def _targets(model: Path) -> Targets:
    method = loaded(model)
    return lambda pose: method.targets(pose)[0]


def _fitted(targets: Floats, true: Floats, dt: float) -> Springs:
    """Springs fitted as the preset does it, but to all frames: none is kept for checking."""
    preset = PRESETS[PRESET]
    settings = SpringSettings(preset.left_out, preset.shrink, preset.generations)
    found = fit_springs([Motion(targets, true)], dt, settings, lambda _: None, stop=StopRequest())
    return Springs(found.stiffness, found.damping, dt)


def _soft_body(character: Character, action: str) -> dict[str, Floats]:
    path = soft_body_file(character, action)
    if not path.is_file():
        return {}
    with np.load(path) as arrays:
        return {SOFT_BODY: arrays["positions"][STANDING:]}


def _errors(shapes: Floats, true: Floats, regions: Regions) -> dict[str, float]:
    """Millimetres, root mean square over a region's vertices and all frames."""
    return {name: 1e3 * rms(shapes[:, inside], true[:, inside]) for name, inside in regions.items()}


def _left_out(dataset: Dataset, take: str) -> int:
    """Frames of an action that the solver failed in, or that were torn: the errors have them nevertheless."""
    found = dataset.take(take)
    return len(found.positions) - STANDING - found.usable_frames


def _poses(dataset: Dataset, rig: Rig, regions: Regions) -> dict[str, Any]:
    """Errors on held poses that nothing was learned from or chosen by, and how many there are."""
    takes = RigTakes.of(dataset)
    tested = dataset.takes("test", kind="quasistatic")
    spans = [Span(take, *segment) for take in tested for segment in take.segments()]
    pairs = [pair for span in spans for pair in takes.frames(span)]
    action = Action([pose for pose, _ in pairs], np.stack([x for _, x in pairs]))
    ways = {SKINNING: rig.skinning, HELD: rig.network}
    solved = [take for take in dataset.outlines() if take.info.kind == "quasistatic"]
    return {
        "solved": sum(take.frame_count for take in solved),
        "left_out": sum(take.frame_count - take.usable_frames for take in solved),
        "learned": sum(len(span) for span in split_poses(dataset)[0]),
        "tested": len(pairs),
        "mm": {way: _errors(action.held(target), action.true, regions) for way, target in ways.items()},
    }


def _chosen_goal(path: Path) -> dict[str, Any] | None:
    if not path.is_file():
        return None
    tried = [each for each in json.loads(path.read_text(encoding="utf-8")) if each["mm"] is not None]
    return {**min(tried, key=lambda each: each["mm"]), "tried": len(tried)}
