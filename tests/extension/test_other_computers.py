"""What the Bake panel shows of a bake that other computers are at."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.blender

SCENE = """
import json, os, platform, time
from pathlib import Path
import drawn_panels
from inside_blender import add_example, few_vertices, ours, part, refused, saved_scene
saved_scene()
few_vertices()
sheet = add_example(take_count=6, take_frames=12)
settings = sheet.neural_physics
part("neural_physics.blender.tasks.object_tasks").bake_command(bpy.context.scene, sheet)
paths, takes = part("neural_physics.blender.settings.paths"), part("neural_physics.datasets.takes")
folder = paths.dataset_folder(sheet)
plan = part("neural_physics.baking.plan").BakePlan.of_dataset(folder)
dataset = takes.Dataset.open(folder)
handing_over, leases = part("neural_physics.baking.handing_over"), part("neural_physics.jobs.leases")
failing = part("neural_physics.baking.failures")
holders_folder = part("neural_physics.datasets.take_folders").holders_folder
info = part("neural_physics.datasets.dataset_info").TakeInfo
node, this_computer = platform.node, leases._this_computer

class Computer:
    '''Another one, which has a take.'''
    def __init__(self, take, host):
        leases._this_computer, platform.node = (lambda: host), (lambda: host)
        self.lease = leases.Observer().claim(holders_folder(folder, take), host)
        self.place = handing_over.Workplace(dataset, take, self.lease)
        self.place.take_up()
        leases._this_computer, platform.node = this_computer, node
        self.take, self.host = take, host

    def bake(self, count):
        begun = info(12, role=plan.take(self.take).role, seed=plan.take(self.take).seed)
        with self.place.under_way().writer(self.take, begun) as writer:
            for _ in range(count):
                writer.append(dataset.mesh.rest_positions, [0.0] * dataset.info.channels.size)

    def fail(self, reason):
        log = self.place.folder / "blender.jsonl"
        log.write_text("all that it printed")
        platform.node = lambda: self.host
        failing.note_failure(
            self.place.dataset.path, self.lease.folder, self.lease.number, reason=reason, log=log
        )
        platform.node = node
        self.place.leave()

def drawn():
    part("neural_physics.datasets.status").forget()
    return drawn_panels.drawn("bake", sheet)

def shares():
    return [(call.named["text"], call.named["factor"]) for call in drawn().of("progress")]
"""


def test_computers_takes_and_progress_are_shown_and_nothing_is_deleted_under_them(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        SCENE
        + """
assert shares() == [] and "computer" not in drawn().words
Computer("take_000", "render\\x1b[31m 1").bake(9)
Computer("take_001", "render 2").bake(9)
assert shares() == [("Baking on 2 computers", 18 / 72)]
words = drawn().words
assert "0 of 6 takes, 18 of 72 frames" in words, words
assert "render [31m 1: take_000" in words and "render 2: take_001" in words, words
assert "So far " in words and "So far 18 frames" not in words, "it is said once"
assert ("neural_physics.bake", "Resume Bake") in drawn().buttons  # this computer may join in
assert "neural_physics.delete_dataset" not in drawn().operators
refused("render [31m 1 still works on take_000", ours.delete_dataset)
refused("still works on", ours.bake_anew)
assert folder.joinpath("dataset.json").is_file()
for number in (2, 3, 4, 5):
    Computer(f"take_00{number}", f"box {number}")
words = drawn().words
assert "box 3: take_003" in words and "box 4" not in words and "and 2 more computers" in words, words
"""
    )


def test_takes_that_failed_say_why_and_their_logs_can_be_opened(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
for number in range(3):
    Computer("take_002", f"box {number}").fail(f"it ended\\nwith {number}")
Computer("take_001", "box 9").fail("x" * 5000)
words = drawn().words
text = "take_002 failed 3 times, last on box 2, and was set aside: Bake tries it again. it ended with 2"
assert text in words, words
assert "take_001 failed once on box 9, and waits to be tried again. xxx" in words and "x" * 200 not in words
opened = []
part("operators.tasks.other_computers").open_as_text = opened.append
assert ours.show_take_log(take="take_002") == {"FINISHED"}
assert opened[0].read_text() == "all that it printed" and opened[0].is_relative_to(folder)
refused("does not exist", ours.show_take_log, take="take_000")
refused("does not exist", ours.show_take_log, take="../../take_002")
secret = Path.cwd() / "secret"
secret.write_text("mine")
opened[0].unlink()
opened[0].symlink_to(secret)
refused("is a link", ours.show_take_log, take="take_002")
assert len(opened) == 1
"""
    )


