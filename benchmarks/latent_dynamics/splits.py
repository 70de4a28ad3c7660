"""Rollouts over the paper's whole sequences, of which a part was learned from (Li et al. 2025, section 4)."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from benchmarks.latent_dynamics import datasets
from benchmarks.latent_dynamics.limit import twin
from benchmarks.latent_dynamics.rollouts import Course, Roller, course, first_above, long_elastic, to_and_fro
from benchmarks.latent_dynamics.scenes import LATENT

LONG = 5000  # frames
CURVES = LATENT / "curves"


def judge(kept_only: bool = False) -> dict[str, Any]:
    """Errors on seen and unseen frames, pins, energies and the limit, of each scene there is.

    kept_only: train nothing.
    """
    there = [name for name in datasets.EXAMPLES if datasets.model(name, kept_only) is not None]
    rows = [_row(name, kept_only) for name in there]
    return {"rows": rows, "missing": datasets.missing()}


def _row(name: str, kept_only: bool) -> dict[str, Any]:
    example, made = datasets.EXAMPLES[name], datasets.model(name)
    dataset = datasets.learned(name)
    assert made is not None and dataset is not None
    path, training = made
    roller = Roller(path, dataset)
    take = (dataset.takes("test") or dataset.takes())[0]
    beside, frames = course(roller, take), len(take.positions)
    unseen = slice(max(2, example.seen), frames)
    most = float(beside.true_elastic.max())
    longer = long_elastic(roller, to_and_fro(take, dataset, LONG))
    limit = _limit(name, beside, kept_only)
    _keep(name, beside, limit, example.seen, fps=dataset.info.fps)
    return {
        "scene": name,
        "minutes": datasets.MINUTES,
        "latents": example.latents,
        "frames": frames,
        "seen_frames": example.seen,
        "seen": beside.error(slice(2, example.seen)) if example.seen else None,
        "unseen": beside.error(unseen),
        "at_pins_mm": 1e3 * float(beside.at_pins.max()),
        "kinetic_seen": beside.kept(slice(0, example.seen - 1)) if example.seen else None,
        "kinetic_unseen": beside.kept(slice(unseen.start, frames - 1)),
        "elastic_unseen": float(beside.elastic[unseen].mean() / beside.true_elastic[unseen].mean()),
        "most_elastic": float(longer.max() / most) if np.isfinite(longer).all() else None,
        "above_at": first_above(longer, most),
        "limit": None if limit is None else _relative(limit[unseen], beside.rest[unseen]),
        "speeds": _speeds(name, roller),
        "steps": training["steps"],
        "coder_error": training["coder_error"],
        "validation_error": training["validation_error"],
    }


def _limit(name: str, beside: Course, kept_only: bool) -> np.ndarray | None:
    """(T,) m: how far the twin of a body that is 0.01 % larger is from the take."""
    found = twin(name, kept_only)
    if found is None:
        return None
    dataset, take, shapes = found
    true = dataset.take(take).body_positions
    assert true is not None and len(true) == len(beside.away)
    return np.sqrt(((shapes - true) ** 2).sum(2).mean(1))


def _speeds(name: str, roller: Roller) -> list[dict[str, Any]]:
    """Errors and energies of takes at one speed each, which a file beside their dataset records."""
    folder = datasets.EXAMPLES[name].speeds
    dataset = datasets.found(folder) if folder else None
    if dataset is None:
        return []
    about = json.loads((datasets.SCENES / f"{folder}_takes.json").read_text(encoding="utf-8"))
    found = []
    for take in dataset.takes():
        beside = course(roller, take)
        found.append(
            {
                "speed": about[take.name]["speed"],
                "error": beside.error(slice(2, None)),
                "kinetic": beside.kept(slice(None)),
                "most_elastic": float(beside.elastic.max() / beside.true_elastic.max()),
            }
        )
    return found


def _relative(away: np.ndarray, rest: np.ndarray) -> float:
    return float(np.sqrt((away**2).mean() / (rest**2).mean()))


def _keep(name: str, beside: Course, limit: np.ndarray | None, seen: int, *, fps: float) -> None:
    """Write what the plots show of a scene."""
    CURVES.mkdir(parents=True, exist_ok=True)
    more = {} if limit is None else {"limit": limit}
    np.savez(CURVES / f"{name}.npz", **vars(beside), **more, seen=seen, fps=fps)
