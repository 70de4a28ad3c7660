"""Bakes: what is planned, who bakes which take, and what it comes to."""
