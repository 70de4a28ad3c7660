"""What animates objects: actions, their curves, and keys."""
