"""Bakes by one worker and by two, measured."""
