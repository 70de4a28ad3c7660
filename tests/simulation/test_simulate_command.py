"""The command that bakes with the solver: killed at any moment it ends the same, and says what is wrong."""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bake_requests import (
    cloth,
    cuboid,
    grid,
    ground,
    hair,
    jelly,
    moved,
    plan_for,
    request,
    round_ball,
    springs,
    tracks,
)
from lengths import at_length
from workplaces import baked_here, place_of, simulated, take_folder

from ml_backend.commands import simulate
from ml_backend.simulation import recording
from ml_backend.simulation.preparing import prepare_body
from ml_backend.simulation.recording import UNSETTLED
from neural_physics.baking.plan import BakePlan
from neural_physics.datasets.dataset_info import Exclusion, TakeInfo
from neural_physics.datasets.frame_checks import EXPLODED, FALLING, TORN
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem
from neural_physics.jobs.events import StopRequest, parse_event
from neural_physics.solver.meshing import tetrahedralisation

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}


def command(plan: BakePlan, task: str, *more: str) -> list[str]:
    solver = (sys.executable, "-m", "ml_backend", "simulate", "--json")
    return [*solver, str(plan.path), task, "--holder", "1", *more]


def run(plan: BakePlan, task: str) -> list[dict]:
    """All events of the command."""
    done = subprocess.run(
        command(plan, task), capture_output=True, text=True, env=ENVIRONMENT, check=False, timeout=120
    )
    events = [event for event in map(parse_event, done.stdout.splitlines()) if event]
    assert events, done.stdout + done.stderr
    return events


def silent(_event) -> None:
    """Ignore every event."""


def bake(plan: BakePlan) -> None:
    """The same in this process."""
    prepare_body(plan, silent)
    simulated(plan)


def share_body(folder: Path) -> None:
    """The same tetrahedra for both, where there are any."""
    body = folder / "whole" / "body.npz"
    if body.is_file():
        (folder / "broken" / "body.npz").write_bytes(body.read_bytes())


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted((folder / "takes").rglob("*.*"))}


def ball_on_jelly(folder: Path, frames: int) -> BakePlan:
    asked = request(
        jelly(self_contact=False),
        cuboid((-0.2, -0.2, 0.25), (0.2, 0.2, 0.65)),
        colliders=[ground(), round_ball(0.1)],
    )

    def colliders(time):
        return [np.eye(4), moved(0.1 * np.sin(5 * time), 0.0, 1.0 - 0.35 * np.sin(6 * time))]

    return plan_for(folder, asked, tracks(asked, frames, colliders=colliders))


def ball_on_cloth(folder: Path, frames: int) -> BakePlan:
    asked = request(cloth(), grid((7, 7), (1.0, 1.0)), pins=[0, 7], colliders=[round_ball(0.2)])
    of_take = tracks(
        asked,
        frames,
        pins=lambda held, time: held + np.array([0.0, 0.05 * np.sin(8 * time), 0.0]),
        colliders=lambda time: [moved(0.5, 0.5, -0.5 + 0.3 * np.sin(6 * time))],
        wind=(200.0, 0.0, 0.0),
    )
    return plan_for(folder, asked, of_take)


def ball_on_hair(folder: Path, frames: int) -> BakePlan:
    strands = np.array([[0.05 * s, 0.01 * np.sin(k), -0.03 * k] for s in range(5) for k in range(10)])
    edges = [(10 * s + k, 10 * s + k + 1) for s in range(5) for k in range(9)]
    pins = [10 * s + k for s in range(5) for k in (0, 1)]
    asked = request(hair(), (strands, [], []), pins=pins, edges=edges, colliders=[round_ball(0.1)])
    of_take = tracks(asked, frames, colliders=lambda time: [moved(0.1, 0.25 - 0.2 * np.sin(6 * time), -0.2)])
    return plan_for(folder, asked, of_take)


def ball_on_springs(folder: Path, frames: int) -> BakePlan:
    asked = request(springs(), grid((8, 8), (1.0, 1.0)), pins=[0, 8], colliders=[round_ball(0.2)])
    of_take = tracks(
        asked,
        frames,
        pins=lambda held, time: held + np.array([0.0, 0.05 * np.sin(8 * time), 0.0]),
        colliders=lambda time: [moved(0.5, 0.5, -0.5 + 0.3 * np.sin(6 * time))],
        wind=(200.0, 0.0, 0.0),
    )
    return plan_for(folder, asked, of_take)


KINDS = [ball_on_jelly, ball_on_cloth, ball_on_hair, ball_on_springs]


