"""The N-panel and the preferences: drawing only."""
