"""How long a step of the training takes, by what."""
