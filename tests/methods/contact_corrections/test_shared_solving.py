"""Shapes at rest that several processes solve for: what comes of them, and when a process ends too soon."""

from __future__ import annotations

import os
import signal
from dataclasses import replace

import numpy as np
import pytest
from pressed_blocks import bake, pressed

from learning.training import helper_processes
from learning.training.spans import split
from ml_backend.methods.contact_corrections import shared_solving
from ml_backend.methods.contact_corrections.data import solve_corrections
from ml_backend.methods.contact_corrections.presets import ContactPreset
from ml_backend.methods.contact_corrections.scene import contact_scene
from ml_backend.methods.contact_corrections.solving_helper import helper_words
from neural_physics.errors import Problem
from neural_physics.jobs.events import StopRequest

PRESET = ContactPreset(handles=8, poses=40, pressed=10, traverses=2, depths=2)
STATES = 12


def silent(event):
    """Nothing listens."""


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return bake(tmp_path_factory.mktemp("pressed") / "dataset", pressed(tetrahedra=150), 90)


@pytest.fixture(scope="module")
def scene(dataset):
    return contact_scene(dataset, dataset.body, split(dataset)[0], PRESET.handles)


@pytest.fixture(scope="module")
def alone(dataset, scene, tmp_path_factory):
    return solve(dataset, scene, tmp_path_factory.mktemp("alone") / "kept", cores=1)


@pytest.fixture
def at_once(monkeypatch):
    """After the first state others help, however little there is to do; the helpers that were started."""
    monkeypatch.setattr(shared_solving, "TRIED", 0.0)
    monkeypatch.setattr(shared_solving, "WORTH", 0.0)
    started, start = [], helper_processes.start_with_pipes

    def noted(*given):
        started.append(start(*given))
        return started[-1]

    monkeypatch.setattr(helper_processes, "start_with_pipes", noted)
    return started


def solve(dataset, scene, path, cores, emit=silent, stop=None, preset=PRESET):
    words = helper_words(dataset.path, preset, ())
    kept, training = (path, "it"), split(dataset)[0]
    return solve_corrections(
        scene,
        training,
        STATES,
        preset,
        seed=7,
        kept=kept,
        stage="solving",
        emit=emit,
        stop=stop or StopRequest(),
        helpers=words,
        cores=cores,
    )


def check_same(found, expected):
    assert found.unsettled == expected.unsettled
    for one, other in ((found.internal, expected.internal), (found.external, expected.external)):
        assert len(one) == len(other) > 0
        for name, rows in vars(other).items():
            assert np.abs(np.subtract(getattr(one, name), rows, dtype=float)).max() < 1e-6, name


def test_shapes_are_the_same_in_however_many_processes(dataset, scene, alone, at_once, tmp_path):
    check_same(solve(dataset, scene, tmp_path / "kept", cores=3), alone)
    assert len(at_once) == 3
    assert None not in [process.poll() for process in at_once], "none is left"


def test_colliders_are_pressed_into_some_of_the_states_alone(dataset, scene, alone, tmp_path):
    into_all = replace(PRESET, pressed=PRESET.poses)
    of_all = solve(dataset, scene, tmp_path / "kept", cores=1, preset=into_all)
    np.testing.assert_array_equal(alone.internal.r, of_all.internal.r)
    assert len(alone.internal) == STATES
    states, every = (np.unique(found.external.states, axis=0) for found in (alone, of_all))
    assert (len(states), len(every)) == (STATES // 4, STATES)
    mine = (of_all.external.states[:, None] == states).all((2, 3)).any(1)
    np.testing.assert_array_equal(alone.external.r, of_all.external.r[mine])


def test_what_a_process_has_ended_over_is_done_by_the_others_or_here(
    dataset, scene, alone, at_once, tmp_path
):
    left = [8, 4]  # when one ends, and when the other

    def kill(event):
        running = [process for process in at_once if process.poll() is None]
        if event["event"] == "progress" and left and event["done"] >= left[-1] and running:
            left.pop()
            os.kill(running[0].pid, signal.SIGKILL)

    check_same(solve(dataset, scene, tmp_path / "kept", cores=2, emit=kill), alone)
    assert [process.poll() for process in at_once] == [-signal.SIGKILL] * 2


def test_where_no_other_can_be_started_it_is_done_here(dataset, scene, alone, monkeypatch, at_once, tmp_path):
    def start(*given):
        raise OSError("no more processes")

    monkeypatch.setattr(helper_processes, "start_with_pipes", start)
    check_same(solve(dataset, scene, tmp_path / "kept", cores=2), alone)


def test_what_takes_seconds_is_done_before_others_would_have_begun(dataset, scene, monkeypatch, tmp_path):
    monkeypatch.setattr(helper_processes, "start_with_pipes", None)
    solve(dataset, scene, tmp_path / "kept", cores=4)


def test_stopped_while_others_help_it_leaves_none_and_goes_on_from_there(
    dataset, scene, alone, at_once, tmp_path
):
    class Stop(StopRequest):
        def asked(self):
            return done[-1] >= 5

    done = [0]

    def note(event):
        if event["event"] == "progress":
            done.append(event["done"])

    with pytest.raises(Problem) as stopped:
        solve(dataset, scene, tmp_path / "kept", cores=2, emit=note, stop=Stop())
    assert stopped.value.code == "stopped"
    assert None not in [process.poll() for process in at_once]
    again = []
    check_same(solve(dataset, scene, tmp_path / "kept", 2, emit=again.append), alone)
    assert min(event["done"] for event in again) >= 5
