"""Names of a file that was opened or appended from, made ones that can be read.

Blender keeps whatever bytes a file has there. Those that are no UTF-8 raise an exception wherever Python asks
for the name, and even what has it could not be told to the artist.

The names that they get nobody can foretell: a driver, or whatever else names things, may wait for a name that
only comes to be as it is made readable, and switch something on that writes on disk.
"""

from __future__ import annotations

import codecs
import secrets
from collections.abc import Hashable, Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import chain, islice
from typing import Any, NamedTuple, cast

import bpy

from ..having_settings import having_settings

Struct = Any  # Blender's; its stubs know neither all collections nor what these hold
MOST_RENAMED = 1000  # below a second; more are no damage, and Blender sorts all objects for each
MARK = f"\N{REPLACEMENT CHARACTER}{secrets.token_hex(3)}"  # in place of what is no UTF-8, in this session
MARKED = "neural_physics_marked"  # of Python's ways to decode
NUMBERED = 4  # bytes, of `.001`
PLACES = "FILE_PATH", "DIR_PATH"  # kinds of texts: what is set may be looked up at once, and written
# Settings that the artist agrees to by setting them. A mark within such a place would not even tell it from
# others, where `..` follows.
AGREED_TO = "dataset_folder", "model_path"


def make_names_readable() -> None:
    """Put a mark in place of what is no UTF-8, in all names and texts that are read here.

    Linked data keep their own names, for which there is `readable_name`: they are another file's. What names
    another thing finds it afterwards, too. Places are forgotten.
    """
    for struct, field, text in islice(_unreadable(), MOST_RENAMED):
        if field in AGREED_TO:
            struct.property_unset(field)  # without its update, which would agree to what is set
            continue
        with suppress(
            AttributeError
        ):  # what is linked, and names within it can be changed until it is read anew
            setattr(struct, field, _fitting(struct, field, text))


def readable_name(data: bpy.types.ID) -> str:
    """The name of data that may be linked."""
    try:
        return data.name
    except UnicodeDecodeError as error:
        return _text_of(error)


def readable_full_name(obj: bpy.types.Object) -> str:
    """Its `name_full`, which says its library, too."""
    try:
        return obj.name_full
    except UnicodeDecodeError as error:
        return _text_of(error)


def _text_of(error: UnicodeDecodeError) -> str:
    """What was to be read, as far as it can be."""
    return error.object.decode("utf-8", MARKED)


