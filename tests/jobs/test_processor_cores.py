"""Which core a process is kept to: one of those that have least to do, whoever keeps the others busy."""

from __future__ import annotations

import sys

import pytest

from neural_physics.jobs import cores
from neural_physics.jobs.cores import core_for_another, usable_cores


def test_each_process_of_a_bake_has_a_core_of_its_own_and_more_are_shared_out():
    usable = usable_cores()
    taken: list[int] = []
    for _ in range(2 * len(usable)):
        taken.append(core_for_another(taken))
    assert sorted(taken[: len(usable)]) == usable
    assert sorted(taken) == sorted(2 * usable)


def test_a_core_that_another_program_keeps_busy_is_left_to_it(monkeypatch):
    """Two bakes on one computer both asked for the first core, and left the second idle."""
    counted = iter([{0: 500, 1: 70, 2: 90, 5: 20}, {0: 500, 1: 73, 2: 100, 5: 29}])
    monkeypatch.setattr(cores, "usable_cores", lambda: [0, 1, 2, 5])
    monkeypatch.setattr(cores, "_idle", lambda: next(counted))
    assert core_for_another(taken=[2, 2]) == 5


def test_two_programs_that_ask_at_once_are_not_always_told_the_same(monkeypatch):
    monkeypatch.setattr(cores, "usable_cores", lambda: [0, 1])
    monkeypatch.setattr(cores, "_idle", dict)
    monkeypatch.setattr(cores, "LOOK_FOR", 0.0)
    assert {core_for_another() for _ in range(100)} == {0, 1}


@pytest.mark.skipif(sys.platform != "linux", reason="processes are kept to cores on Linux")
def test_the_system_counts_the_idle_time_of_each_core():
    assert cores._idle().keys() >= set(usable_cores())
