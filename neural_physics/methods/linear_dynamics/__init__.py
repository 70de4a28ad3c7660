"""Linear dynamics of PCA coefficients (de Aguiar et al. 2010), as it plays."""
