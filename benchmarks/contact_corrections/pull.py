"""The force that it takes to pull a worm between posts (Romero 2021, Fig. 10).

Three pairs of posts, that press on the worm from both sides, go along it from behind its tail to its head,
which is held: as if it were pulled between them. Without friction, what it takes is what the posts push along
the way. The full body is at rest at every place; handles, alone and corrected, are played slowly. All are
pushed off by springs, whose stiffness is varied; what was learned was learned with the stiffest.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contact_corrections.accuracy import LED
from benchmarks.contact_corrections.scenes import CONTACT, TEST
from benchmarks.contact_corrections.study import Study, study, uncorrected
from ml_backend.methods.contact_corrections.scene import CONTACT_STIFFNESS, ContactScene
from ml_backend.methods.contact_corrections.statics import Statics
from neural_physics.methods.contact_corrections.contact import Contact, Placed
from neural_physics.methods.contact_corrections.handles import Handles
from neural_physics.methods.contact_corrections.method import ContactCorrections
from neural_physics.models.model_file import Model

Array = NDArray[np.float64]

PAIRS, APART, ASIDE = 3, 0.25, 0.135  # of posts; metres along the worm, and off its middle
BEGIN, END, STEP = -0.95, 0.25, 0.004  # metres along the worm, of the middle pair
STIFFNESSES = (CONTACT_STIFFNESS, 10.0, 5.0, 2.0, 1.0)  # of the contact, times Young's modulus
PAPERS = {"linear": 5.6, "ours": 1.8}  # largest forces, times the full body's
CURVES = CONTACT / "pull.npz"


def judge() -> dict[str, Any]:
    """The forces that pulling the worm takes, N for each metre across, if its takes are there."""
    found = study(LED)
    return {"missing": LED.name} if found is None else _pulled(found)


def _pulled(found: Study) -> dict[str, Any]:
    model, ys = found.model(), course(found)
    curves, rows = dict[str, Array](), list[dict[str, Any]]()
    for times in STIFFNESSES:
        there = softened(model, times)
        contact = replace(found.scene.contact, stiffness=there.info.settings["stiffness"])
        forces = {
            "linear": played(ContactCorrections(uncorrected(there)), ys),
            "ours": played(ContactCorrections(there), ys),
            "full": at_rest(replace(found.scene, contact=contact), ys),
        }
        curves |= {f"{name}_{times:g}": force for name, force in forces.items()}
        rows.append(
            {
                "stiffness": times,
                "peaks": {name: float(np.nanmax(force)) for name, force in forces.items()},
                "means": {name: float(np.nanmean(np.abs(force))) for name, force in forces.items()},
                "unsettled": int(np.isnan(forces["full"]).sum()),
            }
        )
    np.savez(CURVES, places=BEGIN + STEP * np.arange(len(ys)), **curves)
    return {"rows": rows, "agree": {name: agreeing(rows, name, ratio) for name, ratio in PAPERS.items()}}


def softened(model: Model, times: float) -> Model:
    """The model with contact that is so many times Young's modulus stiff."""
    stiffness = model.info.settings["stiffness"] * times / CONTACT_STIFFNESS
    info = replace(model.info, settings={**model.info.settings, "stiffness": stiffness})
    return Model(info, model.tensors, model.path)


def agreeing(rows: list[dict[str, Any]], way: str, ratio: float) -> float | None:
    """At which stiffness a way's largest force is that many times the full body's: the stiffest, between
    rows on a logarithmic scale. None where it never is.
    """
    known = [(row["stiffness"], row["peaks"][way] / row["peaks"]["full"] - ratio) for row in rows]
    for (stiff, above), (soft, below) in pairwise(known):
        if above * below <= 0.0:
            share = above / (above - below) if above != below else 0.0
            return float(stiff * (soft / stiff) ** share)
    return None


def course(found: Study) -> NDArray[np.float32]:
    """(N, e): the lead as it is at rest, and posts that go along the worm."""
    layout = found.dataset.info.channels
    ys = np.tile(np.asarray(found.dataset.take(TEST).interaction[0]), (round((END - BEGIN) / STEP) + 1, 1))
    places = layout.slices()
    for channel in layout.channels:
        side, _, number = channel.name.partition(" Post ")
        if number:
            along = BEGIN + STEP * np.arange(len(ys)) + APART * (int(number) - 0.5 * (PAIRS + 1))
            at = places[channel.name]
            ys[:, at][:, 0], ys[:, at][:, 1] = along, ASIDE if side == "Left" else -ASIDE
    return ys


def played(method: ContactCorrections, ys: NDArray[np.float32]) -> Array:
    """(N,) N for each metre of depth: what posts push along the worm, frame by frame."""
    state, forces, dynamics = method.start(ys[0]), [], method.dynamics
    for y in ys:
        state = method.step(state, y)
        around = method.surroundings(y)
        # The vertices that contact is felt at, which is numbered by them.
        shape = dynamics.part.positions(dynamics.pose(state.q, around))[: dynamics.touching]
        forces.append(pushed(dynamics.surface, shape, around.placed))
    return np.array(forces)


def at_rest(scene: ContactScene, ys: NDArray[np.float32]) -> Array:
    """(N,) the same of the full body, at rest in each place; not a number where that was not found."""
    statics = unheld(scene)
    shape, forces = scene.body.rest.copy(), []
    for y in ys:
        placed = scene.colliders.placed(np.asarray(y, np.float64))
        found, settled = statics.rest(shape, scene.contact, placed)
        shape = found if settled else shape
        forces.append(pushed(scene.contact, found, placed) if settled else np.nan)
    return np.array(forces)


def unheld(scene: ContactScene) -> Statics:
    """Statics in which nothing but the pins is held: cores go where they are pushed."""
    handles, n = scene.handles, scene.handles.free
    pinned = Handles(handles.weights[:, n:], handles.gradients[:, :, n:], handles.rest[n:], 0)
    return Statics(replace(scene.body, cores=None), pinned, scene.gravity)


def pushed(contact: Contact, shape: Array, placed: Placed) -> float:
    """What colliders push along the first axis, N, of a shape (B, d)."""
    which, short, normals = contact.pressed(shape, placed)
    return float(contact.stiffness * (short @ normals[:, 0])) if len(which) else 0.0
