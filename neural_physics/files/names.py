"""Names of files and folders that mean the same on every system.

A dataset is copied from one computer to another: two folders on Linux are one where letters are the same
in either case, some names are devices on Windows, and it drops dots and spaces at the end of others.
"""

from __future__ import annotations

import unicodedata

# Whatever follows after a dot.
DEVICES = frozenset(
    (
        "con",
        "prn",
        "aux",
        "nul",
        "conin$",
        "conout$",
        *(f"{port}{n}" for port in ("com", "lpt") for n in "0123456789¹²³"),
    )
)
NOT_ON_WINDOWS = frozenset('<>:"/\\|?*')
KEPT_KINDS = "LMN"  # of Unicode's categories: letters, marks on them, numbers
KEPT_SIGNS = "-_"
# What systems leave in every folder that somebody looks into, or beside files of other ones.
STRAYS = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})
STRAYS_BEGIN = "._", ".nfs", ".fuse_hidden", ".smbdelete"
LONGEST_NAME = 200  # bytes; file systems allow 255, of which a number, a date or a suffix takes some


def is_stray(name: str) -> bool:
    """Whether a file of this name is a system's own, and nobody misses it."""
    return name in STRAYS or name.startswith(STRAYS_BEGIN)


def same_key(name: str) -> str:
    """What is equal for names that are one and the same on some system."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold()).rstrip(". ")


def is_portable(name: str) -> bool:
    """Whether files may be called so on every system."""
    if not name or name != name.rstrip(". ") or not name.isprintable() or set(name) & NOT_ON_WINDOWS:
        return False
    return not _is_device(name)


def portable(text: str) -> str:
    """A name for a text, such as an object's: letters of every script and numbers stay, one for one.

    What no file system has room for is cut off: Blender allows as long names, and NFC makes some longer.
    """
    whole = unicodedata.normalize("NFC", text)
    name = "".join(c if c in KEPT_SIGNS or unicodedata.category(c)[0] in KEPT_KINDS else "_" for c in whole)
    name = name.encode()[:LONGEST_NAME].decode(errors="ignore")
    return f"{name}_" if not name or _is_device(name) else name


def _is_device(name: str) -> bool:
    return name.partition(".")[0].rstrip().casefold() in DEVICES