@pytest.mark.parametrize("make", KINDS)
def test_a_take_that_is_taken_up_again_and_again_ends_as_one_that_was_not_interrupted(make, tmp_path):
    """Stopped in this process after any number of frames, the last of them torn."""
    frames, chance = 50, random.Random(3)
    whole = make(tmp_path / "whole", frames)
    bake(whole)
    broken = make(tmp_path / "broken", frames)
    share_body(tmp_path)
    for _ in range(4):
        left = [chance.randrange(1, 18)]

        class Stop(StopRequest):
            def asked(self, left=left) -> bool:
                left[0] -= 1
                return left[0] < 0

        with pytest.raises(Problem) as raised:
            simulated(broken, stop=Stop())
        assert raised.value.code == "stopped"
        path = take_folder(broken.dataset) / "positions.pc2"
        os.truncate(path, path.stat().st_size - 5)
    simulated(broken)
    assert contents(tmp_path / "broken") == contents(tmp_path / "whole")
    take = Dataset.open(tmp_path / "whole").take("take_000")
    assert take.info.complete and not take.info.excluded
    assert np.abs(take.positions[-1] - take.positions[0]).max() > 0.01  # it did move
    assert not (broken.folder / "take_000").exists()


@pytest.mark.slow
@pytest.mark.parametrize("make", at_length([ball_on_jelly, ball_on_hair], KINDS))
def test_kill_9_at_random_moments_changes_nothing(make, tmp_path):
    # What is quick has more frames, else starting would be all there is to kill.
    frames = at_length(*{ball_on_springs: (800, 1200), ball_on_jelly: (200, 400)}.get(make, (100, 200)))
    chance = random.Random(5)
    whole = make(tmp_path / "whole", frames)
    prepare_body(whole, silent)
    broken = make(tmp_path / "broken", frames)
    share_body(tmp_path)

    def start(plan):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen(command(plan, "take_000"), env=ENVIRONMENT, **quiet)

    began = time.monotonic()
    assert start(whole).wait() == 0
    lasts, kills = time.monotonic() - began, 0
    for _ in range(100):
        process = start(broken)
        try:
            # The first two come early, so that a machine that is less busy now is not done before them.
            process.wait(chance.uniform(0.1, 0.6 if kills >= 2 else 0.3) * lasts)
            break
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1
    assert kills >= 2
    for plan in (whole, broken):
        place_of(plan).hand_in()
    assert contents(tmp_path / "broken") == contents(tmp_path / "whole")


def test_the_whole_job_with_recorded_tracks(tmp_path):
    """The coordinator, the command and the clean-up, with tracks that are there already."""
    events = []
    result = baked_here(ball_on_jelly(tmp_path / "d", 6), events.append)
    assert result["frames"] == 6 and result["excluded"] == 0
    assert not (tmp_path / "d" / "bake").exists()
    assert any(event.get("stage") == "Filling Thing with tetrahedra" for event in events)
    dataset = Dataset.open(tmp_path / "d")
    take = dataset.take("take_000")
    for positions, body in zip(take.positions, take.body_positions, strict=True):
        assert positions == pytest.approx(dataset.body.carried(body), abs=1e-6)
    recorded = tracks(request(jelly(), cuboid((0, 0, 0), (1, 1, 1))), 6).interaction
    assert np.array_equal(take.interaction, recorded)


def test_a_body_that_nothing_holds_falls_and_does_not_explode(tmp_path):
    asked = request(jelly(self_contact=False), cuboid((0.0, 0.0, 0.0), (0.2, 0.2, 0.2)))
    plan = plan_for(tmp_path / "d", asked, tracks(asked, 120))
    result = baked_here(plan)
    take = Dataset.open(tmp_path / "d").take("take_000")
    assert [e.reason for e in take.info.excluded] == [FALLING]
    assert "nothing holds it" in result["notes"][-1]


@pytest.mark.parametrize(
    ("settings", "reason", "code", "words"),
    [
        (jelly(), TORN, "solver_unusable", "torn.*Stiffness or Steps per Frame"),
        (cloth(), EXPLODED, "solver_unusable", "exploded.*Steps per Frame"),
        (springs(), TORN, "springs_unusable", "torn.*Stretch Min"),
        (jelly(), FALLING, "simulation_falls", "give it pins"),
    ],
)
def test_what_is_to_be_done_about_a_bake_without_a_usable_frame(tmp_path, settings, reason, code, words):
    asked = request(settings, grid((3, 3), (1.0, 1.0)), pins=[0])
    plan = plan_for(tmp_path, asked, tracks(asked, 4))
    dataset = Dataset.open(tmp_path)
    with dataset.writer("take_000", TakeInfo(4)) as writer:
        for _ in range(4):
            writer.append(dataset.mesh.rest_positions, np.zeros(dataset.info.channels.size))
        writer.exclude((Exclusion(0, 3, reason),))
    with pytest.raises(Problem, match=words) as raised:
        baked_here(plan)
    assert raised.value.code == code and "quality" not in raised.value.message


