"""Where an object's files are, what deleting them takes away, and jobs that another Blender has started."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.once]

from bakes import cloth_and_ball, command_for, run, wait_for
from scenes import add_ball, add_cloth, bpy, empty_scene, react_to, settings_of, stored

from neural_physics.blender.baking.scene_copy import save_copy
from neural_physics.blender.jobs import host, training_environment
from neural_physics.blender.scene import setting_up
from neural_physics.blender.settings import named_places, paths
from neural_physics.blender.tasks import object_tasks
from neural_physics.datasets.body import MODULI, Body
from neural_physics.datasets.simulation_request import SimulationSettings
from neural_physics.datasets.status import dataset_status, forget
from neural_physics.errors import Problem
from neural_physics.jobs.environment import main as create_environment
from neural_physics.jobs.isolated_python import clean_environment
from neural_physics.jobs.process import JobFiles, JobProcess

SAY = """
import json, sys, time
time.sleep(float(sys.argv[1]))
print(json.dumps({"event": "result", "said": sys.argv[1]}), flush=True)
"""


@pytest.fixture(autouse=True)
def no_jobs():
    forget()
    yield
    host.unregister()


def saying(seconds=0.0):
    return [sys.executable, "-c", SAY, str(seconds)]


def saved_cloth(folder, blend="scene", name="Sheet"):
    empty_scene()
    cloth = add_cloth(name)
    react_to(cloth, add_ball())
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / f"{blend}.blend"))
    return cloth


# Files


def test_a_renamed_object_keeps_its_dataset_and_its_model(tmp_path):
    cloth = saved_cloth(tmp_path)
    settings_of(cloth).take_count, settings_of(cloth).take_frames = 1, 5
    run(object_tasks.bake_command(bpy.context.scene, cloth))
    before = paths.dataset_folder(cloth), paths.model_path(cloth)
    assert before[0] == tmp_path / "neural_physics" / "scene" / "Sheet" / "dataset"
    assert settings_of(cloth).dataset_folder == "//neural_physics/scene/Sheet/dataset"
    cloth.name = "Curtain"
    assert (paths.dataset_folder(cloth), paths.model_path(cloth)) == before
    assert dataset_status(paths.dataset_folder(cloth)).takes == 1


def test_two_files_in_one_folder_do_not_share_and_what_was_made_before_is_found(tmp_path):
    first = paths.model_path(saved_cloth(tmp_path, "first"))
    assert paths.model_path(saved_cloth(tmp_path, "second")) != first
    earlier = tmp_path / "neural_physics" / "Sheet" / "model.safetensors"
    earlier.parent.mkdir(parents=True)
    earlier.touch()
    cloth = saved_cloth(tmp_path, "first")
    assert paths.model_path(cloth) == earlier
    paths.keep_together(cloth)
    assert settings_of(cloth).model_path == "//neural_physics/Sheet/model.safetensors"


def test_what_is_made_of_two_models_in_one_folder_has_two_places(tmp_path):
    cloth = saved_cloth(tmp_path)
    found = []
    for name in ("model", "shirt", "trousers"):
        settings_of(cloth).model_path = f"//{name}.safetensors"
        found += [paths.report_path(cloth), paths.playback_path(cloth)]
    assert len(set(found)) == 6
    assert found[0] == tmp_path / "report.html"


def test_deleting_a_dataset_leaves_what_is_not_its_own(tmp_path):
    cloth, folder = cloth_and_ball(), tmp_path / "shared"
    for kept in ("takes/clips/a.mov", "jobs/applications.txt", "notes.txt"):
        (folder / kept).parent.mkdir(parents=True, exist_ok=True)
        (folder / kept).write_text("mine")
    settings = settings_of(cloth)
    settings.dataset_folder, settings.take_count, settings.take_frames = str(folder), 1, 5
    argv = object_tasks.bake_command(bpy.context.scene, cloth)
    assert host.run_blocking(paths.jobs_folder(cloth), object_tasks.BAKE, argv).phase == "finished"
    (folder / "bake").mkdir(exist_ok=True)
    (folder / "bake" / "bread.txt").write_text("mine")
    forget()
    object_tasks.delete_dataset(cloth)
    left = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert left == {"takes/clips/a.mov", "bake/bread.txt", "jobs/applications.txt", "notes.txt"}


@pytest.mark.parametrize(
    "theirs",
    ["takes/take_000/mocap.fbx", "bake/final/a.png", "bake/take_000/a.png", "import.new/thesis.odt"],
)
def test_a_dataset_with_somebodys_files_in_its_own_folders_is_not_deleted(theirs, tmp_path):
    """A plan, or a `take.json`, may be a stranger's that came to lie beside them."""
    cloth, folder = cloth_and_ball(), tmp_path / "d"
    command_for(cloth, folder, 1, 5)
    argv = object_tasks.bake_command(bpy.context.scene, cloth)
    plan = (folder / "bake" / "bake.json").read_bytes()
    assert host.run_blocking(paths.jobs_folder(cloth), object_tasks.BAKE, argv).phase == "finished"
    (folder / theirs).parent.mkdir(parents=True, exist_ok=True)
    (folder / theirs).write_text("mine")
    (folder / "bake").mkdir(exist_ok=True)
    (folder / "bake" / "bake.json").write_bytes(plan)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    forget()
    with pytest.raises(Problem) as refused:
        object_tasks.delete_dataset(cloth)
    assert refused.value.code == "file_not_ours"
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def a_shell(vertices: int) -> Body:
    """The body of one triangle and loose vertices."""
    return Body(
        SimulationSettings("shell"),
        np.zeros((vertices, 3)),
        np.array([[0, 1, 2]], np.int32),
        np.zeros(vertices, bool),
        masses=np.ones(vertices),
        moduli=np.ones((1, MODULI["shell"])),
        gravity=np.zeros(3),
    )


