"""What the panels of the extension draw, recorded: Blender itself draws none in the background."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import bpy
from inside_blender import part
from one_blender import MODULE

WIDE = 4000  # pixels: no sentence is wrapped


@dataclass
class Call:
    """A function of a layout that was called: `name(*given, **named)`."""

    name: str
    given: tuple[Any, ...]
    named: dict[str, Any]
    within: Layout


class Layout:
    """Records what is drawn into it, and into the layouts inside it, in the order in which it is."""

    def __init__(self, calls: list[Call], kind: str = "column", outside: Layout | None = None) -> None:
        self.calls, self.kind, self.outside = calls, kind, outside
        self.use_property_split = outside.use_property_split if outside else False

    def __getattr__(self, name: str) -> Callable[..., Layout]:
        def draw(*given: Any, **named: Any) -> Layout:
            self.calls.append(Call(name, given, named, self))
            return Layout(self.calls, name, self)

        return draw

    def panel_prop(self, *_given: Any) -> tuple[Layout, Layout]:
        """A section's header and its body: all are open."""
        return self, self


@dataclass
class Drawn:
    """What was drawn."""

    calls: list[Call] = field(default_factory=list)

    def of(self, *names: str) -> list[Call]:
        """The calls of these functions."""
        return [call for call in self.calls if call.name in names]

    @property
    def icons(self) -> dict[str, str | None]:
        """The icon of each label."""
        return {call.named.get("text", ""): call.named.get("icon") for call in self.of("label")}

    @property
    def words(self) -> str:
        """All labels, in a row."""
        return " ".join(self.icons)

    @property
    def buttons(self) -> list[tuple[str, str | None]]:
        """The operators, each with its text where it has one of its own."""
        return [(call.given[0], call.named.get("text")) for call in self.of("operator")]

    @property
    def operators(self) -> list[str]:
        """The operators."""
        return [name for name, _ in self.buttons]

    @property
    def settings(self) -> list[str]:
        """The names of the settings."""
        return [call.given[1] for call in self.of("prop", "prop_search")]

    @property
    def choices(self) -> list[tuple[str, str]]:
        """The settings of which one value is a button, each with that value."""
        return [(call.given[1], call.given[2]) for call in self.of("prop_enum")]


class Window:
    """The context of a panel in a sidebar of this width, in pixels."""

    preferences = SimpleNamespace(system=SimpleNamespace(ui_scale=1.0))  # 0 without a window

    def __init__(self, width: int = WIDE) -> None:
        self.region = SimpleNamespace(width=width)

    def __getattr__(self, name: str) -> Any:
        return getattr(bpy.context, name)


def stand_in(kind: type, layout: Layout) -> Any:
    """What draws as a panel or a list does, which only Blender can make."""
    members: dict[str, Any] = {"layout": layout}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith(MODULE):
            own = vars(base).items()
            members |= {name: value for name, value in own if not name.startswith("__") and name != "bl_rna"}
    return type("Drawn", (), members)()


def drawn(panel: str, obj: bpy.types.Object, width: int = WIDE) -> Drawn:
    """What is in `NEURALPHYSICS_PT_{panel}` for an object, open or not."""
    layout = Layout([])
    kind = getattr(bpy.types, f"NEURALPHYSICS_PT_{panel}")
    stand_in(kind, layout).draw_for(layout, Window(width), obj)
    return Drawn(layout.calls)


def all_drawn(width: int = WIDE) -> Drawn:
    """What is in all panels that are there for what is selected."""
    layout = Layout([])
    for module in part("panels").PARTS:
        for kind in getattr(module, "CLASSES", ()):
            if issubclass(kind, bpy.types.Panel) and getattr(kind, "poll", lambda _: True)(bpy.context):
                stand_in(kind, layout).draw(Window(width))
    return Drawn(layout.calls)
