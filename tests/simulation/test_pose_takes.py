"""Takes of poses: stopped at any pose they end the same, and what has no equilibrium is left out by name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from bake_requests import FPS, cuboid, jelly, request, tracks
from scipy.spatial.transform import Rotation
from workplaces import baked_here, place_of, simulated

from ml_backend.simulation.poses import posing
from ml_backend.simulation.poses.posing import PosedBody
from ml_backend.simulation.preparing import prepare_body
from neural_physics.baking.plan import BakePlan, PlannedTake
from neural_physics.datasets.dataset_info import DatasetInfo, Exclusion, TakeInfo
from neural_physics.datasets.frame_checks import TORN
from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem
from neural_physics.evaluation.rollouts import held_out_takes
from neural_physics.interaction.channels import Channel, ChannelLayout
from neural_physics.jobs.events import StopRequest
from neural_physics.skinning.skin import Skin
from neural_physics.solver.quasistatic import NOT_CONVERGED, Settled

POSES = 6
LAYOUT = ChannelLayout((Channel("Rig", "pose", 48, "Rig", parts=("lower", "upper")),))
JOINT = np.array([0.0, 0.0, 0.5])


def silent(_event) -> None:
    """Ignore every event."""


def moves():
    """(T, 3, 4, 4) of the object and its two bones, the upper one bent more and more."""
    found = np.tile(np.eye(4), (POSES, 3, 1, 1))
    for index, matrices in enumerate(found):
        matrices[2, :3, :3] = Rotation.from_rotvec([0.2 * index, 0.1, 0.0]).as_matrix()
        matrices[2, :3, 3] = JOINT - matrices[2, :3, :3] @ JOINT
    return found


def plan_for(folder) -> BakePlan:
    """A dataset without takes, and all that is needed to settle one of poses."""
    settings = jelly(tetrahedra=150, bone_radius=0.08, young=2e5)
    bones = np.array([[[0.0, 0.0, 0.0], JOINT], [JOINT, [0.0, 0.0, 1.0]]])
    asked = replace(request(settings, cuboid((-0.1, -0.1, 0.0), (0.1, 0.1, 1.0))), bones=bones)
    placed = moves()
    of_take = tracks(asked, POSES, bones=lambda t: placed[round(t * FPS), 1:])
    rows = np.concatenate([np.tile(np.eye(4), (POSES, 1, 1, 1)), placed], axis=1)[:, :, :3]
    of_take = replace(of_take, interaction=rows.reshape(POSES, -1).astype(np.float32))
    share = asked.rest_positions[:, 2]
    skin = Skin(("lower", "upper"), np.stack([1.0 - share, share], 1).astype(np.float32))
    rest = asked.rest_positions.astype(np.float32)
    mesh = Mesh(rest, asked.corners, asked.face_sizes, np.zeros(len(rest), np.float32), skin=skin)
    Dataset.create(folder, DatasetInfo("Limb", mesh.topology(), len(rest), FPS, channels=LAYOUT), mesh)
    take = PlannedTake("poses_000", POSES, 7, "test", kind="quasistatic")
    plan = BakePlan(folder, "Limb", "Scene", "Layer", takes=(take,), by_solver=True)
    plan.write()
    asked.write(plan.request)
    of_take.write(place_of(plan, "poses_000").tracks)
    prepare_body(plan, silent)
    return plan


def contents(folder):
    takes = folder / "takes"
    return {str(p.relative_to(takes)): p.read_bytes() for p in sorted(takes.rglob("*.*"))}


class StopsAfter(StopRequest):
    """Stops once it was asked so often."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    def check(self) -> None:
        self.times -= 1
        if self.times < 0:
            raise Problem("stopped")


def fails_at(*indices):
    """A body that finds no rest in some poses, but for that as it is."""

    class Failing(PosedBody):
        def settle(self, index):
            positions, settled = super().settle(index)
            if index in indices:
                return 100.0 * positions, Settled(settled.q, 1.0, NOT_CONVERGED, 1)
            return positions, settled

    return Failing


