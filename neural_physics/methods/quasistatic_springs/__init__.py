"""Jiggle springs (Jin et al. 2022): held poses and zero-restlength springs, as they play."""
