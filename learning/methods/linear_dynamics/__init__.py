"""Fits linear dynamics (de Aguiar et al. 2010)."""
