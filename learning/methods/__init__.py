"""One trainer per paper, in a folder of the same name as its run time's.

Each folder has `presets.py` with PRESETS and, for a search, SEARCHED; `train.py` with train(dataset, options,
emit, stop), which returns what the "result" event says; `arguments.py`, where there is one, adds to the
command line.
"""
