"""`make endurance`: what plays for days: steps, frames, files and add-ons by the hundred thousand."""
