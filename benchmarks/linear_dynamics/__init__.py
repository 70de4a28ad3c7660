"""Linear dynamics (de Aguiar et al. 2010), measured on what subspace physics learns from."""
