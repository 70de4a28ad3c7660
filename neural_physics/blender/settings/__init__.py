"""The artist's settings, the places they name on disk, and registration."""
