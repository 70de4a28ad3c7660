"""Making elements from surfaces: checks, filling, and what is carried by the elements."""
