# Everything runs in .venv, which make builds from requirements.lock.  Needed beforehand: Python 3.11+ and make.

PYTHON ?= python3
UV_VERSION := 0.13.7
BIN := .venv/bin
JOBS ?= 2
CORE := streamqid/sampling/*,streamqid/measures/*,streamqid/problems/*

.DEFAULT_GOAL := help
.PHONY: help demo demo-kafka kafka test lint bench screenshots lock clean
.DELETE_ON_ERROR:

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: .venv/.installed ## Show what streamqid does, on data that it brings along
	$(BIN)/streamqid demo

demo-kafka: .venv/.installed ## Show the same through a real Kafka: generator, topic, service, recommendation topic
	$(BIN)/python deploy/kafka/demo.py

kafka: .venv/.installed ## Start a single-node Apache Kafka on 127.0.0.1:9092 for local use; its jars stay in .kafka
	$(BIN)/python deploy/kafka/broker.py

test: .venv/.installed ## Run all tests, and hold the coverage floors: 90 % overall, 100 % of the core
	$(BIN)/coverage erase
	$(BIN)/pytest -n $(JOBS) --dist worksteal --cov --cov-report=
	$(BIN)/coverage report --fail-under=90
	$(BIN)/coverage report --fail-under=100 --include='$(CORE)'

lint: .venv/.installed ## Check style, format, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: .venv/.installed ## Run every benchmark in turn; each prints a table
	@set -e; for script in bench/*.py; do \
	    test -e "$$script" || { echo "There is no benchmark in bench/ yet."; exit 0; }; \
	    echo "== $$script"; $(BIN)/python "$$script"; \
	done

screenshots: .venv/.installed ## Take the pictures of the README from the running demo; needs chromium
	$(BIN)/python docs/screenshots.py

lock: ## Write requirements.lock and requirements-runtime.lock anew from pyproject.toml
	@$(check_python)
	rm -rf .venv-lock
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/pip install --quiet uv==$(UV_VERSION)
	$(uv_compile) --extra parquet --extra fast --extra dev --extra compare --output-file requirements.lock
	$(uv_compile) --constraint requirements.lock --output-file requirements-runtime.lock
	rm -rf .venv-lock

clean: ## Remove .venv, caches, coverage data and build products
	rm -rf .venv .venv-lock build dist htmlcov .coverage .coverage.* .hypothesis .import_linter_cache .mypy_cache \
	    .pytest_cache .ruff_cache
	find streamqid tests bench deploy -name __pycache__ -type d -prune -exec rm -rf {} +

# Two steps, so that a change of pyproject.toml alone does not install all packages again.  The lock names every
# package, so nothing is resolved: older versions of pip take a newer release for an extra such as coverage[toml].
.venv/.locked: requirements.lock
	@$(check_python)
	$(PYTHON) -m venv --clear .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements.lock
	@touch $@

.venv/.installed: .venv/.locked pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

check_python = $(PYTHON) -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
    { echo "streamqid needs Python 3.11 or newer with its venv module: install it (on Debian: python3-venv)" \
           "or name another one with 'make PYTHON=...'." >&2; exit 1; }

uv_compile = .venv-lock/bin/uv pip compile pyproject.toml --quiet --upgrade --universal --python-version 3.11 \
    --fork-strategy fewest --generate-hashes --no-header --no-annotate