def test_the_simulation_ends_with_its_coordinator(tmp_path):
    plan = ball_on_cloth(tmp_path / "d", 1000)
    run(plan, "body")
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    done = subprocess.run(
        command(plan, "take_000", "--coordinator", str(gone.pid)),
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        check=False,
        timeout=60,
    )
    assert parse_event(done.stdout.splitlines()[-1])["code"] == "stopped"


def test_takes_in_the_axes_of_something_that_turns(tmp_path):
    asked = request(jelly(), cuboid((-0.2, -0.2, 0.0), (0.2, 0.2, 0.4)), gravity=np.zeros(3))
    of_take = tracks(asked, 3)
    turned = np.tile(np.eye(4), (3, 1, 1))
    for t in range(3):
        turned[t, :2, :2] = [[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]]
        turned[t, :3, 3] = 1.0, 2.0, t
    plan = plan_for(tmp_path / "d", asked, replace(of_take, frame_from_world=turned))
    bake(plan)
    take = Dataset.open(tmp_path / "d").take("take_000")
    for t in range(3):
        expected = asked.rest_positions @ turned[t, :3, :3].T + turned[t, :3, 3]
        assert take.positions[t] == pytest.approx(expected, abs=1e-5)


def test_another_material_or_mesh_does_not_get_into_a_dataset(tmp_path):
    plan = ball_on_cloth(tmp_path / "d", 3)
    prepare_body(plan, silent)
    kept = (tmp_path / "d" / "body.npz").stat().st_mtime_ns
    prepare_body(plan, silent)
    assert (tmp_path / "d" / "body.npz").stat().st_mtime_ns == kept
    asked = request(cloth(), grid((7, 7), (1.0, 1.0)), pins=[0, 7], colliders=[round_ball(0.2)])
    others = [
        replace(asked, settings=replace(asked.settings, young=2e5)),
        replace(asked, rest_positions=asked.rest_positions * 1.01),
        replace(asked, pins=~asked.pins),
        replace(asked, gravity=np.array([0.0, 0.0, -1.6])),
    ]
    simulated(plan)
    for other in others:
        other.write(plan.request)
        with pytest.raises(Problem) as raised:
            prepare_body(plan, silent)
        assert raised.value.code == "dataset_other_material"


def test_a_body_that_no_frame_is_of_yet_is_made_anew_for_other_settings(tmp_path):
    plan = ball_on_cloth(tmp_path / "d", 3)
    prepare_body(plan, silent)
    asked = request(cloth(young=2e5), grid((7, 7), (1.0, 1.0)), pins=[0, 7])
    asked.write(plan.request)
    prepare_body(plan, silent)
    assert Dataset.open(tmp_path / "d").body.settings.young == 2e5


def test_a_solid_is_compared_by_what_it_was_filled_for(tmp_path):
    plan = ball_on_jelly(tmp_path / "d", 3)
    prepare_body(plan, silent)
    prepare_body(plan, silent)


def test_takes_that_blender_simulated_are_not_added_to(tmp_path):
    plan = ball_on_cloth(tmp_path / "d", 3)
    dataset = Dataset.open(tmp_path / "d")
    with dataset.writer("take_000", TakeInfo(3)) as writer:
        writer.append(dataset.mesh.rest_positions, np.zeros(3))
    with pytest.raises(Problem) as raised:
        prepare_body(plan, silent)
    assert raised.value.code == "dataset_other_material"


def test_a_frame_whose_step_was_not_finished_is_marked_and_the_mark_is_kept(tmp_path, monkeypatch):
    plan = ball_on_cloth(tmp_path / "d", 6)
    prepare_body(plan, silent)
    advance = recording.Simulation.advance

    def unfinished(self) -> bool:
        return advance(self) and self.frame != 4

    monkeypatch.setattr(recording.Simulation, "advance", unfinished)
    simulated(plan)
    assert Dataset.open(tmp_path / "d").take("take_000").info.excluded == (Exclusion(4, 4, UNSETTLED),)


def test_a_simulation_without_numbers_ends_the_take_and_what_led_there_is_left_out(tmp_path, monkeypatch):
    plan = ball_on_cloth(tmp_path / "d", 30)
    prepare_body(plan, silent)
    advance = recording.Simulation.advance

    def exploding(self) -> bool:
        converged = advance(self)
        if self.frame == 20:
            self._state.q[:] = np.nan
        return converged

    monkeypatch.setattr(recording.Simulation, "advance", exploding)
    simulated(plan)
    take = Dataset.open(tmp_path / "d").take("take_000")
    assert take.info.complete and len(take.positions) == 20
    assert take.segments() == [(0, 12)]


