"""Numbers in words: the same in panels, logs and terminals."""

from __future__ import annotations


def duration(seconds: float) -> str:
    """Roughly how long: `40 s`, `3 min`, `2 h 10 min`."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def length(metres: float) -> str:
    """`1.3 m`, `12 cm`, `4 mm`."""
    if metres < 0.00995:
        return f"{1000 * metres:.0f} mm"
    return f"{100 * metres:.0f} cm" if metres < 0.995 else f"{metres:.1f} m"


def size(count: float) -> str:
    """A number of bytes in words: `820 kB`, `3.1 GB`."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit in ("B", "kB") else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"


def plural(count: int, one: str) -> str:
    """`1 take`, `3 takes`, `12,000 frames`."""
    return f"{count:,} {one}" + ("" if count == 1 else "s")


def distance(metres: float) -> str:
    """Roughly how far, to two digits: `0.4 mm`, `12 mm`, `2.5 cm`, `1.3 m`."""
    for unit, scale, most in (("mm", 1e3, 0.01), ("cm", 1e2, 1.0), ("m", 1.0, float("inf"))):
        if metres < most:
            value = float(f"{metres * scale:.2g}")
            return f"{value:.10g} {unit}"
    return f"{metres} m"
