"""Capsules around limbs: vertices are pushed out of them (Holden 2019, section 6.4)."""
