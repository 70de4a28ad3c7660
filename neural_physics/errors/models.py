"""Model files."""

from __future__ import annotations

PROBLEMS: dict[str, str] = {
    "model_missing": "{object} has no model: train one, or import a model file.",
    "live_group_missing": "{object} has no vertex group {group}: choose another {setting} under Play, or clear it.",
    "springs_unknown": "{object} has no Jiggle Springs model whose springs could be shown: train one first.",
    "model_not_packed": "{object} has no model in this .blend: train one, import a model file, or pack one first.",
    "asset_not_dropped": "No model asset was dropped on {object}: drag one onto it from the asset browser.",
    "model_in_the_way": (
        "{path} holds a different model from the one that {object} plays, and it would be lost: move it "
        "away, or pack it if it is the one you want."
    ),
    "model_damaged": "The model {path} cannot be read ({reason}): train it again, or get a fresh copy.",
    "model_too_large": (
        "The model {path} is larger than {limit}, more than any trained model needs, and was not opened: "
        "check that it is the right file."
    ),
    "model_reacts_to_too_much": (
        "The model {path} would bring the lists of {object} to {found} lines, but at most {allowed} are allowed: "
        "train one that reacts to less."
    ),
    "model_newer": "The model {path} needs a newer version of Neural Physics: update the extension.",
    "model_other_object": (
        "The vertices or faces of {object} ({found} vertices) do not match the mesh the model was "
        "trained on ({expected} vertices): undo that, or bake anew and train."
    ),
    "model_other_dataset": (
        "The model {path} does not match the dataset {dataset} ({reason}): choose the dataset it was "
        "trained on, or another take of the same scene."
    ),
    "export_nothing": (
        "The model {path} of {method} has no network that is of use by itself, so there is nothing to export: "
        "use Bake Playback, or train another method."
    ),
    "export_in_the_way": "{path} is there already: give --force to replace it, or name another folder.",
    "export_too_large": (
        "{path} would be larger than {limit}, which is more than an ONNX file can hold: train with fewer bases."
    ),
    "model_method_unknown": "The model {path} uses the method “{method}”, which this version does not have: update the extension.",
}
