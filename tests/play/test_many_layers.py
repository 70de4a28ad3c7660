"""Objects that each name all others as layers: a few are used, and each is looked at once."""

from __future__ import annotations

from types import SimpleNamespace

import bpy
import play_scenes
import pytest
import synthetic

from neural_physics.blender.modelling.layer_editing import add_layers, remove_layer
from neural_physics.blender.playing import playback
from neural_physics.blender.playing.layer_order import by_layer
from neural_physics.blender.scene import layers
from neural_physics.blender.scene.layers import MOST, MOST_BELOW, layers_below, layers_problem
from neural_physics.blender.settings.properties import settings_of
from neural_physics.errors import Problem

pytestmark = pytest.mark.blender

MESH = synthetic.sheet_mesh(3)


def add_pile(count: int, each_over: int) -> list[bpy.types.Object]:
    """Objects on top of each other, each worn over so many of those right below it."""
    play_scenes.open_scene()
    pile = [play_scenes.add_object(f"Sheet {k}", MESH) for k in range(count)]
    for k, obj in enumerate(pile):
        settings_of(obj).enabled = True
        for other in pile[max(0, k - each_over) : k]:
            settings_of(obj).layers_below.add().object = other
    return pile


def test_each_object_below_is_looked_at_once(monkeypatch):
    pile, looks = add_pile(MOST, each_over=MOST), []

    def noted(obj):
        looks.append(obj.name)
        return layers_below(obj)

    monkeypatch.setattr(layers, "layers_below", noted)
    assert layers_problem(pile[-1]) is None
    assert len(looks) == len(set(looks)) == MOST


def test_a_circle_through_many_is_found():
    pile = add_pile(MOST, each_over=2)
    settings_of(pile[0]).layers_below.add().object = pile[-1]
    assert {layers_problem(obj).code for obj in pile} == {"layers_circle"}


def test_more_layers_than_any_outfit_has_are_refused():
    pile = add_pile(MOST + 3, each_over=0)
    first, others = pile[0], pile[1:]
    assert len(add_layers(first, others[:MOST])) == MOST
    assert layers_problem(first) is None
    for more in (others[MOST:], []):
        with pytest.raises(Problem, match=f"Sheet 0 has more than {MOST} layers below it") as raised:
            add_layers(first, more)
        assert raised.value.code == "layers_too_many"
    assert add_layers(first, others[:2]) == [], "those that are there are no more"
    assert len(settings_of(first).layers_below) == MOST


def test_an_object_that_has_more_in_a_file_plays_without_them_and_says_so():
    play_scenes.open_scene()
    sheet = play_scenes.add_sheet(play_scenes.add_hand())
    below = play_scenes.add_object("Below", MESH)
    for _ in range(MOST + 1):
        settings_of(sheet).layers_below.add().object = below
    playback.attach(sheet)
    bpy.context.scene.frame_set(5)
    status = playback.status_of(sheet)
    assert status.problem is None
    assert status.warning is not None and status.warning.code == "layers_too_many"
    remove_layer(sheet)
    bpy.context.scene.frame_set(6)
    assert playback.status_of(sheet).warning is None


def test_what_is_below_through_others_counts_as_well():
    pile = add_pile(MOST_BELOW + 2, each_over=1)
    assert layers_problem(pile[MOST_BELOW]) is None
    assert layers_problem(pile[MOST_BELOW + 1]).code == "layers_too_many"


def test_objects_are_shown_after_all_that_is_below_them_and_in_a_circle_at_the_end():
    below = {"a": "b", "b": "cd", "c": "d", "d": "", "e": "", "f": "dx", "g": "hc", "h": "g", "i": "h"}
    wanted = [
        SimpleNamespace(
            what=(
                SimpleNamespace(
                    uid=uid, output=SimpleNamespace(layering=SimpleNamespace(below=frozenset(under)))
                ),
            )
        )
        for uid, under in below.items()
    ]
    levels = [[each.what[0].uid for each in level] for level in by_layer(wanted)]
    assert levels == [["d", "e"], ["c", "f"], ["b"], ["a"], ["g", "h", "i"]]
