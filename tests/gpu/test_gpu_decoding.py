"""What the compute shader makes is what its twins on the processor make."""

from __future__ import annotations

import numpy as np
import pytest
from gpu_models import RandomModel, angles, coefficients

from neural_physics.blender.gpu.decoder import GpuDecoder

pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("graphics")]

slow = pytest.mark.slow
SIZES = [
    *[pytest.param(vertices, bases, 1) for vertices in (1, 2601) for bases in (64, 128, 256)],
    *[pytest.param(1, bases, 256) for bases in (64, 128, 256)],
    pytest.param(100_000, 64, 1),
    pytest.param(2601, 64, 256),
    *[pytest.param(100_000, bases, 1, marks=slow) for bases in (128, 256)],  # gigabytes of memory
    *[pytest.param(2601, bases, 256, marks=slow) for bases in (128, 256)],
]


@pytest.mark.parametrize(("vertices", "bases", "instances"), SIZES)
def test_positions_and_normals_are_the_processors(vertices, bases, instances):
    model, z = RandomModel.of_size(vertices, bases), coefficients(instances, bases)
    decoder = GpuDecoder("Sheet", model.mean, model.basis, model.normals)
    made = decoder.decode(z)
    positions, directions = made.read_positions(), made.read_normals()
    assert positions.shape == directions.shape == (instances, vertices, 3)
    assert positions.dtype == directions.dtype == np.float32
    for first in range(0, instances, 32):  # all at once would take gigabytes
        some = slice(first, first + 32)
        assert np.abs(positions[some] - model.positions(z[some])).max() < 1e-5 * model.size
        assert angles(directions[some], model.directions(z[some])).max() < 1e-3
    assert not made.read_pushed()[1].any()


@pytest.mark.parametrize("instances", [1, 3, 4, 5, 9])
def test_any_number_of_instances_is_made_and_none_is_another(instances):
    model, z = RandomModel.of_size(70, 7), coefficients(instances, 7)
    made = GpuDecoder("Sheet", model.mean, model.basis, model.normals).decode(z)
    assert made.read_positions() == pytest.approx(model.positions(z), abs=1e-5)


def test_no_instances_are_refused():
    model = RandomModel.of_size(70, 7)
    with pytest.raises(ValueError, match="no instance"):
        GpuDecoder("Sheet", model.mean, model.basis).decode(coefficients(0, 7))


@pytest.mark.parametrize("bases", [0, 1, 2, 3, 4, 5, 63, 64])
def test_fewer_bases_are_a_number_and_no_new_texture(bases):
    model, z = RandomModel.of_size(300, 64), coefficients(2, 64)
    decoder = GpuDecoder("Sheet", model.mean, model.basis)
    whole = decoder.decode(z)
    assert whole.read_positions() == pytest.approx(model.positions(z), abs=1e-5)
    fewer = decoder.decode(z, bases=bases)
    assert fewer.positions is whole.positions and fewer.normals is None
    assert fewer.read_positions() == pytest.approx(model.positions(z, bases), abs=1e-5)
    with pytest.raises(ValueError, match="no normals"):
        fewer.read_normals()


def test_a_model_that_is_wider_than_a_texture_lies_in_several_rows_of_blocks():
    model, z = RandomModel.of_size(1000, 7), coefficients(5, 7)
    decoder = GpuDecoder("Sheet", model.mean, model.basis, model.normals, limit=128)
    made = decoder.decode(z)
    assert made.positions.width <= 128 and made.positions.height <= 128
    assert made.read_positions() == pytest.approx(model.positions(z), abs=1e-5)
    assert angles(made.read_normals(), model.directions(z)).max() < 1e-3


def test_what_is_read_is_not_copied():
    model = RandomModel.of_size(100, 8)
    read = GpuDecoder("Sheet", model.mean, model.basis).decode(coefficients(1, 8)).read_positions()
    assert not read.flags.owndata and read.strides == (1600, 16, 4)


def test_what_was_read_stays_when_the_textures_are_written_again():
    model, z = RandomModel.of_size(100, 8), coefficients(2, 8)
    decoder = GpuDecoder("Sheet", model.mean, model.basis)
    first = decoder.decode(z[:1]).read_positions()
    kept = first.copy()
    decoder.decode(z[1:])
    assert np.array_equal(first, kept)


@pytest.mark.parametrize("bases", [64, 128, 256])
def test_half_precision_is_wrong_by_less_than_a_thousandth_of_what_moves(bases):
    model, z = RandomModel.of_size(2601, bases), coefficients(4, bases)
    decoder = GpuDecoder("Sheet", model.mean, model.basis, model.normals, half=True)
    made, exact = decoder.decode(z), model.positions(z)
    error = np.linalg.norm(made.read_positions() - exact, axis=-1)
    moves = np.linalg.norm(exact - model.mean, axis=-1)
    assert np.sqrt((error**2).mean() / (moves**2).mean()) < 5e-4
    assert error.max() < 1e-3 * moves.max()
    assert np.quantile(angles(made.read_normals(), model.directions(z)), 0.99) < 1e-3
