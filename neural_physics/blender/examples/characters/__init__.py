"""Example characters: rigs, bodies, and what they do."""
