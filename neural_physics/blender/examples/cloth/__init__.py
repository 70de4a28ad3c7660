"""Example sheets, flags and garments."""