def test_deleting_a_dataset_leaves_nothing_of_its_own(tmp_path):
    cloth, folder = cloth_and_ball(), tmp_path / "d"
    command_for(cloth, folder, 2, 5)
    argv = object_tasks.bake_command(bpy.context.scene, cloth)
    host.run_blocking(paths.jobs_folder(cloth), object_tasks.BAKE, argv)
    (folder / "import.new").mkdir()  # of an import that was killed
    a_shell(len(cloth.data.vertices)).write(folder / "body.npz")  # as the bundled solver leaves it
    forget()
    object_tasks.delete_dataset(cloth)
    assert not folder.exists()


# Set Up


def test_setting_up_again_leaves_what_the_artist_has_set():
    empty_scene()
    cloth = add_cloth()
    bpy.context.scene.frame_start = 7
    setting_up.set_up(cloth, bpy.context.scene)
    settings = settings_of(cloth)
    assert (settings.start_frame, settings.moving_frame) == (7, False)
    settings.start_frame, settings.moving_frame = 3, True
    setting_up.set_up(cloth, bpy.context.scene)
    assert (settings.start_frame, settings.moving_frame) == (3, True)


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "x" * 300, "x/" * 3000])
def test_a_place_that_no_file_can_have_is_refused_in_a_sentence(tmp_path, name):
    """A log that came with the scene, or the scene itself, may name it."""
    cloth = saved_cloth(tmp_path)
    with pytest.raises(Problem):
        model = paths.trained_model(cloth, {"model": f"{tmp_path}/{name}/m.safetensors"})
        object_tasks.use_model(cloth, model)
    if name.isascii() and name.isprintable():  # as all that a .blend holds
        settings_of(cloth).dataset_folder = f"//{name}"
        with pytest.raises(Problem):
            paths.jobs_folder(cloth)


