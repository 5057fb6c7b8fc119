# Two commands: `make demo` and `make test`. Both set up all they need.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The package is installed as links to the files of this clone: so a script beside a clone named coven finds it, and type
# checkers can follow. A new file needs a new link: the name of the mark below changes with the list of files.
EDITABLE := --config-settings editable_mode=strict --editable .
LINKED := $(VENV)/.linked-$(shell find $(patsubst %/__init__.py,%,$(wildcard */__init__.py)) -type f \
  -not -path '*/__pycache__/*' | LC_ALL=C sort | cksum | cut -d' ' -f1)

.PHONY: demo test lint types unit golden bench bench-envs bench-vector docs notebooks format clean

demo: $(LINKED)
	$(BIN)/coven prepare
	$(BIN)/coven demo

test: lint types checked unit

lint: $(LINKED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(LINKED)
	cd $(VENV) && bin/mypy --config-file ../pyproject.toml --python-executable bin/python -p coven

unit: $(LINKED)
	$(BIN)/coven prepare --agents
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
	  || echo "There is no Chromium here: the tests of the pages are skipped."
	$(BIN)/pytest -n auto

# Hostile input, and faults at every write: hours with a large COVEN_FUZZ, which multiplies the tries of `make test`.
COVEN_FUZZ ?= 100
.PHONY: fuzz
fuzz: $(LINKED)
	COVEN_FUZZ=$(COVEN_FUZZ) $(BIN)/pytest -n auto tests/fuzz

# Random games of all games with kernels that check every index; they have a cache of their own.
.PHONY: checked
checked: $(LINKED)
	COVEN_BOUNDSCHECK=1 $(BIN)/python tests/fuzz/checked_games.py

# Other people's stacks, each in an environment of its own: they pin versions of what they share.
.PHONY: test-integrations test-ray test-openspiel test-tianshou test-torchrl test-agilerl
test-integrations: test-openspiel test-tianshou test-torchrl test-agilerl test-ray

test-ray: .venv-ray/.ready
	.venv-ray/bin/pytest tests/integrations/test_rllib.py tests/integrations/test_arena_ray.py \
	  tests/integrations/test_example_rllib.py

# With somebody else's game beside ours: Leduc poker, of which OpenSpiel knows the truth. It is built from a copy, since
# a build leaves its entry point in the folder, where the tests of the main environment would find it.
test-openspiel: .venv-openspiel/.ready
	rm -rf build/leduc && mkdir -p build && cp -r examples/leduc build/leduc
	.venv-openspiel/bin/python -m pip install -qq --no-deps build/leduc
	.venv-openspiel/bin/pytest tests/integrations/test_openspiel.py tests/integrations/test_openspiel_leduc.py

test-tianshou: .venv-tianshou/.ready
	.venv-tianshou/bin/pytest tests/integrations/test_tianshou.py tests/integrations/test_supersuit.py \
	  tests/integrations/test_example_tianshou.py

test-torchrl: .venv-torchrl/.ready
	.venv-torchrl/bin/pytest tests/integrations/test_example_torchrl.py

# AgileRL brings a PettingZoo without a registry: all else works with it.
test-agilerl: .venv-agilerl/.ready
	.venv-agilerl/bin/pytest tests/integrations/test_example_agilerl.py

# The lowest versions that pyproject.toml declares, and all tests that need neither torch nor the tools of the site.
.PHONY: test-lowest test-lowest-train
LOWEST := arena web window
test-lowest: .venv-lowest/.ready
	.venv-lowest/bin/coven prepare --agents
	COVEN_LOWEST="$(LOWEST)" .venv-lowest/bin/pytest -n auto

# The same with the extra `train`, whose torch brings gigabytes, and what learns.
LEARNING := tests/agents tests/envs tests/examples tests/arena/test_exploit.py tests/coven/test_demo.py
test-lowest-train: .venv-lowest-train/.ready
	.venv-lowest-train/bin/coven prepare --agents
	COVEN_LOWEST="$(LOWEST) train" .venv-lowest-train/bin/pytest -n auto tests/test_lowest.py $(LEARNING)

# Rewrites the playthroughs that the tests compare with; read `git diff` before you commit them.
golden: $(LINKED)
	$(BIN)/python -m coven.playthrough

# How much of the games' speed reaches each env and training, on this machine.
bench-envs: $(LINKED)
	$(BIN)/coven prepare
	$(BIN)/python -m coven.benchmarks.envs --out benchmarks/results/envs.md

# How much of the games' speed reaches the vector env, and what two threads can bring; on a quiet machine.
bench-vector: $(VENV)/.ready
	$(BIN)/coven prepare
	$(BIN)/python -m coven.benchmarks.vector --out benchmarks/results/vector.md

# Coven beside its peers, in one run; some minutes. ARGS=--quick shows whether it works here.
bench: $(LINKED) .venv-peers/.ready
	$(BIN)/coven prepare
	$(BIN)/python -m coven.benchmarks.compare $(ARGS)

# The page of the leaderboard from all result files, each verified first.
.PHONY: leaderboard
leaderboard: $(LINKED)
	$(BIN)/python -P -m coven.benchmarks.ladder page

# The documentation site: open build/docs/index.html.
docs: $(LINKED)
	$(BIN)/python -m sphinx -W -q -d build/doctrees docs build/docs
	@echo build/docs/index.html

# Executes the notebooks and stores their outputs; each takes under three minutes.
notebooks: $(LINKED)
	$(BIN)/coven prepare
	$(BIN)/python notebooks/execute.py notebooks/*.ipynb

format: $(LINKED)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) .venv-* build *.egg-info

$(VENV)/.ready: pyproject.toml setup.py constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -qq --upgrade "pip>=25.1"
	$(BIN)/python -m pip install -qq --constraint constraints.txt $(EDITABLE) --group dev
	touch $@

$(LINKED): $(VENV)/.ready
	rm -f $(VENV)/.linked-*
	$(BIN)/python -m pip install -qq --no-deps $(EDITABLE)
	touch $@

.venv-lowest-train/.ready: LOWEST += train
.venv-lowest/.ready .venv-lowest-train/.ready: pyproject.toml setup.py tests/lowest.py
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install -qq --upgrade "pip>=25.1"
	$(@D)/bin/python tests/lowest.py $(LOWEST) > $(@D)/lowest.txt
	$(@D)/bin/python -m pip install -qq --constraint $(@D)/lowest.txt $(EDITABLE) --group $(patsubst .venv-%,%,$(@D))
	touch $@

.venv-%/.ready: pyproject.toml setup.py constraints.txt
	$(PYTHON) -m venv .venv-$*
	.venv-$*/bin/python -m pip install -qq --upgrade "pip>=25.1"
	.venv-$*/bin/python -m pip install -qq --constraint constraints.txt $(EDITABLE) --group $*
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
