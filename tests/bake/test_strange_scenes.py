"""A bake goes on with scenes that lie in a dataset: Python runs in them only where they were made here."""

from __future__ import annotations

import json
import os
import shutil
import signal
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("bpy")
import bpy
from bakes import (
    add_script,
    cloth_and_ball,
    command_for,
    events_of,
    frames_on_disk,
    is_alive,
    run,
    start,
    wait_for,
    workers,
)
from scenes import add_ball, add_cloth, empty_scene, settings_of, stored
from workplaces import planned

from neural_physics.baking.handing_over import scene_begun
from neural_physics.baking.plan import BakePlan
from neural_physics.baking.programs import Programs
from neural_physics.blender.baking import scene_copy
from neural_physics.blender.baking.preparing import prepare_trial
from neural_physics.blender.baking.scene_copy import save_copy
from neural_physics.blender.baking.seals import Trust, content_of, is_sealed, key_file, seal
from neural_physics.blender.baking.take_scenes import open_scene, write_take_scene
from neural_physics.blender.tasks.object_tasks import delete_dataset
from neural_physics.errors import Problem

pytestmark = [pytest.mark.blender]


@pytest.mark.once
@pytest.mark.parametrize("whose", ["the artist's", "a stranger's", "a stranger's with the artist's seal"])
def test_python_in_the_scene_of_a_begun_take_runs_only_if_that_was_made_here(whose, tmp_path):
    cloth, ran = cloth_and_ball(), tmp_path / "ran"
    add_script(ran, allowed=True)
    folder = begun(cloth, tmp_path)
    assert ran.exists()
    ran.unlink()
    scene = scene_begun(folder, "take_000")
    seal_of_it = scene.with_suffix(".seal")
    if whose != "the artist's":
        shutil.copy(seal_of_it, tmp_path / "seal")
        seal_of_it.unlink()
        bpy.data.texts.new("another.py")
        bpy.ops.wm.save_as_mainfile(filepath=str(scene), copy=True)
    if whose == "a stranger's with the artist's seal":
        shutil.copy(tmp_path / "seal", seal_of_it)
    events = events_of(command_for(cloth, folder, 1, 400))
    assert ran.exists() == (whose == "the artist's")
    said = [note for note in events[-1].get("notes", ()) if "not made on this computer" in note]
    assert len(said) == (whose != "the artist's"), events[-1]


@pytest.mark.once
@pytest.mark.parametrize("allowed", [False, True])
def test_another_computer_says_that_python_does_not_run_there_unless_it_is_told_to(allowed, tmp_path):
    cloth, ran = cloth_and_ball(), tmp_path / "ran"
    add_script(ran, allowed=True)
    command = command_for(cloth, tmp_path / "d", 1, 5)
    number = command.index("--programs") + 1
    programs = Programs.of_text(command[number])
    another = replace(programs, key=str(tmp_path / "key"), all_trusted=allowed)
    Path(another.key).write_bytes(os.urandom(32))
    command[number] = another.to_text()
    result = run(command)
    assert result["frames"] == 5 and ran.exists() == allowed
    assert any("--run-scripts" in note for note in result["notes"]) == (not allowed)


@pytest.mark.once
@pytest.mark.parametrize("begun_before", [False, True], ids=["prepared", "with a decoy"])
def test_python_in_the_copy_that_takes_are_made_from_runs_only_if_that_was_made_here(begun_before, tmp_path):
    """A dataset that somebody else has prepared is baked by an artist who lets Python run."""
    cloth, ran = cloth_and_ball(), tmp_path / "ran"
    add_script(ran, allowed=True)
    folder = tmp_path / "d"
    command = command_for(cloth, folder, 1, 5)
    seal_of_it = folder / "bake" / "scene.seal"
    assert seal_of_it.is_file()
    seal_of_it.unlink()  # as the stranger's own would be, of another key
    if begun_before:
        decoy = folder / "bake" / "take_000" / "5" / "take.blend"
        decoy.parent.mkdir(parents=True)
        decoy.write_bytes(b"not what is gone on with")
        (folder / "bake" / "take_000" / "6").mkdir()
    assert run(command)["frames"] == 5
    assert not ran.exists()


