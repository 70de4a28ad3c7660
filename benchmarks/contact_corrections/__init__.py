"""Contact corrections (Romero et al. 2021), measured."""