def test_poses_are_kept_as_the_body_settles_in_them(tmp_path):
    plan = plan_for(tmp_path / "d")
    result = simulated(plan, "poses_000")
    dataset = Dataset.open(tmp_path / "d")
    take = dataset.take("poses_000")
    assert result == {"take": "poses_000", "frames": POSES}
    assert take.info == TakeInfo(POSES, "quasistatic", "test", 7, complete=True)
    asked, of_take = dataset.surroundings("poses_000")
    poses = PosedBody(
        asked, dataset.body, of_take, dataset.mesh.skin, moves=moves()[:, :, :3].astype(np.float32)
    )
    for index in (0, 4):
        there, _ = poses.settle(index)
        np.testing.assert_allclose(take.body_positions[index], there, atol=1e-6)
        np.testing.assert_allclose(take.positions[index], dataset.body.carried(there), atol=1e-6)
    assert np.array_equal(take.interaction, of_take.interaction)


def test_a_take_that_was_stopped_at_every_pose_is_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr("ml_backend.simulation.poses.pose_recording.PosedBody", fails_at(2))
    plans = [plan_for(tmp_path / name) for name in ("whole", "broken")]
    body = (tmp_path / "whole" / "body.npz").read_bytes()
    (tmp_path / "broken" / "body.npz").write_bytes(body)
    simulated(plans[0], "poses_000")
    for _ in range(POSES - 1):
        with pytest.raises(Problem, match="Stopped"):
            simulated(plans[1], "poses_000", stop=StopsAfter(1))
    simulated(plans[1], "poses_000")
    assert contents(tmp_path / "broken") == contents(tmp_path / "whole")


def test_what_finds_no_rest_is_left_out_alone_and_no_wrong_shape_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr("ml_backend.simulation.poses.pose_recording.PosedBody", fails_at(1, 2))
    plan = plan_for(tmp_path / "d")
    simulated(plan, "poses_000")
    take = Dataset.open(tmp_path / "d").take("poses_000")
    assert take.info.excluded == (Exclusion(1, 1, NOT_CONVERGED), Exclusion(2, 2, NOT_CONVERGED))
    assert take.segments() == [(0, 1), (3, POSES)]
    assert np.isnan(take.positions[1:3]).all() and np.isfinite(take.positions[[0, 3, 4, 5]]).all()


def test_a_pose_that_is_torn_takes_no_other_with_it(tmp_path, monkeypatch):
    class Tearing(PosedBody):
        def settle(self, index):
            positions, settled = super().settle(index)
            if index == 3:
                positions[self._body.rest_positions[:, 2] > 0.5] += [0.0, 0.0, 3.0]
            return positions, settled

    monkeypatch.setattr("ml_backend.simulation.poses.pose_recording.PosedBody", Tearing)
    simulated(plan_for(tmp_path / "d"), "poses_000")
    assert Dataset.open(tmp_path / "d").take("poses_000").info.excluded == (Exclusion(3, 3, TORN),)


def test_without_a_pose_that_can_be_used_the_bake_ends_with_a_sentence(tmp_path, monkeypatch):
    plan = plan_for(tmp_path / "d")
    monkeypatch.setattr(posing, "settle", lambda system, elements, path, scales, time: failed(path))
    simulated(plan, "poses_000")
    dataset = Dataset.open(tmp_path / "d")
    with dataset.writer("take_000", TakeInfo(3)) as writer:
        for row in dataset.take("poses_000").interaction[:3]:
            writer.append(dataset.mesh.rest_positions, row, None, dataset.body.rest_positions)
    with pytest.raises(Problem) as raised:
        baked_here(plan)
    assert raised.value.code == "poses_unusable"
    assert all(word in raised.value.message for word in ("Limb", str(POSES), NOT_CONVERGED))


def failed(path):
    return Settled(path(1.0), 1.0, NOT_CONVERGED, 1)


def test_nothing_is_rolled_out_over_poses(tmp_path):
    simulated(plan_for(tmp_path / "d"), "poses_000")
    dataset = Dataset.open(tmp_path / "d")
    assert [take.name for take in dataset.takes("test", kind="quasistatic")] == ["poses_000"]
    assert not dataset.takes("test")
    with pytest.raises(Problem) as raised:
        held_out_takes(dataset)
    assert raised.value.code == "nothing_held_out"
