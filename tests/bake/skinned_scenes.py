"""What the library makes of how a mesh on bones is posed in a scene."""

from __future__ import annotations

from scenes import set_frame

from neural_physics.blender.scene.rigs.skins import skin_of
from neural_physics.blender.scene.sampling import ChannelSampler, layout_of, reference_frame_of
from neural_physics.blender.scene.sources import mesh_of
from neural_physics.interaction.poses import PosePlaces
from neural_physics.skinning.keyed_shape import KeyedShape
from neural_physics.skinning.of_skin import skinning_of


def sampled(tube, frame=1):
    layout = layout_of(tube)
    sampler = ChannelSampler(tube, layout, reference_frame_of(tube), {}, fps=24.0)
    return sampler.sample(set_frame(frame), frame).copy(), layout


def skinned(tube):
    """(V, 3) world space: what we make of the scene as it is."""
    y, layout = sampled(tube)
    pose, skin = PosePlaces.of(layout).pose(y), skin_of(tube)
    x = skinning_of(skin, mesh_of(tube).rest_positions)(pose.moves)
    return KeyedShape(skin).add_to(x, pose.moves, pose.keys)
