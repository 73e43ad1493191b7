# `make demo` and `make test` each do everything from a fresh clone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PEERS := .venv-peers
export OPENBLAS_NUM_THREADS := 1
export OMP_NUM_THREADS := 1
# Compiled test modules are cached, whatever the machine says: collecting them takes twice as long otherwise.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test quick check bench peers quality fuzz studio docs clean format blender blender-env

demo: $(READY)
	$(BIN)/python examples/demo.py out/demo

test: $(READY)
	$(BIN)/python tools/browser.py
	$(BIN)/python tools/kernels.py
	$(BIN)/python -m pytest -n auto --dist loadgroup

# The fast part of the tests, for the minute between two edits; `make test` is what must pass.
quick: $(READY)
	$(BIN)/python -m pytest --quick -q -n auto --dist loadgroup

check: $(READY)
	$(BIN)/ruff check src tests benchmarks examples docs tools blender
	$(BIN)/ruff format --check src tests benchmarks examples docs blender
	$(BIN)/mypy
	$(BIN)/mypy blender
	$(BIN)/lint-imports
	$(BIN)/python tools/page.py check

format: $(READY)
	$(BIN)/ruff check --fix src tests benchmarks examples docs blender
	$(BIN)/ruff format src tests benchmarks examples docs blender
	$(BIN)/python tools/page.py format

bench: $(READY) peers
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[bench]'
	$(BIN)/python -m benchmarks --output docs/benchmarks --peers "$${KINETUNE_PEERS:-$(PEERS)/bin/python}"

# How good results on real clips are.
quality: $(READY)
	$(BIN)/python -m benchmarks.quality --output docs/benchmarks

# Mutated files for every reader, CASES of each (hours); the table goes into the page on reliability.
CASES ?= 100000
fuzz: $(READY)
	$(BIN)/python tools/kernels.py
	$(BIN)/python -m tests.fuzz --cases $(CASES) --page docs/reliability.md
	$(BIN)/python -m tests.studio.protocol_fuzz --cases 10000

# Peers that do not install beside our pins; whatever is missing is listed as missing.
peers: $(PEERS)/.ready

$(PEERS)/.ready: benchmarks/peers.txt
	test -n "$$KINETUNE_PEERS" -o -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	test -n "$$KINETUNE_PEERS" || $(PEERS)/bin/python -m pip install --quiet --requirement benchmarks/peers.txt \
	|| echo 'Not all peers could be installed; the benchmarks run without those.'
	test -n "$$KINETUNE_PEERS" || touch $(PEERS)/.ready

# The extension with its wheels as one zip, for PLATFORM (linux-x64, windows-x64 or macos-arm64).
PLATFORM ?= linux-x64
blender: $(READY)
	$(BIN)/python tools/blender_zip.py --platform $(PLATFORM)

# A Python with Blender in it, for the tests of the extension; they are skipped where it is missing.
BLENDER_PYTHON ?= python3.13
blender-env: .venv-bpy/.ready

.venv-bpy/.ready: constraints.txt
	$(BLENDER_PYTHON) -m venv .venv-bpy
	.venv-bpy/bin/python -m pip install --quiet --constraint constraints.txt \
	'bpy==5.2.*' numpy scipy numba pydantic typer rich PyYAML mujoco-core
	touch .venv-bpy/.ready

studio: $(READY)
	$(BIN)/kinetune studio

docs: $(READY)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[docs]'
	$(BIN)/python docs/build.py

$(READY): pyproject.toml constraints.txt package-lock.json
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	$(BIN)/python tools/page.py vendor
	touch $(READY)

clean:
	rm -rf $(VENV) $(PEERS) out build dist
