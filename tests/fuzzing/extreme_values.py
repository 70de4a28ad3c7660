"""Values that no good file has: the first ones a check forgets."""

from __future__ import annotations

import random
from typing import Any

EXTREME_NUMBERS: tuple[float, ...] = (
    float("nan"),
    float("inf"),
    float("-inf"),
    3e38,
    -3e38,
    1e30,
    -1e12,
    1e-40,
    -1e-44,
    1e-20,
    0.0,
    -0.0,
    1.0,
    -1.0,
)
EXTREME_INTEGERS = (-(2**63), -(2**31), -1, 0, 1, 2, 3, 255, 4096, 2**31 - 1, 2**31, 2**53, 2**63, 10**40)
EXTREME_TEXTS = (
    "",
    " ",
    "\0",
    "a\nb\r\t",
    "\x1b[31mred",
    "../../up",
    "/dev/null",
    "C:\\con",
    "{name}",
    "%s%n",
    "\u202egnp.exe",
    "\ud800",
    "é" * 200,
    "x" * 5000,
    "nan",
    "1e999",
)


def extreme_number(chance: random.Random) -> float:
    """A number that a float32 or a float64 can be, and hardly ever is; half of them pass for good ones."""
    if chance.random() < 0.5:
        return chance.choice(EXTREME_NUMBERS)
    return chance.choice((-1.0, 1.0)) * 10.0 ** chance.uniform(-20.0, 14.0)


def extreme_json(chance: random.Random) -> Any:
    """Anything that JSON can say, of any type."""
    kinds = (
        lambda: extreme_number(chance),
        lambda: chance.choice(EXTREME_INTEGERS),
        lambda: chance.choice(EXTREME_TEXTS),
        lambda: chance.choice((None, True, False, [], {}, [[]], [None], {"a": 1})),
        lambda: [extreme_number(chance) for _ in range(chance.randrange(5))],
        lambda: [chance.choice(EXTREME_INTEGERS) for _ in range(chance.randrange(5))],
    )
    return chance.choice(kinds)()
