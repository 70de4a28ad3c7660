"""One holder at a time, found without locks and without a common clock."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from neural_physics.errors import Problem
from neural_physics.jobs import leases
from neural_physics.jobs.leases import PATIENCE, RENEW_EVERY, Observer, holder_of


class Clock:
    """A clock of its own for each computer."""

    def __init__(self, now=0.0):
        self.now = now

    def __call__(self):
        return self.now


@pytest.fixture
def elsewhere(monkeypatch):
    """As if each holder's process ran on another computer, of which nothing can be asked."""
    monkeypatch.setattr(leases, "_this_computer", lambda: os.urandom(8).hex())


def test_what_one_holds_no_other_gets(tmp_path):
    lease = Observer().claim(tmp_path / "take")
    assert lease.number == 1
    assert Observer().claim(tmp_path / "take") is None
    lease.release()
    assert Observer().claim(tmp_path / "take").number == 2
    with pytest.raises(Problem, match="taken over") as told:
        lease.check()
    assert told.value.code == "taken_over"


def test_a_silent_holder_is_given_up_by_the_observers_own_clock(tmp_path, elsewhere):
    ahead, behind = Clock(1e6 + 3600.0), Clock(5.0)
    held = Observer(ahead).claim(tmp_path)
    observer = Observer(behind)
    assert not observer.is_free(tmp_path, holder_of(tmp_path))
    behind.now += PATIENCE - 1.0
    assert observer.claim(tmp_path) is None
    ahead.now += RENEW_EVERY  # it says that it is still there, so that patience begins anew
    held.renew()
    behind.now += 2.0
    assert observer.claim(tmp_path) is None
    behind.now += PATIENCE
    taken = observer.claim(tmp_path)
    assert taken.number == 2
    ahead.now += RENEW_EVERY
    for too_late in (held.check, held.renew):
        with pytest.raises(Problem):
            too_late()
    taken.check()


def test_a_holder_says_that_it_is_there_no_more_often_than_needed(tmp_path):
    clock = Clock()
    lease = Observer(clock).claim(tmp_path)
    before = holder_of(tmp_path)
    lease.renew()
    assert holder_of(tmp_path) == before
    clock.now += RENEW_EVERY
    lease.renew()
    assert holder_of(tmp_path) != before


def test_of_many_that_see_it_free_one_gets_it(tmp_path):
    with ProcessPoolExecutor(8) as pool:
        for round_ in range(20):
            folder = tmp_path / str(round_)
            got = list(pool.map(_claimed, [folder] * 8))
            assert got.count(1) == 1 and got.count(None) == 7


def _claimed(folder: Path):
    lease = Observer().claim(folder)
    return None if lease is None else lease.number


def test_a_process_of_this_computer_that_has_ended_is_not_waited_for(tmp_path):
    ended = "from pathlib import Path; from neural_physics.jobs.leases import Observer; "
    ended += f"print(Observer().claim(Path({str(tmp_path)!r})).number)"
    assert subprocess.check_output([sys.executable, "-c", ended]).strip() == b"1"
    assert Observer().claim(tmp_path).number == 2


def test_of_another_computer_a_process_number_says_nothing(tmp_path):
    lease = Observer().claim(tmp_path)
    path = next(tmp_path.iterdir())
    said = json.loads(path.read_text())
    path.write_text(json.dumps(said | {"computer": "another one", "process": 2**22 + 1}))
    assert Observer().claim(tmp_path) is None
    path.write_text(json.dumps(said | {"process": 2**22 + 1}))  # this one has no such process
    assert Observer().claim(tmp_path).number == lease.number + 1


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"\xff", b"x" * 10_000, b'{"process": true}'])
def test_a_file_that_cannot_be_read_holds_until_patience_ends(tmp_path, text):
    clock = Clock()
    (tmp_path / "holder_000003.json").write_bytes(text)
    observer = Observer(clock)
    assert observer.claim(tmp_path) is None
    clock.now += PATIENCE
    assert observer.claim(tmp_path).number == 4


@pytest.mark.parametrize("number", ["1", "-00001", "٠٠٠٠٠١", ""])
def test_other_files_are_no_holders(tmp_path, number):
    (tmp_path / f"holder_{number}.json").write_text("{}")
    assert holder_of(tmp_path) is None


def test_a_pipe_in_place_of_a_holder_is_not_waited_for(tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no pipes in folders")
    os.mkfifo(tmp_path / "holder_000001.json")
    assert Observer().claim(tmp_path) is None


def test_nothing_is_held_through_a_link(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Problem, match="link"):
        Observer().claim(tmp_path / "link")
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("process", [10**20, -(10**20), -1, 0, 1, True, 1.5, "1", None])
def test_a_holder_with_a_number_that_no_process_has_is_waited_for(tmp_path, process):
    said = {"computer": leases._this_computer(), "process": process}
    (tmp_path / "holder_000001.json").write_text(json.dumps(said))
    assert not holder_of(tmp_path).is_gone


def test_however_many_holders_there_were_the_next_one_is_found(tmp_path):
    """A stranger can begin with the last number of six digits, after which nobody got it any more."""
    (tmp_path / "holder_999999.json").write_text('{"released": true}')
    first = Observer().claim(tmp_path)
    assert first.number == 1_000_000 and Observer().claim(tmp_path) is None
    first.release()
    assert Observer().claim(tmp_path).number == 1_000_001


def test_what_is_called_almost_like_a_holder_is_none(tmp_path):
    for digits in ("", "1", "00001", "0000001", "-00001", "٠٠٠٠٠١", "000000", "1e5000"):
        (tmp_path / f"holder_{digits}.json").write_text('{"released": true}')
    assert holder_of(tmp_path) is None


def test_a_number_too_long_for_a_file_is_refused_in_a_sentence(tmp_path):
    (tmp_path / f"holder_{'9' * 243}.json").write_text('{"released": true}')
    with pytest.raises(Problem) as raised:
        Observer().claim(tmp_path)
    assert raised.value.code == "folder_not_writable"


def test_who_removes_what_is_done_stops_nobody_that_comes_at_that_moment(tmp_path):
    """Several computers come to a take as another one that has finished it removes its folder."""
    folder, failed = tmp_path / "bake" / "take", []

    def come():
        for _ in range(400):
            try:
                Observer().claim(folder)
            except Problem as problem:
                failed.append(problem)
            shutil.rmtree(folder, ignore_errors=True)

    together = [threading.Thread(target=come) for _ in range(4)]
    for thread in together:
        thread.start()
    for thread in together:
        thread.join()
    assert not failed
