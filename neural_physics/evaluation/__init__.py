"""Models against held-out takes: rollouts, baselines and measures."""
