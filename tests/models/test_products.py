"""Products are those of plain NumPy, of any size, and no other thread has a part in them."""

from __future__ import annotations

import time

import numpy as np
import pytest

from neural_physics.models.single_thread_products import Product, weighted_sum

SIZES = [(1, 1), (3, 3), (5, 108), (64, 7803), (96, 95), (96, 96), (131, 96), (575, 40), (600, 33), (2051, 7)]
WORK = (
    300 * 64 * 7803
)  # multiplications that are timed: next to them what the interpreter does besides is nothing
SETTLED = 0.2  # s: OpenBLAS's threads look for more work for a while after what was before


def make(inputs, outputs):
    rng = np.random.default_rng(inputs)
    return rng.normal(size=(inputs, outputs)).astype(np.float32), rng.normal(size=inputs).astype(np.float32)


@pytest.mark.parametrize(("inputs", "outputs"), SIZES)
def test_a_product_is_that_of_plain_numpy(inputs, outputs):
    matrix, x = make(inputs, outputs)
    product = Product(matrix)
    for used in {inputs, inputs // 2, 1}:
        found = product(x[:used])
        exact = x[:used].astype(float) @ matrix[:used].astype(float)
        rounding = np.abs(x[:used].astype(float)) @ np.abs(matrix[:used].astype(float))
        assert found.shape == (outputs,) and found.dtype == np.float32
        assert (np.abs(found - exact) <= used * np.finfo(np.float32).eps * rounding).all()
    assert np.array_equal(product.matrix, matrix)


@pytest.mark.parametrize(("inputs", "outputs"), SIZES)
def test_many_rows_at_once_are_each_what_they_are_alone_bit_for_bit(inputs, outputs):
    matrix, _ = make(inputs, outputs)
    product = Product(matrix)
    for used in {inputs, inputs // 2, 1}:
        for count in (1, 2, 8):
            x = np.random.default_rng(count).normal(size=(count, used)).astype(np.float32)
            rows = product.rows(x)
            assert rows.shape == (count, outputs) and rows.dtype == np.float32
            for row, alone in zip(rows, x, strict=True):
                assert row.tobytes() == product(alone).tobytes()


@pytest.mark.parametrize("used", [1, 7, 16, 33, 64])
def test_the_same_vector_gives_the_same_bits_wherever_it_lies(used):
    matrix, x = make(64, 7803)
    first = Product(matrix)(x[:used]).tobytes()
    product = Product(matrix)
    product(np.ones(64, np.float32))
    elsewhere = np.empty(used + 1, np.float32)
    elsewhere[1:] = x[:used]
    assert product(elsewhere[1:]).tobytes() == first


@pytest.mark.parametrize(("inputs", "outputs"), [(64, 7803), (96, 96), (131, 96), (600, 600)])
def test_no_other_thread_has_a_part_in_it(inputs, outputs):
    matrix, x = make(inputs, outputs)
    product = Product(matrix)
    product(x)
    time.sleep(SETTLED)
    everybody, alone = time.process_time(), time.thread_time()
    for _ in range(WORK // (inputs * outputs)):
        product(x)
    time.sleep(SETTLED)
    everybody, alone = time.process_time() - everybody, time.thread_time() - alone
    assert everybody - alone < 0.1 * alone


@pytest.mark.parametrize("outputs", [1, 16, 64, 100, 20_000])
@pytest.mark.parametrize("count", [1, 3, 42, 143, 144, 450])
def test_a_weighted_sum_is_that_of_plain_numpy_and_has_the_same_bits_wherever_it_lies(count, outputs):
    rows, weights = make(count, outputs)
    found = weighted_sum(weights, rows)
    exact = weights.astype(float) @ rows.astype(float)
    rounding = np.abs(weights.astype(float)) @ np.abs(rows.astype(float))
    assert found.dtype == np.float32
    assert (np.abs(found - exact) <= (count + 2) * np.finfo(np.float32).eps * rounding).all()
    for offset in (1, 2, 5):
        held, moved = np.empty(count + offset, np.float32), np.empty(rows.size + offset, np.float32)
        held[offset:], moved[offset:] = weights, rows.ravel()
        again = weighted_sum(held[offset:], moved[offset:].reshape(rows.shape))
        assert again.tobytes() == found.tobytes()