@pytest.mark.parametrize("argv", ["5", '"abc"', '{"a": 1}', "null"])
def test_a_note_whose_command_is_none_is_of_no_job(tmp_path, argv):
    (tmp_path / "train.json").write_text(f'{{"argv": {argv}}}')
    assert host.begun(tmp_path, "train", ["c"]) is None


# Jobs


@pytest.mark.slow
def test_a_job_that_another_blender_has_started_is_seen_and_not_taken_for_ones_own(tmp_path):
    assert host.state_of(tmp_path, "count").phase == "idle"
    other = JobProcess(JobFiles(tmp_path, "count"))
    other.start(saying(1.0), clean_environment())
    assert host.state_of(tmp_path, "count").active
    with pytest.raises(Problem, match="Sheet is busy with its count"):
        host.start(tmp_path, "count", saying(2.0), "Sheet")
    host.start(tmp_path, "count", saying(1.0), "Sheet")  # the same: followed
    wait_for(lambda: not host.state_of(tmp_path, "count").active)
    assert host.state_of(tmp_path, "count").result == {"said": "1.0"}
    assert host.run_blocking(tmp_path, "count", saying(2.0)).result == {"said": "2.0"}


def test_what_was_found_on_disk_was_not_begun_here(tmp_path):
    other = JobProcess(JobFiles(tmp_path, "count"))
    other.start(saying(1.0), clean_environment())
    wait_for(lambda: not host.state_of(tmp_path, "count").active)
    assert not host.began_here(tmp_path, "count")
    host.start(tmp_path, "count", saying(0.5))
    assert host.began_here(tmp_path, "count") and not host.began_here(tmp_path, "other")
    wait_for(lambda: not host.state_of(tmp_path, "count").active)


@pytest.mark.skipif(sys.platform == "win32", reason="files have no such locks there")
def test_a_job_of_a_blender_that_was_killed_before_it_noted_it_keeps_the_object_busy(tmp_path):
    import fcntl

    with (tmp_path / "count.jsonl").open("wb") as log:  # as the job has it, of which nothing else is known
        fcntl.flock(log, fcntl.LOCK_EX)
        with pytest.raises(Problem) as caught:
            host.run_blocking(tmp_path, "count", saying(1.0), owner="Sheet")
        assert caught.value.code == "object_busy" and "Sheet" in caught.value.message
    assert host.run_blocking(tmp_path, "count", saying(2.0)).result == {"said": "2.0"}


def test_nothing_is_deleted_under_a_bake_from_a_terminal(tmp_path):
    cloth, folder = cloth_and_ball(), tmp_path / "d"
    run(command_for(cloth, folder, 1, 5))
    assert object_tasks.running(cloth) == ""
    other = JobProcess(JobFiles(paths.jobs_folder(cloth), object_tasks.BAKE))
    other.start(saying(1.5), clean_environment())
    for act in (object_tasks.delete_dataset, lambda obj: object_tasks.bake_command(bpy.context.scene, obj)):
        with pytest.raises(Problem) as raised:
            act(cloth)
        assert raised.value.code == "object_busy"
    wait_for(lambda: object_tasks.running(cloth) == "")


def test_a_result_waits_until_it_has_arrived(tmp_path):
    arrived = []
    host.on_result("count", lambda folder, result: arrived.append(result) or len(arrived) == 2)
    host.run_blocking(tmp_path, "count", saying())
    assert not json.loads((tmp_path / "count.json").read_text())["delivered"]
    host._tick()
    host._tick()
    assert arrived == [{"said": "0.0"}] * 2
    assert json.loads((tmp_path / "count.json").read_text())["delivered"]


def test_a_job_whose_folder_is_no_longer_writable_fails_with_that_reason(tmp_path, monkeypatch):
    def refuse(self):
        self.waits_for_delivery = False
        raise Problem("folder_not_writable", path=tmp_path, reason="read only")

    monkeypatch.setattr(JobProcess, "delivered", refuse)
    state = host.run_blocking(tmp_path, "count", saying())
    assert (state.phase, state.code) == ("failed", "folder_not_writable")
    assert host.state_of(tmp_path, "count").phase == "failed"


