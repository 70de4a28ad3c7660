"""The force that it takes to pull a worm between posts (Romero 2021, Fig. 10).

Three pairs of posts, that press on the worm from both sides, go along it from behind its tail to its head,
which is held: as if it were pulled between them. Without friction, what it takes is what the posts push along
the way. The full body is at rest at every place; handles, alone and corrected, are played slowly.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contact_corrections.accuracy import LED
from benchmarks.contact_corrections.scenes import CONTACT, TEST
from benchmarks.contact_corrections.study import Study, study, uncorrected
from ml_backend.methods.contact_corrections.scene import ContactScene
from ml_backend.methods.contact_corrections.statics import Statics
from neural_physics.methods.contact_corrections.contact import Contact, Placed
from neural_physics.methods.contact_corrections.handles import Handles
from neural_physics.methods.contact_corrections.method import ContactCorrections

Array = NDArray[np.float64]

PAIRS, APART, ASIDE = 3, 0.25, 0.135  # of posts; metres along the worm, and off its middle
BEGIN, END, STEP = -0.95, 0.25, 0.004  # metres along the worm, of the middle pair
CURVES = CONTACT / "pull.npz"


def judge() -> dict[str, Any]:
    """The forces that pulling the worm takes, N for each metre across, if its takes are there."""
    found = study(LED)
    return {"missing": LED.name} if found is None else _pulled(found)


def _pulled(found: Study) -> dict[str, Any]:
    model, ys = found.model(), course(found)
    forces = {
        "linear": played(ContactCorrections(uncorrected(model)), ys),
        "ours": played(ContactCorrections(model), ys),
        "full": at_rest(found.scene, ys),
    }
    np.savez(CURVES, places=BEGIN + STEP * np.arange(len(ys)), **forces)
    peaks = {name: float(np.nanmax(force)) for name, force in forces.items()}
    means = {name: float(np.nanmean(np.abs(force))) for name, force in forces.items()}
    return {"peaks": peaks, "means": means, "unsettled": int(np.isnan(forces["full"]).sum())}


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
    state, forces = method.start(ys[0]), []
    for y in ys:
        state = method.step(state, y)
        around = method.surroundings(y)
        shape = method._coordinates.of(method.body_positions(state, y))
        forces.append(pushed(method.dynamics._surface, shape, around.placed))
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
