"""Model files that are no longer good: bytes, header, description, tensors."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzing.array_mutations import mutated_array, mutated_values, reshaped
from fuzzing.byte_mutations import mutated_bytes
from fuzzing.json_mutations import mutated_json
from neural_physics.files.tensor_file import DTYPES, METADATA, parse_tensors
from neural_physics.models.model_file import METADATA_KEY

Tensors = dict[str, NDArray[Any]]
NAMES = {dtype: name for name, dtype in DTYPES.items()}


def mutated_model(data: bytes, chance: random.Random) -> bytes:
    """The bytes of a file that a program may take for the model."""
    match chance.randrange(12):
        case 0:
            return mutated_bytes(data, chance)
        case 1:
            return _with_another_header(data, chance)
        case 2 | 3 | 4:
            return _with_another_description(data, chance)
        case _:
            tensors, metadata = parse_tensors(data)
            for _ in range(chance.choice((1, 1, 1, 2, 3))):
                _change(tensors, chance)
            return format_file(tensors, metadata)


def format_file(tensors: Tensors, metadata: dict[str, str]) -> bytes:
    """A file of tensors of any type, whether such files have it or not."""
    header: dict[str, Any] = {METADATA: metadata}
    body = bytearray()
    for name, array in tensors.items():
        data = np.ascontiguousarray(array).tobytes()
        kind = NAMES.get(array.dtype, "F32")
        place = [len(body), len(body) + len(data)]
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": place}
        body += data
    return joined(json.dumps(header).encode(errors="surrogatepass"), bytes(body))


def joined(header: bytes, body: bytes) -> bytes:
    """A safetensors file of its two parts."""
    return len(header).to_bytes(8, "little") + header + body


def _parts(data: bytes) -> tuple[dict[str, Any], bytes]:
    length = int.from_bytes(data[:8], "little")
    return json.loads(data[8 : 8 + length]), data[8 + length :]


def _with_another_header(data: bytes, chance: random.Random) -> bytes:
    header, body = _parts(data)
    if chance.random() < 0.5:
        return joined(json.dumps(mutated_json(header, chance)).encode(errors="surrogatepass"), body)
    return joined(mutated_bytes(json.dumps(header).encode(), chance), body)


def _with_another_description(data: bytes, chance: random.Random) -> bytes:
    header, body = _parts(data)
    about = json.loads(header[METADATA][METADATA_KEY])
    if chance.random() < 0.6:  # what a method reads of it
        part = chance.choice([name for name in ("settings", "channels", "training") if about.get(name)])
        about[part] = mutated_json(about[part], chance)
    else:
        about = mutated_json(about, chance)
    header[METADATA][METADATA_KEY] = json.dumps(about)
    return joined(json.dumps(header).encode(errors="surrogatepass"), body)


def _change(tensors: Tensors, chance: random.Random) -> None:
    """One tensor is another one, in place."""
    names = sorted(tensors)
    name = chance.choice(names)
    match chance.randrange(12):
        case 0:
            del tensors[name]
        case 1:
            tensors[chance.choice((name + "\0", "extra", "layers.9.weight"))] = tensors.pop(name)
        case 2:
            tensors[name] = mutated_array(tensors[name], chance)
        case 3:
            tensors[name] = reshaped(tensors[name], chance)
        case _:
            tensors[name] = mutated_values(tensors[name], chance)