def test_training_is_only_called_resumed_if_it_would_be(tmp_path):
    cloth = saved_cloth(tmp_path)
    settings = settings_of(cloth)
    settings.take_count, settings.take_frames = 1, 5
    run(object_tasks.bake_command(bpy.context.scene, cloth))
    forget()
    assert not object_tasks.resumes_training(cloth)
    checkpoint = paths.checkpoint_path(cloth)
    checkpoint.parent.mkdir(parents=True)
    checkpoint.touch()
    time.sleep(0.02)
    about = JobFiles(paths.jobs_folder(cloth), object_tasks.TRAIN).about
    about.parent.mkdir(parents=True)
    argv = ["/any/python", *object_tasks._train_arguments(cloth)]
    about.write_text(json.dumps({"pid": 1, "argv": argv, "delivered": False}))
    assert object_tasks.resumes_training(cloth)
    settings.basis_count += 1
    assert not object_tasks.resumes_training(cloth)
    settings.basis_count -= 1
    settings.take_count = 2
    time.sleep(0.02)
    run(object_tasks.bake_command(bpy.context.scene, cloth))
    forget()
    assert not object_tasks.resumes_training(cloth)


# The training environment


def test_options_for_pip_may_begin_with_dashes(monkeypatch, tmp_path):
    given = []
    monkeypatch.setattr(
        "neural_physics.jobs.environment.create",
        lambda folder, requirements, options, stop, optional: given.append(options) or tmp_path,
    )
    for options in ("--index-url=https://example.org/simple", "--index-url https://example.org -q", ""):
        argv = training_environment.create_command(options)
        monkeypatch.setattr(sys, "argv", argv[argv.index("neural_physics.jobs.environment") :])
        assert create_environment() == 0
        assert given[-1] == options.split()


