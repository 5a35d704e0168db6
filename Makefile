# Every target sets up what it needs; nothing has to be installed before but Python 3.11+, a JDK of 21+ and Maven.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help install demo test lint types imports ci full faults bench lock clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

install: $(STAMP) ## install everything into .venv, from the hashed lock

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: set PYTHON=…")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(STAMP)

demo: install ## run the main job on a bundled sample: C# in, proven Java out
	$(BIN)/uom demo

test: install ## run the tests
	$(BIN)/python -m pytest -q

lint: install ## ruff: rules and format; shellcheck
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/shellcheck -S warning uom_deep_agent/detect_context.sh react_agent/sandbox/remote_program.sh react_agent/sandbox/snapshots/*.sh .ci/run

types: install ## ty
	$(BIN)/ty check uom_acp uom_deep_agent react_agent

imports: install ## import-linter and deptry
	$(BIN)/lint-imports --no-cache
	$(BIN)/deptry .

ci: lint types imports test ## everything that must hold before a change lands

full: ci ## ci, then the long proofs, real Maven builds and other editors' clients as well
	$(MAKE) test PYTEST_ADDOPTS="--run-slow -m slow"

faults: install ## put every kind of fault into every written project; writes docs/faults.md
	$(BIN)/python scripts/faults.py

bench: install ## measure, as ratios against a baseline in the same run
	$(BIN)/python scripts/bench.py

lock: ## rewrite requirements.lock from pyproject.toml (needs uv)
	uv pip compile pyproject.toml --universal --generate-hashes --all-extras --python-version 3.11 \
	  --no-header --no-annotate --no-emit-index-url -o requirements.lock

clean: ## remove what install and the tools made
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis .coverage dist build
