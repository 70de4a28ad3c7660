"""Steps of contact corrections by a library in C where there is one; NumPy's are the reference.

The library's source is in `native/contact_step`; `make native` builds it into this folder.
"""