def begun(cloth, tmp_path):
    """A dataset whose only take was begun, and stopped after some frames."""
    folder, vertices, stop_file = tmp_path / "d", len(cloth.data.vertices), tmp_path / "stop"
    bake = start([*command_for(cloth, folder, 1, 400), "--stop-file", str(stop_file)])
    wait_for(lambda: frames_on_disk(folder, "take_000", vertices) >= 20)
    stop_file.touch()
    assert bake.wait(30) == 1
    return folder


@pytest.mark.once
def test_python_that_was_not_to_run_when_a_scene_was_made_does_not_run_in_it_later(tmp_path):
    """A stranger's scene that was baked with care does not wait for the artist's own, in the same folder."""
    cloth, ran = cloth_and_ball(), tmp_path / "ran"
    add_script(ran, allowed=False)
    folder = begun(cloth, tmp_path)
    bpy.context.preferences.filepaths.use_scripts_auto_execute = True
    events = events_of(command_for(cloth, folder, 1, 400))
    assert not ran.exists()
    assert any("allowed to run" in note for note in events[-1]["notes"]), events[-1]


@pytest.mark.once
@pytest.mark.parametrize("kind", ["folder", "frames", "pipe"])
def test_blenders_cache_is_written_into_no_file_of_somebody_elses(kind, tmp_path):
    cloth = cloth_and_ball()
    folder, elsewhere = begun(cloth, tmp_path), tmp_path / "elsewhere"
    command = command_for(cloth, folder, 1, 400)
    cache = scene_begun(folder, "take_000").with_name("blendcache_take")
    elsewhere.mkdir()
    name = next(cache.iterdir()).name.split("_")[0]
    for number in range(1, 401):
        (elsewhere / f"{name}_{number:06d}_00.bphys").write_text("somebody's own")
    before = files_in(elsewhere)
    (cache / "of no frame.bphys").touch()
    if kind == "folder":
        shutil.rmtree(cache)
        cache.symlink_to(elsewhere)
    for number in range(300, 401) if kind == "frames" else ():  # which a resumed bake comes to
        place = cache / f"{name}_{number:06d}_00.bphys"
        (place.symlink_to if number % 2 else place.hardlink_to)(elsewhere / place.name)
    if kind == "pipe":
        os.mkfifo(cache / f"{name}_000300_00.bphys")
    last = events_of(command)[-1]
    assert last.get("code") == ("place_is_link" if kind == "folder" else None), last
    assert files_in(elsewhere) == before
    if kind == "folder":  # nor is anything prepared with it
        with pytest.raises(Problem) as raised:
            command_for(cloth, folder, 1, 400)
        assert raised.value.code == "place_is_link" and files_in(elsewhere) == before


@pytest.mark.parametrize("place", ["scene.new.blend@", "take_000/1", "take_000"])
def test_no_scene_is_saved_through_a_link(place, tmp_path):
    cloth, victim = cloth_and_ball(), tmp_path / "victim"
    folder = tmp_path / "d"
    command = command_for(cloth, folder, 1, 5)
    victim.mkdir() if place.startswith("take") else victim.write_text("somebody's own")
    (folder / "bake" / place).parent.mkdir(exist_ok=True)
    (folder / "bake" / place).symlink_to(victim)
    if place.startswith("scene"):
        with pytest.raises(Problem, match="is a link"):
            command_for(cloth, folder, 1, 5)
        save_copy(folder / "bake" / "scene.blend")
        assert not (folder / "bake" / place).is_symlink()
    last = run(command)
    assert last.get("code") == ("place_is_link" if place.startswith("take") else None), last
    assert not any(victim.iterdir()) if victim.is_dir() else victim.read_text() == "somebody's own"


@pytest.mark.once
def test_a_plan_says_nothing_of_what_is_run(tmp_path):
    """It lies in the dataset, where others may write: what is run follows from the command line alone."""
    ran = tmp_path / "ran"
    command = command_for(cloth_and_ball(), tmp_path / "d", 1, 5)
    path = tmp_path / "d" / "bake" / "bake.json"
    for name in ("worker", "blender", "solver", "key", "dataset"):
        mine = path.read_text()
        path.write_text(json.dumps(json.loads(mine) | {name: ["/bin/sh", "-c", f"touch '{ran}'"]}))
        assert run(command)["code"] == "dataset_damaged" and not ran.exists()
        path.write_text(mine)


