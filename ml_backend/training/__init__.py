"""What all trainers share: the loop, PCA, presets, tensor files."""
