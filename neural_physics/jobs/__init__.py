"""Long work in processes of its own: life cycle, process, event protocol."""
