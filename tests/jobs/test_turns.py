"""What one at a time does of all that share a folder."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from neural_physics.errors import Problem
from neural_physics.jobs import leases
from neural_physics.jobs.events import StopRequest
from neural_physics.jobs.leases import FORMER, Lease, Observer
from neural_physics.jobs.turns import turn

EVERY = 0.001  # seconds


def test_many_threads_have_their_turns_one_after_the_other_and_leave_few_files(tmp_path):
    inside, most, had = [], [], []

    def work() -> None:
        observer = Observer()
        for _ in range(20):
            with turn(tmp_path / "turn", observer, StopRequest(), look_every=EVERY) as lease:
                inside.append(lease.number)
                most.append(len(inside))
                had.append(lease.number)
                inside.remove(lease.number)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert sorted(had) == list(range(1, 81)) and max(most) == 1
    left = sorted(path.name for path in (tmp_path / "turn").iterdir())
    assert left[-1] == "holder_000080.json" and len(left) <= FORMER + 2


def test_who_waits_can_be_stopped(tmp_path):
    stop_file = tmp_path / "stop"
    with turn(tmp_path / "turn", Observer(), StopRequest(), look_every=EVERY):
        threading.Timer(0.1, stop_file.touch).start()
        with (
            pytest.raises(Problem) as raised,
            turn(tmp_path / "turn", Observer(), StopRequest(stop_file), look_every=EVERY),
        ):
            pytest.fail("both have it")
    assert raised.value.code == "stopped"


def test_a_turn_ends_with_its_block_even_if_that_fails(tmp_path):
    with pytest.raises(ZeroDivisionError), turn(tmp_path, Observer(), StopRequest(), look_every=EVERY):
        raise ZeroDivisionError
    assert Observer().claim(tmp_path) is not None


def test_who_was_given_up_notices_after_its_word_was_deleted(tmp_path):
    given_up = Lease(tmp_path, 1)
    Path(tmp_path / "holder_000001.json").write_bytes(given_up.text(released=True))
    for number in range(2, FORMER + 4):
        with turn(tmp_path, Observer(), StopRequest(), look_every=EVERY) as lease:
            assert lease.number == number
    assert not (tmp_path / "holder_000001.json").exists()
    with pytest.raises(Problem) as raised:
        given_up.check()
    assert raised.value.code == "taken_over"


def test_who_takes_a_number_that_was_deleted_since_it_looked_does_not_have_the_turn(tmp_path, monkeypatch):
    """It looked, and was stopped while others had many turns."""
    with turn(tmp_path, Observer(), StopRequest(), look_every=EVERY):
        pass
    seen = leases.holder_of(tmp_path)
    for _ in range(FORMER + 4):
        with turn(tmp_path, Observer(), StopRequest(), look_every=EVERY):
            pass
    looks = iter([seen])
    there = leases.holder_of
    monkeypatch.setattr(leases, "holder_of", lambda folder: next(looks, None) or there(folder))
    assert not (tmp_path / "holder_000002.json").exists()
    assert Observer().claim(tmp_path) is None
    assert not (tmp_path / "holder_000002.json").exists()
