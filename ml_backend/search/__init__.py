"""The best of many trainings of one dataset, carried out by any number of computers that share its folder."""
