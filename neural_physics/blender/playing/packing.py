"""Models that travel inside a .blend: their bytes as an ID property of a Text datablock.

The property survives saving, appending, linking, overriding, undo and opening without the extension,
and costs no undo memory. The text itself explains to a reader what it is.

A packed model goes before the file: `current_model` says which one an object plays.
"""

from __future__ import annotations

import math
import time
from pathlib import Path

import bpy

from ...errors import Problem
from ...files.atomic import writing
from ...files.below import write_below
from ...files.links import check_no_link, resolved
from ...files.looking import has_file
from ...files.reading import NotReadable, read_bytes
from ...models.model_file import Model, parse_model, read_model_bytes
from ..settings.from_files.readable_names import readable_name
from ..settings.paths import MODEL, model_path, named_model
from ..settings.properties import settings_of

PROPERTY = "neural_physics_model"
PACKED_AT = "neural_physics_packed_at"  # seconds since 1970
BODY = """This text carries a trained model of Neural Physics for the object “{object}”.
The model itself is in this text's custom property “{property}”, in the safetensors format.
It was trained with the method “{method}”; author: {author}; licence: {licence}.
The Neural Physics extension plays it. Deleting this text deletes the model from the file.
"""

# What a file that was compared with a packed model looked like then, and whether it is another one.
_compared: dict[Path, tuple[tuple[object, ...], bool]] = {}
_sizes: dict[tuple[int, float | None], int] = {}  # of packed models, by text and when it was packed


def share(obj: bpy.types.Object, text: bpy.types.Text) -> None:
    """Let an object play the model that was packed for another one."""
    if settings_of(obj).model != text:
        remove_packed(obj)
        settings_of(obj).model = text


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
    text[PACKED_AT] = time.time()
    settings.model = text
    return text


def unpack(obj: bpy.types.Object, path: Path, *, overwrite: bool = False) -> None:
    """Write the packed model to a file; it stays packed.

    path: what `paths.model_path` gives, or what the artist chose as this file. What is packed came with the
    .blend, from anybody: nothing is written that is no model.
    Raises Problem("model_missing" | "model_in_the_way" | "place_is_link" | "folder_not_writable" |
    "disk_full"), and what `parse_model` does.
    """
    data = packed_bytes(obj)
    if data is None:
        raise Problem("model_missing", object=obj.name)
    parse_model(data, _name_of(obj))
    folder = resolved(path.parent)  # first: it may be exchanged while it is looked into
    if not overwrite and is_another(obj, path):
        raise Problem("model_in_the_way", path=path, object=obj.name)
    with writing(path):
        folder.mkdir(parents=True, exist_ok=True)
        write_below(folder, folder / path.name, data)


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
    data = _data(text)
    if data is None:
        raise Problem(
            "model_damaged", path=readable_name(text), reason="the property that held the model is missing"
        )
    return data


def packed_size(obj: bpy.types.Object) -> int:
    """How many bytes the packed model adds to the .blend; 0 where nothing is packed."""
    text = settings_of(obj).model
    if text is None:
        return 0
    key = text.session_uid, _packed_at(text)
    if key not in _sizes:
        _sizes[key] = len(_data(text) or b"")  # copies all of it: too slow for every redraw
    return _sizes[key]


def current_model(obj: bpy.types.Object) -> bytes | Path:
    """The model an object plays: the packed one's bytes, else its file, which may not be there.

    Raises Problem("model_missing" | "model_damaged").
    """
    data = packed_bytes(obj)
    if data is not None:
        return data
    path = model_path(obj)
    if path.name == MODEL.name and not has_file(path):  # no other one was chosen
        raise Problem("model_missing", object=obj.name)
    return path


def identity_of(obj: bpy.types.Object) -> tuple[object, ...]:
    """What is another one when another model has been packed or chosen, or an undo has brought one back."""
    text = settings_of(obj).model
    return (named_model(obj),) if text is None else (text.session_uid, _packed_at(text))


def model_bytes_of(obj: bpy.types.Object) -> tuple[bytes, str]:
    """The file of the model an object plays, and what sentences call it.

    Raises what `current_model` and `model_file.read_model_bytes` do.
    """
    current = current_model(obj)
    if isinstance(current, Path):
        return read_model_bytes(current), str(current)
    return current, _name_of(obj)


def model_of(obj: bpy.types.Object) -> Model:
    """The model an object plays. Raises what `model_bytes_of` and `model_file.parse_model` do."""
    return parse_model(*model_bytes_of(obj))


def file_of(obj: bpy.types.Object) -> Path:
    """A file that holds the model an object plays, for other programs: its own, or one written beside it.

    Raises what `current_model` and `unpack` do.
    """
    path = model_path(obj)
    if isinstance(current_model(obj), Path):
        return path
    if is_another(obj, path):
        path = check_no_link(path.with_name(f"{path.stem}.packed{path.suffix}"))
    if not has_file(path) or is_another(obj, path):
        unpack(obj, path, overwrite=True)
    return path


def newer_file(obj: bpy.types.Object) -> Path | None:
    """The object's model file, if it holds another model than the one that plays, and was written later.

    A file that the scene may not name is not looked at.
    """
    text = settings_of(obj).model
    try:
        path = model_path(obj)
    except Problem:
        return None
    if text is None or not is_another(obj, path):
        return None
    written = path.stat().st_mtime
    return path if written > (_packed_at(text) or 0.0) else None


def is_another(obj: bpy.types.Object, path: Path) -> bool:
    """Whether a file is there and holds something else than the packed model; quick when asked again."""
    text = settings_of(obj).model
    if text is None:
        return False
    try:
        about = path.stat()
        seen = (about.st_mtime_ns, about.st_size, text.session_uid, _packed_at(text))
        if path not in _compared or _compared[path][0] != seen:
            same_size = about.st_size == packed_size(obj)  # a larger one need not be read
            _compared[path] = seen, not same_size or read_bytes(path, about.st_size) != _data(text)
    except (OSError, NotReadable):
        return False
    return _compared[path][1]


def forget_files() -> None:
    """Look again at packed models and the files they are compared with."""
    _compared.clear()
    _sizes.clear()


def _data(text: bpy.types.Text) -> bytes | None:
    """What a text holds as a model. None for anything but bytes, which anybody may have put there."""
    data = text.get(PROPERTY)
    return data if isinstance(data, bytes) else None


def _packed_at(text: bpy.types.Text) -> float | None:
    """When its model was packed, seconds since 1970. None for what is no time, as NaN: it equals nothing."""
    when = text.get(PACKED_AT)
    return float(when) if isinstance(when, int | float) and math.isfinite(when) else None


def _name_of(obj: bpy.types.Object) -> str:
    return readable_name(settings_of(obj).model)
