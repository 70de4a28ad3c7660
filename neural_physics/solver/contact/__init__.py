"""Contact and friction: with rigid colliders, of carried points, and of surfaces with each other."""
