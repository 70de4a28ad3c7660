"""One folder per paper: its specification and its run time; `registry` finds them."""
