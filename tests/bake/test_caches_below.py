"""Where simulations keep their frames while a scene is baked: beside it, whatever it or a library says."""

from __future__ import annotations

import hashlib

import pytest

pytest.importorskip("bpy")
import bpy
from bakes import cloth_and_ball, command_for
from changed_blend import open_changed
from scenes import add_cloth, add_soft_body, empty_scene
from workplaces import place_of, silent

from neural_physics.baking.plan import BakePlan
from neural_physics.blender.baking import caches_below
from neural_physics.blender.baking.caches_below import PREFIX, caches_written_below
from neural_physics.blender.baking.seals import Trust
from neural_physics.blender.baking.take_baking import bake_take
from neural_physics.blender.scene.simulation_caches import caches_of
from neural_physics.errors import Problem
from neural_physics.jobs.events import StopRequest

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
    bake_take(plan, place_of(plan), Trust(), emit=silent, stop=StopRequest())
    assert state() == before
