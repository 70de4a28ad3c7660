"""One module per command of `python -m ml_backend`."""
