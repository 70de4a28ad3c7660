"""Contact corrections (Romero et al. 2021): handles with learned corrections, as they play."""