def test_a_scene_that_is_a_pipe_is_not_waited_for(tmp_path):
    cloth, folder = cloth_and_ball(), tmp_path / "d"
    command = command_for(cloth, folder, 1, 5)
    (folder / "bake" / "scene.blend").unlink()
    os.mkfifo(folder / "bake" / "scene.blend")
    assert run(command)["code"] == "bake_scene_lost"


def test_fluids_in_a_scene_write_beside_the_take_and_nowhere_else(tmp_path):
    cloth, elsewhere = cloth_and_ball(), tmp_path / "elsewhere"
    bpy.ops.mesh.primitive_cube_add()
    domain = bpy.context.object.modifiers.new("Fluid", "FLUID")
    domain.fluid_type = "DOMAIN"
    domain.domain_settings.cache_directory = str(elsewhere)
    command_for(cloth, tmp_path / "d", 1, 5)
    shutil.rmtree(elsewhere, ignore_errors=True)  # what Blender itself has written there
    plan = BakePlan.read(tmp_path / "d" / "bake" / "bake.json")
    scene, _, _ = open_scene(plan.scene_copy, plan, Trust())
    named = {
        Path(bpy.path.abspath(modifier.domain_settings.cache_directory))
        for obj in scene.objects
        for modifier in obj.modifiers
        if modifier.type == "FLUID"
    }
    assert len(named) == 1 and all(place.is_relative_to(plan.folder) for place in named)
    assert not elsewhere.exists()


@pytest.mark.parametrize("kind", ["CLOTH", "SOFT_BODY", "PARTICLE_SYSTEM", "DYNAMIC_PAINT", "its own"])
def test_no_cache_of_anything_else_is_deleted_or_written_where_the_scene_says(kind, tmp_path):
    cloth, elsewhere = cloth_and_ball(), tmp_path / "elsewhere"
    elsewhere.mkdir()
    cache = cloth.modifiers["Cloth"].point_cache
    if kind != "its own":
        bpy.ops.mesh.primitive_grid_add(x_subdivisions=4, y_subdivisions=4, location=(9.0, 9.0, 9.0))
        cache = cache_of(bpy.context.object, kind)
    cache.name, cache.use_disk_cache = "x", True
    cache.frame_start, cache.frame_end = 1, 40
    files = {elsewhere / f"x_{frame:06d}_00.bphys": bytes([frame] * 40) for frame in (1, 2, 3, 20)}
    for path, data in files.items():
        path.write_bytes(data)
    cache.filepath, cache.use_external = f"{elsewhere}/", True
    bpy.context.scene.frame_set(1)
    command = command_for(cloth, tmp_path / "d", 1, 6)
    for path in elsewhere.iterdir():  # by now Blender itself may have had its way with them
        path.unlink()
    for path, data in files.items():
        path.write_bytes(data)
    assert run(command)["frames"] == 6
    assert {path: path.read_bytes() for path in elsewhere.iterdir()} == files


