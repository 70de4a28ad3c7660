"""Play, and the graphics card."""

from __future__ import annotations

PROBLEMS: dict[str, str] = {
    "multires_first": (
        "{object} has a Multiresolution modifier, above which nothing can be shown: apply or remove "
        "it, then play."
    ),
    "soft_body_first": (
        "{object} cannot play while {modifier} is between its physics and a Soft Body modifier, above which "
        "nothing can be shown: move or remove that Soft Body."
    ),
    "not_playing": "{object} is not playing: click Play first.",
    "play_failed": "{object} cannot be played ({reason}): click Stop, then Play.",
    "play_modifier_missing": (
        "{object} does not show what it plays, since its modifier “Neural Physics” was removed: undo that, or "
        "click Stop, then Play."
    ),
    "play_not_numbers": (
        "{object} cannot be shown at frame {frame}, because its model or something it reacts to gives a value "
        "that is not a number: check what moves it there, or train again."
    ),
    "layer_name_taken": (
        "{object} has a vertex group called {group}, a name that is needed for what is shown: rename that group."
    ),
    "frame_rate_unusable": (
        "{object} cannot be played at {found} frames per second, which is too far from the {expected} of its "
        "model: set another Frame Rate under Output."
    ),
    "catch_up_needed": (
        "{object} must catch up {frames} frames before this one can be shown: click Catch Up, or go back "
        "to the start and play."
    ),
    "physics_stays_off": (
        "{modifier} of {object} stays switched off, since a simulation in this file keeps its frames on disk "
        "wherever the file says: switch it on in the Modifiers tab if you know the file."
    ),
    "keys_of_more": (
        "The keys of {object} that were put aside animate more than its place ({path}): give it its keys back "
        "in the Action Editor or the NLA Editor ({action}) if you know this file."
    ),
    "visits_write": (
        "{object} is simulated and keeps its frames on disk wherever this file says, so no frames are visited for "
        "you: bake it, or switch its simulation off in the viewport, and try again."
    ),
    "visits_animated": (
        "A key or a driver in this file changes where a simulation keeps its frames, so no frames are visited for "
        "you: take the animation off that is called point_cache or domain_settings, and try again."
    ),
    "play_waits": (
        "{object} waits, since something else in this file is simulated and may write or delete files wherever "
        "it says: click Catch Up, or Play, if you know the file."
    ),
    "look_ahead_not_keyed": (
        "{object} cannot look ahead, since nothing that moves it is animated: keyframe its bones, or "
        "their armature."
    ),
    "look_ahead_ends": (
        "From frame {frame} on, {object} does not look ahead, since something was posed by hand there or "
        "moved differently than before: go back to the start frame."
    ),
    "lock_interface_off": (
        "{object} may render incorrectly, or Blender may crash, if the window is used during a render: "
        "switch on Render > Lock Interface."
    ),
    "frames_reversed": (
        "The playback of {object} would end at frame {last}, before it begins at {first}: swap the two."
    ),
    "work_removed": (
        "Something that {task} was working on has been removed: undo that, or start {task} again."
    ),
    "gpu_missing": "No GPU is available here ({reason}): the CPU does the work, only slower.",
    "gpu_other_thread": (
        "The GPU cannot be used while Blender renders from its window: the CPU does the "
        "work until the render has finished."
    ),
    "gpu_shader_refused": (
        "The GPU driver rejected the shader “{shader}”, so the CPU does the work: update the driver, and "
        "if that does not help, report it with the output of Blender's console."
    ),
    "gpu_too_large": (
        "{object} would need a texture of {width} by {height}, but the GPU allows at most {limit} on a "
        "side, so the CPU does the work: train with fewer bases, or play fewer objects with the same "
        "model."
    ),
    "gpu_failed": (
        "The GPU failed ({reason}), so the CPU does the work: close other programs that use its memory, "
        "then click Stop and Play."
    ),
    "preview_not_linear": (
        "The method of {object}'s model does more than blend shapes, which the viewport preview cannot "
        "draw, so the mesh is shown instead: switch Viewport Preview off."
    ),
    "typical_error_not_drawn": (
        "The GPU cannot draw the typical error of {object} ({reason}): update the GPU driver, or switch "
        "Show Typical Error off."
    ),
    "preview_typical_error": (
        "The viewport preview cannot draw the typical error, so the mesh of {object} is shown instead: "
        "switch Show Typical Error off, or Viewport Preview."
    ),
    "preview_layers": (
        "{object} is pushed out of a layer below it, or another object out of it, which the viewport preview "
        "cannot draw, so the mesh is shown instead: untick it under Play > Layers Below, or switch Viewport "
        "Preview off."
    ),
    "layer_lost": (
        "{object} is worn over something that is not there any more: choose another object under Play > Layers "
        "Below, or remove that entry."
    ),
    "layer_without_faces": (
        "{layer}, which {object} is worn over, has no faces to be pushed out of: choose another object under "
        "Play > Layers Below, or remove it there."
    ),
    "layer_in_one_place": (
        "Too many vertices or faces of {layer}, which {object} is worn over, are in one place for it to be pushed "
        "out of them: choose another object under Play > Layers Below, or remove it there."
    ),
    "layers_too_many": (
        "{object} has more than {most} layers below it, together with those of its layers: remove some under "
        "Play > Layers Below."
    ),
    "layers_circle": (
        "{object} is worn over {layer}, and that over {object}: remove one of the two from the other's Layers "
        "Below."
    ),
    "layers_none": "{object} has no layers below it: there is nothing to remove.",
    "preview_modifiers": (
        "The viewport preview cannot draw the result of other modifiers of {object} ({modifiers}), so "
        "the mesh is shown instead: disable these in viewports, or switch Viewport Preview off."
    ),
    "preview_mode": (
        "The viewport preview of {object} is paused outside Object Mode, so the mesh is shown instead: "
        "return to Object Mode."
    ),
    "preview_shading": (
        "The viewport preview draws solid shading only, but a viewport uses another shading mode, so the "
        "mesh of {object} is shown instead: set all viewports to Solid."
    ),
    "nothing_plays": "Nothing in this scene plays: click Play first.",
    "export_format_unknown": (
        "{path} does not say what kind of file it is to be: let its name end in one of {suffixes}."
    ),
    "format_not_built_in": (
        "{path} cannot be read or written, since this Blender was built without {format}: use Blender from "
        "blender.org, or another kind of file ({suffixes})."
    ),
    "poses_not_fbx": "{path} is to be a skeletal mesh with its poses: let its name end in .fbx.",
    "poses_missing": (
        "{object} has no takes that say how its bones stand: set it up with Jiggle Springs, and bake."
    ),
    "poses_too_many": (
        "{object} has {found} poses in its takes, and {allowed} is the most: name fewer takes on the command line."
    ),
    "poses_other_rig": (
        "The takes of {object} have poses of a bone {bone}, which {rig} lacks: give it the armature that it was "
        "baked with."
    ),
    "poses_of_bendy_bones": (
        "{object} follows the bendy bone {bone}, and skeletons of game engines have none: set its segments to 1, "
        "and bake again."
    ),
    "export_pc2_alone": (
        "{path} is a PC2 file, which holds the whole frames of one object: choose .abc or .usdc, or one sample "
        "per frame and one object."
    ),
    "export_without_faces": (
        "{object} has no faces, and files of meshes are made of these: convert it to a mesh with faces, or "
        "export it as PC2 by Bake Playback."
    ),
    "export_topology_changes": (
        "{object} has another number of vertices at frame {frame} than at the first: switch off the modifiers "
        "that change it from frame to frame, such as Remesh or Decimate."
    ),
    "export_failed": "Blender could not write {path}: {reason}.",
    "shape_keys_too_many": (
        "{object} is {found} m off with {most} shape keys, and {asked} m was asked for: allow a larger error, or "
        "export fewer frames."
    ),
    "shape_keys_too_long": (
        "{object} has {found} frames to make shape keys of, and {allowed} is the most: export fewer."
    ),
    "export_texture_alone": (
        "{path} is a texture, which holds the motion of one object: choose .abc, .usdc or .glb for more."
    ),
    "texture_too_large": (
        "{object} has {vertices} vertices in {frames} frames, and a texture of {side} x {side} texels holds no such "
        "motion: export fewer frames, or switch off modifiers that subdivide it."
    ),
    "loop_too_short": (
        "A loop of {frames} frames of {object} cannot be closed over {overlap} frames: let it overlap by "
        "{frames} at most."
    ),
    "export_loop_of_texture": (
        "{path} is not a texture, and others are not closed to loops: let its name end in _vat.png or _vat.exr, or "
        "let 0 frames overlap."
    ),
    "export_not_shown": (
        "{path} is for other programs and cannot be shown here in place of what plays: choose .pc2, .abc or .usdc."
    ),
}
