"""What trainers share: the loop, PCA, presets, validation, tensor files."""