@pytest.mark.parametrize("kind", ["CLOTH", "SOFT_BODY", "PARTICLE_SYSTEM"])
def test_a_scene_in_which_animation_brings_another_cache_into_use_is_not_opened(kind, tmp_path):
    """A second cache, not in use when the file is opened: a key brings it into use, without Python."""
    scene_file, elsewhere = tmp_path / "take" / "take.blend", tmp_path / "elsewhere"
    scene_file.parent.mkdir()
    elsewhere.mkdir()
    cloth_and_ball()
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=4, y_subdivisions=4)
    other = bpy.context.object
    cache_of(other, kind)
    bpy.ops.wm.save_as_mainfile(filepath=str(scene_file))
    other = bpy.data.objects[other.name]
    modifier = 'modifiers["Other"]' if kind != "PARTICLE_SYSTEM" else "particle_systems[0]"
    cache = other.path_resolve(f"{modifier}.point_cache")
    with bpy.context.temp_override(object=other, active_object=other, point_cache=cache):
        bpy.ops.ptcache.add()
    cache.point_caches.active_index = 1
    second = other.path_resolve(f"{modifier}.point_cache")
    second.use_disk_cache = second.use_external = True
    second.filepath, second.name = str(elsewhere), "x"
    other.keyframe_insert(f"{modifier}.point_cache.point_caches.active_index", frame=1)
    bpy.context.scene.frame_set(1)
    other.path_resolve(f"{modifier}.point_cache").point_caches.active_index = 0
    bpy.ops.wm.save_mainfile()
    shutil.rmtree(elsewhere)
    elsewhere.mkdir()
    files = {elsewhere / f"x_{frame:06d}_00.bphys": bytes([frame] * 40) for frame in (3, 50)}
    for path, data in files.items():
        path.write_bytes(data)
    plan = BakePlan(tmp_path, object="Sheet", scene=bpy.context.scene.name, view_layer="", takes=())
    with pytest.raises(Problem) as caught:
        open_scene(scene_file, plan, Trust())
    assert caught.value.code == "bake_scene_lost" and not bpy.data.objects
    assert {path: path.read_bytes() for path in elsewhere.iterdir()} == files


def cache_of(obj, kind):
    """The point cache of a simulation that is added to an object."""
    modifier = obj.modifiers.new("Other", kind)
    if kind == "PARTICLE_SYSTEM":
        obj.particle_systems[0].settings.count = 20
        return obj.particle_systems[0].point_cache
    if kind == "DYNAMIC_PAINT":
        with bpy.context.temp_override(object=obj, active_object=obj):
            bpy.ops.dpaint.type_toggle(type="CANVAS")
        surface = modifier.canvas_settings.canvas_surfaces[0]
        surface.surface_format = "VERTEX"
        return surface.point_cache
    return modifier.point_cache


@pytest.mark.parametrize("name", ["takes", "bake"])
def test_nothing_is_baked_into_a_link_or_deleted_through_one(name, tmp_path):
    cloth, folder = cloth_and_ball(), tmp_path / "d"
    run(command_for(cloth, folder, 1, 5))
    elsewhere = tmp_path / "elsewhere"
    if name == "takes":
        shutil.move(folder / name, elsewhere)
    else:  # which a bake that has ended removes
        (elsewhere / "take_000").mkdir(parents=True)
        for path in (elsewhere / "bake.json", elsewhere / "take_000" / "take.blend"):
            path.touch()
    (folder / name).symlink_to(elsewhere)
    before = files_in(elsewhere)
    for act in (lambda: command_for(cloth, folder, 2, 5), lambda: delete_dataset(cloth)):
        with pytest.raises(Problem) as raised:
            act()
        assert raised.value.code == "place_is_link"
    assert files_in(elsewhere) == before


@pytest.mark.parametrize("whose", ["the dataset's", "the project's", "a long one"])
def test_nothing_is_prepared_where_blender_means_another_place(whose, tmp_path):
    """There lay links that nobody had looked for, through which it wrote the scene and what is simulated."""
    name = "/".join(["d" * 180] * 4) if whose == "a long one" else "a\\b"
    cloth, folder = cloth_and_ball(), tmp_path / name
    if whose == "the project's":  # no setting names a place
        folder.mkdir()
        bpy.ops.wm.save_as_mainfile(filepath=str(folder / "scene.blend"))
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(Problem) as raised:
        command_for(cloth, "" if whose == "the project's" else folder, 1, 5)
    assert raised.value.code == "place_not_blenders"
    assert sorted(tmp_path.rglob("*")) == before
    with pytest.raises(Problem) as raised:
        prepare_trial(bpy.context.scene, cloth, folder / "trial", 5)
    assert raised.value.code == "place_not_blenders"
    assert sorted(tmp_path.rglob("*")) == before


def test_no_scene_is_opened_or_saved_by_a_path_that_blender_cuts_off(tmp_path):
    """A plan may call a take by so long a name that its scene no longer has a place that Blender finds."""
    plan = planned(command_for(cloth_and_ball(), tmp_path / "d", 1, 5))
    folder = plan.dataset.joinpath(*["d" * 250] * 3)
    folder.mkdir(parents=True)
    scene = folder / "take.blend"
    shutil.copyfile(plan.scene_copy, scene)
    for act in (lambda: open_scene(scene, plan, Trust()), lambda: save_copy(scene)):
        with pytest.raises(Problem) as raised:
            act()
        assert raised.value.code == "place_not_blenders"
    assert scene.read_bytes() == plan.scene_copy.read_bytes() and list(folder.iterdir()) == [scene]


