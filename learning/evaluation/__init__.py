"""A model beside the reference and simpler answers: comparison, figures, report."""
