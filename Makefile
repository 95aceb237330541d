# Every target says what it does in its ## line; `make` prints them.
BIN = .venv/bin

.PHONY: help setup run test test-long test-extra docker-test llm check bench sites data clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' Makefile

setup: ## make .venv with webds in it, find a browser, build the sites' archives; nothing when done
	@sh .ci/setup
	@$(BIN)/webds sites build --quiet

run: setup ## run the scripted tasks on the frozen sites and write the report; last line "report: <path>"
	@$(BIN)/webds run --track dockerized --agent scripted

test: setup ## the tests that every change must pass, a file at a time, one more than there are cores
	$(BIN)/pytest -n $$(($$(getconf _NPROCESSORS_ONLN) + 1)) --dist loadfile

test-long: setup ## the figures of the "Done when" lines (up to 45 minutes)
	$(BIN)/pytest -m long --timeout 1800

test-extra: setup ## docker, small model, peers, Ray; what this machine lacks is skipped by name
	$(BIN)/pytest -m extra -rs || [ $$? -eq 5 ]

docker-test: setup ## the part of test-extra that needs Docker; as root on Debian it brings its own engine
	$(BIN)/pytest -m extra -rs -s tests/docker

llm: setup ## fetch a small model (1.1 GB, once, into .llm) and serve it on port 8080 until Ctrl-C (docs/small-model.md)
	@$(BIN)/python -m tests.small_model

check: setup ## format, lint, complexity, types, import contracts, sizes, documents
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/webds tasks audit --split private
	$(BIN)/pytest tests/test_size.py tests/test_imports.py tests/test_docs.py tests/test_setup.py tests/test_ci.py

bench: setup ## speed of the command line, a step and the replay against their peers (needs the registry once)
	$(BIN)/python -m tests.bench

sites: setup ## check the sites' committed data and build the archives that agents are served from
	@$(BIN)/python -m tests.test_site_data
	@$(BIN)/webds sites build

data: setup ## rebuild the sites' data extracts from their pinned sources and compare the rows
	@for file in sites_docker/*/build_data.py; do \
	  site=$$(basename $$(dirname $$file)); $(BIN)/python -m sites_docker.$$site.build_data || exit 1; done

clean: ## remove caches and build products; .venv and runs stay
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis build dist
	find . -name __pycache__ -type d -not -path './.venv/*' -not -path './runs/*' -prune -exec rm -rf {} +
