"""Point caches and imports."""

from __future__ import annotations

PROBLEMS: dict[str, str] = {
    "cache_not_pc2": "{path} is not a PC2 file: export the animation again as PC2 (Lightwave Point Cache 2).",
    "cache_not_mdd": "{path} is not an MDD file: export the animation again as MDD.",
    "cache_vertex_count": (
        "{path} has {found} vertices but {object} has {expected}: "
        "export it from the same mesh, with the same modifiers."
    ),
    "cache_too_long": (
        "{path} has {found} frames, but a take has at most {allowed}: export fewer of them, or import it in parts."
    ),
    "interaction_shape": (
        "{path} holds {found} but the take needs {expected}: one row per frame, one column per channel value."
    ),
    "interaction_unnamed": (
        "{path} has {found} unnamed columns: name them with --channels, or import a CSV file whose first "
        "row names them."
    ),
    "interaction_columns": (
        "The columns of {path} cannot be used as channels ({reason}): name them Ball.x, Ball.y, Ball.z, "
        "and so on."
    ),
    "interaction_other_channels": (
        "{path} has columns for {found}, but the dataset {dataset} holds takes with {expected}: "
        "rename the columns, or choose another dataset folder."
    ),
    "mesh_unreadable": "{path} cannot be read as a mesh ({reason}): export it as OBJ or PLY.",
    "import_lacks_body": (
        "The takes in {path} also have the inside of {object}, which no point cache has: import into another "
        "dataset folder."
    ),
    "take_exists": "The dataset {path} already has a take {take}: give the new one another name.",
    "take_unknown": "The dataset {path} has no take {take} with frames to show: choose another.",
    "take_too_long_to_show": (
        "The take {take} in {path} has {found} frames, but at most {allowed} can be shown with what it reacts to: "
        "choose another take, or delete this one."
    ),
    "take_name_unusable": (
        "“{take}” cannot be the name of a take, since each take is a folder in the dataset, on Windows, too: "
        "choose a short name of letters, digits, spaces and dashes, which is no device (such as CON) and not "
        "“take_…” or “poses_…” in capitals."
    ),
    "interaction_not_numbers": (
        "{path} has a value that is not a number in row {row}: fix it and import again."
    ),
    "import_failed": "Blender could not read {path}: {reason}.",
    "import_which_mesh": (
        "{path} does not say which of its meshes is {object}: name one of them ({names}), with as many vertices."
    ),
    "import_lacks": "{path} has nothing called {name}: name what it is called there, one of {names}.",
    "import_needs_places": (
        "{object} follows bones ({name}), which are not read from {path}: bake what is imported into the scene "
        "instead, or read the interaction from this scene."
    ),
}
