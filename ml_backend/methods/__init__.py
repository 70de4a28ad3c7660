"""One trainer per paper, named as the run-time modules in `neural_physics.methods`."""
