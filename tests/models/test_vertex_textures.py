"""Vertex animation textures: what a shader reads from one, and loops without a jump."""

from __future__ import annotations

import numpy as np
import pytest

from neural_physics.models.vertex_textures import SIDE, bounds_of, decode, encode, layout_of, seamless


def looked_up(texture, rest):
    """(T, V, 3) positions and normals by UVs alone, as a shader does it: a frame later is a texel below."""
    height, width = texture.image.shape[:2]
    u, v = texture.layout.uvs.astype(np.float64).T
    share = 65535.0 if texture.image.dtype == np.uint16 else 1.0
    positions, normals = [], []
    for frame in range(texture.layout.frames):
        row = np.floor((1.0 - v) * height + frame).astype(int)
        column = np.floor(u * width).astype(int)
        value = texture.image[row, column] / share
        positions.append(rest + texture.low + value * (texture.high - texture.low))
        normals.append(2.0 * texture.image[row + height // 2, column] / share - 1.0)
    return np.array(positions), np.array(normals)


def moving(rng, frames, vertices):
    rest = rng.normal(size=(vertices, 3)).astype(np.float32)
    shapes = rest + np.cumsum(0.05 * rng.normal(size=(frames, vertices, 3)), axis=0) + [3.0, 0.0, -1.0]
    normals = rng.normal(size=shapes.shape)
    normals /= np.linalg.norm(normals, axis=2, keepdims=True)
    return shapes, normals.astype(np.float32), rest


@pytest.mark.parametrize("vertices, frames", [(1, 1), (40, 20), (200, 7), (9000, 5)])
@pytest.mark.parametrize("bits", [16, 32])
def test_what_is_looked_up_is_nearer_than_the_error_that_is_stated(rng, vertices, frames, bits):
    shapes, normals, rest = moving(rng, frames, vertices)
    texture = encode(shapes, normals, rest, layout_of(vertices, frames), bits=bits)
    found, turned = looked_up(texture, rest)
    assert np.linalg.norm(found - shapes, axis=2).max() <= texture.error
    half_step = 1.0 / 65535 if bits == 16 else 2.0**-24
    assert np.abs(turned - normals).max() <= half_step + 1e-7
    single, turned = map(
        np.array, zip(*(decode(texture, rest, frame) for frame in range(frames)), strict=True)
    )
    assert single.dtype == turned.dtype == np.float32
    assert np.linalg.norm(single - shapes, axis=2).max() <= texture.error
    assert np.abs(turned - normals).max() <= half_step + 3e-7


def test_the_error_that_is_stated_is_half_a_step_of_each_axis(rng):
    shapes, normals, rest = moving(rng, 50, 400)
    texture = encode(shapes, normals, rest, layout_of(400, 50), bits=16)
    half_steps = (texture.high - texture.low) / 65535 / 2
    assert texture.error == pytest.approx(np.linalg.norm(half_steps), rel=0.2)
    found, _ = looked_up(texture, rest)
    off = np.abs(found - shapes).max(axis=(0, 1))
    assert (off <= half_steps + 1e-9).all() and (off > 0.99 * half_steps).all()


def test_bounds_are_kept_by_numbers_of_single_precision_and_those_along_x_are_opposites(rng):
    offsets = rng.normal(size=(20, 30, 3)) * [0.1, 3.0, 7.0] + [5.0, 0.0, 0.0]
    rest = rng.normal(size=(30, 3)).astype(np.float32)
    low, high = bounds_of(rest + offsets, rest)
    assert (low <= offsets.min(axis=(0, 1))).all() and (high >= offsets.max(axis=(0, 1))).all()
    assert (low == low.astype(np.float32)).all() and (high == high.astype(np.float32)).all()
    assert low[0] == -high[0] and high[2] - low[2] == pytest.approx(np.ptp(offsets[..., 2]), rel=1e-6)


def test_what_stands_still_is_where_it_is():
    rest = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], np.float32)
    shapes = np.repeat(rest[None].astype(float), 3, axis=0)
    texture = encode(shapes, np.zeros((3, 2, 3), np.float32), rest, layout_of(2, 3), bits=16)
    assert (looked_up(texture, rest)[0] == shapes).all() and (decode(texture, rest, 2)[0] == rest).all()


@pytest.mark.parametrize("vertices, frames", [(1, 1), (100, 250), (2601, 250), (8192, 4096), (70000, 100)])
def test_a_layout_has_a_texel_of_its_own_for_all(vertices, frames):
    layout = layout_of(vertices, frames)
    for side in (layout.width, layout.height):
        assert side <= SIDE and side & (side - 1) == 0
    assert layout.bands * frames <= layout.height // 2
    texels = (layout.rows * layout.width + layout.columns)[:, None] + np.arange(frames) * layout.width
    assert len(np.unique(texels)) == vertices * frames
    assert layout.width * layout.height < 16 * max(vertices * frames, 64)  # no more than four of five empty


def test_a_motion_that_no_image_holds_has_no_layout():
    assert layout_of(8192, 4097) is None and layout_of(1, SIDE // 2 + 1) is None
    assert layout_of(50_000_000, 1) is None


def swinging(frames):
    """(frames, 30, 3): each vertex swings by itself, never twice in the same way."""
    rng = np.random.default_rng(3)
    time = np.arange(frames)[:, None, None]
    speeds, starts = rng.uniform(0.05, 0.3, (2, 1, 30, 3)) * [[[[1.0]]], [[[20.0]]]]
    return np.sin(speeds * time + starts) + 0.002 * time


@pytest.mark.parametrize("overlap", [16, 24, 60])
def test_a_loop_repeats_without_a_jump_in_position_or_velocity(overlap):
    count = 100
    recorded = swinging(count + overlap)
    loop = seamless(recorded, overlap)
    assert loop.shape == (count, 30, 3) and (loop[overlap:] == recorded[overlap:count]).all()
    assert (loop[0] == recorded[count]).all()  # the frame after the last one
    twice = np.concatenate([loop, loop])
    steps = np.linalg.norm(np.diff(twice, axis=0), axis=2).max(axis=1)
    turns = np.linalg.norm(np.diff(twice, n=2, axis=0), axis=2).max(axis=1)
    # A step ends at frame count, and velocities change at frames count - 1 and count: those are the seam.
    # Ordinary frames are as they were recorded.
    assert steps[count - 1] <= np.linalg.norm(np.diff(recorded, axis=0), axis=2).max()
    ordinary = np.linalg.norm(np.diff(recorded, n=2, axis=0), axis=2).max()
    assert turns[count - 2 : count].max() <= ordinary


def test_without_the_blend_there_is_a_jump():
    """So that the test above can fail."""
    cut = swinging(100)
    steps = np.linalg.norm(np.diff(np.concatenate([cut, cut]), axis=0), axis=2).max(axis=1)
    assert steps[99] > 2.0 * steps[:99].max()


def test_a_blend_of_one_frame_or_of_all_of_them_is_a_loop_too():
    recorded = swinging(40)
    assert (seamless(recorded, 0) == recorded).all()
    assert (seamless(recorded, 1)[0] == recorded[39]).all()
    assert seamless(recorded, 20).shape == (20, 30, 3)
    with pytest.raises(ValueError, match="overlap"):
        seamless(recorded, 21)


def test_what_repeats_already_is_left_as_it_is():
    time = np.arange(60)[:, None, None]
    recorded = np.sin(2.0 * np.pi * time / 40 + np.arange(12).reshape(4, 3))
    assert np.abs(seamless(recorded, 20) - recorded[:40]).max() < 1e-12
