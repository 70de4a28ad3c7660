"""Files, and where they may be."""

from __future__ import annotations

PROBLEMS: dict[str, str] = {
    "file_missing": "{path} does not exist: choose another file, or restore it.",
    "file_is_folder": "{path} is a folder: name a file in it.",
    "file_not_ours": (
        "{path} was not made by Neural Physics and would be overwritten or deleted: move it elsewhere, or choose "
        "another folder or file under Options."
    ),
    "folder_not_writable": "The folder {path} cannot be written to ({reason}): choose another one.",
    "place_not_readable": "{path} cannot be read ({reason}): change its permissions, or choose another location.",
    "place_elsewhere": (
        "{object} keeps its {setting} at {path}, outside the folder neural_physics beside this .blend: click Allow "
        "if you trust that location, choose another under Options, or give it on the command line."
    ),
    "place_unsaved": (
        "{object} keeps its {setting} beside the .blend, and this file is not saved yet: save it first."
    ),
    "places_allowed": "{object} uses no location that needs to be allowed: continue with Bake or Train.",
    "nothing_left_behind": (
        "{object} has no files in the folder for scenes without a file: save the scene first, or leave its "
        "files where they are."
    ),
    "place_is_link": (
        "{path} is a link to another location, and links are not followed: remove it, or choose another "
        "location."
    ),
    "place_not_own_file": (
        "{path} is a pipe, a device or a second name of another file, and is not written to: delete it, or "
        "choose another location."
    ),
    "place_not_blenders": (
        "{path} cannot be used ({reason}), as Blender would take another location for it: rename its folders, or "
        "move the project to one with a short path and without backslashes."
    ),
    "model_path_suffix": (
        "The model file of {object} is called {path}, which does not end in .safetensors: "
        "give it a name that does, under Train > Options."
    ),
    "sculpt_elsewhere": (
        "{object} keeps its Multires sculpt in a file of its own ({path}), which would be written with the scene: "
        "click Pack External in its Multires modifier, adding one if it has none."
    ),
    "disk_full": (
        "The disk of {path} is full; everything finished so far is kept: free some space and resume."
    ),
}
