"""Where simulations keep their frames while a scene is baked: beside it, whatever it or a library says."""

from __future__ import annotations

import hashlib
import sys
import time

import pytest

pytest.importorskip("bpy")
import bpy
from bakes import cloth_and_ball, command_for
from changed_blend import open_changed
from scenes import add_cloth, add_soft_body, empty_scene
from workplaces import place_of, silent

from neural_physics.baking.plan import BakePlan
from neural_physics.baking.programs import Programs
from neural_physics.baking.workers import start_blender
from neural_physics.blender.baking import caches_below, take_baking
from neural_physics.blender.baking.caches_below import PREFIX, caches_written_below
from neural_physics.blender.baking.seals import Trust
from neural_physics.blender.baking.take_baking import bake_take
from neural_physics.blender.baking.take_scenes import open_scene
from neural_physics.blender.scene.simulation_caches import caches_of
from neural_physics.blender.settings import named_places
from neural_physics.errors import Problem
from neural_physics.jobs.events import StopRequest
from neural_physics.jobs.isolated_python import LAUNCHER
from neural_physics.jobs.process import JobFiles

pytestmark = [pytest.mark.blender]

PLAIN, RAW = b"plain_name_of_it", b"../../../../../x"


def items_of(obj):
    return [item for cache in caches_of(obj) for item in cache.point_caches]


def test_names_that_lead_elsewhere_are_not_kept_though_two_caches_have_the_same(tmp_path):
    """Where two of an object have one name, Blender falls back on an older one as the file has it."""
    empty_scene()
    cloth = add_cloth("Sheet")
    cloth.modifiers.new("Softbody", "SOFT_BODY")
    for item in items_of(cloth):
        item.name = PLAIN.decode()
        item.use_disk_cache = True
    with caches_written_below(tmp_path, "Sheet"):
        open_changed(tmp_path / "scene.blend", {PLAIN: RAW})
    names = [item.name for item in items_of(bpy.data.objects["Sheet"])]
    assert len(set(names)) == 2 and all(name.startswith(PREFIX) for name in names)
    bpy.ops.wm.save_mainfile()
    with caches_written_below(tmp_path, "Sheet"):
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    assert [item.name for item in items_of(bpy.data.objects["Sheet"])] == names, "by which frames are found"


def test_external_caches_are_external_no_more(tmp_path):
    empty_scene()
    jelly = add_soft_body("Jelly")
    (item,) = items_of(jelly)
    item.use_external, item.filepath = True, str(tmp_path / "theirs")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    with caches_written_below(tmp_path, "Jelly"):
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    (item,) = items_of(bpy.data.objects["Jelly"])
    assert not item.use_external and not item.filepath.startswith(str(tmp_path))


def test_where_one_cannot_be_named_nothing_of_the_file_is_left(tmp_path, monkeypatch):
    """What was not come to would be simulated next, wherever it keeps its frames."""
    empty_scene()
    add_cloth("Sheet")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))

    def fails(_):
        raise AttributeError

    monkeypatch.setattr(caches_below, "caches_of", fails)
    with pytest.raises(Problem) as caught, caches_written_below(tmp_path, "Sheet"):
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    assert caught.value.code == "bake_scene_lost" and not bpy.data.objects


@pytest.mark.parametrize("how", ["object", "instance"])
@pytest.mark.parametrize("baked", [True, False])
@pytest.mark.parametrize("external", [True, False])
def test_what_a_library_has_simulated_stays_as_it_is(tmp_path, how, baked, external):
    """The artist's own shot, in which a linked hero's cape is baked, and something else is learned."""
    (tmp_path / "hero").mkdir()
    empty_scene()
    cape = add_cloth("Cape", points=5)
    hero = bpy.data.collections.new("Hero")
    bpy.context.scene.collection.children.link(hero)
    bpy.context.scene.collection.objects.unlink(cape)
    hero.objects.link(cape)
    cache = cape.modifiers["Cloth"].point_cache
    cache.name, cache.frame_end, bpy.context.scene.frame_end = "cape", 8, 8
    library = tmp_path / "hero" / "hero.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(library))
    cache.use_disk_cache = True
    if baked:
        with bpy.context.temp_override(point_cache=cache, object=cape, active_object=cape):
            bpy.ops.ptcache.bake(bake=True)
    else:
        for frame in range(1, 9):
            bpy.context.scene.frame_set(frame)
    frames = tmp_path / "hero" / "blendcache_hero"
    if external:
        frames = frames.rename(tmp_path / "hero" / "mine")
        cache.use_external, cache.name, cache.filepath = True, "cape", str(frames)
    bpy.ops.wm.save_as_mainfile(filepath=str(library))

    def state():
        files = {each.name: each for each in sorted(frames.iterdir())}
        return {
            name: (hashlib.md5(each.read_bytes()).hexdigest(), each.stat().st_mtime_ns)
            for name, each in files.items()
        }

    before = state()
    assert len(before) == 8
    cloth = cloth_and_ball()
    with bpy.data.libraries.load(str(library), link=True) as (_, wanted):
        wanted.collections = ["Hero"]
    if how == "object":
        bpy.context.scene.collection.children.link(wanted.collections[0])
    else:
        empty = bpy.data.objects.new("Hero", None)
        empty.instance_type, empty.instance_collection = "COLLECTION", wanted.collections[0]
        bpy.context.scene.collection.objects.link(empty)
    command_for(cloth, tmp_path / "d", 1, 8)
    plan = BakePlan.of_dataset(tmp_path / "d")
    told = [note for note in plan.notes if note.startswith("Cape is simulated in another file (hero.blend)")]
    moves = baked or external  # a cache elsewhere that holds frames counts as baked
    assert len(told) == (not moves)
    bake_take(plan, place_of(plan), Trust(), emit=silent, stop=StopRequest())
    assert state() == before


