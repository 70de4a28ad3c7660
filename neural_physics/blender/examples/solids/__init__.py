"""Example solids: jellies, animals, and flat bodies."""
