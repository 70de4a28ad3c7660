"""What Holden 2019 compares with in section 7.2: other models of motion in the same subspace."""
