"""Discrete elastic rods: stretching, bending and twisting (Bergou et al. 2008, 2010)."""
