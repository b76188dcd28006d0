# Every target sets up what it needs: plain venv + pip, nothing preinstalled but Python >= 3.11 and make.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
DEMO_READY := $(VENV)/.demo-ready
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint frontend system floors fuzz bench docs clean

help:  ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

setup: $(READY)  ## make .venv with everything the other targets need

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "thresher needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version). Try: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(READY): pyproject.toml constraints.txt | $(BIN)/python
	@echo "setting up $(VENV) (once) ..."
	@$(PIP) install --constraint constraints.txt --editable ".[dev]"
	@touch $(READY) $(DEMO_READY)

$(DEMO_READY): pyproject.toml constraints.txt | $(BIN)/python
	@echo "setting up $(VENV) (once) ..."
	@$(PIP) install --constraint constraints.txt --editable ".[cli,files,learn,report]"
	@touch $(DEMO_READY)

demo: $(DEMO_READY)  ## evaluate real models, print the decision and write thresher-demo.html
	@$(BIN)/thresher demo

lint: $(READY)  ## style, formatting, words, types, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tools/style.py
	$(BIN)/mypy
	$(BIN)/lint-imports

test: $(READY)  ## lint, types, contracts, the page's own tests, doctests and all tests
	@$(MAKE) --no-print-directory --jobs 2 lint frontend system
	$(BIN)/pytest --numprocesses auto --maxprocesses 4 --dist loadfile --durations 10

frontend:  ## check, test and rebuild the page's script; fails if the committed one differs
	@frontend/rebuild

system:  ## the system packages that some tests need, where apt-get may install them
	@tests/system_packages

floors:  ## the same tests against the oldest supported dependencies
	@test -x $(VENV)-floors/bin/python || $(PYTHON) -m venv $(VENV)-floors
	@$(VENV)-floors/bin/python -m pip --disable-pip-version-check --quiet install $$($(PYTHON) tests/floors.py) --editable .
	$(VENV)-floors/bin/python -m pytest -q

fuzz: $(READY)  ## random cases against brute force and peers for ten minutes; SECONDS=60 for less
	$(BIN)/python -m tests.fuzz --seconds $(or $(SECONDS),600)

bench: $(READY)  ## ratios against peers, written to benchmarks/results.md
	$(BIN)/python -m benchmarks

docs: $(READY)  ## the documentation, as HTML in docs/_build
	$(BIN)/sphinx-build --fail-on-warning --quiet docs docs/_build
	@$(BIN)/python -m docs.check docs/_build
	@echo "open docs/_build/index.html"

clean:  ## remove everything the other targets made
	rm -rf $(VENV) $(VENV)-floors build dist docs/_build frontend/node_modules thresher-demo.html .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