def files_in(folder):
    return {path: path.read_bytes() for path in folder.rglob("*.*")}


def content(scene):
    with scene.open("rb") as file:
        return content_of(file)


def test_a_seal_is_of_one_key_and_of_the_file_as_it_is(tmp_path):
    scene, key, other = tmp_path / "take.blend", tmp_path / "key", tmp_path / "other"
    scene.write_bytes(b"a scene")
    key.write_bytes(bytes(32))
    other.write_bytes(bytes(31) + b"\1")
    assert not is_sealed(scene, key)
    seal(scene, content(scene), key)
    assert is_sealed(scene, key) and not is_sealed(scene, other) and not is_sealed(scene, tmp_path / "none")
    scene.write_bytes(b"another scene")
    assert not is_sealed(scene, key)
    scene.with_suffix(".seal").write_bytes(b"")
    assert not is_sealed(scene, key)
    # Without a key nothing is sealed, and an empty one is none.
    for useless in (tmp_path / "none", tmp_path / "empty"):
        (tmp_path / "empty").touch()
        seal(scene, content(scene), useless)
        assert not is_sealed(scene, useless)


@pytest.mark.parametrize("whose", ["an older one", "one that others may change", "one with a second name"])
def test_what_was_put_in_the_place_of_a_copy_as_it_was_saved_is_not_sealed(whose, tmp_path, monkeypatch):
    """Who shares the folder sees the moment in which Blender has written it."""
    theirs, key = tmp_path / "theirs.blend", tmp_path / "key"
    key.write_bytes(bytes(32))
    really = scene_copy.save_open_file

    def exchanged(path, **more):
        really(path, **more)
        theirs.write_bytes(b"theirs")
        theirs.chmod(0o666 if whose == "one that others may change" else 0o600)
        if whose == "an older one":
            os.utime(theirs, (1e9, 1e9))
        if whose == "one with a second name":
            os.link(theirs, tmp_path / "second.blend")
        theirs.replace(path)

    trust, copy = Trust(key, scripts=True), tmp_path / "scene.blend"
    trust.seal(copy, save_copy(copy))
    assert trust.is_in(copy) and copy.stat().st_mode & 0o777 == 0o666 & ~umask()
    monkeypatch.setattr(scene_copy, "save_open_file", exchanged)
    trust.seal(copy, save_copy(copy))
    assert copy.read_bytes() == b"theirs" and not trust.is_in(copy)


def umask():
    was = os.umask(0)
    os.umask(was)
    return was


def test_a_take_of_a_scene_that_was_another_one_as_it_was_opened_is_not_sealed(tmp_path, monkeypatch):
    """It may be back in its place before the take's is saved."""
    command_for(cloth_and_ball(), tmp_path / "d", 1, 8)
    plan, key, place = BakePlan.of_dataset(tmp_path / "d"), tmp_path / "key", tmp_path / "take.blend"
    key.write_bytes(bytes(32))
    trust, said = Trust(key, scripts=True), [False]
    monkeypatch.setattr(Trust, "is_in", lambda self, path: said.pop() if said else True)
    write_take_scene(place, plan, plan.take("take_000"), trust)
    assert place.is_file() and not place.with_suffix(".seal").exists()


