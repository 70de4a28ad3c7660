"""Datasets on disk: takes, rest mesh, body, point caches, and imports from other programs."""
