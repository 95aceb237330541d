# Every target says what it does in its ## line; `make` prints them.
BIN = .venv/bin

.PHONY: help setup run test test-long test-extra docker-test check bench sites data clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' Makefile

setup: ## make .venv with webds in it and find a browser; nothing when done
	@sh .ci/setup

run: setup ## run the scripted tasks on the frozen sites and write the report; last line "report: <path>"
	@$(BIN)/webds run --track dockerized --agent scripted

test: setup ## the tests that every change must pass
	$(BIN)/pytest

test-long: setup ## the figures of the "Done when" lines (up to 45 minutes)
	$(BIN)/pytest -m long --timeout 1800

test-extra: setup ## docker, small model, peers, Ray; what this machine lacks is skipped by name
	$(BIN)/pytest -m extra -rs || [ $$? -eq 5 ]

docker-test: setup ## the part of test-extra that needs Docker; as root on Debian it brings its own engine
	$(BIN)/pytest -m extra -rs -s tests/docker

check: setup ## format, lint, complexity, types, import contracts, sizes, documents
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest tests/test_size.py tests/test_imports.py tests/test_docs.py tests/test_setup.py tests/test_ci.py

bench: setup ## speed of the command line against an empty one, interleaved
	$(BIN)/python -m tests.bench

sites: setup ## check the committed data of every site against its digests (archives come with part 3)
	@$(BIN)/python -m tests.test_site_data

data: setup ## rebuild the sites' data extracts from their pinned sources and compare the rows
	$(BIN)/python -m sites_docker.grid_workbook.build_data

clean: ## remove caches and build products; .venv and runs stay
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis build dist
	find . -name __pycache__ -type d -not -path './.venv/*' -not -path './runs/*' -prune -exec rm -rf {} +
