"""JSON of the same shape in which something is of another type, missing, repeated, or far too large."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

from fuzzing.byte_mutations import mutated_bytes
from fuzzing.extreme_values import extreme_json, extreme_number

Path = tuple[str | int, ...]


def mutated_json(item: Any, chance: random.Random) -> Any:
    """A copy in which one or two things, at any depth, are other ones."""
    changed = copy.deepcopy(item)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        changed = _with_one_change(changed, chance)
    return changed


def mutated_json_bytes(data: bytes, chance: random.Random) -> bytes:
    """The bytes of a JSON file, changed as JSON, or every fourth time as bytes."""
    if chance.random() < 0.25:
        return mutated_bytes(data, chance)
    return json.dumps(mutated_json(json.loads(data), chance)).encode(errors="surrogatepass")


def _with_one_change(item: Any, chance: random.Random) -> Any:
    places = list(_places(item, ()))
    path = chance.choice(places)
    if not path:
        return extreme_json(chance) if chance.random() < 0.1 else item
    holder = item
    for step in path[:-1]:
        holder = holder[step]
    last = path[-1]
    old = holder[last]
    match chance.randrange(8):
        case 0:
            del holder[last]
        case 1 if isinstance(holder, dict):
            holder[chance.choice(("schema", "extra", "", "method", str(last) + "2"))] = holder.pop(last)
        case 2 if isinstance(holder, list):
            holder.extend([old] * chance.choice((1, 2, 300)))
        case 3 if isinstance(old, int | float) and not isinstance(old, bool):
            holder[last] = chance.choice((-old, 2 * old, old + 1, old - 1, 0.5 * old, 1000 * old, str(old)))
        case 4 if isinstance(old, int | float):
            holder[last] = extreme_number(chance)
        case 5 if isinstance(old, dict | list):
            holder[last] = list(old) if isinstance(old, dict) else {str(i): x for i, x in enumerate(old)}
        case _:
            holder[last] = extreme_json(chance)
    return item


def _places(item: Any, path: Path) -> list[Path]:
    found = [path]
    inner = item.items() if isinstance(item, dict) else enumerate(item) if isinstance(item, list) else ()
    for key, value in inner:
        found += _places(value, (*path, key))
    return found
