"""The trainers that need torch, one per paper: see `learning.methods`, which has the others."""
