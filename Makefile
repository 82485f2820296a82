# Longwatch: every target sets up .venv by itself when it must. `make help` lists them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
JOBS ?= auto
COUNT ?= 2000
MINUTES ?= 10

.DEFAULT_GOAL := help
.PHONY: help demo test check lint types contracts bench bench-completion snapshots gallery torture soak fmt clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(READY): pyproject.toml .ci/constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Longwatch needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c .ci/constraints.txt -e '.[dev]'
	@touch $@

demo: $(READY) ## the dashboard, playing a rehearsal: no key, no network
	$(BIN)/longwatch demo

test: $(READY) ## the whole test suite
	$(BIN)/python -m pytest -n $(JOBS)

check: lint types contracts test ## the whole gate: format, lint, types, import contracts, tests

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(READY)
	$(BIN)/mypy

contracts: $(READY)
	$(BIN)/lint-imports

bench: $(READY) ## benchmarks; nothing is asserted, read the figures
	cd tests && PYTHONPATH=. ../$(BIN)/python -m bench $(ONLY)

bench-completion: $(READY) ## how much a bad model finishes, with the discipline and without it
	cd tests && PYTHONPATH=. ../$(BIN)/python -m bench.bench_completion

snapshots: $(READY) ## the pictures of every screen, compared; UPDATE=1 takes them anew
	$(BIN)/python -m pytest tests/snapshots -n $(JOBS) $(if $(UPDATE),--snapshot-update)

gallery: $(READY) ## all pictures on one page, gallery.html
	cd tests && PYTHONPATH=. ../$(BIN)/python -m snapshots.gallery ../gallery.html

torture: $(READY) ## everything that must not hurt, tried; COUNT kill points (2000)
	cd tests && ../$(BIN)/python -m torture --count $(COUNT)

soak: $(READY) ## sixteen sessions at work for MINUTES (10): memory, descriptors, lag, the store
	cd tests && PYTHONPATH=. ../$(BIN)/python -m soak --minutes $(MINUTES)

fmt: $(READY) ## format the code and apply safe fixes
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean: ## remove the environment and the caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .import_linter_cache .hypothesis dist build
