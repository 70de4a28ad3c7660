"""A farm on one computer, for the demo and the tests: hosts made of namespaces, and a Slurm of its own."""
