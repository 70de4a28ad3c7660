# Two commands do all: `make demo` and `make test`. Both set up what they need, once.
PYTHON_311 ?= $(shell tools/find_python 3.11)
PYTHON_313 ?= $(shell tools/find_python 3.13)
ENV_45 := .venv/blender-4.5
ENV_52 := .venv/blender-5.2
PY_45 := $(ENV_45)/bin/python
PY_52 := $(ENV_52)/bin/python
# Buttons and panels import the library relatively, as parts of one package: typed as such.
EXTENSION := __init__.py neural_physics operators panels
PIP := -m pip install --quiet --disable-pip-version-check
# As many at once as there are cores: with one more all of them together take longer. The long ones come first.
SHARDS := $(MAKE) --no-print-directory -j2
TESTS := blender-4.5 library extension-4.5 methods farm blender-5.2 extension-5.2
# Which of them: the quick ones; all by SLOW=1; the slow ones by SLOW=only.
WHICH = $(if $(SLOW),$(if $(filter only,$(SLOW)),and slow),and not slow)
LEARNED := tests/methods tests/benchmarks
# Tests start hundreds of short processes: what they import is compiled once.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup native demo farm-demo test test-slow test-long fuzz soak endurance check check-library check-extension zip wheels bench bench-full clean
.PHONY: $(TESTS) window

setup:
	$(SHARDS) $(ENV_45)/ready $(ENV_52)/ready
	$(MAKE) --no-print-directory native

$(ENV_45)/ready: requirements/blender-4.5.txt requirements/training.txt requirements/solver.txt requirements/search.txt requirements/export.txt requirements/test-data.txt
	$(PYTHON_311) -m venv $(ENV_45)
	$(PY_45) $(PIP) -r requirements/blender-4.5.txt
	$(PY_45) $(PIP) --no-deps -r requirements/test-data.txt
	touch $@

$(ENV_52)/ready: requirements/blender-5.2.txt requirements/test-data.txt
	$(PYTHON_313) -m venv $(ENV_52)
	$(PY_52) $(PIP) -r requirements/blender-5.2.txt
	$(PY_52) $(PIP) --no-deps -r requirements/test-data.txt
	touch $@

# Bake, train, play and render Ball & Sheet; the results are left in build/demo.
demo: setup
	$(PY_45) -m tools.demo

# Two workers, and a Slurm of two nodes, on this computer: bake, train and evaluate Ball & Sheet, in build/farm.
farm-demo: setup
	$(PY_45) -m tools.farm.demo

# Everything quick: the library, training, and the installed zip in Blender 4.5 and 5.2. `make test SLOW=1` is the
# rest, too: up to a minute each, and the real window.
test: setup zip
	$(SHARDS) $(if $(SLOW),window) $(TESTS)

test-slow: setup zip
	$(SHARDS) SLOW=only window $(TESTS)

# All of it, and what is repeated most at its full length (tests/lengths.py): for a release.
test-long: setup zip
	NEURAL_PHYSICS_LONG=1 $(SHARDS) SLOW=1 window $(TESTS)

# Each shard has one core: NumPy's products are not to wait for the other.
$(TESTS): export OPENBLAS_NUM_THREADS = 1
library:
	$(PY_45) -m pytest -m "not blender and not window $(WHICH)" $(LEARNED:%=--ignore %) --ignore tests/farm
methods:
	$(PY_45) -m pytest -m "not blender and not window $(WHICH)" $(LEARNED)
farm:
	$(PY_45) -m pytest -m "not window $(WHICH)" tests/farm
blender-4.5:
	$(PY_45) -m pytest -m "blender and not window $(WHICH)" --ignore tests/extension --ignore tests/farm
extension-4.5:
	$(PY_45) -m pytest -m "blender and not window $(WHICH)" tests/extension
blender-5.2:
	$(PY_52) -m pytest -m "blender and not once and not window $(WHICH)" --ignore tests/extension --ignore tests/farm
extension-5.2:
	$(PY_52) -m pytest -m "blender and not once and not window $(WHICH)" tests/extension
window:
	$(PY_45) -m pytest -m "window" tests/window

check: $(ENV_45)/ready
	$(ENV_45)/bin/ruff check .
	$(ENV_45)/bin/ruff format --check .
	$(SHARDS) check-library check-extension

check-library:
	$(ENV_45)/bin/mypy
	$(ENV_45)/bin/lint-imports

check-extension:
	mkdir -p build/check/extension
	ln -sfn $(addprefix ../../../,$(EXTENSION)) build/check/extension/
	MYPYPATH=build/check $(ENV_45)/bin/mypy --cache-dir .mypy_cache/extension -p extension
	PYTHONPATH=build/check:. $(ENV_45)/bin/lint-imports tools/extension_imports.toml

zip: $(ENV_45)/ready native
	$(PY_45) -m tools.build_zip

# What is calculated in C, for this computer; see tools/build_native.py.
native: $(ENV_45)/ready
	$(PY_45) -m tools.build_native

# For which systems there are wheels of what the requirements name: docs/wheels.md, anew from the index.
wheels: $(ENV_45)/ready
	$(PY_45) -m tools.wheels

# Mutated files of all kinds, from fresh seeds: `make fuzz MINUTES=30`. Fails if anything is found.
MINUTES := 5
fuzz: $(ENV_45)/ready
	OPENBLAS_NUM_THREADS=1 $(PY_45) -m tools.fuzz --minutes $(MINUTES)

# Every method, the solver and Play at reduced size, beside the last release: 5 to 20 minutes.
bench: setup
	$(PY_45) -m benchmarks.quick

# What docs/benchmarks/ reports: hours the first time.
bench-full: setup
	$(PY_45) -m benchmarks.bench

# Everything an artist's machine does, killed and broken at random moments for some minutes; nothing finished may
# be lost. With SEED and ROUND of a violation that was reported, that round is done again.
soak: export OPENBLAS_NUM_THREADS = 1
soak: MINUTES ?= 10
soak: setup
	$(PY_45) -m tools.soak --minutes $(MINUTES) $(if $(SEED),--seed $(SEED)) $(if $(ROUND),--round $(ROUND))

# What days of playing do: `make endurance`, or a tenth of it by SHARE=0.1. Steps of every method, then frames, files
# and switching the extension off and on, in both Blenders.
SHARE ?= 1
endurance: export OPENBLAS_NUM_THREADS = 1
endurance: setup
	$(PY_45) -m tools.endurance steps --share $(SHARE) $(if $(SEED),--seed $(SEED))
	$(PY_45) -m tools.endurance blender --share $(SHARE)
	$(PY_52) -m tools.endurance blender --share $(SHARE)

clean:
	rm -rf build