def test_the_own_bake_is_told_by_its_job_and_only_others_beside_it(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
from types import SimpleNamespace
watched = part("neural_physics.blender.tasks.watched_bakes")
Computer("take_000", platform.node()).bake(9)
Computer("take_001", "render 2").bake(9)
seen, jobs = watched.seen_of(folder), paths.jobs_folder(sheet)
both = watched.workers_besides(seen, SimpleNamespace(active=False), jobs)
assert both == {platform.node(): ["take_000"], "render 2": ["take_001"]}
assert watched.workers_besides(seen, SimpleNamespace(active=True), jobs) == {"render 2": ["take_001"]}
"""
    )


def test_a_bake_that_was_handed_out_is_looked_for_until_it_begins(in_blender: Callable[..., str]) -> None:
    """As in a window: nothing draws but what a look asks for."""
    in_blender(
        SCENE
        + """
watched = part("neural_physics.blender.tasks.watched_bakes")
watched.bpy = type("Windowed", (), {"app": type("App", (), {"background": False, "timers": bpy.app.timers})})
watched.redraw_panels = lambda: watched.seen_of(elsewhere)
watched.LOOK_EVERY = 0.1
elsewhere = folder.with_name("elsewhere")


def tick_for(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end and watched._tick() is not None:
        time.sleep(0.02)
    return time.monotonic() >= end


assert watched.seen_of(elsewhere) is None and not tick_for(20), "nothing is there, and nobody follows it"
watched.expect_bake(elsewhere)
assert watched.seen_of(elsewhere) is None and tick_for(1)
folder.rename(elsewhere)
begun = time.monotonic()
while watched._watched[elsewhere].seen is None:
    assert time.monotonic() - begun < 20
    watched._tick()
    time.sleep(0.02)
"""
    )


def test_a_window_is_not_held_up_by_a_folder_that_does_not_answer(in_blender: Callable[..., str]) -> None:
    """As in a window, where a timer looks for what threads have seen."""
    in_blender(
        SCENE
        + """
import threading
watched = part("neural_physics.blender.tasks.watched_bakes")
watched.bpy = type("Windowed", (), {"app": type("App", (), {"background": False, "timers": bpy.app.timers})})
drawings, answers = [], threading.Event()
watched.redraw_panels = lambda: drawings.append(1)
there = watched.Watch.look
watched.Watch.look = lambda self: (answers.wait(), there(self))[1]
watched.PATIENCE, watched.LOOK_EVERY = 0.3, 0.2

begun = time.monotonic()
assert watched.seen_of(folder) is None
assert bpy.app.timers.is_registered(watched._tick)
assert watched.silence_of(folder) == 0.0
time.sleep(0.4)
assert watched._tick() and drawings and watched.silence_of(folder) > 0.3
assert threading.active_count() == 2, "one look at a time"
Computer("take_000", "render 1").bake(9)
answers.set()
while not (seen := watched.seen_of(folder)):
    assert time.monotonic() - begun < 20
    watched._tick()
    time.sleep(0.05)
assert seen.workers == {"render 1": ["take_000"]} and watched.silence_of(folder) == 0.0
drawings.clear()
watched._watched[folder]._again = 0.0
while not drawings:  # it goes on by itself as long as the panel is drawn
    assert time.monotonic() - begun < 20
    going_on = watched._tick()
    time.sleep(0.05)
assert going_on is None and threading.active_count() == 1, "and not where it is not drawn any more"
watched.seen_of(folder)
assert watched._tick() and bpy.app.timers.is_registered(watched._tick)
part("neural_physics.blender.tasks.forgetting").forget()
assert not watched._watched and not bpy.app.timers.is_registered(watched._tick)
"""
    )
