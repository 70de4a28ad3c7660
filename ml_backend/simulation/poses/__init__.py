"""Bodies at rest in held poses (Jin et al. 2022, section 3.1)."""
