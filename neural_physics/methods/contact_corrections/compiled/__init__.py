"""Steps of contact corrections by the library in C where there is one; NumPy's are the reference."""
