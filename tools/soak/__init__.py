"""`make soak`: what an artist's machine does, broken at random moments; nothing finished may be lost."""