def test_a_copy_of_the_scene_that_cannot_take_the_place_of_an_old_one_is_reported(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    cloth_and_ball()
    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(Problem) as caught:
        save_copy(tmp_path / "scene.blend")
    assert caught.value.code == "folder_not_writable"


# Names


def named(first, second):
    """Two objects that are called so."""
    for name in (first, second):
        bpy.context.scene.collection.objects.link(bpy.data.objects.new(name, bpy.data.meshes.new(name)))
    return bpy.data.objects[first], bpy.data.objects[second]


def made(obj):
    """Where an object's files are, once something was made there."""
    paths.keep_together(obj)
    paths.dataset_folder(obj).mkdir(parents=True)
    return paths.dataset_folder(obj).parent.name.casefold()


def test_to_note_where_files_are_is_no_edit_of_the_object(tmp_path):
    """After an edit Blender simulates what depends on it anew, and deletes what that has kept."""
    obj = saved_cloth(tmp_path)
    bpy.context.view_layer.update()
    edited = []
    seen = lambda _scene, graph: edited.extend(each.id.name for each in graph.updates)  # noqa: E731
    bpy.app.handlers.depsgraph_update_post.append(seen)
    paths.keep_together(obj)
    bpy.context.view_layer.update()
    assert not edited
    settings_of(obj).dataset_folder += ""
    bpy.context.view_layer.update()
    bpy.app.handlers.depsgraph_update_post.remove(seen)
    assert obj.name in edited, "as a setting is"
    place = settings_of(obj).dataset_folder
    assert place.startswith("//") and settings_of(obj).model_path.startswith("//")
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
    assert settings_of(bpy.data.objects["Sheet"]).dataset_folder == place


@pytest.mark.parametrize("names", [("Skirt", "sKIRT"), ("a b", "a_b"), ("Ä", "Ö"), ("Å", "A\u030a")])
def test_objects_whose_names_are_alike_have_folders_of_their_own_on_every_system(tmp_path, names):
    saved_cloth(tmp_path)
    first, second = named(*names)
    places = made(first), made(second)
    assert places[0] != places[1] and paths.model_path(first) != paths.model_path(second)


def test_an_object_does_not_take_over_the_folder_of_one_that_was_renamed(tmp_path):
    saved_cloth(tmp_path)
    first, second = named("Skirt", "Other")
    before = made(first)
    first.name, second.name = "Curtain", "Skirt"
    assert made(second) != before


def test_blend_files_with_accents_in_their_names_do_not_share_a_folder(tmp_path):
    first = paths.model_path(saved_cloth(tmp_path, "été"))
    assert paths.model_path(saved_cloth(tmp_path, "ôté")) != first


def test_a_scene_cannot_name_blenders_own_folders_in_other_capitals(tmp_path, monkeypatch):
    """macOS and Windows find them so, too."""
    saved_cloth(tmp_path)
    home = tmp_path / named_places.HOME
    monkeypatch.setattr(named_places, "_of_programs", lambda: [home / "Library" / "Blender"])
    for name in ("Library/Blender", "library/BLENDER", "LIBRARY/blender."):
        assert not named_places.may_name(home / name / "scripts" / "model.safetensors")
    assert named_places.may_name(home / "Library" / "Blender models" / "model.safetensors")
    assert not named_places.may_name(tmp_path / "textures" / "dataset"), "the artist's own files are there"


def test_what_is_behind_a_link_is_not_free_to_name_but_the_scene_itself_may_be(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    saved_cloth(project)
    home = project / named_places.HOME
    (home / "mine" / "dataset").mkdir(parents=True)
    (home / "theirs").symlink_to(home / "mine")
    assert named_places.may_name(home / "mine" / "dataset")
    assert not named_places.may_name(home / "theirs" / "dataset")
    (tmp_path / "shelf").symlink_to(project)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shelf" / Path(bpy.data.filepath).name))
    assert named_places.may_name(tmp_path / "shelf" / named_places.HOME / "mine" / "dataset")
    home.rename(tmp_path / "elsewhere")
    home.symlink_to(tmp_path / "elsewhere")
    assert not named_places.may_name(tmp_path / "shelf" / named_places.HOME / "mine" / "dataset")


# Places that are not looked at


def stranger_names(cloth, place):
    """Let the open file name a place as one that was opened does: nobody has agreed to it."""
    stored(settings_of(cloth))["dataset_folder"] = str(place)


@pytest.fixture
def looked_at(monkeypatch):
    """Which places the system was asked about."""
    asked: list[str] = []
    for name in ("lstat", "stat", "readlink"):
        real = getattr(os, name)
        spy = lambda place, *rest, real=real, **more: asked.append(str(place)) or real(place, *rest, **more)  # noqa: E731
        monkeypatch.setattr(os, name, spy)
    return asked


def test_a_place_as_deep_as_no_artists_is_not_gone_through(tmp_path):
    """Of each folder on the way it would be asked whether it is a link, at each redraw."""
    cloth = saved_cloth(tmp_path)
    settings = settings_of(cloth)
    for depth, found in ((50, False), (1900, True)):
        settings.dataset_folder = f"//{named_places.HOME}/" + "a/" * depth
        try:
            paths.dataset_folder(cloth)
        except Problem as problem:
            assert found and problem.code == "folder_not_writable" and "too long" in str(problem)
        else:
            assert not found


def test_a_place_is_not_looked_at_before_anybody_agreed_to_it(tmp_path, looked_at):
    cloth = saved_cloth(tmp_path)
    (tmp_path / "other").mkdir()
    named_places.agree(tmp_path / "other")
    stranger_names(cloth, "/net/server.of.a.stranger/share/x")
    looked_at.clear()
    with pytest.raises(Problem) as caught:
        paths.dataset_folder(cloth)
    assert caught.value.code == "place_elsewhere"
    assert paths.places_to_allow(cloth) == [Path("/net/server.of.a.stranger/share/x")]
    assert [place for place in looked_at if "stranger" in place] == []


def test_where_a_link_beside_the_scene_leads_is_not_looked_at(tmp_path, looked_at):
    cloth = saved_cloth(tmp_path)
    (tmp_path / named_places.HOME).mkdir()
    (tmp_path / named_places.HOME / "x").symlink_to("/net/server.of.a.stranger/share")
    stranger_names(cloth, f"//{named_places.HOME}/x/dataset")
    looked_at.clear()
    with pytest.raises(Problem) as caught:
        paths.dataset_folder(cloth)
    assert caught.value.code == "place_elsewhere"
    assert [place for place in looked_at if "stranger" in place] == []


def test_what_was_agreed_to_under_its_name_is_asked_about_again_where_that_leads_elsewhere(tmp_path):
    cloth = saved_cloth(tmp_path)
    for name in ("mine", "theirs"):
        (tmp_path / name).mkdir()
    named_places.agree(tmp_path / "mine")
    stranger_names(cloth, tmp_path / "mine")
    assert paths.dataset_folder(cloth) == tmp_path / "mine"
    (tmp_path / "mine").rmdir()
    (tmp_path / "mine").symlink_to(tmp_path / "theirs")
    with pytest.raises(Problem) as caught:
        paths.dataset_folder(cloth)
    assert caught.value.code == "place_elsewhere"


@pytest.mark.parametrize("root", [f"//{named_places.HOME}/", "/x/"])
def test_a_place_of_countless_folders_is_refused_at_once(root, tmp_path):
    cloth = saved_cloth(tmp_path)
    named = root + "a/" * 200_000
    stranger_names(cloth, named)
    stored(settings_of(cloth))["model_path"] = named
    begun = time.monotonic()
    for place in (paths.dataset_folder, paths.model_path, paths.check_places, paths.places_to_allow):
        with pytest.raises(Problem) as caught:
            place(cloth)
        assert caught.value.code == "folder_not_writable" and len(caught.value.message) < 1000
    with pytest.raises(Problem):
        paths.trained_model(cloth, {"model": named})
    settings_of(cloth).dataset_folder = named
    assert time.monotonic() - begun < 2.0


def test_another_objects_place_of_countless_folders_keeps_nobody_waiting(tmp_path):
    cloth = saved_cloth(tmp_path)
    made(cloth)
    settings_of(cloth).property_unset("dataset_folder")
    settings_of(cloth).property_unset("model_path")
    other = add_cloth("Other")
    begun = time.monotonic()
    for parts in (2000, 16_000):
        stranger_names(other, "//" + "a/" * parts)
        assert paths.dataset_folder(cloth).is_dir()
    assert time.monotonic() - begun < 2.0


def test_the_default_place_of_an_object_is_not_looked_at_through_links(tmp_path, monkeypatch):
    """On Windows a link may lead to a server, which a look already tells who looks."""
    cloth = saved_cloth(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "dataset").mkdir(parents=True)
    (elsewhere / "dataset" / "dataset.json").write_bytes(b"{}")
    home = tmp_path / named_places.HOME
    home.mkdir()
    (home / "Sheet").symlink_to(elsewhere)
    (home / "scene").symlink_to(elsewhere)
    looked = []

    def noting(own):
        def look(path, *more, **named):
            looked.append(str(path))
            return own(path, *more, **named)

        return look

    for name in ("stat", "scandir", "listdir"):
        monkeypatch.setattr(os, name, noting(getattr(os, name)))
    assert paths.home_folder(cloth) == home / "scene" / "Sheet"
    links = str(home / "Sheet"), str(home / "scene")
    assert not [each for each in looked if each.startswith(links)]
