"""Training."""

from __future__ import annotations

PROBLEMS: dict[str, str] = {
    "setting_unknown": "“{setting}” is not a training setting: choose from {known}.",
    "setting_unusable": "The training setting {setting} cannot be “{value}”: give it {allowed}.",
    "device_missing": "No CUDA device is available for training: choose --device cpu or auto.",
    "training_still": (
        "{object} does not move in any take for training, so there is nothing to learn: bake takes in which "
        "what it reacts to moves."
    ),
    "training_reacts_to_too_much": (
        "{path} says in each frame {found} numbers that {object} reacts to, and no more than {allowed} are learned "
        "from: bake takes with fewer interactions, or a character with fewer bones."
    ),
    "training_diverged": (
        "Training diverged after {steps} steps: lower the learning rate, or choose another preset."
    ),
    "search_other": (
        "{path} holds a search with other settings, or of another dataset: give the same as for its first "
        "trial, or another --out."
    ),
    "search_damaged": (
        "The journal of the search, {path}, cannot be read ({reason}): delete its folder to search anew; the "
        "best model so far lies beside that."
    ),
    "search_without_model": (
        "No trial of the search {path} has led to a model (the first: {reason}): search over other settings."
    ),
    "latent_needs_solver": (
        "Latent Dynamics learns from the energies of the bundled solver, but {object} is not simulated "
        "by it: set Simulated By to Solid, Shell or Rods and click Bake, or choose another method."
    ),
    "latent_needs_hinges": (
        "{object} was simulated as a shell with mid-edge normals, but Latent Dynamics supports hinges "
        "only: choose Simulation > Bending Model > Hinges, delete the dataset and bake again, or choose "
        "another method."
    ),
    "latent_needs_one_step": (
        "Latent Dynamics learns whole frames, but {object} is simulated in {steps} steps per frame: set "
        "its Steps per Frame to 1 and click Bake, into a new dataset folder if there are takes already, "
        "or choose another method."
    ),
    "latent_flat": (
        "{object} was simulated as a flat solid, but Latent Dynamics learns from bodies in space only: choose "
        "Contact Corrections, or another method."
    ),
    "latent_strands_curved": (
        "The strands of {object} are curved at rest by up to {degrees} degrees at a joint, and takes do "
        "not record how such strands twist: use straight strands, or more joints, or choose another "
        "method."
    ),
    "latent_take_without_tracks": (
        "The take {take} of {path} does not record what acted on the body: bake it again with this version."
    ),
    "latent_takes_differ": (
        "The take {take} of {path} was baked with different colliders than {first}: bake all takes with "
        "the same ones, into a new dataset folder."
    ),
}
