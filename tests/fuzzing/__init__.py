"""Files that an enemy may have made: seeded mutations of good ones, and what must hold when they are used."""
