"""Bad frames put into good takes are found, and no others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from neural_physics.datasets import frame_checks
from neural_physics.datasets.dataset_info import Exclusion, TakeInfo
from neural_physics.datasets.frame_checks import (
    AFTER,
    BEFORE,
    BLANK,
    EXPLODED,
    FALLING,
    NOT_FINITE,
    TORN,
    checked,
    find_bad_frames,
    merge,
)
from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.datasets.takes import Take
from neural_physics.errors import Problem
from neural_physics.interaction.channels import Channel, ChannelLayout

FRAMES = 200
LAYOUT = ChannelLayout((Channel("Ball", "position", 3), Channel("Wind", "wind", 3)))


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    """64 frames of the small mesh at a time."""
    monkeypatch.setattr(frame_checks, "CHUNK", 64 * 6)


@pytest.fixture
def mesh():
    """Two squares of 1 m side by side."""
    rest = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (0, 1, 0), (1, 1, 0), (2, 1, 0)]
    corners = np.array([0, 1, 4, 3, 1, 2, 5, 4], np.int32)
    return Mesh(np.array(rest, np.float32), corners, np.array([4, 4], np.int32), np.zeros(6, np.float32))


@pytest.fixture
def take(mesh):
    """It sways by half a metre and stretches by a half."""
    sway = np.sin(np.arange(FRAMES) / 10.0)
    positions = np.repeat(mesh.rest_positions[None], FRAMES, 0)
    positions[:, :, 0] *= 1.0 + 0.5 * sway[:, None] ** 2
    positions[:, :, 2] += 0.5 * sway[:, None]
    interaction = np.zeros((FRAMES, 6), np.float32)
    interaction[:, 3] = 1000.0  # a wind's strength is no place
    return positions, interaction


def exclusion(frame, reason):
    return Exclusion(max(0, frame - BEFORE), min(FRAMES - 1, frame + AFTER), reason)


def test_nothing_is_found_in_a_good_take(mesh, take):
    assert find_bad_frames(take[0], mesh, LAYOUT, take[1]) == ()


@pytest.mark.parametrize("frame", [0, 63, 64, 100, FRAMES - 1])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite_is_left_out_with_its_margins(mesh, take, frame, value):
    take[0][frame, 3, 1] = value
    assert find_bad_frames(take[0], mesh, LAYOUT, take[1]) == (exclusion(frame, NOT_FINITE),)


def test_a_take_of_no_numbers_at_all_is_left_out_whole_whatever_it_reacts_to(mesh, take):
    take[0][:] = np.nan
    layout = ChannelLayout((Channel("Wind", "wind", 3),))  # nothing that would say where the mesh is
    for some, y in ((layout, take[1][:, 3:]), (LAYOUT, take[1])):
        assert find_bad_frames(take[0], mesh, some, y) == (Exclusion(0, FRAMES - 1, NOT_FINITE),)


@pytest.mark.parametrize("frame", [0, 100, FRAMES - 1])
def test_frames_for_which_only_room_was_made_are_left_out(mesh, take, frame):
    """What a file system leaves of a write when the power fails: zeros, which an edge survives."""
    take[0][:] += 20.0
    take[0][frame] = 0.0
    take[1][:, :3] = 20.0
    assert find_bad_frames(take[0], mesh, LAYOUT, take[1]) == (exclusion(frame, BLANK),)


def test_one_stretched_edge_is_torn(mesh, take):
    take[0][120, 5, 1] += 2.5
    assert find_bad_frames(take[0], mesh, LAYOUT, take[1]) == (exclusion(120, TORN),)


def test_a_mesh_that_flies_off_whole_has_exploded(mesh, take):
    take[0][150:] += 40.0
    first, last = 150 - BEFORE, FRAMES - 1
    assert find_bad_frames(take[0], mesh, LAYOUT, take[1]) == (Exclusion(first, last, EXPLODED),)


def falling(take, mesh, *, along=(0.0, 0.0, -1.0)):
    """It falls freely for 200 frames at 24 a second."""
    seconds = np.arange(FRAMES, dtype=np.float32) / 24.0
    take[0][:] = mesh.rest_positions
    take[0][:] += (4.9 * seconds**2)[:, None, None] * np.array(along, np.float32)


def test_what_falls_is_not_said_to_explode(mesh, take):
    falling(take, mesh)
    (found,) = find_bad_frames(take[0], mesh, LAYOUT, take[1])
    fallen = 24.0 * (frame_checks.REACH * np.hypot(2.0, 1.0) / 4.9) ** 0.5  # frames, by the law of falling
    assert found == Exclusion(int(np.ceil(fallen)) - BEFORE, FRAMES - 1, FALLING)


def test_what_goes_up_is_torn_apart_or_without_weight_does_not_fall(mesh, take):
    def reasons(**more):
        return {e.reason for e in find_bad_frames(take[0], mesh, LAYOUT, take[1], **more)}

    falling(take, mesh)
    assert reasons(gravity=(0.0, 0.0, 0.0)) == reasons(gravity=(0.0, 0.0, 9.81)) == {EXPLODED}
    assert reasons(gravity=(1.0, 0.0, -2.0)) == {FALLING}
    falling(take, mesh, along=(0.0, 1.0, 0.2))
    assert reasons() == {EXPLODED}
    falling(take, mesh)
    take[0][:, 2] += np.linspace(0.0, 50.0, FRAMES, dtype=np.float32)[:, None]
    assert reasons() == {TORN}, "the first reason is that of the run"


def test_down_is_where_the_ground_is_in_a_frame_that_turns(mesh, take):
    falling(take, mesh, along=(1.0, 0.0, 0.0))
    layout = ChannelLayout((Channel("Ball", "position", 3), Channel("Ground", "ground", 4)))
    y = np.zeros((FRAMES, 7), np.float32)
    y[:, 3] = -1.0
    assert {e.reason for e in find_bad_frames(take[0], mesh, layout, y)} == {FALLING}
    assert {e.reason for e in find_bad_frames(take[0], mesh, LAYOUT, y[:, :6])} == {EXPLODED}


def test_a_mesh_that_follows_what_it_reacts_to_has_not_exploded(mesh, take):
    positions, interaction = take
    positions += np.linspace(0, 40, FRAMES, dtype=np.float32)[:, None, None]
    assert find_bad_frames(positions, mesh, LAYOUT, interaction) != ()
    interaction[:, :3] = np.linspace(0, 40, FRAMES)[:, None]
    assert find_bad_frames(positions, mesh, LAYOUT, interaction) == ()


def test_windows_never_cross_what_was_found(mesh, take):
    positions, interaction = take
    positions[60, 0] = np.nan
    bad = find_bad_frames(positions, mesh, LAYOUT, interaction)
    segments = Take("take", TakeInfo(FRAMES, excluded=bad), positions, interaction, frames=None).segments()
    assert segments == [(0, 60 - BEFORE), (60 + AFTER + 1, FRAMES)]
    assert all(np.isfinite(positions[a:b]).all() for a, b in segments)


def test_exclusions_that_touch_are_joined_and_others_kept_apart():
    merged = merge([Exclusion(5, 9, "b"), Exclusion(0, 2, "a"), Exclusion(10, 12, "c"), Exclusion(6, 7, "d")])
    assert merged == (Exclusion(0, 2, "a"), Exclusion(5, 12, "b"))


def test_an_unfinished_take_with_more_frames_than_any_has_is_not_searched(take, mesh, monkeypatch):
    """A take of holes may have a billion in a few kilobytes."""
    monkeypatch.setattr(frame_checks, "MOST_FRAMES", FRAMES - 1)
    positions, interaction = take
    dataset = SimpleNamespace(path=Path("d"), mesh=mesh)
    begun = Take("take_000", TakeInfo(2 * FRAMES), positions, interaction, frames=None)
    with pytest.raises(Problem, match="more than 199 frames"):
        checked(begun, dataset)
    complete = replace(begun, info=replace(begun.info, complete=True))
    assert checked(complete, dataset) is complete