def test_a_seal_is_of_what_the_scene_links_too_wherever_the_project_lies(tmp_path):
    """A library's Python runs with the scene's: somebody may send a project back with another library."""
    artist, key = tmp_path / "artist", tmp_path / "key"
    key.write_bytes(bytes(32))
    (artist / "lib").mkdir(parents=True)
    (artist / "d" / "bake").mkdir(parents=True)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.collection.children.link(bpy.data.collections.new("Props"))
    bpy.ops.wm.save_as_mainfile(filepath=str(artist / "lib" / "prop.blend"))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(artist / "scene.blend"))
    with bpy.data.libraries.load(str(artist / "lib" / "prop.blend"), link=True, relative=True) as (_, linked):
        linked.collections = ["Props"]
    bpy.context.scene.collection.children.link(linked.collections[0])
    copy, trust = artist / "d" / "bake" / "scene.blend", Trust(key, scripts=True)
    trust.seal(copy, save_copy(copy))
    assert trust.is_in(copy)
    shutil.copytree(artist, tmp_path / "elsewhere")
    returned = tmp_path / "elsewhere" / "d" / "bake" / "scene.blend"
    assert trust.is_in(returned)
    library = tmp_path / "elsewhere" / "lib" / "prop.blend"
    library.write_bytes(library.read_bytes() + b"\0")
    assert not trust.is_in(returned) and trust.is_in(copy)
    library.unlink()
    assert not trust.is_in(returned)
    # Behind a link to the dataset the system finds another file under the same name than Blender does.
    project = tmp_path / "linked"
    shutil.copytree(artist, project)
    deep = project / "x" / "y"
    (deep / "lib").mkdir(parents=True)
    (project / "d").rename(deep / "d")
    (project / "d").symlink_to(deep / "d")
    shutil.move(project / "lib" / "prop.blend", deep / "lib" / "prop.blend")
    (project / "lib" / "prop.blend").write_bytes(b"another library")
    assert not trust.is_in(project / "d" / "bake" / "scene.blend") and trust.is_in(
        deep / "d" / "bake" / "scene.blend"
    )
    # What it says that it links is sealed, too.
    said = json.loads(copy.with_suffix(".seal").read_text())
    copy.with_suffix(".seal").write_text(json.dumps(said | {"files": []}))
    assert not trust.is_in(copy)


def test_a_seal_is_none_where_blender_means_another_place(tmp_path):
    """A library of somebody else's lay there: the artist's own was compared, and that one was loaded."""
    key, scene = tmp_path / "key", tmp_path / "data" / "bake" / "scene.blend"
    scene.parent.mkdir(parents=True)
    (tmp_path / "lib").mkdir()
    key.write_bytes(b"k" * 32)
    for path in (scene, tmp_path / "lib" / "prop.blend"):
        path.write_text("the artist's")
    seal(scene, content(scene), key, [str(tmp_path / "lib" / "prop.blend")])
    assert is_sealed(scene, key)
    for folder in ("da\\ta", "/".join(["d" * 200] * 5)):
        moved = tmp_path / folder
        moved.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(tmp_path / "data", moved)
        assert not is_sealed(moved / "bake" / "scene.blend", key)
        shutil.move(moved, tmp_path / "data")
        assert is_sealed(scene, key)
    (tmp_path / "a\\b").mkdir()
    library = shutil.copy(tmp_path / "lib" / "prop.blend", tmp_path / "a\\b" / "prop.blend")
    seal(scene, content(scene), key, [str(library)])
    assert not is_sealed(scene, key)


@pytest.mark.parametrize("whose", ["another key's", "no key's"])
def test_nothing_is_opened_that_a_seal_names_unless_it_is_the_users_own(whose, tmp_path, monkeypatch):
    """It may name any file, thousands of times, and is looked at when Bake is clicked."""
    scene, key, other, elsewhere = (tmp_path / name for name in ("take.blend", "key", "other", "elsewhere"))
    scene.write_bytes(b"a scene")
    elsewhere.write_bytes(b"somebody's own")
    key.write_bytes(bytes(32))
    other.write_bytes(bytes(31) + b"\1")
    seal(scene, content(scene), other, [str(elsewhere)])
    its = scene.with_suffix(".seal")
    said = json.loads(its.read_text())
    assert [name for name, _ in said["files"]] == [str(elsewhere)] and is_sealed(scene, other)
    if whose == "no key's":
        its.write_text(json.dumps(said | {"seal": "\ud800", "files": said["files"] * 1000}))
    opened, open_any = [], os.open
    monkeypatch.setattr(os, "open", lambda path, *more: opened.append(Path(path)) or open_any(path, *more))
    assert not is_sealed(scene, key)
    assert set(opened) == {its, key}


