"""Buttons that start jobs, stop them, and take what they come to."""
