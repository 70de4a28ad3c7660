"""A model beside references and baselines: comparison, report, figures."""
