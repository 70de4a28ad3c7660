"""What is remembered of a file is forgotten with the next one: nothing gathers while Blender is open."""

from __future__ import annotations

import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

REMEMBERED = """
from inside_blender import add_example, few_vertices, part, saved_scene
import json, pathlib

blender = "neural_physics.blender."
host, facts = part(blender + "jobs.host"), part(blender + "tasks.facts")
verdicts = part(blender + "tasks.verdicts")
warnings, status = part(blender + "baking.forewarnings"), part("neural_physics.datasets.status")
watched = part(blender + "tasks.watched_bakes")
packing, paths = part(blender + "playing.packing"), part(blender + "settings.paths")
CACHES = (host._jobs, host._on_disk, host._ended, facts._topologies, facts._shapes, facts._changes,
          verdicts._known, warnings._seen, status._seen, packing._sizes, packing._compared, watched._watched)

def look_at_all(obj):
    "As the panels do whenever they are drawn."
    scene = bpy.context.scene
    for kind in ("bake", "train", "evaluate"):
        host.state_of(paths.jobs_folder(obj), kind)
    verdicts.verdict_of(obj)
    facts.topology_of(obj)
    facts.change_since_bake(scene, obj)
    warnings.forewarnings(scene, obj)
    watched.seen_of(paths.dataset_folder(obj))

few_vertices()
"""


def test_files_that_were_opened_leave_nothing_behind(in_blender):
    in_blender(
        REMEMBERED
        + """
counts = []
for number in range(4):
    folder = pathlib.Path.cwd() / f"file_{number}"
    folder.mkdir()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    obj = add_example()
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "scene.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(folder / "scene.blend"))
    look_at_all(next(obj for obj in bpy.data.objects if obj.neural_physics.enabled))
    counts.append([len(cache) for cache in CACHES])
assert counts[0][0] == 3 and all(each == counts[0] for each in counts), counts
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
assert not any(map(len, CACHES)), [len(cache) for cache in CACHES]
"""
    )


def test_a_job_that_runs_is_watched_on_when_another_file_is_opened(in_blender):
    in_blender(
        REMEMBERED
        + """
from types import SimpleNamespace as Job
jobs = dict(running=(True, False), waiting=(False, True), resting=(False, False))
folder = pathlib.Path.cwd()
for name, (active, waits) in jobs.items():
    files = host.JobFiles(folder, name)
    host._jobs[files] = Job(files=files, state=Job(active=active), waits_for_delivery=waits)
    host._on_disk[files], host._ended[files] = (), 0.0
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
for cache in (host._jobs, host._on_disk, host._ended):
    assert {files.kind for files in cache} == {"running", "waiting"}, cache
host._jobs.clear()
"""
    )
