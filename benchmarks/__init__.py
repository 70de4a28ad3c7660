"""What docs/benchmarks/ reports: one folder per paper, one for the solver, one for Play."""