@pytest.mark.parametrize("what", ["use_external", "active_index"])
def test_what_a_library_simulates_is_brought_onto_the_disk_by_nobody_else(tmp_path, what):
    """A driver of another object reaches its caches through a parent; that is no work for Auto Run."""
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    empty_scene()
    prop = add_cloth("Prop", points=5)
    cache = prop.modifiers["Cloth"].point_cache
    cache.name, cache.frame_start, cache.frame_end, cache.filepath = "x", 1, 40, f"{theirs}/"
    library = tmp_path / "library.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(library))
    before = {}
    for frame in (1, 2, 3, 20):
        before[f"x_{frame:06d}_00.bphys"] = bytes([frame]) * 40
    for name, data in before.items():
        (theirs / name).write_bytes(data)
    cloth = cloth_and_ball()
    with bpy.data.libraries.load(str(library), link=True) as (_, wanted):
        wanted.objects = ["Prop"]
    bpy.context.scene.collection.objects.link(wanted.objects[0])
    other = bpy.data.objects.new("Other", None)
    bpy.context.scene.collection.objects.link(other)
    other.parent = wanted.objects[0]
    paths = {
        "use_external": ["use_external", "use_disk_cache"],
        "active_index": ["point_caches.active_index"],
    }
    for name in paths[what]:
        path = f'parent.modifiers["Cloth"].point_cache.{name}'
        driver = other.animation_data_create().drivers.new(path).driver
        driver.type, driver.expression = "SCRIPTED", "frame > 1"
    with pytest.raises(Problem) as caught:
        command_for(cloth, tmp_path / "d", 1, 8)
    assert caught.value.code == "bake_cache_animated"
    # A scene that somebody else has prepared is opened without asking first.
    scene = tmp_path / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(scene), copy=True)
    with pytest.raises(Problem) as caught, caches_written_below(tmp_path, "Sheet"):
        bpy.ops.wm.open_mainfile(filepath=str(scene))
    assert caught.value.code == "bake_scene_lost" and not bpy.data.objects
    assert {each.name: each.read_bytes() for each in theirs.iterdir()} == before


def test_a_fluid_has_a_domain_of_its_own_with_the_settings_that_it_had(tmp_path):
    """Each domain has a point cache that Python does not show, and a changed file says where that lies."""
    empty_scene()
    bpy.ops.mesh.primitive_cube_add()
    fluid = bpy.context.object.modifiers.new("Fluid", "FLUID")
    fluid.fluid_type, fluid.show_viewport = "DOMAIN", False
    fluid.domain_settings.resolution_max, fluid.domain_settings.cache_frame_end = 17, 33
    fluid.domain_settings.cache_directory = str(tmp_path / "theirs")
    kept = [
        tmp_path / "theirs" / folder / "kept.txt" for folder in ("config", "data", "mesh", "script", "noise")
    ]
    for each in kept:
        each.parent.mkdir(parents=True, exist_ok=True)
        each.write_text("the artist's")
    caches_below._name_anew(tmp_path)
    assert all(each.is_file() for each in kept), "most settings delete what is in the folder that is named"
    domain = fluid.domain_settings
    assert (domain.resolution_max, domain.cache_frame_end) == (17, 33)
    assert "theirs" not in domain.cache_directory and str(tmp_path) in domain.cache_directory