def _mark(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return MARK, error.end


codecs.register_error(MARKED, _mark)


def _fitting(struct: Struct, field: str, text: str) -> str:
    """The text as it fits, with a mark: Blender cuts ends off, and once more where a name is taken."""
    most = struct.bl_rna.properties[field].length_max
    if not most or len(text.encode()) < most - NUMBERED:
        return text
    room = most - 1 - NUMBERED - len(MARK.encode())
    return text.partition(MARK)[0].encode()[:room].decode("utf-8", "ignore") + MARK


def _unreadable() -> Iterator[tuple[Struct, str, str]]:
    """What has a name that cannot be read, the name's field, and what it can be instead."""
    for struct, fields in _looked_at():
        for field in fields:
            try:
                getattr(struct, field)
            except UnicodeDecodeError as error:
                yield struct, field, _text_of(error)


def _looked_at() -> Iterator[tuple[Struct, tuple[str, ...]]]:
    """All that is read here, and in which of its fields texts are."""
    for ids in _collections():
        yield from ((each, ("name",)) for each in list(ids))  # a list: Blender sorts them by name
    # Nodes hold texts that Blender acts on as they are set.
    yield from ((each, ("name", "label")) for group in bpy.data.node_groups for each in group.nodes)
    # Those that have a name come before those that give it, which Blender looks up where it is given.
    named = chain(_vertex_groups(), _of_data(), _of_node_groups())
    for each in chain(named, _of_objects(), _of_actions(), _of_settings()):
        yield each, _fields_of(each).texts


def _collections() -> Iterator[Struct]:
    for prop in bpy.data.bl_rna.properties:
        if prop.type == "COLLECTION":
            yield getattr(bpy.data, prop.identifier)


def _vertex_groups() -> Iterator[Struct]:
    """Those of each mesh once: many objects may share it."""
    owners = {obj.data.session_uid: obj for obj in bpy.data.objects if obj.data is not None}
    return chain.from_iterable(obj.vertex_groups for obj in owners.values())


def _of_objects() -> Iterator[Struct]:
    for obj in bpy.data.objects:
        yield obj
        for part in chain(obj.modifiers, obj.constraints):
            yield part
            # Of a soft body without settings Blender would end here.
            if obj.soft_body is not None or not isinstance(part, bpy.types.SoftBodyModifier):
                yield from _pointed_at(part)
        yield from _animation(obj)


def _of_data() -> Iterator[Struct]:
    for mesh in bpy.data.meshes:
        yield from mesh.attributes
    for armature in bpy.data.armatures:
        yield from armature.bones
    for keys in bpy.data.shape_keys:
        yield from keys.key_blocks
        yield from _animation(keys)
    for scene in bpy.data.scenes:
        yield from scene.view_layers


def _of_actions() -> Iterator[Struct]:
    for action in bpy.data.actions:
        yield from action.slots
        strips = (strip for layer in action.layers for strip in layer.strips)
        for strip in strips:
            for bag in getattr(strip, "channelbags", ()):  # strips of later Blenders have none
                yield from bag.fcurves


def _of_node_groups() -> Iterator[Struct]:
    for group in bpy.data.node_groups:
        if group.interface is not None:
            yield from group.interface.items_tree


def _animation(owner: Struct) -> Iterator[Struct]:
    animation = owner.animation_data
    if animation is not None:
        yield animation
        yield from animation.drivers


class _Fields(NamedTuple):
    """The names of a kind's properties: texts that can be set, and what holds more of them."""

    texts: tuple[str, ...]
    pointers: tuple[str, ...]
    lists: tuple[str, ...]


def _fields_of(struct: Struct) -> _Fields:
    return _fields(cast(Hashable, type(struct)))


@lru_cache
def _fields(kind: Struct) -> _Fields:
    """To ask Blender for them takes longer than to read them."""
    ours = issubclass(kind, bpy.types.PropertyGroup)
    # What add-ons have given Blender's own kinds is theirs to look at: their code may run for it.
    props = [prop for prop in kind.bl_rna.properties if ours or not prop.is_runtime]
    props = [prop for prop in props if prop.identifier != "rna_type"]
    texts = tuple(
        prop.identifier
        for prop in props
        if prop.type == "STRING" and not prop.is_readonly and (ours or prop.subtype not in PLACES)
    )
    pointers = tuple(prop.identifier for prop in props if prop.type == "POINTER")
    return _Fields(texts, pointers, tuple(prop.identifier for prop in props if prop.type == "COLLECTION"))


def _pointed_at(struct: Struct) -> Iterator[Struct]:
    """What belongs to it, such as the settings of a modifier."""
    for name in _fields_of(struct).pointers:
        value = getattr(struct, name)
        # A cache that is given a name has Blender rename its frames on disk.
        if value is not None and not isinstance(value, bpy.types.ID | bpy.types.PointCache):
            yield value


def _of_settings() -> Iterator[Struct]:
    for obj in having_settings(bpy.data.objects):
        yield from _with_nested(cast(Any, obj).neural_physics)


def _with_nested(settings: Struct) -> Iterator[Struct]:
    """Settings of ours, and all that they hold."""
    yield settings
    for each in _pointed_at(settings):
        yield from _with_nested(each)
    for name in _fields_of(settings).lists:
        for item in getattr(settings, name):
            yield from _with_nested(item)
