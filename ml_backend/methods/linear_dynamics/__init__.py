"""Linear dynamics (de Aguiar et al. 2010) for other programs."""
