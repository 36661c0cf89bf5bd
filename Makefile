# Every target makes .venv and installs what it needs; Python 3.11 (or later) and make are enough.
PYTHON ?= python3
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help play demo test test-long check check-code bench attack pictures screens fuzz oracle mutants lock clean

help: ## what each target does
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-10s %s\n", $$1, $$2}' Makefile

play: .venv/ready ## a table with three bots, at once
	@$(BIN)/hearts-net play

demo: .venv/ready ## four bots play a whole game over ZeroMQ, told as a watcher sees it
	@$(BIN)/python -m hearts_client demo

test: .venv/ready-test ## the tests, in under five minutes on two cores
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not long"

test-long: .venv/ready-test ## the tests that take longer
	$(BIN)/python -m pytest -n 2 --dist worksteal -m long

check: check-code test ## ruff, mypy strict, then the tests

check-code: .venv/ready-check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/ready ## how long a move and a frame take, as ratios to floors
	$(BIN)/python -m bench.move
	$(BIN)/python -m bench.screen

attack: .venv/ready ## a game in progress against every attack, and what each costs the others
	$(BIN)/python -m bench.attack

pictures: .venv/ready-test ## the pictures of the README, drawn by the real client over a recorded game
	$(BIN)/python -m hearts_client.testing.pictures docs/pictures

screens: .venv/ready-test ## the kept screens anew, after a change that is meant: read the difference
	HEARTS_GOLDEN=write $(BIN)/python -m pytest -q -n 2 tests/client -k "golden or screens or transcript or scenes"

FUZZ ?= 220000
fuzz: .venv/ready-test ## feed every reader, session and the authority what nobody should send
	HEARTS_NET_FUZZ=$(FUZZ) $(BIN)/python -m pytest -n 2 --timeout 900 tests/fuzz

oracle: .venv/ready-oracle ## the rules against OpenSpiel's, in 100,000 deals
	HEARTS_NET_ORACLE_DEALS=100000 $(BIN)/python -m pytest -n 2 -rP --timeout 900 tests/rules/test_open_spiel.py

mutants: .venv/ready-mutants ## change the rules in every small way and see that a test notices
	$(BIN)/python tests/rules/mutants.py

clean: ## forget .venv and every cache
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "hearts-net needs Python 3.11 or later: make PYTHON=python3.12 …")'
	$(PYTHON) -m venv .venv

# Every lock file is made by `make lock`; pip takes nothing whose hash is not in it.
INSTALL := $(BIN)/python -m pip install --quiet --require-hashes

.venv/ready: .venv/bin/python pyproject.toml requirements.lock
	$(INSTALL) -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	@touch $@

.venv/ready-test: .venv/ready requirements-test.lock
	$(INSTALL) -r requirements-test.lock
	@touch $@

.venv/ready-oracle: .venv/ready-test requirements-oracle.lock
	$(INSTALL) -r requirements-oracle.lock
	@touch $@

.venv/ready-mutants: .venv/ready-test requirements-mutants.lock
	$(INSTALL) -r requirements-mutants.lock
	@touch $@

.venv/ready-check: .venv/ready-test requirements-check.lock
	$(INSTALL) -r requirements-check.lock
	@touch $@

.venv/ready-lock: .venv/bin/python requirements-lock.lock
	$(INSTALL) -r requirements-lock.lock
	@touch $@

LOCK := $(BIN)/uv --quiet pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate

lock: .venv/ready-lock ## resolve the dependencies anew, for every platform, keeping the versions that still fit
	$(LOCK) --group build -o requirements.lock pyproject.toml
	for set in test check oracle mutants lock; do \
	    $(LOCK) --group $$set -c requirements.lock -o requirements-$$set.lock || exit 1; \
	done
