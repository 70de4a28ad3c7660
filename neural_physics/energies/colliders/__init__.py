"""Rigid shapes that bodies touch: signed distances in the shape's own axes, with two derivatives."""
