"""Jobs."""

from __future__ import annotations

PROBLEMS: dict[str, str] = {
    "edition_lacks": (
        "{task} is not part of this edition of Neural Physics: choose Subspace Physics and Blender's own cloth "
        "or soft body, or use the full edition."
    ),
    "job_not_started": (
        "{path} could not be started ({reason}): check that the program exists and can be executed."
    ),
    "job_elsewhere": (
        "The job in {path} runs on {host} and cannot be stopped from here: wait for its next checkpoint, "
        "or stop it there."
    ),
    "name_acts": (
        "“{name}” cannot be pasted into every terminal, as some take one of its characters for a command: "
        "rename it, or the folder."
    ),
    "taken_over": (
        "Another computer has taken over the work in {path}, as this one was silent for too long: it goes on "
        "there, and nothing is lost."
    ),
    "ended_unexpectedly": (
        "The job ended unexpectedly (status {status}, {said}); what it finished is kept: resume it."
    ),
    "stopped": "Stopped as requested; everything finished so far is kept: resume when you like.",
    "unexpected": "Something unexpected went wrong ({reason}): please report it with the log in {path}.",
}
