"""From surfaces to elements: checks, filling, and what is carried by the elements."""