def test_a_body_squeezed_into_a_collider_ends_the_take_with_the_reason(tmp_path, monkeypatch):
    plan = ball_on_cloth(tmp_path / "d", 30)
    prepare_body(plan, silent)
    advance = recording.Simulation.advance

    def squeezed(self) -> bool:
        if self.frame == 19:
            raise ValueError("Ball starts with 3 of the body's vertices inside it.")
        return advance(self)

    monkeypatch.setattr(recording.Simulation, "advance", squeezed)
    simulated(plan)
    assert "squeezed" in Dataset.open(tmp_path / "d").take("take_000").info.excluded[0].reason


def test_frames_that_come_out_otherwise_are_kept_apart_by_a_seam(tmp_path):
    """As on another computer: what is there stays, and no window crosses to what follows."""
    plan = ball_on_cloth(tmp_path / "d", 30)
    prepare_body(plan, silent)
    left = [24]

    class Stop(StopRequest):
        def asked(self) -> bool:
            left[0] -= 1
            return left[0] < 0

    with pytest.raises(Problem):
        simulated(plan, stop=Stop())
    path = take_folder(plan.dataset) / "positions.pc2"
    there = np.memmap(path, "<f4", "r+", 32, (24, 64, 3))
    there[21:] += 0.001
    there.flush()
    simulated(plan)
    take = Dataset.open(tmp_path / "d").take("take_000")
    assert take.segments() == [(0, 23), (25, 30)]


@pytest.mark.parametrize(
    ("damage", "match"),
    [
        ({"pins": np.zeros((3, 1, 3))}, "pins"),
        ({"wind": np.full((3, 3), np.nan)}, "wind"),
        ({"colliders": np.zeros((2, 1, 4, 4))}, "colliders"),
        ({"interaction": np.zeros((3, 2), np.float32)}, "interaction"),
        ({"fps": 0.0}, "fps"),
    ],
)
def test_tracks_that_do_not_fit_the_body_are_refused(damage, match, tmp_path):
    plan = ball_on_cloth(tmp_path / "d", 3)
    prepare_body(plan, silent)
    asked = request(cloth(), grid((7, 7), (1.0, 1.0)), pins=[0, 7], colliders=[round_ball(0.2)])
    replace(tracks(asked, 3), **damage).write(place_of(plan).tracks)
    with pytest.raises(Problem, match=match) as raised:
        simulated(plan)
    assert raised.value.code == "dataset_damaged"


def asked_for_body(plan: BakePlan) -> argparse.Namespace:
    return argparse.Namespace(plan=plan.path, task="body", core=None, coordinator=0, holder=0)


def test_a_python_without_scipy_is_refused_with_what_it_lacks(tmp_path, monkeypatch):
    plan = ball_on_cloth(tmp_path / "d", 3)
    monkeypatch.setitem(sys.modules, "ml_backend.simulation.preparing", None)
    monkeypatch.setattr(simulate, "missing", lambda _: ["scipy 1.13"])
    with pytest.raises(Problem, match=r"scipy 1\.13.*Preferences > Add-ons > Neural Physics") as raised:
        simulate.run(asked_for_body(plan), silent, StopRequest())
    assert raised.value.code == "simulating_python_lacks"


def test_a_missing_package_that_only_one_setting_needs_is_reported_with_the_setting(tmp_path, monkeypatch):
    """Some systems have no wheel of pytetwild or ipctk; all else simulates there."""
    monkeypatch.setattr(tetrahedralisation, "_tetwild", lambda: lacking("pytetwild"))
    monkeypatch.setitem(sys.modules, "ipctk", None)
    cases = [
        (jelly(filling="tetwild"), "filling_missing", "Thing.*pytetwild.*Filling to Cage"),
        (jelly(self_contact=True), "self_contact_missing", "Thing.*ipctk.*Self Contact off"),
    ]
    for settings, code, match in cases:
        asked = request(settings, cuboid((0, 0, 0), (1, 1, 1)))
        plan = plan_for(tmp_path / code, asked, tracks(asked, 3))
        with pytest.raises(Problem, match=match) as raised:
            simulate.run(asked_for_body(plan), silent, StopRequest())
        assert raised.value.code == code
        assert Dataset.open(plan.dataset).body is None, "nothing is left that other settings would not fit"
        request(jelly(), cuboid((0, 0, 0), (1, 1, 1))).write(plan.request)
        simulate.run(asked_for_body(plan), silent, StopRequest())


def lacking(package: str):
    raise ImportError(f"{package} is not installed")


def test_errors_are_reported_in_json_with_their_code(tmp_path):
    asked = request(jelly(density=-1.0), cuboid((0, 0, 0), (1, 1, 1)))
    events = run(plan_for(tmp_path / "d", asked, tracks(asked, 3)), "body")
    assert events[-1]["code"] == "material_unusable" and "density" in events[-1]["message"]
