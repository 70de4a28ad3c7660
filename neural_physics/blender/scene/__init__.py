"""Reading what the artist's scene holds."""
