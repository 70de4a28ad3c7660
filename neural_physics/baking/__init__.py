"""Bakes: what is planned, and the coordinator that runs one process per take."""
