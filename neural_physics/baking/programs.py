"""How this computer starts what a bake needs: never written into a dataset, which lies on many computers."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Programs:
    """blender, solver: commands without their arguments; solver empty where there is none here.

    trusted: whether scripts of the scenes that are sealed with the key in the file `key` may run;
    all_trusted: those of all scenes in the dataset, whoever made them. makes: what on this computer decides
    how takes come out, to the bit: Blender's version, the system and the processor.
    """

    blender: tuple[str, ...]
    solver: tuple[str, ...] = ()
    key: str = ""
    trusted: bool = False
    all_trusted: bool = False
    makes: str = ""

    def to_text(self) -> str:
        """For a command line of this computer."""
        return json.dumps(asdict(self))

    @staticmethod
    def of_text(text: str) -> Programs:
        """Raises ValueError and TypeError for what `to_text` has not made."""
        item = json.loads(text)
        return Programs(tuple(item.pop("blender")), tuple(item.pop("solver")), **item)
