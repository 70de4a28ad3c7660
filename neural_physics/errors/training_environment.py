"""The Python that trains: choosing one, and making one."""

from __future__ import annotations

PROBLEMS: dict[str, str] = {
    "training_python_unset": (
        "This needs a Python with PyTorch, and none is set up: choose one, or create one, in Preferences > "
        "Add-ons > Neural Physics."
    ),
    "training_python_or_method": (
        "{task} needs a Python with PyTorch, and none is set up: choose one, or create one, in Preferences > "
        "Add-ons > Neural Physics, or train Subspace Physics, which needs none."
    ),
    "training_python_relative": (
        "The Python {path} is not given as a full path, so where it is found would depend on which file "
        "is open: choose it again in Preferences > Add-ons > Neural Physics."
    ),
    "training_python_missing": (
        "The training Python, {path}, does not exist: choose another in Preferences > Add-ons > Neural "
        "Physics."
    ),
    "training_python_folder": (
        "{path} is a folder without a Python in it (no {expected}): choose the program itself, or the folder "
        "of a virtual environment, in Preferences > Add-ons > Neural Physics."
    ),
    "training_python_lacks": (
        "The Python {path} cannot train, since it lacks {missing}: install what is missing, or choose "
        "another in Preferences > Add-ons > Neural Physics."
    ),
    "simulating_python_lacks": (
        "The Python {path} cannot simulate, since it lacks {missing}: create the environment again, or "
        "choose another, in Preferences > Add-ons > Neural Physics."
    ),
    "searching_python_lacks": (
        "The Python {path} cannot search, since it lacks {missing}: install that with its pip, or create the "
        "environment again in Preferences > Add-ons > Neural Physics."
    ),
    "exporting_python_lacks": (
        "The Python {path} cannot export, since it lacks {missing}: install that with its pip, or create the "
        "environment again in Preferences > Add-ons > Neural Physics."
    ),
    "training_python_unusable": (
        "{path} does not work as a Python (it said: {reason}): choose another in Preferences > Add-ons > "
        "Neural Physics."
    ),
    "offline_forced": (
        "Blender was started with --offline-mode, so nothing can be downloaded: start it without, or "
        "choose a Python that already has PyTorch."
    ),
    "offline": "Blender may not go online: enable Allow Online Access in Preferences > System > Network.",
    "environment_busy": (
        "The training environment is already being created: wait until it has finished, or cancel it."
    ),
    "environment_no_room": (
        "Only {free} is free on the disk of {path}, but a training environment needs up to {needed}: "
        "free some space, or choose a Python that already has PyTorch."
    ),
    "environment_failed": (
        "The training environment could not be created (“{step}” said: {reason}): fix that and create it "
        "again, or choose a Python that already has PyTorch."
    ),
}
