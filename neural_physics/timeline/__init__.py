"""Frame -> state: steps, the cache of states, and lookahead."""
