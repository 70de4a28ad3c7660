"""Files that are written whole or row by row, so that a kill costs nothing."""
