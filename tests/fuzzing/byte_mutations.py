"""Bytes flipped, cut off, repeated or moved: what a bad disk does, and a careless enemy."""

from __future__ import annotations

import random

MOST_FLIPS = 8
HEAD = 512  # bytes in which most formats say what follows


def mutated_bytes(data: bytes, chance: random.Random) -> bytes:
    """Other bytes, seldom many of them."""
    if not data:
        return chance.randbytes(chance.randrange(64))
    changed = bytearray(data)
    match chance.randrange(6):
        case 0 | 1:
            for _ in range(chance.randint(1, MOST_FLIPS)):
                changed[_place(changed, chance)] ^= 1 << chance.randrange(8)
        case 2:
            del changed[chance.randrange(len(changed)) :]
        case 3:
            at = chance.randrange(len(changed))
            changed[at:at] = changed[at : at + chance.randint(1, 64)]
        case 4:
            at, size = _place(changed, chance), chance.randint(1, 8)
            changed[at : at + size] = chance.choice((b"\0", b"\xff", b"\x80", b"\x7f")) * size
        case _:
            changed += chance.randbytes(chance.randint(1, 64))
    return bytes(changed)


def _place(data: bytearray, chance: random.Random) -> int:
    """An index; every other time near the beginning."""
    return chance.randrange(min(len(data), HEAD) if chance.random() < 0.5 else len(data))
