"""Models that travel inside a .blend: their bytes as an ID property of a Text datablock.

The property survives saving, appending, linking, overriding, undo and opening without the extension,
and costs no undo memory. The text itself tells a reader what it is.
"""

from __future__ import annotations

from pathlib import Path

import bpy

from ..errors import Problem
from ..model_file import Model, parse_model, read_model, read_model_bytes
from ..takes import writing
from .paths import model_path
from .properties import settings_of

PROPERTY = "neural_physics_model"
BODY = """This text carries a trained model of Neural Physics for the object “{object}”.
The model itself is in this text's custom property “{property}”, in the safetensors format.
It was trained with the method “{method}”; author: {author}; licence: {licence}.
The Neural Physics extension plays it. Deleting this text deletes the model from the file.
"""


def pack(obj: bpy.types.Object, source: Path | bytes) -> bpy.types.Text:
    """Put a model, a file or its bytes, into the .blend, in place of one that was there.

    Raises what `model_file.read_model` does; then nothing has changed.
    """
    data = source if isinstance(source, bytes) else read_model_bytes(source)
    info = parse_model(data, str(source) if isinstance(source, Path) else obj.name).info
    settings = settings_of(obj)
    text = settings.model
    # A text that other objects play from, or that is linked, is theirs.
    if text is None or text.library is not None or text.users > 1:
        text = bpy.data.texts.new(f"{obj.name} Model")
        text.user_clear()  # a new text has a fake user: it would outlive the object
    text.from_string(
        BODY.format(
            object=info.object,
            property=PROPERTY,
            method=info.method,
            author=info.author or "not given",
            licence=info.licence or "not given",
        )
    )
    # Blender cuts bytes that replace others at their first zero; as a new property they stay whole.
    text.pop(PROPERTY, None)
    text[PROPERTY] = data
    settings.model = text
    return text


def unpack(obj: bpy.types.Object, path: Path) -> None:
    """Write the packed model to a file; it stays packed.

    Raises Problem("model_missing" | "model_damaged" | "folder_not_writable" | "disk_full").
    """
    data = packed_bytes(obj)
    if data is None:
        raise Problem("model_missing", object=obj.name)
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def remove_packed(obj: bpy.types.Object) -> None:
    """Take the model out of the .blend; harmless where there is none."""
    settings = settings_of(obj)
    text, settings.model = settings.model, None
    if text is not None and text.users == 0 and text.library is None:
        bpy.data.texts.remove(text)


def packed_bytes(obj: bpy.types.Object) -> bytes | None:
    """The packed model's bytes, None where nothing is packed. Raises Problem("model_damaged")."""
    text = settings_of(obj).model
    if text is None:
        return None
    data = text.get(PROPERTY)
    if not isinstance(data, bytes):
        raise Problem("model_damaged", path=text.name, reason="it has lost the property that held the model")
    return data


def packed_size(obj: bpy.types.Object) -> int:
    """How many bytes the packed model adds to the .blend; 0 where nothing is packed."""
    text = settings_of(obj).model
    return len(text.get(PROPERTY, b"")) if text else 0


def model_of(obj: bpy.types.Object) -> Model:
    """The model an object plays: the packed one, else the file.

    Raises Problem("model_missing") and what `model_file.read_model` does.
    """
    data = packed_bytes(obj)
    if data is not None:
        return parse_model(data, settings_of(obj).model.name)
    path = model_path(obj)
    if not settings_of(obj).model_path and not path.is_file():
        raise Problem("model_missing", object=obj.name)
    return read_model(path)
