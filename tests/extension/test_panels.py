"""What panels ask of Blender must be there in every version."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.blender


def test_every_icon_exists_in_this_blender() -> None:
    import bpy

    known = set(bpy.types.UILayout.bl_rna.functions["label"].parameters["icon"].enum_items.keys())
    used = {
        name
        for path in ROOT.glob("panels/*.py")
        for name in re.findall(r'(?:icon=|, )"([A-Z][A-Z_0-9]{2,})"', path.read_text(encoding="utf-8"))
    }
    assert len(used) > 20, "the icons are no longer found in the sources"
    looked_up = {"EMPTY", "MESH", "SOFT_BODY", "SOLID", "SHELL", "ROD", "SPRINGS"}
    assert used - known == looked_up, "types of objects and kinds of bodies, named beside their icons"
