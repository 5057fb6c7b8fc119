# Two commands: `make demo` and `make test`. Both set up all they need.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := coven_command.py $(shell find coven games envs agents arena benchmarks -name '*.py' -o -name '*.toml' -o -name '*.md')

.PHONY: demo test lint types unit golden bench bench-envs docs notebooks format clean

demo: $(VENV)/.ready
	$(BIN)/coven prepare
	$(BIN)/coven demo

test: lint types unit

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# Type checkers cannot follow the folder mapping of an editable install, so they get a real one.
types: build/.typed
	cd build && ../$(BIN)/mypy --config-file ../pyproject.toml --python-executable ../$(BIN)/python -p coven

unit: $(VENV)/.ready
	$(BIN)/coven prepare --agents
	$(BIN)/pytest -n auto

# Hostile input, and faults at every write: hours with a large COVEN_FUZZ, which multiplies the tries of `make test`.
COVEN_FUZZ ?= 100
.PHONY: fuzz
fuzz: $(VENV)/.ready
	COVEN_FUZZ=$(COVEN_FUZZ) $(BIN)/pytest -n auto tests/fuzz

# Other people's stacks, each in an environment of its own: they pin versions of what they share.
.PHONY: test-integrations test-ray test-openspiel test-tianshou
test-integrations: test-openspiel test-tianshou test-ray

test-ray: .venv-ray/.ready
	.venv-ray/bin/pytest tests/integrations/test_rllib.py tests/integrations/test_arena_ray.py

test-openspiel: .venv-openspiel/.ready
	.venv-openspiel/bin/pytest tests/integrations/test_openspiel.py

test-tianshou: .venv-tianshou/.ready
	.venv-tianshou/bin/pytest tests/integrations/test_tianshou.py tests/integrations/test_supersuit.py

# Rewrites the playthroughs that the tests compare with; read `git diff` before you commit them.
golden: $(VENV)/.ready
	$(BIN)/python -m coven.playthrough

# How much of the games' speed reaches each env and training, on this machine.
bench-envs: $(VENV)/.ready
	$(BIN)/coven prepare
	$(BIN)/python -m coven.benchmarks.envs --out benchmarks/results/envs.md

# Coven beside its peers, in one run; some minutes. ARGS=--quick shows whether it works here.
bench: $(VENV)/.ready .venv-peers/.ready
	$(BIN)/coven prepare
	$(BIN)/python -m coven.benchmarks.compare $(ARGS)

# The documentation site: open build/docs/index.html.
docs: $(VENV)/.ready
	$(BIN)/python -m sphinx -W -q -d build/doctrees docs build/docs
	@echo build/docs/index.html

# Executes the notebooks and stores their outputs; each takes under three minutes.
notebooks: $(VENV)/.ready
	$(BIN)/coven prepare
	$(BIN)/python notebooks/execute.py notebooks/*.ipynb

format: $(VENV)/.ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) .venv-* build *.egg-info

$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -qq --upgrade "pip>=25.1"
	$(BIN)/python -m pip install -qq --constraint constraints.txt --editable . --group dev
	touch $@

.venv-%/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-$*
	.venv-$*/bin/python -m pip install -qq --upgrade "pip>=25.1"
	.venv-$*/bin/python -m pip install -qq --constraint constraints.txt --editable . --group $*
	touch $@

# The peers do without Coven. One that cannot be installed is left out, and the results say so.
.venv-peers/.ready: benchmarks/peers.txt constraints.txt
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install -qq --upgrade "pip>=25.1"
	.venv-peers/bin/python -m pip install -qq --constraint constraints.txt --requirement benchmarks/peers.txt \
	  || while read -r peer; do \
	    .venv-peers/bin/python -m pip install -qq --constraint constraints.txt "$$peer" || echo "left out: $$peer"; \
	  done < benchmarks/peers.txt
	touch $@

build/.typed: $(VENV)/.ready $(SOURCES)
	rm -rf build/coven build/*.dist-info
	$(BIN)/python -m pip install -qq --no-deps --upgrade --target build .
	rm -rf build/lib build/bdist.*
	touch $@
