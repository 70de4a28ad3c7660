"""What is calculated in C, where there is a library for the computer: `make native` builds it in here.

The source is in the folder `native` of the repository. NumPy calculates the same where there is none.
"""
