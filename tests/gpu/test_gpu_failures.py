"""Whatever the graphics card cannot do raises NoGPU, so that the processor can do it instead."""

from __future__ import annotations

import threading

import bpy
import gpu
import numpy as np
import pytest
from gpu_models import RandomModel, capsules_at, coefficients

from neural_physics.blender.gpu import context, decoder, shaders
from neural_physics.blender.gpu.context import NoGPU, check_context
from neural_physics.blender.gpu.decoder import GpuDecoder
from neural_physics.capsules.projection import Bodies
from neural_physics.errors import Problem

pytestmark = pytest.mark.blender


@pytest.fixture
def model():
    return RandomModel.of_size(300, 16)


class NoPlatform:
    """Blender without a graphics card."""

    @staticmethod
    def renderer_get():
        raise SystemError("GPU functions for drawing are not available in background mode")


def test_without_a_graphics_card_there_is_a_problem_and_none_is_looked_for(monkeypatch, model):
    monkeypatch.setattr(gpu, "platform", NoPlatform)
    # Where there is no driver, this would end Blender.
    monkeypatch.setattr(gpu, "init", lambda: pytest.fail("a context was made"), raising=False)
    for call in (check_context, lambda: GpuDecoder("Sheet", model.mean, model.basis)):
        with pytest.raises(NoGPU) as raised:
            call()
        assert raised.value.code == "gpu_missing" and "background mode" in raised.value.message
    assert isinstance(raised.value, Problem)


def test_a_context_that_cannot_be_made_is_reported(monkeypatch):
    monkeypatch.setattr(gpu, "platform", NoPlatform)
    monkeypatch.setattr(gpu, "init", lambda: None, raising=False)
    with pytest.raises(NoGPU) as raised:
        context.make_context()
    assert raised.value.code == "gpu_missing"


@pytest.mark.usefixtures("graphics")
def test_another_thread_is_refused_before_it_touches_the_graphics_card(model):
    there = GpuDecoder("Sheet", model.mean, model.basis)
    codes = []

    def elsewhere():
        for call in (check_context, lambda: there.decode(coefficients(1, 16))):
            with pytest.raises(NoGPU) as caught:
                call()
            codes.append(caught.value.code)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert codes == ["gpu_other_thread"] * 2


@pytest.mark.usefixtures("graphics")
def test_a_refused_shader_is_reported_by_name_and_tried_again_later(monkeypatch, model):
    shaders.forget_shaders()
    with monkeypatch.context() as broken:
        broken.setattr(shaders, "source", lambda name: "void main() { this is no GLSL; }")
        with pytest.raises(NoGPU) as raised:
            GpuDecoder("Sheet", model.mean, model.basis).decode(coefficients(1, 16))
    assert raised.value.code == "gpu_shader_refused" and "decode" in raised.value.message
    made = GpuDecoder("Sheet", model.mean, model.basis).decode(coefficients(1, 16))
    assert np.isfinite(made.read_positions()).all()


@pytest.mark.usefixtures("graphics")
@pytest.mark.parametrize("limit", [8, 16])
def test_a_texture_that_is_too_large_is_refused_before_it_is_made(model, limit):
    # 8: the bases do not fit. 16: as three rows of blocks neither.
    with pytest.raises(NoGPU) as raised:
        GpuDecoder("Sheet", model.mean, model.basis, limit=limit)
    assert raised.value.code == "gpu_too_large"
    assert "Sheet" in raised.value.message and f"at most {limit} " in raised.value.message


@pytest.mark.usefixtures("graphics")
def test_too_many_instances_or_capsules_are_refused(model):
    small = GpuDecoder("Sheet", model.mean[:4], model.basis[:, :4], limit=32)
    for z, bodies in (
        (coefficients(33, 16), ()),
        (coefficients(1, 16), [Bodies(capsules_at(0, 10), 1.0)]),
    ):
        with pytest.raises(NoGPU) as raised:
            small.decode(z, bodies)
        assert raised.value.code == "gpu_too_large"
    large = GpuDecoder("Sheet", model.mean, model.basis, limit=64)
    with pytest.raises(NoGPU) as raised:
        large.decode(coefficients(20, 16))
    assert raised.value.code == "gpu_too_large"
    assert large.decode(coefficients(13, 16)).read_positions().shape == (13, 300, 3)


@pytest.mark.usefixtures("graphics")
def test_an_exception_that_blender_raises_is_reported_too(monkeypatch, model):
    there = GpuDecoder("Sheet", model.mean, model.basis)

    class Lost:
        @staticmethod
        def dispatch(*_):
            raise SystemError("the context is gone.")

    monkeypatch.setattr(decoder.gpu, "compute", Lost)
    with pytest.raises(NoGPU) as raised:
        there.decode(coefficients(1, 16))
    assert raised.value.code == "gpu_failed" and "(the context is gone)" in raised.value.message


@pytest.mark.usefixtures("graphics")
def test_making_a_context_leaves_the_scene_as_it_was():
    scene = bpy.context.scene
    before = scene.camera, scene.render.engine, scene.render.resolution_x, len(bpy.data.objects)
    context._render_nothing()
    after = scene.camera, scene.render.engine, scene.render.resolution_x, len(bpy.data.objects)
    assert before == after
