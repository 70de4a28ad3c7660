"""What moves in a take: motion and poses at random, within the ranges that bones and controls have."""
