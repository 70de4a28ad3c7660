"""Bakes on computers that are killed, sleep or lose the share; clocks, paths and locks are their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("bpy")

from bakes import contents
from shares import Share, baked_in_one_go, prepared_share

from neural_physics.datasets.take_folders import holders_folder
from neural_physics.jobs.leases import PATIENCE, holder_of
from tools.farm.hosts import Host, freeze, lacking, plug, switch_off, unplug, wake

LACKING = lacking()
pytestmark = [
    *(pytest.mark.blender, pytest.mark.slow, pytest.mark.once),
    pytest.mark.skipif(bool(LACKING), reason=f"no hosts: {LACKING}"),
]

CC = shutil.which("cc")
FRAMES = 300


@pytest.fixture
def computer(share, tmp_path) -> Iterator[Callable[..., Computer]]:
    """Makes computers, which are switched off when the test ends."""
    made: list[Computer] = []

    def make(name: str, own: Share = share, *, ahead: int = 0, **env: str) -> Computer:
        made.append(Computer(name, own, tmp_path, ahead=ahead, **env))
        return made[-1]

    yield make
    for each in made:
        switch_off(each.process)


@pytest.fixture
def share(tmp_path, request) -> Share:
    return prepared_share(tmp_path, takes=3, frames=FRAMES, patience=getattr(request, "param", 20.0))


class Computer:
    """A host that works on a share's dataset with one core, whatever it is named there."""

    def __init__(self, name: str, share: Share, folder: Path, *, ahead: int = 0, **env: str) -> None:
        self.at, self.share = folder / f"{name}s_share", share
        core = sorted(os.sched_getaffinity(0))[0]
        host = Host(name, folder / name, share.folder, self.at, (core,), ahead)
        dataset = self.at / share.dataset.relative_to(share.folder)
        words = (share.blender, "-b", "--command", "neural_physics", "work", dataset)
        self.process = host.start(*words, out=subprocess.PIPE, **env)

    def said(self) -> str:
        """All of it, once the work has ended well."""
        said = self.process.communicate(timeout=400.0)[0]
        assert self.process.returncode == 0, said
        return said


def test_a_half_finished_bake_goes_on_elsewhere_under_another_path_and_on_another_host(
    share, computer, tmp_path
):
    whole = baked_in_one_go(share, tmp_path)
    first = computer("first")
    share.wait_for_frames("first", 50)
    switch_off(first.process)
    there = sum(share.frames(f"take_{number:03d}") for number in range(3))
    assert 50 <= there < 3 * FRAMES
    moved = Share(tmp_path / "another_disk", share.blender)
    shutil.copytree(share.folder, moved.folder)
    shutil.rmtree(share.folder)
    computer("second", moved).said()
    assert contents(moved.dataset) == whole


@pytest.fixture
def no_locks(tmp_path) -> dict[str, str]:
    """The environment of a computer where no file can be locked."""
    if CC is None:
        pytest.skip("no C compiler")
    built = tmp_path / "strange_computer.so"
    source = Path(__file__).with_name("strange_computer.c")
    subprocess.run([CC, "-shared", "-fPIC", "-o", built, source, "-ldl"], check=True)
    return {"LD_PRELOAD": str(built)}


@pytest.mark.parametrize("share", [PATIENCE], indirect=True, ids=["as patient as always"])
def test_a_computer_that_slept_has_lost_its_take_to_one_and_wrote_nothing_into_it(
    share, computer, tmp_path, no_locks
):
    """Their clocks, all of them, are an hour apart, and there are no locks."""
    whole = baked_in_one_go(share, tmp_path)
    sleeper = computer("sleeper", **no_locks)
    taken = share.wait_for_frames("sleeper", 50)
    freeze(sleeper.process)
    asleep = time.monotonic()
    other = computer("other", ahead=3600, AHEAD="3600", **no_locks)
    holders = set()
    while time.monotonic() < asleep + 90.0:
        holder = holder_of(holders_folder(share.dataset, taken))
        holders.add(None if holder is None else holder.number)
        time.sleep(0.05)
    wake(sleeper.process)
    other.said()
    sleeper.said()
    assert holders - {None} == {1, 2}, "it was taken over once"
    assert contents(share.dataset) == whole


def test_a_computer_that_loses_the_share_for_20_seconds_waits_and_loses_no_frame(share, computer, tmp_path):
    whole = baked_in_one_go(share, tmp_path)
    loser = computer("loser")
    share.wait_for_frames("loser", 50)
    unplug(loser.process, loser.at)
    time.sleep(20.0)
    plug(loser.process, share.folder, loser.at)
    assert f"{loser.at}" in loser.said().split("cannot be reached")[0]
    assert contents(share.dataset) == whole
