"""Garments over garments: what one shows is pushed out of what the one below it shows."""