def test_a_scene_of_a_take_that_is_a_link_is_not_opened(tmp_path):
    command_for(cloth_and_ball(), tmp_path / "d", 1, 8)
    plan = BakePlan.of_dataset(tmp_path / "d")
    (tmp_path / "private.blend").write_bytes(plan.scene_copy.read_bytes())
    plan.scene_copy.unlink()
    plan.scene_copy.symlink_to(tmp_path / "private.blend")
    with pytest.raises(Problem) as caught:
        open_scene(plan.scene_copy, plan, Trust())
    assert caught.value.code == "place_is_link"


def test_workers_start_where_nobody_else_puts_anything(tmp_path, monkeypatch):
    """Blender loads libraries from a folder `plugins` in its current folder."""
    command_for(cloth_and_ball(), tmp_path / "d", 1, 8)
    plan = BakePlan.of_dataset(tmp_path / "d")
    monkeypatch.chdir(plan.dataset)
    told = [sys.executable, "-c", "import os; print(os.getcwd(), flush=True)"]
    files = JobFiles(tmp_path / "jobs", "worker")
    worker = start_blender(plan, Programs(tuple(told)), files, "take_000", core=0)
    while worker.state.active:
        time.sleep(0.05)
        worker.poll()
    assert str(LAUNCHER.parent) in files.log.read_text()


def test_what_a_link_says_is_told_before_it_is_agreed_to(tmp_path):
    empty_scene()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    (tmp_path / "neural_physics").mkdir()
    (tmp_path / "neural_physics" / "cloth").symlink_to("../../other/hero")
    place = tmp_path / "neural_physics" / "cloth" / "dataset"
    unseen = " (where that leads is not looked at)"
    assert named_places.said(place) == f"{place} (cloth is a link to ../../other/hero){unseen}"
    assert named_places.said(tmp_path / "neural_physics" / "own") == str(tmp_path / "neural_physics" / "own")


def test_links_beside_the_folder_of_the_blend_and_links_to_links_are_told(tmp_path):
    empty_scene()
    (tmp_path / "project").mkdir()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "project" / "scene.blend"))
    (tmp_path / "shared").symlink_to("second")
    (tmp_path / "second").symlink_to("../../film/hero")
    place = tmp_path / "shared" / "dataset"
    unseen = " (where that leads is not looked at)"
    told = f"{place} (shared is a link to second) (second is a link to ../../film/hero){unseen}"
    assert named_places.said(place) == told
    (tmp_path / "third").symlink_to("second/../own")  # which is not beside them
    assert named_places.said(tmp_path / "third").endswith(f"(second is a link to ../../film/hero){unseen}")
    (tmp_path / "own").mkdir()
    (tmp_path / "fourth").symlink_to("own")
    assert (
        named_places.said(tmp_path / "fourth" / "d")
        == f"{tmp_path / 'fourth' / 'd'} (fourth is a link to own)"
    )
    (tmp_path / "round").symlink_to("round")
    assert named_places.said(tmp_path / "round").startswith(
        f"{tmp_path / 'round'} (round is a link to round)"
    )


@pytest.mark.parametrize("what", ["frame", "folder"])
def test_what_is_exchanged_while_a_take_is_baked_is_not_written_or_deleted_through(
    tmp_path, monkeypatch, what
):
    """Whoever writes into the dataset has hours for it."""
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    for frame in range(1, 30):
        (theirs / f"shot_{frame:06d}_beauty.exr").write_bytes(b"mine")
    before = {each.name: each.read_bytes() for each in theirs.iterdir()}
    command_for(cloth_and_ball(), tmp_path / "d", 1, 20)
    plan = BakePlan.of_dataset(tmp_path / "d")
    place, simulate = place_of(plan), take_baking._TakeBake._simulate

    def simulated(bake, index):
        if index == 5:
            cache = bake._cache
            last = max(cache.glob("*_000005_*"))
            if what == "frame":
                for frame in range(6, 21):
                    link = cache / last.name.replace("_000005_", f"_{frame:06d}_")
                    link.symlink_to(theirs / f"shot_{frame:06d}_beauty.exr")
            else:
                cache.rename(tmp_path / "aside")
                cache.symlink_to(theirs)
        return simulate(bake, index)

    monkeypatch.setattr(take_baking._TakeBake, "_simulate", simulated)
    if what == "folder":
        with pytest.raises(Problem) as caught:
            bake_take(plan, place, Trust(), emit=silent, stop=StopRequest())
        assert caught.value.code == "place_is_link"
    else:
        bake_take(plan, place, Trust(), emit=silent, stop=StopRequest())
    assert {each.name: each.read_bytes() for each in theirs.iterdir()} == before
