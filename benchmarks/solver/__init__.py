"""The bundled solver beside other solvers."""
