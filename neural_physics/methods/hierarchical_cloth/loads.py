"""What acts on simulated cloth, read from the interaction vector y of each step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...arrays import Doubles, Floats, Indices
from ...energies.air import wind_velocity
from ...interaction.channels import ChannelLayout
from ...models.model_file import Model, damaged
from ...projective_dynamics.cloth import FABRIC_RANGES, GRAVITY, Fabric, Load
from ...projective_dynamics.round_colliders import RoundColliders


@dataclass(frozen=True)
class Pins:
    """vertices (p,): which. channels (p,): the position channel each follows, by its place in y; -1: none.
    anchors (p, 3), metres: where each is, less the channel's position.
    """

    vertices: Indices
    channels: Indices
    anchors: Doubles

    def positions(self, y: Floats) -> Doubles:
        """(p, 3), metres."""
        follows = self.channels >= 0
        at = self.anchors.copy()
        at[follows] += y[self.channels[follows, None] + np.arange(3)]
        return at


class ClothLoads:
    """Reads a layout's channels; all in the axes of the reference frame.

    Channels of kind "capsule" are colliders, and so are the balls of the model.
    Of the model: the setting "fabric", values by name in SI units; "live", the names of "value" channels by
    the value of the fabric that they set; "colliders", radii in metres of the balls at position channels;
    "gravity", m/s^2, where no ground channel says how the frame turns; "solid_ground": whether the cloth can
    lie on the ground of such a channel. Raises Problem("model_damaged").
    """

    def __init__(self, model: Model) -> None:
        settings, layout = model.info.settings, model.info.channels
        places, kinds = layout.slices(), {channel.name: channel.kind for channel in layout.channels}
        try:
            given = {str(name): float(value) for name, value in settings.get("fabric", {}).items()}
            self._fabric = Fabric(**given)
            self._live = {str(k): places[str(name)].start for k, name in settings.get("live", {}).items()}
            radii = {str(name): float(radius) for name, radius in settings.get("colliders", {}).items()}
            self._gravity = np.array(settings.get("gravity", GRAVITY), np.float64).reshape(3)
            known = all(kinds[name] == "position" for name in radii) and set(self._live) <= set(FABRIC_RANGES)
            finite = np.isfinite([*given.values(), *radii.values(), *self._gravity]).all()
            if not (known and finite and all(_usable(name, value) for name, value in given.items())):
                raise ValueError("invalid values")
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise damaged(model.path, f"its cloth: {error}") from error
        self._solid_ground = bool(settings.get("solid_ground", False))
        self._ball_radii = np.array(list(radii.values()))
        self._of_kind = _places_by_kind(layout)
        first = np.array([places[name].start for name in radii], np.intp).reshape(-1, 1)
        capsules = np.array(self._of_kind.get("capsule", []), np.intp).reshape(-1, 1)
        centres = first + np.tile(np.arange(3), 2)
        self._ends = np.concatenate([centres, capsules + np.arange(6)]).reshape(-1, 2, 3)
        self._capsule_radii = capsules + np.arange(6, 8)

    @property
    def collider_count(self) -> int:
        """c, of balls and capsules."""
        return len(self._ends)

    def fabric(self, y: Floats) -> Fabric:
        """The fabric at y: live values are kept to what can be simulated."""
        live = {name: float(np.clip(y[at], *FABRIC_RANGES[name])) for name, at in self._live.items()}
        return replace(self._fabric, **live)

    def ends(self, y: Floats) -> Doubles:
        """(c, 2, 3) metres: the middles of both balls of each collider; a ball's are the same."""
        return y[self._ends].astype(np.float64)

    def colliders(self, y: Floats, ends_before: Doubles, dt: float) -> RoundColliders:
        """The colliders at y; ends_before (c, 2, 3): their ends dt seconds before."""
        ends, up = self.ends(y), self._up(y)
        velocities = (ends - ends_before) / dt
        balls, capsules = self._ball_radii, np.maximum(y[self._capsule_radii].astype(np.float64), 0.0)
        radii = np.concatenate([np.stack([balls, balls], 1), capsules]) + self._fabric.thickness
        # The channel's height is that of the frame's origin above the ground.
        ground = None
        if up is not None and self._solid_ground:
            ground = up, self._fabric.thickness - float(y[self._of_kind["ground"][0] + 3])
        return RoundColliders(
            ends[:, 0],
            ends[:, 1],
            radii[:, 0],
            velocities[:, 0],
            end_velocities=velocities[:, 1],
            ground=ground,
            end_radii=radii[:, 1],
        )

    def load(self, y: Floats, ends_before: Doubles, x: Doubles, v: Doubles, *, dt: float, pins: Pins) -> Load:
        """The load of the step that ends at y, of which f_ext (Oh 2018, eq. 2) is made.

        x, v (n, 3): the cloth at its start, m and m/s.
        """
        winds = [wind_velocity(y[at : at + 3].astype(np.float64)) for at in self._of_kind.get("wind", [])]
        wind = np.sum(winds, axis=0, dtype=np.float64) if winds else np.zeros(3)
        moving = self._three(y, "velocity")
        if moving is not None:
            wind -= moving
        acceleration = self._acceleration(y, x, v)
        return Load(wind, acceleration, pins.positions(y), self.colliders(y, ends_before, dt))

    def _up(self, y: Floats) -> Doubles | None:
        """(3,) unit: away from the ground, if there is a channel of it."""
        up = self._three(y, "ground")
        return None if up is None else up / max(float(np.linalg.norm(up)), 1e-9)

    def _acceleration(self, y: Floats, x: Doubles, v: Doubles) -> Doubles:
        """(n, 3): gravity, and what acts on everything in a frame that is accelerated and turns."""
        up = self._up(y)
        gravity = self._gravity if up is None else -float(np.linalg.norm(self._gravity)) * up
        total = np.broadcast_to(gravity, x.shape).copy()
        linear, turning = self._three(y, "acceleration"), self._three(y, "angular_acceleration")
        spin = self._three(y, "angular_velocity")
        if linear is not None:
            total -= linear
        if turning is not None:
            total -= np.cross(turning, x)
        if spin is not None:
            total -= np.cross(spin, np.cross(spin, x)) + 2.0 * np.cross(spin, v)
        return total

    def _three(self, y: Floats, kind: str) -> Doubles | None:
        """The first three numbers of the first channel of a kind."""
        places = self._of_kind.get(kind)
        return None if places is None else y[places[0] : places[0] + 3].astype(np.float64)


def _places_by_kind(layout: ChannelLayout) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for channel, place in zip(layout.channels, layout.slices().values(), strict=True):
        found.setdefault(channel.kind, []).append(place.start)
    return found


def _usable(name: str, value: Any) -> bool:  # noqa: ANN401 (from a file)
    least, most = FABRIC_RANGES[name]
    return bool(least <= value <= most)
