"""Takes of other programs, and motion for them."""
