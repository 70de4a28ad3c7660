"""Folders whose names are no UTF-8, as an archive of another system leaves them."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

pytestmark = [
    pytest.mark.blender,
    pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names"),
]


def test_a_place_with_an_unreadable_name_is_shown_and_told(in_blender: Callable[..., str]) -> None:
    in_blender(
        """
from drawn_panels import drawn
from inside_blender import add_example, few_vertices, part, saved_scene
from pathlib import Path
here = saved_scene()
few_vertices(5)
sheet = add_example()
bad = os.fsdecode(b"caf\\xe9")

plain = part("neural_physics.plain_text")
assert plain.displayable(bad) == "caf?"

share, packing = part("operators.share"), part("neural_physics.blender.playing.packing")
share.model_path = lambda obj: Path(here) / bad / "model.safetensors"
share._require_packed = share.keep_together = packing.remove_packed = lambda *_: None
packing.unpack, packing.is_another = (lambda *_, **__: None), (lambda *_: False)
bpy.context.view_layer.objects.active = sheet
assert bpy.ops.neural_physics.unpack() == {"FINISHED"}, "it says where the file is"

newer = Path(here) / bad / "model.safetensors"
part("panels.play").packing.newer_file = lambda obj: newer
words = drawn("play", sheet).words
words.encode()
assert "caf?" in words, words
"""
    )
