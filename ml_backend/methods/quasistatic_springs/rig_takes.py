"""Takes of a mesh that follows bones, in world space: how it is posed, and where its vertices are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from learning.training.spans import Span
from neural_physics.arrays import Floats
from neural_physics.datasets.takes import Dataset
from neural_physics.datasets.usable_numbers import check_places
from neural_physics.errors import Problem
from neural_physics.evaluation.rollouts import Predictor, Window
from neural_physics.interaction.poses import Pose, PosePlaces, to_frame, to_world
from neural_physics.skinning.keyed_shape import KeyedShape
from neural_physics.skinning.of_skin import skinning_of
from neural_physics.skinning.skin import Skin

Targets = Callable[[Pose], Floats]  # (V, 3) metres, world space: where vertices rest in a pose

LEAST = 1e-3  # per frame, of a vertex's matrix, squared: what bones fold flat stays where it was at rest


@dataclass(frozen=True)
class RigTakes:
    """What takes' vertices follow, and which numbers of y say how. rest (V, 3) float32, metres."""

    skin: Skin
    rest: Floats
    places: PosePlaces

    @classmethod
    def of(cls, dataset: Dataset) -> RigTakes:
        """Raises Problem("skin_not_baked")."""
        places, skin = PosePlaces.of(dataset.info.channels), dataset.mesh.skin
        keys = skin.keys.names if skin and skin.keys else ()
        if places is None or skin is None or (skin.bones, keys) != (places.bones, places.keys):
            raise Problem("skin_not_baked", path=dataset.path, object=dataset.info.object)
        return cls(skin, dataset.mesh.rest_positions, places)

    def frames(self, span: Span) -> Iterator[tuple[Pose, Floats]]:
        """Each frame's pose, and its positions (V, 3) in world space.

        Raises Problem("dataset_not_numbers").
        """
        poses = (self.places.pose(y) for y in span.interaction)
        frames = (x.reshape(-1, 3) for chunk in span.chunks() for x in chunk)
        for number, (pose, x) in enumerate(zip(poses, frames, strict=True), span.start):
            world = to_world(pose, x)
            check_places(world[None], span.take.name, number)
            yield pose, world

    def bones_alone(self) -> Targets:
        """What bones make of the rest shape, and of its keys."""
        skinning = skinning_of(self.skin, self.rest)
        return self.with_keys(lambda pose: skinning(pose.moves))

    def with_keys(self, targets: Targets) -> Targets:
        """Targets, and what shape keys add to them."""
        keyed = KeyedShape(self.skin)
        return lambda pose: keyed.add_to(targets(pose), pose.moves, pose.keys)

    def settled_rest(self, spans: list[Span]) -> Floats:
        """(V, 3) metres: the shape at rest which bones carry nearest to the simulation, by least squares.

        However bones are blended, a vertex goes where its own matrix takes it, whose columns are how much
        farther it goes for a metre along each axis.
        """
        count = len(self.rest)
        still, keyed = skinning_of(self.skin, self.rest), KeyedShape(self.skin)
        along = [skinning_of(self.skin, self.rest + step) for step in np.eye(3, dtype=np.float32)]
        normal, right = np.zeros((count, 3, 3)), np.zeros((count, 3))
        for span in spans:
            for pose, x in self.frames(span):
                target = still(pose.moves)
                columns = np.stack([one(pose.moves) - target for one in along], 2).astype(np.float64)
                normal += columns.transpose(0, 2, 1) @ columns
                off = x - keyed.add_to(target, pose.moves, pose.keys)
                right += np.einsum("vij,vi->vj", columns, off)
        normal += LEAST * sum(len(span) for span in spans) * np.eye(3)
        try:
            moved = np.linalg.solve(normal, right[..., None])
        except np.linalg.LinAlgError:  # poses so large that nothing holds what bones fold flat
            moved = np.linalg.pinv(normal, hermitian=True) @ right[..., None]
        return self.rest + moved[..., 0].astype(np.float32)

    def predictor(self, targets: Targets) -> Predictor:
        """What is shown, in the reference frame, where vertices are always on their targets."""

        def predict(window: Window) -> Floats:
            poses = [self.places.pose(y) for y in window.take.interaction[window.predicted]]
            return np.stack([to_frame(pose, targets(pose)) for pose in poses])

        return predict
