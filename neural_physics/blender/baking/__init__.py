"""Preparing bakes, and the process that bakes one take."""