def test_a_sealed_scene_or_library_that_has_become_a_file_of_holes_is_not_read(tmp_path):
    scene, key, library = (tmp_path / name for name in ("take.blend", "key", "prop.blend"))
    key.write_bytes(bytes(32))
    for path in (scene, library):
        path.write_bytes(b"a scene")
        seal(scene, content(scene), key, [str(library)] if library.exists() else ())
        assert is_sealed(scene, key)
        with path.open("r+b") as file:
            file.truncate(1 << 40)
        assert not is_sealed(scene, key)
        path.write_bytes(b"a scene")


def prepared_and_changed(folder, change):
    """The command of a bake of five frames, whose copy of the scene somebody has changed since."""
    name = cloth_and_ball().name
    command = command_for(bpy.data.objects[name], folder, 1, 5)
    copy = folder / "bake" / "scene.blend"
    bpy.ops.wm.open_mainfile(filepath=str(copy))
    change(bpy.context.scene, bpy.data.objects[name])
    bpy.ops.wm.save_as_mainfile(filepath=str(copy), copy=True)
    return command


def lasts_for_days(scene, cloth):
    scene.render.fps, scene.render.fps_base = 1, 1e5


def has_no_motion(scene, cloth):
    """What is not enabled is not looked at when the file is opened."""
    box = settings_of(cloth).interactions[0]
    stored(settings_of(cloth))["enabled"] = False
    stored(box)["shortest"], stored(box)["fastest"] = 0.0, -1.0
    box.box_low = (9.0, 9.0, 9.0)


@pytest.mark.once
@pytest.mark.parametrize(
    ("change", "code"), [(lasts_for_days, "bake_frame_rate"), (has_no_motion, "motion_box_empty")]
)
def test_what_no_bake_is_prepared_with_is_not_baked_in_a_scene_of_somebody_elses(change, code, tmp_path):
    """A worker drew keys of training motion without end."""
    assert run(prepared_and_changed(tmp_path / "d", change)).get("code") == code


def test_what_a_bakes_scene_sets_beyond_the_limits_is_brought_within_them(tmp_path):
    prepared_and_changed(tmp_path / "d", has_no_motion)
    plan = BakePlan.read(tmp_path / "d" / "bake" / "bake.json")
    _, cloth, _ = open_scene(plan.scene_copy, plan, Trust())
    (box,) = settings_of(cloth).interactions
    assert (box.shortest, box.fastest) == (pytest.approx(0.02), pytest.approx(0.01))


@pytest.mark.once
@pytest.mark.parametrize("how", ["asked to stop", "killed"])
def test_a_worker_that_a_scene_keeps_busy_for_ever_ends_with_the_bake(how, tmp_path):
    cloth, ran = cloth_and_ball(), tmp_path / "ran"
    add_script(ran, allowed=True)
    bpy.data.texts[-1].write("while True:\n    pass\n")
    stop_file = tmp_path / "stop"
    bake = start([*command_for(cloth, tmp_path / "d", 1, 5), "--stop-file", str(stop_file)])
    wait_for(ran.exists)
    (worker,) = workers(tmp_path / "d")
    try:
        stop_file.touch() if how == "asked to stop" else bake.kill()
        bake.wait(60)
        wait_for(lambda: not is_alive(worker), 60)
    finally:
        bake.kill()
        if is_alive(worker):
            os.kill(worker, signal.SIGKILL)


def test_the_copy_has_colliders_that_only_cloth_refers_to_and_the_artists_file_is_left_as_it_is(tmp_path):
    empty_scene()
    sheet = add_cloth("Sheet")
    below = bpy.data.collections.new("Below")
    below.objects.link(add_ball("Ball"))
    sheet.modifiers["Cloth"].collision_settings.collection = below
    assert below.users == 0
    save_copy(tmp_path / "copy.blend")
    assert below.users == 0 and not below.use_fake_user
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "copy.blend"))
    kept = bpy.data.objects["Sheet"].modifiers["Cloth"].collision_settings.collection
    assert kept is not None and kept.all_objects.keys() == ["Ball"]


def test_the_key_is_the_users_own_and_stays_the_same():
    key = key_file()
    assert key_file() == key and len(key.read_bytes()) == 32
    if os.name == "posix":
        assert key.stat().st_mode & 0o077 == 0
