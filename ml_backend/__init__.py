"""Training, evaluation and import, in processes of their own: `python -m ml_backend ...`."""
